import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { withRemovedFields } from '../../src/plan/removed-fields.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { desired } from '../support/desired.ts';

/** The remark on a field of a user that has changed since the baseline. */
async function remark(
  entry: string,
  field: string,
  before: JsonValue,
  now: JsonValue | undefined,
  held: JsonObject,
): Promise<string | undefined> {
  const [user] = await desired(`version: 1\nusers: [{ username: u, ${entry} }]`);
  return remarkOn(user, field, before, now, held);
}

function remarkOn(
  user: Resource | undefined,
  field: string,
  before: JsonValue,
  now: JsonValue | undefined,
  held: JsonObject,
): string | undefined {
  if (user === undefined) throw new Error('nothing is declared');
  const altered = { field, before, ...(now !== undefined && { now }) };
  const found = withRemovedFields({ kind: 'altered', fields: [altered] }, user, { pk: '1', fields: held });
  return found.kind === 'altered' ? found.fields?.[0]?.stays : undefined;
}

const theme = { theme: { dark: {}, light: { on: 1 } }, a: 1 };

test.each<
  [
    entry: string,
    field: string,
    before: JsonValue,
    now: JsonValue | undefined,
    held: JsonObject,
    string | undefined,
  ]
>([
  ['name: U', 'path', 'x', undefined, { path: 'x' }, 'keeps its `path`'],
  [
    'name: U',
    'attributes',
    { a: 1 },
    undefined,
    { attributes: { a: 1, b: 2 } },
    'keeps a of its `attributes`',
  ],
  ['name: U', 'attributes', { a: 1 }, undefined, { attributes: { b: 2 } }, undefined],
  ['name: U', 'groups', ['g'], undefined, { groups: ['g', 'h'] }, 'keeps g of its `groups`'],
  ['name: U', 'attributes', '(sensitive)', undefined, { attributes: {} }, 'keeps its `attributes`'],
  ['state: absent', 'path', 'x', undefined, { path: 'x' }, undefined],
  [
    'name: U, attributes: { a: 1 }',
    'attributes',
    theme,
    { a: 1 },
    { attributes: theme },
    'keeps theme.dark, theme.light.on of its `attributes`',
  ],
  ['name: U, attributes: { a: 1 }', 'attributes', theme, { a: 1 }, { attributes: { a: 1 } }, undefined],
  [
    'name: U, attributes: {}',
    'attributes',
    { theme: {} },
    {},
    { attributes: { theme: {} } },
    'keeps theme of its `attributes`',
  ],
  [
    'name: U, groups: [], at_least: [groups]',
    'groups',
    ['(sensitive)', 'g'],
    [],
    { groups: ['g'] },
    'keeps any undeclared part of its `groups`',
  ],
  [
    'name: U, groups: [], at_least: [groups]',
    'groups',
    [{ name: 'g' }],
    [],
    { groups: ['1'] },
    'keeps g of its `groups`, if they are in the service',
  ],
  [
    'name: U, groups: [], at_least: [groups]',
    'groups',
    ['g', 'h'],
    [],
    { groups: ['h'] },
    'keeps h of its `groups`',
  ],
])('a user with %s, whose %s was %j and is %j', async (entry, field, before, now, held, words) => {
  expect(await remark(entry, field, before, now, held)).toBe(words);
});

test.each([
  [['g', 'h'], ['g', 'h'], 'keeps group h of its `policies`'],
  [['g', 'h'], ['g'], undefined],
  [['g'], ['g'], undefined],
])(
  'an application whose groups were %j and are now at least g, with %j in the service, %s',
  async (before, there, words) => {
    const [wiki] = await desired(
      'version: 1\napplications: [{ slug: wiki, name: W, policies: [{ group: { name: g }, order: 0 }], at_least: [policies] }]',
    );
    const boundTo = (groups: readonly string[]): JsonValue =>
      groups.map((name, order) => ({ group: { name }, order }));
    const found = remarkOn(wiki, 'policies', boundTo(before), boundTo(['g']), { policies: boundTo(there) });
    expect(found).toBe(words);
  },
);

test('an application keeps the fields that its bindings no longer declare', async () => {
  const [wiki] = await desired(
    'version: 1\napplications: [{ slug: wiki, name: W, policies: [{ group: { name: g }, order: 0 }, { user: 1, order: 1 }] }]',
  );
  const before = [
    { group: { name: 'g' }, order: 0, timeout: 9, negate: false },
    { user: 1, order: 1 },
  ];
  const found = remarkOn(wiki, 'policies', before, [], { policies: before });
  expect(found).toBe('keeps `timeout` of group g of its `policies`');
});
