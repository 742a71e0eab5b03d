import { expect, test } from 'vitest';
import { limitProblem, limits } from '../../src/manifest/limits.ts';

test.each([
  [{ entries: 100_000, problems: 100_000 }, undefined],
  [{ entries: 100_001 }, 'too-many-resources'],
  [{ problems: 100_001 }, 'too-many-problems'],
])('the numbers %j exceed a limit: %s', (numbers, code) => {
  expect(limitProblem(numbers, limits)?.code).toBe(code);
});
