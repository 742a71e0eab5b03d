import { describe, expect, test } from 'vitest';
import { someOf } from '../support/effort.ts';
import { rules, type Rule } from './rules.ts';
import { plantedBugs } from './planted-bugs.ts';
import { simulate } from './simulate.ts';

describe('the simulation', () => {
  test('has a planted bug for every law', () => {
    expect(new Set(Object.values(plantedBugs).map(({ breaks }) => breaks))).toEqual(
      new Set(Object.keys(rules)),
    );
  });

  test.each(someOf(Object.entries(plantedBugs), 3))('catches an engine that %s', async (_, bug) => {
    const broken = new Set<Rule>();
    const { from = 0 } = bug;
    for (let seed = from; seed < from + 2000 && !broken.has(bug.breaks); seed += 1) {
      for (const { rule } of (await simulate(seed, { bug })).violations) broken.add(rule);
    }
    expect([...broken]).toContain(bug.breaks);
  });
});
