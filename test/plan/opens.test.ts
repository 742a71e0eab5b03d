import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { bindingsIn } from '../../src/kinds/bindings.ts';
import type { Child } from '../../src/kinds/children.ts';
import { mapNames } from '../../src/kinds/named.ts';
import { createPastAncestorFinder } from '../../src/plan/ancestors.ts';
import type { Alteration } from '../../src/manifest/baseline.ts';
import {
  accessOfNewRecord,
  accessThroughTaken,
  accessWithoutBindings,
  lostAccess,
  newAccess,
  whoMayOpen,
} from '../../src/plan/opens.ts';
import { restrictsAccess } from '../../src/plan/reach.ts';
import { bindingNotes } from '../../src/plan/remarks.ts';
import type { ObservedRecord } from '../../src/service/types.ts';
import { desired, loadText } from '../support/desired.ts';

const group = (name: string, more: JsonObject = {}): JsonObject => ({ group: { name }, order: 0, ...more });
const policy = (name: string, more: JsonObject = {}): JsonObject => ({ policy: { name }, order: 0, ...more });

/** An application that declares these bindings, and its record with other bindings. */
async function world(
  declared: JsonObject,
  held: readonly JsonObject[],
  more: JsonObject = {},
  env: Readonly<Record<string, string>> = {},
): Promise<{ resource: Awaited<ReturnType<typeof desired>>[number]; record: ObservedRecord }> {
  const [resource] = await desired(
    JSON.stringify({ version: 1, applications: [{ slug: 'a', name: 'A', ...declared }] }),
    env,
  );
  const { children } = resource?.kind.fields['policies'] ?? {};
  if (resource === undefined || children === undefined) throw new Error('no application is declared');
  const bound = bindingsIn(children, held).map((one): Child => ({
    ...one,
    pk: 'b',
    rank: 0,
    isExpired: false,
  }));
  const fields = {
    provider: 1,
    ...more,
    ...('policies' in declared ? { policies: held } : subjectsOf(held)),
  };
  return { resource, record: { pk: 'p', fields, bound: new Map([[children, bound]]) } };
}

/** The groups and users of bindings, in the form of `access`. */
function subjectsOf(held: readonly JsonObject[]): JsonObject {
  const groups = held.flatMap(({ group: one, negate }): JsonValue[] =>
    one === undefined || negate === true ? [] : [one],
  );
  return { 'access.groups': groups, 'access.users': [] };
}

const g = 'the group "g"';
const h = 'the group "h"';
const all = { policy_engine_mode: 'all' };
const others = 'everyone admitted by policies and negated bindings';

describe('a change of bindings', () => {
  test.each<[string, JsonObject, readonly JsonObject[], JsonObject, readonly string[]]>([
    ['an added group', { policies: [group('g'), group('h')] }, [group('g')], {}, [h]],
    [
      'nobody by a disabled binding',
      { policies: [group('g'), group('h', { enabled: false })] },
      [group('g')],
      {},
      [],
    ],
    [
      'the group of a binding that becomes enabled',
      { policies: [group('g', { enabled: true })] },
      [group('g', { enabled: false }), group('h')],
      {},
      [g],
    ],
    [
      'everyone if only a binding remains that stays disabled',
      { policies: [group('g', { enabled: false })] },
      [group('g', { enabled: false }), group('h')],
      {},
      ['everyone'],
    ],
    [
      'everyone but the group of a binding that stays negated',
      { policies: [group('g', { negate: true })] },
      [group('g', { negate: true }), group('h')],
      {},
      [],
    ],
    [
      'the group of a binding that was disabled',
      { policies: [group('g'), group('h')] },
      [group('g', { enabled: false }), group('h')],
      {},
      [g],
    ],
    [
      'the group of a binding that was negated',
      { policies: [group('g')] },
      [group('g', { negate: true })],
      {},
      [g],
    ],
    [
      'everyone admitted by the bindings that a partial declaration keeps, if the mode becomes any',
      { policies: [group('g')], policy_engine_mode: 'any', at_least: ['policies'] },
      [group('g'), policy('p')],
      all,
      [g, 'whoever passes the policy "p"'],
    ],
    [
      'everyone if only a disabled binding remains',
      { policies: [group('g', { enabled: false })] },
      [group('g')],
      {},
      ['everyone'],
    ],
    [
      'users for whom a policy fails, if it passes on failure',
      { policies: [policy('p', { failure_result: true })] },
      [policy('p')],
      {},
      ['whoever passes the policy "p", or where it fails'],
    ],
    [
      'a group whose binding has a result on failure, which only policies use',
      { policies: [group('g'), group('h', { failure_result: true })] },
      [group('g')],
      {},
      [h],
    ],
    [
      'users who pass all of other bindings if the mode becomes all',
      { policies: [group('g'), group('h')], ...all },
      [group('x')],
      {},
      [`users who pass all of these: ${g} and ${h}`],
    ],
    [
      'everyone but the group of a negated binding',
      { policies: [group('g', { negate: true })] },
      [group('g')],
      {},
      ['whoever is not in the group "g"'],
    ],
    ['nobody who had access before', { policies: [group('g')] }, [group('g'), group('h')], {}, []],
    [
      'users of either group if the mode becomes any',
      { policies: [group('g'), group('h')], policy_engine_mode: 'any' },
      [group('g'), group('h')],
      all,
      [g, h],
    ],
    [
      'nobody if the mode stays all',
      { policies: [group('g'), group('h')], ...all },
      [group('g'), group('h')],
      all,
      [],
    ],
    [
      'users who pass fewer bindings in mode all',
      { policies: [group('g'), group('h')], ...all },
      [group('g'), group('h'), group('i')],
      all,
      [`users who pass all of these: ${g} and ${h}`],
    ],
    [
      'nobody by unchanged bindings',
      { access: { groups: [{ name: 'g' }] } },
      [group('g'), policy('p')],
      {},
      [],
    ],
    [
      'users of policies if the mode becomes any',
      { access: { groups: [{ name: 'g' }] }, policy_engine_mode: 'any' },
      [group('g'), policy('p')],
      all,
      [g, others],
    ],
    ['an added group next to a policy', { access: { groups: [{ name: 'g' }] } }, [policy('p')], {}, [g]],
    [
      'nobody if the application was open to everyone, as its only policy is disabled',
      { access: { groups: [{ name: 'g' }] } },
      [policy('p', { enabled: false })],
      {},
      [],
    ],
    [
      'an added group next to a negated binding',
      { access: { groups: [{ name: 'g' }] } },
      [group('h', { negate: true })],
      {},
      [g],
    ],
    [
      'a new group next to a disabled binding in mode all',
      { access: { groups: [{ name: 'h' }] }, ...all },
      [group('g'), group('i', { enabled: false })],
      {},
      [h],
    ],
    [
      'users admitted by negated bindings if the mode becomes any',
      { access: 'everyone', policy_engine_mode: 'any' },
      [group('g', { negate: true }), group('h', { negate: true })],
      all,
      [others],
    ],
    [
      'a group with two bindings in mode all if the binding of another becomes disabled',
      { policies: [group('g'), group('g', { order: 9 }), group('h', { enabled: false })], ...all },
      [group('g'), group('h')],
      all,
      [`users who pass all of these: ${g} and ${g}`],
    ],
    [
      'an added group if the mode of a single binding becomes any',
      { policies: [group('g'), group('h')], policy_engine_mode: 'any' },
      [group('g')],
      all,
      [h],
    ],
    [
      'users of another group who pass a policy in mode all',
      { access: { groups: [{ name: 'h' }] }, ...all },
      [group('g'), policy('p')],
      all,
      [`users who pass all of these: ${h}`],
    ],
    ['nobody by an empty access, if a policy decides', { access: 'everyone' }, [policy('p')], {}, []],
    [
      'everyone if the policy becomes disabled',
      { access: 'everyone' },
      [group('g'), policy('p', { enabled: false })],
      {},
      ['everyone'],
    ],
  ])('gives access to %s', async (_, declared, held, more, opened) => {
    const { resource, record } = await world(declared, held, more);
    expect(newAccess({ resource, action: 'update' }, record, undefined)).toEqual(opened);
  });

  test.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'users who pass any binding if the mode becomes any',
      { policy_engine_mode: 'any' },
      all,
      ['users who pass any of its bindings'],
    ],
    ['nobody if the mode stays', all, all, []],
  ])(
    'that affects only the mode, as no bindings are declared, gives access to %s',
    async (_, declared, more, opened) => {
      const { resource, record } = await world(declared, [group('g')], more);
      expect(newAccess({ resource, action: 'update' }, record, undefined)).toEqual(opened);
    },
  );

  test.each<[string, JsonValue, readonly string[]]>([
    ['users of either group if the mode becomes any', 'all', [g, h]],
    ['nobody if the mode was any before', 'any', []],
    ['nobody if no mode was declared before', null, []],
  ])('with a baseline gives access to %s', async (_, before, opened) => {
    const declared = { policies: [group('g'), group('h')], policy_engine_mode: 'any' };
    const { resource, record } = await world(declared, []);
    const since: Alteration = {
      kind: 'altered',
      fields: [{ field: 'policy_engine_mode', before, now: 'any' }],
    };
    expect(newAccess({ resource, action: 'no-op' }, record, since)).toEqual(opened);
  });
});

test.each([
  ['nobody if it was open to everyone, as an expired binding is disabled', false, []],
  ['that group if it was open to nobody, as an expired binding is left', true, [g]],
])('an application that gets a group gives access to %s', async (_, enabled, opened) => {
  const { resource, record } = await world({ policies: [group('g')] }, []);
  const bound = new Map(
    Array.from(record.bound ?? [], ([children]) => {
      const expired = bindingsIn(children, [group('x', { enabled })]);
      return [children, expired.map((one): Child => ({ ...one, pk: 'b', rank: 0, isExpired: true }))];
    }),
  );
  expect(newAccess({ resource, action: 'update' }, { ...record, bound }, undefined)).toEqual(opened);
});

test('a change of the mode that this run does not make gives access to nobody', async () => {
  const { resource, record } = await world({ policy_engine_mode: 'any' }, [group('g')], all);
  expect(newAccess({ resource, action: 'no-op' }, record, undefined)).toEqual([]);
});

test('a secret in the name of a group is not shown, neither as a gain nor as present access', async () => {
  const { resource, record } = await world(
    { policies: [group('g'), group('canary-text')], meta_description: '${env:TEXT}' },
    [group('g')],
    {},
    { TEXT: 'canary-text' },
  );
  expect(newAccess({ resource, action: 'update' }, record, undefined)).toEqual(['the group "(sensitive)"']);
  const fields = { ...record.fields, policies: [group('canary-text')] };
  expect(whoMayOpen(resource, { fields })).toEqual(['the group "(sensitive)"']);
});

test('the names of hidden groups and providers are not shown', async () => {
  const text =
    'version: 1\napplications: [{ slug: a, name: A, provider: 2, policies: [{ group: { name: h }, order: 0 }] }]\n';
  const { resources } = await loadText(text, { hide: ['application.policies', 'application.provider'] });
  const [resource] = resources;
  if (resource === undefined) throw new Error('no application is declared');
  const record = { fields: { provider: 1, policies: [group('g')] } };
  expect(newAccess({ resource, action: 'update' }, record, undefined)).toEqual(['one more group']);
  expect(whoMayOpen(resource, record)).toEqual(['a group']);
  expect(accessThroughTaken({ resource, action: 'update' }, record, () => 'application.b')).toEqual([
    'all who may open it, through one of application.b',
  ]);
});

test.each<[string, JsonObject, readonly JsonObject[], readonly string[]]>([
  ['a group that is bound first', { access: { groups: [{ name: 'g' }] } }, [], [g]],
  [
    'everyone by an empty access next to a policy',
    { access: 'everyone' },
    [group('g'), policy('p')],
    ['everyone'],
  ],
  ['nobody by an empty access', { access: 'everyone' }, [group('g')], []],
])(
  'where records without bindings are closed, a change gives access to %s',
  async (_, declared, held, opened) => {
    const { resource, record } = await world(declared, held);
    const unbound = { before: 'closed', after: 'closed' } as const;
    expect(newAccess({ resource, action: 'update' }, record, undefined, unbound)).toEqual(opened);
  },
);

test('an entitlement without bindings can be opened by nobody', async () => {
  const [resource] = await desired(
    'version: 1\nentitlements: [{ name: e, app: { slug: wiki }, policies: [] }]\n',
  );
  if (resource === undefined) throw new Error('no entitlement is declared');
  expect(whoMayOpen(resource, { fields: { policies: [] } })).toEqual([]);
});

test('undeclared bindings that a partial declaration keeps are no gain since a baseline', async () => {
  const { resource, record } = await world({ policies: [group('g')], at_least: ['policies'] }, [
    group('g'),
    group('h'),
  ]);
  const fields = [{ field: 'policies', before: [group('g', { order: 5 })], now: [group('g')] }];
  expect(newAccess({ resource, action: 'no-op' }, record, { kind: 'altered', fields })).toEqual([]);
});

test('an added binding is a gain since a baseline, also if the names of the groups are unknown', async () => {
  const [before, added] = ['a', 'b'].map((digit) => ({ group: digit.repeat(32), order: 0 }));
  if (before === undefined || added === undefined) throw new Error('a group is missing');
  const { resource, record } = await world({ policies: [before, added] }, [before, added]);
  const fields = [{ field: 'policies', before: [before], now: [before, added] }];
  expect(newAccess({ resource, action: 'no-op' }, record, { kind: 'altered', fields })).toEqual([
    `the group ${added.group}`,
  ]);
});

describe('a record can be opened by', () => {
  test.each<[string, JsonObject, readonly JsonObject[], JsonObject, readonly string[]]>([
    [
      'nobody while it has no provider',
      { policies: [group('g')], provider: 1 },
      [group('g')],
      { provider: null },
      [],
    ],
    ['everyone if it has no bindings', { policies: [] }, [], {}, ['everyone']],
    [
      'everyone if it has only a disabled binding',
      { access: 'everyone' },
      [policy('p', { enabled: false })],
      {},
      ['everyone'],
    ],
    ['users of undeclared bindings', { access: 'everyone' }, [policy('p')], {}, [others]],
    ['each bound group in mode any', { policies: [] }, [group('g'), group('h')], {}, [g, h]],
    ['the group of a single binding in mode all', { policies: [] }, [group('g')], all, [g]],
    [
      'users who pass all bindings in mode all',
      { policies: [] },
      [group('g'), group('h')],
      all,
      [`users who pass all of these: ${g} and ${h}`],
    ],
  ])('%s', async (_, declared, held, more, whom) => {
    const { resource, record } = await world(declared, held, more);
    expect(whoMayOpen(resource, record)).toEqual(whom);
  });
});

test.each([
  ['is reported to open the application to everyone', 'absent', 'everyone'],
  ['is not reported to open the application', 'unknown', undefined],
] as const)('a create %s if the presence of the application is %s', async (_, presence, whom) => {
  const { resource } = await world({}, []);
  expect(accessOfNewRecord({ resource, presence, action: 'create' })).toBe(whom);
});

describe('an application that takes over a provider', () => {
  const gained = ['all who may open it, through 2 of application.b'];
  test.each<[string, 'create' | 'update' | 'no-op', string, JsonObject, string, readonly string[]]>([
    ['gives access as it is created', 'create', 'provider: 2', {}, 'b', gained],
    ['gives access as it is updated', 'update', 'provider: 2', { provider: 1 }, 'b', gained],
    ['gives no access if it is left unchanged', 'no-op', 'provider: 2', { provider: 1 }, 'b', []],
    ['gives no access if it has the provider already', 'update', 'provider: 2', { provider: 2 }, 'b', []],
    [
      'gives access without showing a secret in the name of the other application',
      'create',
      'provider: 2, meta_description: "${env:TEXT}"',
      {},
      'canary-text',
      ['all who may open it, through 2 of application.(sensitive)'],
    ],
  ])('%s', async (_, action, declared, fields, holder, opened) => {
    const text = `version: 1\napplications: [{ slug: a, name: A, ${declared} }]\n`;
    const [resource] = await desired(text, { TEXT: 'canary-text' });
    if (resource === undefined) throw new Error('no application is declared');
    expect(accessThroughTaken({ resource, action }, { fields }, () => `application.${holder}`)).toEqual(
      opened,
    );
  });
});

describe('an update', () => {
  const application = 'applications: [{ slug: a, name: A';
  const flow = 'flows: [{ slug: a, name: A, title: A, designation: authorization';
  test.each<[list: string, field: string, declared: string, held: JsonValue, restricts: boolean]>([
    [application, 'policy_engine_mode', 'all', 'any', true],
    [application, 'policy_engine_mode', 'any', 'all', false],
    [application, 'provider', 'null', 1, true],
    [application, 'provider', '2', 1, false],
    [application, 'meta_launch_url', '""', 'https://a.example', true],
    [flow, 'authentication', 'require_superuser', 'none', true],
    [flow, 'authentication', 'none', 'require_superuser', false],
    // Each of these admits people whom the other does not.
    [flow, 'authentication', 'require_token', 'require_outpost', false],
  ])('of %s, %s: %s }] from %j restricts access: %j', async (list, field, declared, held, restricts) => {
    const [resource] = await desired(`version: 1\n${list}, ${field}: ${declared} }]\n`);
    if (resource === undefined) throw new Error('nothing is declared');
    expect(restrictsAccess(resource, field, { [field]: held })).toBe(restricts);
  });
});

test('an application was not open to everyone if it has only an expired binding, or nothing to open', async () => {
  const { resource, record } = await world({ access: { groups: [{ name: 'g' }] } }, [group('h')]);
  const remarks = (
    bound: ObservedRecord['bound'],
    url: string,
    action: 'update' | 'no-op' = 'update',
  ): string[] =>
    bindingNotes(
      {
        resource,
        action,
        differences: [{ field: 'access.groups', declared: [], observed: [] }],
      },
      { fields: { 'access.groups': [], meta_launch_url: url }, ...(bound && { bound }) },
    );
  const expired = Array.from(
    record.bound ?? [],
    ([children, each]) => [children, each.map((child) => ({ ...child, isExpired: true }))] as const,
  );
  const url = 'https://a.example';
  expect(remarks(new Map(expired), url)).toEqual(['a binding is expired, and unchanged']);
  expect(remarks(new Map(expired), url, 'no-op')).toEqual([]);
  expect(remarks(new Map(), url)).toEqual(['everyone could open it until now']);
  expect(remarks(new Map(), '')).toEqual([]);
});

test.each([
  ['application', 'open', 'everyone'],
  ['application', 'closed', undefined],
  ['application', 'unknown', 'everyone if the flag `core_default_app_access` is on (its state is unknown)'],
  ['entitlement', 'open', undefined],
  ['flow', 'closed', 'everyone'],
] as const)(
  'a record of the type %s without bindings, which the service keeps %s, admits %s',
  (type, unbound, who) => {
    const kind = kinds.find((one) => one.type === type) ?? expect.fail('no such kind');
    expect(accessWithoutBindings(kind, unbound)).toBe(who);
  },
);

test('with a baseline, stages open an enrolment only if they are removed, moved or get other policies', async () => {
  const stage = (name: string, more: JsonObject): JsonObject => ({ stage: { name }, order: 0, ...more });
  const guarded = stage('s', { policies: [{ policy: { name: 'p' }, order: 0 }] });
  const opened = async (before: JsonObject, now: JsonObject): Promise<readonly string[]> => {
    const flow = { slug: 'f', name: 'F', title: 'F', designation: 'enrollment', stages: [now] };
    const [resource] = await desired(JSON.stringify({ version: 1, flows: [flow] }));
    if (resource === undefined) throw new Error('no flow is declared');
    const named = mapNames(resource, (_, reference) => ({ ...reference, id: `id of ${reference.name}` }));
    const since: Alteration = {
      kind: 'altered',
      fields: [{ field: 'stages', before: [before], now: [now] }],
    };
    return newAccess({ resource: named, action: 'no-op' }, { fields: {} }, since);
  };
  expect(await opened(guarded, { ...guarded, evaluate_on_plan: true })).toEqual([]);
  expect(await opened(guarded, stage('s', {}))).toEqual([]);
  const freed = [
    'people who could not enrol because of a stage that is removed, moved or has other policies',
  ];
  expect(await opened(guarded, stage('s', { policies: [] }))).toEqual(freed);
  expect(await opened(guarded, stage('other', {}))).toEqual(freed);
});

test.each<[string, JsonObject, 'open' | 'closed', readonly string[]]>([
  ['nobody if everyone may open it then', { access: 'everyone' }, 'open', []],
  [
    'the group if records without bindings are closed',
    { access: 'everyone' },
    'closed',
    [`is no longer open to ${g}`],
  ],
  [
    'the group if another is bound',
    { access: { groups: [{ name: 'h' }] } },
    'open',
    [`is no longer open to ${g}`],
  ],
])('a record without its last group is lost to %s', async (_, declared, unbound, lost) => {
  const { resource, record } = await world(declared, [group('g')]);
  expect(lostAccess(resource, record, () => false, unbound)).toEqual(lost);
});

test.each<[string, Alteration | undefined, boolean]>([
  ['is the same as in the baseline', undefined, true],
  ['is altered in another field', { kind: 'altered', fields: [{ field: 'attributes' }] }, true],
  ['is altered in its parents', { kind: 'altered', fields: [{ field: 'parents' }] }, false],
  ['is new since the baseline', { kind: 'added' }, false],
])('a group was below its parent if its entry %s', async (_, alteration, wasBelow) => {
  const resources = await desired('version: 1\ngroups: [{ name: child, parents: [{ name: parent }] }]\n');
  const held = { pk: 'c', fields: { parents: ['p'] } };
  const observed = new Map([['group.child', { presence: 'present', held }] as const]);
  const alterations = new Map(alteration && [['group.child', alteration] as const]);
  expect(createPastAncestorFinder(resources, observed, alterations)('p', 'c')).toBe(wasBelow);
});
