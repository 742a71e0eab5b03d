import { describe, expect, test } from 'vitest';
import { outcomeKinds } from '../../src/apply/outcome.ts';
import { someOf, times } from '../support/effort.ts';
import { narrate } from './narrate.ts';
import {
  accessFaults,
  beyondFaults,
  faults,
  type AccessFault,
  type BeyondFault,
  type Fault,
} from './scenario.ts';
import { simulate } from './simulate.ts';

const seeds = Number(process.env['SIMULATION_SEEDS'] ?? times({ short: 3, full: 2500 }));
/** The number of seeds among which every fault and every ending occurs. */
const enough = 2000;

describe('a simulated run of apply', () => {
  test(`keeps every promise for ${seeds} random seeds${seeds < enough ? '' : ', which include every fault and every ending'}`, async () => {
    const met = new Set<string>();
    const ended = new Set<string>();
    const allowed = new Set<string>();
    for (let seed = 0; seed < seeds; seed += 1) {
      const simulated = await simulate(seed);
      if (simulated.violations.length > 0) expect.fail(narrate(simulated));
      const { contractOnly, capabilities } = simulated.history;
      allowed.add(contractOnly ? 'contract' : ['reading', ...capabilities].join(' '));
      for (const event of simulated.history.events) {
        if (event.kind === 'delivered') met.add(event.words);
        if (event.kind === 'ended') ended.add(event.ending);
        if (event.kind === 'ended')
          for (const { outcome } of event.report?.outcomes ?? []) ended.add(outcome);
      }
    }
    const words = [...met].join('\n');
    const inWords: Partial<Record<Fault | BeyondFault | AccessFault, string>> = {
      refused: 'connection refused',
      unknown_host: 'unknown host',
      reset_before: 'reset before it arrived',
      reset_after: 'reset after it took effect',
      timeout_lost: 'timed out, never arrived',
      timeout_late: 'timed out, and arrives later',
      resent: 'to the second of two',
    };
    if (seeds < enough) return;
    expect(allowed).toEqual(new Set(['contract', 'reading', 'reading update', 'reading update delete']));
    for (const fault of [...faults, ...beyondFaults, ...accessFaults])
      expect(words).toContain(inWords[fault] ?? fault);
    for (const what of ['after it took effect', 'before it arrived'])
      expect(words).toContain(`reset by the restart, ${what}`);
    for (const what of ['refused', '502 of the front', '503 of the front'])
      expect(words).toContain(`${what} during the restart`);
    expect([...ended]).toEqual(
      expect.arrayContaining([...outcomeKinds, 'done', 'failed', 'interrupted', 'incomplete']),
    );
  });

  test('is the same for the same seed', async () => {
    for (const seed of someOf([3, 77, 2026], 1)) expect(await simulate(seed)).toEqual(await simulate(seed));
  });

  test.each(someOf([1, 7, 42], 1))('is described in readable text: seed %i', async (seed) => {
    const story = narrate(await simulate(seed));
    expect(story).toMatch(/^seed \d+\ndeclared: \w+\.\w+/);
    expect(story).toMatch(/ms {2}rerun: ends as (done|incomplete): /);
    expect(story).not.toContain('undefined');
  });
});
