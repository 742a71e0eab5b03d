import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/json.ts';
import { sameValue } from '../../src/plan/compare.ts';
import { planOf } from '../support/plan-of.ts';

/** Values that a language with looser ways might take for one another. */
const values: readonly JsonValue[] = [
  null,
  '',
  ' ',
  'null',
  'none',
  false,
  'false',
  true,
  'true',
  0,
  '0',
  1,
  '1',
];

const pairs = values.flatMap((declared) => values.map((observed) => [declared, observed] as const));

test.each(['group', 'provider', 'open_in_new_tab'])(
  'a value of %s means the same as itself alone',
  (field) => {
    for (const [declared, observed] of pairs)
      expect(sameValue(field, declared, observed), JSON.stringify([declared, observed])).toBe(
        declared === observed,
      );
  },
);

describe('ids', () => {
  test.each<[JsonValue, JsonValue, boolean]>([
    [[1, 2], [2, 1], true],
    [[1, 1, 2], [2, 1], true],
    [[], [], true],
    [[1], [1, 2], false],
    [[1, 2], [1], false],
    [[1, 3], [1, 2], false],
    [[], null, false],
    [null, [], false],
    [[1], ['1'], false],
  ])('%j and %j: %j', (declared, observed, same) => {
    expect(sameValue('backchannel_providers', declared, observed)).toBe(same);
  });
});

test.each([
  ['group: ""', { group: null }, { field: 'group', declared: '', observed: null }],
  ['provider: null', { provider: 0 }, { field: 'provider', declared: null, observed: 0 }],
  ['provider: 7', { provider: null }, { field: 'provider', declared: 7, observed: null }],
  ['open_in_new_tab: false', {}, { field: 'open_in_new_tab', declared: false, observed: null }],
])('%s differs from %j', async (declared, held, difference) => {
  const plan = await planOf(`version: 1\napplications:\n  - slug: wiki\n    name: Wiki\n    ${declared}\n`, {
    wiki: { slug: 'wiki', name: 'Wiki', ...held },
  });
  expect(plan.resource_changes[0]?.differences).toEqual([difference]);
});
