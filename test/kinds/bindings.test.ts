import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { asManifestEntry, coverAllBindings, wantedChildren } from '../../src/kinds/access.ts';
import { application } from '../../src/kinds/application.ts';
import { bindingProblems } from '../../src/kinds/binding-problems.ts';
import {
  ambiguousBinding,
  bindingsAsValue,
  bindingsByDeclaration,
  bindingsIn,
  declaredBindings,
  labelBindings,
  partialBindings,
  removesBindings,
  sameBindings,
  withoutDefaultsIn,
} from '../../src/kinds/bindings.ts';
import type { Child, Children, WantedChildren } from '../../src/kinds/children.ts';
import { fieldOf } from '../../src/kinds/fields.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { stageBindings } from '../../src/kinds/stage-bindings.ts';
import { desired } from '../support/desired.ts';

const g = (order: number, more: JsonObject = {}): JsonObject => ({ group: 'g', order, ...more });
const s = (order: number, more: JsonObject = {}): JsonObject => ({ stage: 's', order, ...more });

/** The existing bindings with these values, with the ids 0, 1, … */
function bound(children: Children, values: readonly JsonObject[], isExpired = false): readonly Child[] {
  return bindingsIn(children, values).map((one, pk) => ({ ...one, pk: String(pk), rank: 0, isExpired }));
}

function wanted(children: Children, values: readonly JsonObject[]): WantedChildren {
  return {
    children,
    fields: ['policies'],
    wanted: declaredBindings(children, 'policies', values),
    ...coverAllBindings('policies', false),
    removal: 'delete',
  };
}

test.each<[string, readonly JsonObject[], readonly JsonObject[], readonly string[]]>([
  ['the same values', [g(0, { negate: true })], [g(0), g(0, { negate: true })], ['1']],
  ['the same order', [g(1, { negate: true })], [g(0), g(1)], ['1']],
  ['another order', [g(2)], [g(0), g(1)], ['0']],
])('a declared binding is paired with the existing one of %s', (_, declared, held, pks) => {
  const pairs = bindingsByDeclaration(wanted(policyBindings, declared), bound(policyBindings, held));
  expect(Array.from(pairs.values(), ({ pk }) => pk)).toEqual(pks);
});

test.each<[readonly JsonObject[], readonly JsonObject[], boolean]>([
  [[g(0, { timeout: 9 })], [g(0), g(0, { negate: true })], true],
  [[g(0, { timeout: 9 })], [g(0), g(0)], false],
  [[g(2)], [g(0), g(1, { negate: true })], false],
])('is ambiguous which binding becomes %j if these exist: %j', (declared, held, isAmbiguous) => {
  const whole = held.map((one) => ({ negate: false, timeout: 30, ...one }));
  const found = ambiguousBinding(wanted(policyBindings, declared), bound(policyBindings, whole));
  expect(found !== undefined).toBe(isAmbiguous);
});

test.each<[string, JsonObject, boolean]>([
  ['does not declare', s(1), false],
  ['declares', s(1, { policies: [] }), true],
  ['replaces', s(1, { policies: [{ user: 'u', order: 0 }] }), true],
])('a binding that %s its own bindings removes them: %j', (_, declared, removes) => {
  const held = bound(stageBindings, [s(0, { policies: [g(0)] })]);
  expect(removesBindings(wanted(stageBindings, [declared]), held)).toBe(removes);
});

test('an expired binding is not part of the value of a field', () => {
  expect(bindingsAsValue(bound(policyBindings, [g(1), g(0)]))).toEqual([
    g(0, { enabled: true, negate: false }),
    g(1, { enabled: true, negate: false }),
  ]);
  expect(bindingsAsValue(bound(policyBindings, [g(0)], true))).toEqual([]);
});

test('bindings are labelled with as much as distinguishes them, and without default values', () => {
  const labels = (declared: JsonValue, observed: JsonValue): JsonValue => {
    const labelled = labelBindings(policyBindings, declared, observed);
    return [labelled.declared, labelled.observed];
  };
  expect(labels([g(0)], [])).toEqual([{ 'group g': { order: 0 } }, {}]);
  expect(labels([], [g(0, { enabled: true, negate: true })])).toEqual([
    {},
    { 'group g': { order: 0, negate: true } },
  ]);
  expect(labels([g(0)], [g(0, { enabled: false, negate: false })])).toEqual([
    { 'group g': { order: 0, enabled: true } },
    { 'group g': { order: 0, enabled: false } },
  ]);
  expect(labels([], [g(0), g(0), g(1)])).toEqual([
    {},
    { 'group g at 0': { order: 0 }, 'group g at 0 (2)': { order: 0 }, 'group g at 1': { order: 1 } },
  ]);
});

test('of bindings with a masked one, all count as dropped', () => {
  const { dropped } = partialBindings(policyBindings);
  expect(dropped([g(0), g(1)], [g(0)])).toEqual([g(1)]);
  expect(dropped(['(sensitive)', g(0)], [g(0)])).toEqual(['(sensitive)', g(0)]);
});

test.each<[JsonObject[], string[]]>([
  [[{ group: 'g', user: 1, order: 0 }], ['invalid-value']],
  [[{ order: 0 }], ['invalid-value']],
  [[g(0), g(0)], ['duplicate-resource']],
  [[g(0), { user: 1, order: 0 }], []],
])('the bindings %j have the problems %j', (value, codes) => {
  expect(bindingProblems(policyBindings, value).map(({ problem }) => problem.code)).toEqual(codes);
});

test('two stages with one order are reported, but not two without an order', () => {
  const codes = (...value: JsonObject[]): string[] =>
    bindingProblems(stageBindings, value).map(({ problem }) => problem.code);
  expect(codes(s(0), { stage: 't', order: 0 })).toEqual(['same-order']);
  expect(codes({ stage: 's' }, { stage: 't' })).toEqual([]);
});

test('a group that is named twice in `access` is bound once', () => {
  const id = 'aaaaaaaa-1111-4111-8111-111111111111';
  const groups = fieldOf([id, id.toUpperCase()], { at: [0, 0] });
  const [access] = wantedChildren({ kind: application, fields: { 'access.groups': groups } });
  expect(access?.wanted).toHaveLength(1);
});

test.each<[JsonObject, JsonObject]>([
  [{ policies: [g(0)], 'access.groups': ['g'], 'access.users': [] }, { access: { groups: ['g'] } }],
  [{ policies: [g(0), g(1)], 'access.groups': ['g', 'g'], 'access.users': [] }, { policies: [g(0), g(1)] }],
  [
    { policies: [g(0, { negate: true })], 'access.groups': [], 'access.users': [] },
    { policies: [g(0, { negate: true })] },
  ],
  [{ policies: [g(0, { negate: true })], 'access.groups': [] }, { policies: [g(0, { negate: true })] }],
  [{ policies: [], 'access.groups': [], 'access.users': [] }, { access: 'everyone' }],
  [{ policies: [{ policy: 'p', order: 0 }] }, { policies: [{ policy: 'p', order: 0 }] }],
])('the access of a record with %j is written as %j', (fields, entry) => {
  expect(asManifestEntry(application, fields)).toEqual(entry);
});

test('the policies of a flow are bound before its stages', async () => {
  const [flow] = await desired(
    'version: 1\nflows: [{ slug: f, name: F, title: F, designation: authorization, stages: [], policies: [] }]\n',
  );
  if (flow === undefined) throw new Error('no flow is declared');
  expect(wantedChildren(flow).map(({ children }) => children)).toEqual([policyBindings, stageBindings]);
});

test('bindings are not the same if the service has more', () => {
  expect([
    sameBindings(policyBindings, [g(0)], [g(0)]),
    sameBindings(policyBindings, [g(0)], [g(0), g(1)]),
  ]).toEqual([true, false]);
});

test.each<
  [
    what: string,
    declared: readonly JsonObject[],
    held: readonly JsonObject[],
    isExpired: boolean,
    pks: string[],
  ]
>([
  [
    'the exact pair before a pair of the order',
    [g(0, { timeout: 9 }), g(0)],
    [g(0), g(0, { timeout: 9 })],
    false,
    ['1', '0'],
  ],
  ['no expired binding', [g(0)], [g(0)], true, []],
  ['no binding of another group', [{ group: 'h', order: 0 }], [g(0)], false, []],
])('declared bindings are paired: %s', (_, declared, held, isExpired, pks) => {
  const pairs = bindingsByDeclaration(
    wanted(policyBindings, declared),
    bound(policyBindings, held, isExpired),
  );
  expect(wanted(policyBindings, declared).wanted).toHaveLength(declared.length);
  expect(Array.from(pairs.values(), ({ pk }) => pk)).toEqual(pks);
});

test('an expired binding makes no other binding ambiguous', () => {
  const [one, other] = bound(policyBindings, [
    { ...g(0), negate: false, timeout: 30 },
    { ...g(0), negate: true, timeout: 30 },
  ]);
  if (one === undefined || other === undefined) expect.fail('nothing is bound');
  const declared = wanted(policyBindings, [g(0, { timeout: 9 })]);
  expect(ambiguousBinding(declared, [one, other])).toBeDefined();
  expect(ambiguousBinding(declared, [one, { ...other, isExpired: true }])).toBeUndefined();
});

test.each([
  [[g(0), g(1)], [g(0)], ['group g at 0'], ['group g at 0', 'group g at 1']],
  [[g(0)], [g(0), g(1)], ['group g at 0', 'group g at 1'], ['group g at 0']],
  [[{ group: { name: 'n', id: 'g' }, order: 0 }], [], [], ['group n']],
  [[g(0), g(0)], [], [], ['group g at 0', 'group g at 0 (2)']],
  [[g(0), { user: 7, order: 0 }], [], [], ['group g', 'user 7']],
])(
  'the declared bindings %j and the observed bindings %j have the labels %j and %j',
  (declared, held, observed, all) => {
    const labels = labelBindings(policyBindings, declared, held);
    expect(Object.keys(labels.observed)).toEqual(observed);
    expect(Object.keys(labels.declared)).toEqual(all);
  },
);

test('the label of a stage has the declared fields only, and labels of its nested bindings', () => {
  const policies = [{ policy: 'p', order: 0, timeout: 9 }];
  const labels = labelBindings(
    stageBindings,
    [s(0, { policies })],
    [
      s(0, {
        evaluate_on_plan: true,
        policies: [{ policy: 'p', order: 0, timeout: 8, failure_result: true }],
      }),
      s(5),
    ],
  );
  expect(labels.declared).toEqual({
    'stage s at 0': { order: 0, policies: { 'policy p': { order: 0, timeout: 9 } } },
  });
  expect(labels.observed).toEqual({
    'stage s at 0': { order: 0, policies: { 'policy p': { order: 0, timeout: 8 } } },
    'stage s at 5': { order: 5 },
  });
});

test.each<[declared: JsonValue, observed: JsonValue, areSame: boolean]>([
  [[g(0)], [g(0)], true],
  [[g(0), { user: 7, order: 1 }], [{ user: 7, order: 1 }, g(0)], true],
  [[g(0)], [g(1)], false],
  [[g(0)], [g(0), g(1)], false],
  [[g(0, { negate: true })], [g(0, { negate: false })], false],
  ['(sensitive)', [g(0)], false],
  [[g(0)], '(sensitive)', false],
  ['(sensitive)', '(sensitive)', true],
])('the bindings %j equal %j: %j', (declared, observed, areSame) => {
  expect(sameBindings(policyBindings, declared, observed)).toBe(areSame);
});

test.each<[value: JsonValue, without: JsonValue]>([
  [[g(0, { negate: false, enabled: true })], [g(0)]],
  [[g(0, { negate: true })], [g(0, { negate: true })]],
  ['(sensitive)', '(sensitive)'],
  [['odd'], ['odd']],
])('the bindings %j are written without defaults as %j', (value, without) => {
  expect(withoutDefaultsIn(policyBindings, value)).toEqual(without);
});

test('a stage without nested bindings is written without them', () => {
  expect(withoutDefaultsIn(stageBindings, [s(0, { policies: [] })])).toEqual([s(0)]);
  expect(
    withoutDefaultsIn(stageBindings, [s(0, { policies: [{ policy: 'p', order: 0, negate: false }] })]),
  ).toEqual([s(0, { policies: [{ policy: 'p', order: 0 }] })]);
});
