import { expect, test } from 'vitest';
import { accessProblem, coverAllBindings, equivalentFields } from '../../src/kinds/access.ts';
import { application } from '../../src/kinds/application.ts';
import { kindOf } from '../../src/kinds/all.ts';
import type { Child } from '../../src/kinds/children.ts';
import { missingIds } from '../../src/kinds/fields.ts';
import { desired } from '../support/desired.ts';

test.each([
  [{}, true],
  [{ groups: [] }, true],
  [{ groups: [], users: [] }, true],
  [{ groups: [], users: [1] }, false],
  ['everyone', false],
])('whether the access %j admits nobody is %j', (access, isNobody) => {
  expect(accessProblem(access) !== undefined).toBe(isNobody);
});

test('an entry that declares access in one way gets no default for the other way', () => {
  expect(equivalentFields(application, 'access.groups')).toEqual(['access', 'policies']);
  expect(equivalentFields(application, 'policies')).toEqual(['access', 'policies']);
  expect(equivalentFields(application, 'group')).toEqual(['group']);
  expect(equivalentFields(kindOf('user'), 'groups')).toEqual(['groups']);
});

test('expired bindings are neither covered by a declaration nor deleted', () => {
  const child = (isExpired: boolean): Child => ({ pk: 'b', rank: 0, isExpired, values: {} });
  const [whole, part] = [coverAllBindings('policies', false), coverAllBindings('policies', true)];
  expect([whole.covers(child(false)), whole.covers(child(true))]).toEqual([true, false]);
  expect([whole.omittingField(child(false)), whole.omittingField(child(true))]).toEqual([
    'policies',
    undefined,
  ]);
  expect(part.omittingField(child(false))).toBeUndefined();
});

const groups = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const [first = ''] = groups;

test.each([
  ['lack one', [first], groups.slice(1)],
  ['are equal', groups, []],
  ['have a duplicate', [first, first], undefined],
  ['have another', [...groups, '33333333-3333-4333-8333-333333333333'], undefined],
])(
  'the ids that a record lacks are known unless its ids differ in another way: they %s',
  async (_, observed, missing) => {
    const [resource] = await desired(
      JSON.stringify({ version: 1, applications: [{ slug: 'a', name: 'A', access: { groups } }] }),
    );
    expect(resource && missingIds(resource, 'access.groups', groups, observed)).toEqual(missing);
  },
);
