import type { Answer } from '../../src/service/answer.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import { virtualClock } from './virtual-clock.ts';

/** An answer that shows that the service is away. */
export const away: Answer = { kind: 'unreachable_for_now', error: new Error('connect ECONNREFUSED') };
const back: Answer = { kind: 'not_found', status: 404 };

/** The pacing of a run that the service has answered before. `failures` checks find the service still away before each one that finds it back. */
export function pacingWhileAway(failures: number): Pacing {
  let asked = 0;
  const pacing = createPacing({
    concurrency: 1,
    clock: virtualClock(),
    random: () => 1,
    outagePolicy: {
      waitMs: 60_000,
      fromTheStart: false,
      ask: async () => ((asked += 1) % (failures + 1) === 0 ? back : away),
    },
  });
  pacing.note(back, 1);
  return pacing;
}
