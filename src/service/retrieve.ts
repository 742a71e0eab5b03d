import type { Kind } from '../kinds/kind.ts';
import { timedOut } from './answer.ts';
import { mostOutagesSpared, waitedInVain } from './outage.ts';
import type { Client, Reading } from './client.ts';
import type { Pacing } from './pacing.ts';

const tries = 5;
/** Few, because each try without an answer takes the whole time limit. */
const triesInSilence = 2;

/**
 * Looks up a record, and tries again if an answer proves nothing. Returns the last reading, or nothing if no request was sent:
 * after an interruption, for a pause that is too long, or if the service did not come back.
 */
export async function retrieve(
  kind: Kind,
  name: string,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<Reading | undefined> {
  let reading: Reading | undefined;
  let attempt: number | undefined = 1;
  let spared = 0;
  while (attempt !== undefined && (await pacing.turn())) {
    reading = await client.read(kind, name, signal);
    const { answer } = reading;
    pacing.note(answer, attempt);
    if (reading.proof !== 'nothing') return reading;
    const most = timedOut(answer) ? triesInSilence : tries;
    const next = await pacing.again({ attempt, most, answer, isFree: spared < mostOutagesSpared });
    if (next === attempt) spared += 1;
    attempt = next;
  }
  return reading && { ...reading, answer: waitedInVain(reading.answer, pacing.outage) };
}
