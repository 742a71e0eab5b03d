import { describe, expect, test } from 'vitest';
import { someOf, times } from '../../support/effort.ts';
import { doorBugs } from './bugs.ts';
import { doorRules, simulateDoors, type DoorRule } from './simulate.ts';

const seeds = times({ short: 10, full: 400 });
/** The first seeds that, together, end in every way. */
const enough = 100;

describe('who may open an application', () => {
  test(`is never more than declared or before, under ${seeds} seeds`, { timeout: 600_000 }, async () => {
    const ended = new Set<string>();
    for (let seed = 0; seed < seeds; seed += 1) {
      const { violations, story, outcomes } = await simulateDoors(seed);
      if (violations.length > 0) expect.fail(story);
      for (const outcome of outcomes) ended.add(outcome);
    }
    if (seeds < enough) return;
    const all = [
      'created',
      'updated',
      'unfinished',
      'unchanged',
      'deleted',
      'differs',
      'denied',
      'rejected',
      'exists',
      'conflict',
      'unknown',
    ];
    expect([...ended]).toEqual(expect.arrayContaining(all));
  });

  test('is simulated with a planted bug for every promise', () => {
    const broken = Object.values(doorBugs).map(({ breaks }) => breaks);
    expect(new Set<string>(broken)).toEqual(new Set(Object.keys(doorRules)));
  });

  test.each(someOf(Object.entries(doorBugs), 2))('catches an engine that %s', async (_, bug) => {
    const broken = new Set<DoorRule>();
    const { from = 0 } = bug;
    for (let seed = from; seed < from + 2000 && !broken.has(bug.breaks); seed += 1)
      for (const { rule } of (await simulateDoors(seed, bug)).violations) broken.add(rule);
    expect([...broken]).toContain(bug.breaks);
  });

  test('is what a list that lacked all lets stay, where everyone is declared', async () => {
    for (const seed of [1_900_008_280, 1_900_059_637])
      expect((await simulateDoors(seed)).violations).toEqual([]);
  });

  test('is the same whenever its seed is', async () => {
    for (const seed of [3, 989]) expect(await simulateDoors(seed)).toEqual(await simulateDoors(seed));
  });
});
