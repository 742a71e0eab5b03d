import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kindOf, kinds } from '../../src/kinds/all.ts';
import { type DeclaredFields, fieldOf, managedPart, mergedValue } from '../../src/kinds/fields.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { referenceOf } from '../../src/kinds/references.ts';
import { newestFacts } from '../../src/kinds/facts.ts';
import { partialKeys, sameJson } from '../../src/kinds/values.ts';
import { listPathIn } from '../support/written-type.ts';

/** An entry that declares a field, and `exactly` or `at_least` if given. */
function entry(kind: Kind, field: string, value: JsonValue, given: JsonObject = {}): DeclaredFields {
  const fields = Object.entries({ [field]: value, ...given }).map(
    ([name, one]) => [name, fieldOf(one, { at: [0, 0] })] as const,
  );
  return { kind, fields: Object.fromEntries(fields) };
}

const lists = kinds.flatMap((kind) =>
  Object.entries(kind.fields).flatMap(([field, { part, idForm }]) =>
    part && idForm ? [{ type: listPathIn(kind), kind, field, part }] : [],
  ),
);
const ids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;

test.each(lists)(
  'a list of references is declared in full or in part: $type.$field',
  ({ kind, field, part }) => {
    const [one, two] = ids;
    const merged = (given: JsonObject): JsonValue =>
      mergedValue(entry(kind, field, [two], given), field, [one]);
    expect(merged({})).toEqual(part === 'if at_least' ? [two] : [one, two]);
    expect(merged({ exactly: [field] })).toEqual(part === 'always' ? [one, two] : [two]);
    expect(merged({ at_least: [field] })).toEqual([one, two]);
  },
);

test('outposts and proxies keep undeclared list items by default, and no other kinds do', () => {
  const shared = lists.filter(({ part }) => part !== 'if at_least');
  expect(shared.map(({ type, field }) => `${type}.${field}`)).toEqual([
    '/providers/proxy/.property_mappings',
    '/outposts/instances/.providers',
  ]);
});

test.each(kinds.map((kind) => ({ type: listPathIn(kind), kind })))(
  'for the kind $type, lists of references and JSON fields can be declared in part, but secrets must be declared in full',
  ({ kind }) => {
    const path = kind.path.replace('/api/v3', '');
    const facts = newestFacts(path).fields;
    for (const [field, { part, isSecret, isInstruction, form, children }] of Object.entries(kind.fields)) {
      const { type, items } = facts[field] ?? { type: 'string' };
      const refers = referenceOf(path, field, facts[field] ?? {}) !== undefined;
      const isJson =
        field !== 'oidc_jwks' && items === undefined && (type === undefined || type === 'object');
      const isReferences = children !== undefined || (items !== undefined && refers);
      const expected = (isJson || isReferences) && !isSecret && !isInstruction && !form;
      expect({ field, isPart: part !== undefined }).toEqual({ field, isPart: expected });
    }
    const [some, any] = ['if at_least', 'unless exactly'].map((when) =>
      Object.values(kind.fields).some(({ part }) => part === when),
    );
    expect(Object.hasOwn(kind.fields, 'at_least')).toBe(some);
    expect(Object.hasOwn(kind.fields, 'exactly')).toBe(some || any);
  },
);

describe('in an update of JSON that is declared in part', () => {
  const user = kindOf('user');
  const update = (declared: JsonValue, held: JsonValue): JsonValue =>
    mergedValue(entry(user, 'attributes', declared), 'attributes', held);
  const isSame = (declared: JsonValue, held: JsonValue): boolean =>
    sameJson(declared, managedPart(entry(user, 'attributes', declared), 'attributes', held));

  test.each<[string, JsonValue, JsonValue, JsonValue]>([
    [
      'a mapping keeps its undeclared keys',
      { a: { b: 2 } },
      { a: { b: 1, c: 3 }, d: 4 },
      { a: { b: 2, c: 3 }, d: 4 },
    ],
    ['a list of plain values is replaced', { a: [1, 2] }, { a: [3] }, { a: [1, 2] }],
    [
      'an unmoved list item keeps its undeclared keys',
      { a: [{ url: 'x' }, { url: 'y' }] },
      { a: [{ url: 'x', type: 'login' }] },
      { a: [{ url: 'x', type: 'login' }, { url: 'y' }] },
    ],
    [
      'a moved list item keeps its undeclared keys',
      { a: [{ url: 'y' }] },
      {
        a: [
          { url: 'x', type: 'login' },
          { url: 'y', type: 'logout' },
        ],
      },
      { a: [{ url: 'y', type: 'logout' }] },
    ],
    [
      'each of two equal list items keeps its own undeclared keys',
      { a: [{ url: 'x' }, { url: 'x' }] },
      {
        a: [
          { url: 'x', n: 1 },
          { url: 'x', n: 2 },
        ],
      },
      {
        a: [
          { url: 'x', n: 1 },
          { url: 'x', n: 2 },
        ],
      },
    ],
    [
      'a changed list item keeps its undeclared keys',
      { a: [{ id: 'k1', value: 'two' }] },
      { a: [{ id: 'k1', value: 'one', n: 1 }] },
      { a: [{ id: 'k1', value: 'two', n: 1 }] },
    ],
    [
      'a changed list item with a name keeps its undeclared keys at another place',
      { a: [{ name: 'new' }, { name: 'k1', value: 'two' }] },
      { a: [{ name: 'k1', value: 'one', n: 1 }] },
      { a: [{ name: 'new' }, { name: 'k1', value: 'two', n: 1 }] },
    ],
    [
      'only one of two list items with the same id gets the undeclared keys',
      {
        a: [
          { id: 'k1', v: 1 },
          { id: 'k1', v: 2 },
        ],
      },
      { a: [{ id: 'k1', v: 0, n: 1 }] },
      {
        a: [
          { id: 'k1', v: 1, n: 1 },
          { id: 'k1', v: 2 },
        ],
      },
    ],
    [
      'a new list item that shares a value with a removed one does not get its keys',
      { a: [{ mode: 'strict', url: 'y' }] },
      { a: [{ mode: 'strict', url: 'x', type: 'logout' }] },
      { a: [{ mode: 'strict', url: 'y' }] },
    ],
    [
      'a new list item does not get the keys of a removed one',
      { a: [{ url: 'y' }] },
      { a: [{ url: 'x', type: 'login' }] },
      { a: [{ url: 'y' }] },
    ],
  ])('%s', (_, declared, held, expected) => {
    expect(update(declared, held)).toEqual(expected);
    expect(isSame(declared, expected)).toBe(true);
  });

  test('a difference shows every key that a replaced list item loses', () => {
    const held = {
      a: [
        { id: 'k1', n: 1 },
        { id: 'k2', n: 2 },
      ],
    };
    expect(managedPart(entry(user, 'attributes', { a: [{ id: 'k1' }] }), 'attributes', held)).toEqual({
      a: [{ id: 'k1' }, { id: 'k2', n: 2 }],
    });
  });

  test.each<[string, JsonValue, JsonValue]>([
    ['another order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['an undeclared item of a list', { a: [{ url: 'x' }] }, { a: [{ url: 'x' }, { url: 'y' }] }],
    [
      'another value of a declared key of an item',
      { a: [{ url: 'x', type: 'login' }] },
      { a: [{ url: 'x' }] },
    ],
  ])('%s is a difference', (_, declared, held) => {
    expect(isSame(declared, held)).toBe(false);
  });
});

test('an item of a list keeps the undeclared keys of the item in its place, if both match', () => {
  const observed = [
    { a: 1, x: 1 },
    { a: 1, x: 2 },
  ];
  expect(partialKeys.merged([{ a: 2 }, { a: 1 }], observed)).toEqual([{ a: 2 }, { a: 1, x: 2 }]);
  expect(partialKeys.merged([{ a: 2 }, { a: 3 }, { a: 1 }], observed)).toEqual([
    { a: 2 },
    { a: 3 },
    { a: 1, x: 1 },
  ]);
});

test('an object of which nothing is dropped is not dropped', () => {
  expect(partialKeys.dropped({ a: { b: 1 }, c: { d: 1, e: 1 }, f: 1 }, { a: { b: 2 }, c: { d: 1 } })).toEqual(
    {
      c: { e: 1 },
      f: 1,
    },
  );
});

test.each<[before: JsonValue, now: JsonValue, dropped: JsonValue]>([
  [{ a: { b: 1 } }, { a: 1 }, {}],
  [{ a: 1 }, { a: { b: 1 } }, {}],
  [{ a: { b: { c: 1, d: 1 } } }, { a: { b: { c: 1 } } }, { a: { b: { d: 1 } } }],
  [{ a: 1 }, null, { a: 1 }],
  [{ a: 1 }, [], { a: 1 }],
  [[1], {}, {}],
  [{ toString: 1 }, {}, { toString: 1 }],
])('of %j, %j no longer has %j', (before, now, dropped) => {
  expect(partialKeys.dropped(before, now)).toEqual(dropped);
});

test.each<[declared: JsonValue, observed: JsonValue, merged: JsonValue, managed: JsonValue]>([
  [{ a: 1 }, { a: 2, b: 1 }, { a: 1, b: 1 }, { a: 2 }],
  [{ a: { b: 1 } }, { a: { c: 1 } }, { a: { b: 1, c: 1 } }, { a: {} }],
  [{ a: 1 }, null, { a: 1 }, null],
  [{ a: 1 }, [1], { a: 1 }, [1]],
  [null, { a: 1 }, null, { a: 1 }],
  [
    [{ id: 1, x: 1 }],
    [
      { id: 2, y: 2 },
      { id: 1, y: 1 },
    ],
    [{ id: 1, x: 1, y: 1 }],
    [{ id: 2, y: 2 }, { id: 1 }],
  ],
  [
    [{ x: 1 }, 2],
    [{ y: 1 }, 2],
    [{ x: 1 }, 2],
    [{ y: 1 }, 2],
  ],
])('%j merged with %j is %j, and manages %j', (declared, observed, merged, managed) => {
  expect(partialKeys.merged(declared, observed)).toEqual(merged);
  expect(partialKeys.managed(declared, observed)).toEqual(managed);
});
