import { expect, test } from 'vitest';
import { user } from '../../src/kinds/user.ts';
import { exceededLimit, type ChangeLimits } from '../../src/run/exceeded-limit.ts';
import type { Halt } from '../../src/run/result.ts';
import { planOf } from '../support/plan-of.ts';

const entries = Array.from({ length: 12 }, (_, index) => `{ username: u${index}, name: U }`);
const users = await planOf(`version: 1\nusers: [${entries.join(', ')}]\n`);

/** Why a plan with this number of deletes of users stops, if the service has so many users; undefined if the token may not see them all. */
function refusal(deletes: number, existing: number | undefined, limits: ChangeLimits): string | undefined {
  const changes = users.changes.slice(0, deletes).map((change) => ({ ...change, action: 'delete' as const }));
  const halt: Halt | undefined = exceededLimit(
    { ...users, changes, deletions: { counts: new Map(existing === undefined ? [] : [[user, existing]]) } },
    limits,
  );
  return halt?.kind === 'too_many' ? halt.diagnostics[0]?.summary : undefined;
}

test.each<[deletes: number, existing: number | undefined, limits: ChangeLimits, words: string | undefined]>([
  [1, 1, {}, undefined],
  [2, 11, {}, 'the plan would delete 2 of the 11 users, more than a tenth (1)'],
  [2, 19, {}, 'the plan would delete 2 of the 19 users, more than a tenth (1)'],
  [2, 20, {}, undefined],
  [1, undefined, {}, undefined],
  [
    2,
    undefined,
    {},
    'the plan would delete 2 users, and it is unknown whether that is more than a tenth of all',
  ],
  [2, 1, { maxDeletes: 2 }, undefined],
  [3, 100, { maxDeletes: 2 }, 'the plan would delete 3 resources, and --max-deletes allows 2'],
  [1, 100, { maxDeletes: 0 }, 'the plan would delete 1 resource, and --max-deletes allows 0'],
  [10, 100, {}, undefined],
  [11, 1000, {}, 'the plan would delete 11 resources, and --max-deletes allows 10'],
])('a plan that deletes %i of %s users, given %j', (deletes, existing, limits, words) => {
  expect(refusal(deletes, existing, limits)).toBe(words);
});

test.each([
  [{ maxCreates: 12 }, undefined],
  [{ maxCreates: 11 }, 'the plan would create 12 resources, and --max-creates allows 11'],
])('a plan that creates 12 users, given %j', (limits, words) => {
  const halt = exceededLimit(users, limits);
  expect(halt?.kind === 'too_many' ? halt.diagnostics[0] : halt).toEqual(
    words === undefined
      ? undefined
      : expect.objectContaining({
          summary: words,
          detail: expect.stringContaining('The count includes all declared users') as string,
        }),
  );
});
