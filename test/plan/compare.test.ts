import { describe, expect, test } from 'vitest';
import { sameValue, type Kind } from '../../src/kinds/kind.ts';
import { kindOf } from '../../src/kinds/all.ts';
import type { JsonValue } from '../../src/base/json.ts';
import { compareRecord, fieldsNotReturned } from '../../src/plan/compare.ts';
import { desired } from '../support/desired.ts';
import { entries } from '../support/entries.ts';
import { certificates } from '../support/pem.ts';
import { planOf } from '../support/plan-of.ts';
import { inFull } from '../support/effort.ts';

/** The user kind if it has this field, or else the application kind. */
function kindWith(field: string): Kind {
  const user = kindOf('user');
  return Object.hasOwn(user.fields, field) ? user : kindOf('application');
}

/** Values that a loose comparison might treat as equal. */
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
  'a value of %s equals only itself in a comparison',
  (field) => {
    for (const [declared, observed] of pairs)
      expect(
        sameValue(kindWith(field), field, declared, observed),
        JSON.stringify([declared, observed]),
      ).toBe(declared === observed);
  },
);

describe('ids in a comparison', () => {
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
  ])('%j and %j are equal: %j', (declared, observed, same) => {
    expect(sameValue(kindOf('application'), 'backchannel_providers', declared, observed)).toBe(same);
  });
});

test.each([
  ['group: ""', { group: null }, { field: 'group', declared: '', observed: null }],
  ['provider: null', { provider: 0 }, { field: 'provider', declared: null, observed: 0 }],
  ['provider: 7', { provider: null }, { field: 'provider', declared: 7, observed: null }],
])('an empty value differs from a missing one: %s and %j', async (declared, held, difference) => {
  const plan = await planOf(`version: 1\napplications:\n  - slug: wiki\n    name: Wiki\n    ${declared}\n`, {
    wiki: { slug: 'wiki', name: 'Wiki', ...held },
  });
  expect(plan.changes[0]?.differences).toEqual([difference]);
});

const group = '2f23b8d6-dbbb-4842-8b22-b14c757098b0';
const other = '3f23b8d6-dbbb-4842-8b22-b14c757098b0';

const same: [name: string, field: string, declared: JsonValue, held: JsonValue][] = [
  ['a string', 'name', 'Wiki', 'Wiki'],
  ['nothing, and null', 'provider', null, null],
  ['provider ids in another order', 'backchannel_providers', [3, 2], [2, 3]],
  ['provider ids that were given twice', 'backchannel_providers', [2, 3, 2], [3, 2]],
  ['group ids in another order', 'groups', [other, group], [group, other]],
  ['group ids in another case', 'groups', [group.toUpperCase()], [group]],
  ['group ids without dashes', 'groups', [group.replaceAll('-', '')], [group]],
  [
    'role ids in another order, and without dashes',
    'roles',
    [other.replaceAll('-', ''), group],
    [group, other],
  ],
  ['a time in another zone', 'last_login', '2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00Z'],
  [
    'a time in another zone, to the microsecond',
    'last_login',
    '2024-05-01T10:00:00.250000+02:00',
    '2024-05-01T08:00:00.25Z',
  ],
  [
    'a time without an offset, and the same in UTC',
    'last_login',
    '2024-05-01T08:00:00',
    '2024-05-01T08:00:00Z',
  ],
  ['a time with an offset of hours', 'last_login', '2024-05-01T10:00:00+02', '2024-05-01T08:00:00Z'],
  ['a time with an offset of digits', 'last_login', '2024-05-01T05:30:00-0230', '2024-05-01T08:00:00Z'],
  ['a time with a blank and in lower case', 'last_login', '2024-05-01 08:00:00z', '2024-05-01T08:00:00Z'],
  ['a time that does not exist, as it is', 'last_login', '2024-05-01T08:99:00Z', '2024-05-01T08:99:00Z'],
  ['no time', 'last_login', null, null],
  [
    'attributes with their keys in another order',
    'attributes',
    { a: 1, b: [{ c: 2, d: 3 }] },
    { b: [{ d: 3, c: 2 }], a: 1 },
  ],
  ['attributes with nothing in them', 'attributes', {}, {}],
  ['attributes with the zero that JSON has no sign for', 'attributes', { a: -0 }, { a: 0 }],
];

const different: [name: string, field: string, declared: JsonValue, held: JsonValue][] = [
  ['strings of another case', 'name', 'Wiki', 'wiki'],
  ['an empty string and null', 'group', '', null],
  ['a number and the same in digits', 'provider', 3, '3'],
  ['fewer provider ids', 'backchannel_providers', [2, 3], [2]],
  ['more provider ids', 'backchannel_providers', [2], [2, 3]],
  ['provider ids and null', 'backchannel_providers', [2], null],
  ['fewer group ids', 'groups', [group, other], [group]],
  ['another group', 'groups', [group], [other]],
  ['another role', 'roles', [group], [other]],
  ['roles, and none as releases have it that know none', 'roles', [], null],
  ['another time', 'last_login', '2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00Z'],
  ['a time and none', 'last_login', '2024-05-01T10:00:00Z', null],
  ['times that are none', 'last_login', 'yesterday', 'today'],
  ['attributes with one missing key', 'attributes', { a: 1, b: null }, { a: 1 }],
  ['attributes with one more', 'attributes', { a: 1 }, { a: 1, b: 2 }],
  ['attributes with one renamed key', 'attributes', { a: null }, { b: null }],
  ['attributes with a list in another order', 'attributes', { a: [1, 2] }, { a: [2, 1] }],
  ['attributes with a longer list', 'attributes', { a: [1] }, { a: [1, null] }],
  ['attributes with a list for a mapping', 'attributes', { a: {} }, { a: [] }],
];

describe('values that the service treats as equal compare as equal', () => {
  test.each(same)('%s', (_, field, declared, held) => {
    expect(sameValue(kindWith(field), field, declared, held)).toBe(true);
  });
});

describe('values that the service treats as different compare as different', () => {
  test.each(different)('%s', (_, field, declared, held) => {
    expect(sameValue(kindWith(field), field, declared, held)).toBe(false);
  });
});

describe('declared and observed fields of a user', () => {
  const manifest = `version: 1\nusers: [{ username: u, name: U, groups: [${group}], attributes: { key: "\${env:KEY}" } }]\n`;

  test('are compared only if declared', async () => {
    const [user] = await desired(manifest, { KEY: 'canary-1' });
    if (user === undefined) throw new Error('nothing is declared');
    const held = { username: 'u', name: 'U', groups: [group], attributes: { key: 'canary-1' }, email: 'x' };
    expect(compareRecord(user, { fields: held })).toEqual([]);
  });

  test('are shown without secrets, whether these are declared or observed, in whatever field', async () => {
    const [user] = await desired(manifest, { KEY: 'canary-1' });
    if (user === undefined) throw new Error('nothing is declared');
    const held = { username: 'u', name: 'got canary-1', groups: null, attributes: { key: 'canary-0' } };
    expect(compareRecord(user, { fields: held })).toEqual([
      { field: 'name', declared: 'U', observed: 'got (sensitive)' },
      { field: 'groups', declared: [group], observed: null },
      { field: 'attributes', declared: { key: '(sensitive)' }, observed: '(sensitive)' },
    ]);
  });

  test('are compared unmasked and shown masked', async () => {
    const [user] = await desired('version: 1\nusers: [{ username: u, name: "not a secret", path: users }]\n');
    if (user === undefined) throw new Error('nothing is declared');
    const fields = { username: 'u', name: 'not a secret', path: 'a secret' };
    const shown = { username: 'u', name: 'not (sensitive)', path: '(sensitive)' };
    expect(compareRecord(user, { fields, shown })).toEqual([
      { field: 'path', declared: 'users', observed: '(sensitive)' },
    ]);
  });

  test('do not differ if the service does not show the field', async () => {
    const [user] = await desired(manifest, { KEY: 'canary-1' });
    if (user === undefined) throw new Error('nothing is declared');
    const fields = { username: 'u', name: 'U', attributes: { key: 'canary-1' } };
    expect(compareRecord(user, { fields })).toEqual([]);
    expect(fieldsNotReturned(user, { fields })).toEqual(['groups']);
  });
});

test.runIf(inFull)('every JSON value equals itself after the service has formatted it', async () => {
  const alarms: unknown[] = [];
  let compared = 0;
  for (const { type, field, value, verdict, later } of entries) {
    const whole = type === 'application' ? { slug: 'a', name: 'A' } : { username: 'a', name: 'A' };
    const manifest = JSON.stringify({ version: 1, [`${type}s`]: [{ ...whole, [field]: value }] });
    const [resource] = await desired(manifest).catch(() => []);
    if (resource === undefined) continue; // no manifest may contain this value
    for (const answer of [verdict, later?.verdict]) {
      if (answer === undefined || !('stored' in answer)) continue;
      compared += 1;
      alarms.push(...compareRecord(resource, { fields: { ...whole, [field]: answer.stored } }));
    }
  }
  expect(alarms).toEqual([]);
  expect(compared).toBeGreaterThan(150);
});

test('a certificate that differs is shown by its fingerprint', async () => {
  const [declared] = await desired(
    JSON.stringify({ version: 1, certificates: [{ name: 'c', certificate_data: certificates.one }] }),
  );
  if (declared === undefined) throw new Error('nothing is declared');
  const [difference] = compareRecord(declared, { fields: { name: 'c', certificate_data: 'aa:bb' } });
  expect(difference).toMatchObject({
    declared: expect.stringMatching(/^(?:[\da-f]{2}:){31}[\da-f]{2}$/) as string,
    observed: 'aa:bb',
  });
});
