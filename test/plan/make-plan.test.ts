import { describe, expect, test } from 'vitest';
import { diagnosticFor } from '../../src/base/diagnostic.ts';
import { findLostValues, makePlan, type CheckedPlan } from '../../src/plan/make-plan.ts';
import { changeDocument, planDocument, type PlanDocument } from '../../src/plan/document.ts';
import { planFromDocument } from '../../src/plan/read-document.ts';
import { bindingsIn } from '../../src/kinds/bindings.ts';
import type { Child, UnboundState } from '../../src/kinds/children.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { notPlanned, withoutRefusedChanges } from '../../src/plan/not-planned.ts';
import { plannedEffects, planSummary, unreadKinds, type ReadyChange } from '../../src/plan/plan.ts';
import { planHeadline, shownChanges } from '../../src/report/words/plan.ts';
import { unseenFieldNotes } from '../../src/report/words/plan-notes.ts';
import { desired } from '../support/desired.ts';

import { readRelease } from '../../src/kinds/release.ts';
import { sentFields } from '../../src/kinds/fields.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { familyOf } from '../../src/kinds/families.ts';
import { keyOfId } from '../../src/kinds/named.ts';
import { factKey } from '../../src/kinds/reference-facts.ts';
import { rightsOfAdded } from '../../src/plan/gained-rights.ts';
import { withResentFields } from '../../src/plan/resend.ts';
import { createHolderFinder } from '../../src/plan/holders.ts';
import { observedRecordAt, type ObservedState } from '../../src/observe/observation.ts';
import { withKnownNames } from '../../src/plan/known-names.ts';
import { missingFields, problemsOfEntries } from '../../src/plan/entry-problems.ts';
import { resourcesWithBindings } from '../../src/plan/earlier-resources.ts';
import { planBetween } from '../support/plan-between.ts';
import { planOf, type Existing } from '../support/plan-of.ts';
import { shownOf } from '../support/values.ts';

function manifestOf(...fields: string[]): string {
  return [
    'version: 1',
    'applications:',
    '  - slug: wiki',
    '    name: Wiki',
    ...fields.map((line) => `    ${line}`),
  ].join('\n');
}

async function documentOf(manifest: string, existing?: Existing): Promise<PlanDocument> {
  return planDocument(await planOf(manifest, existing));
}

describe('a plan', () => {
  test('creates absent resources, with declared fields only', async () => {
    const { resource_changes, summary } = await documentOf(manifestOf('group: Docs'));
    expect(resource_changes).toEqual([
      {
        address: 'application.wiki',
        type: 'application',
        name: 'wiki',
        source: { file: 'm.yaml', line: 3, column: 5 },
        presence: 'absent',
        change: { actions: ['create'], before: null, after: { slug: 'wiki', name: 'Wiki', group: 'Docs' } },
        differences: [],
        open_to: 'everyone',
      },
    ]);
    expect(summary).toEqual({
      create: 1,
      create_if_absent: 0,
      update: 0,
      delete: 0,
      in_sync: 0,
      not_compared: 0,
      differs: 0,
      not_planned: 0,
    });
  });

  test('suggests that a new record is a renamed one, unless its name is secret or not all entries are selected', async () => {
    const remarksOf = async (manifest: string, scope?: CheckedPlan['scope']): Promise<readonly string[]> => {
      const resources = await desired(manifest, { A: 'secret-name' });
      const absent = { presence: 'absent', namesake: 'old' } as const;
      const { changes } = makePlan(resources, new Map(resources.map(({ address }) => [address, absent])), {
        toolVersion: '1.2.3',
        createdAt: new Date(0),
        service: 'https://id.example.com',
        contractOnly: true,
        permission: 'none',
        ...(scope && { scope }),
      });
      return changes.flatMap(({ remarks = [] }) => remarks);
    };
    const wiki = manifestOf();
    expect(await remarksOf(wiki)).toEqual([expect.stringContaining('write `formerly: old`')]);
    expect(await remarksOf(wiki, { target: ['application.*'], exclude: [], declared: 2 })).toEqual([]);
    expect(await remarksOf(wiki.replace('name: Wiki', 'name: ${env:A}'))).toEqual([]);
  });

  test('leaves equal records unchanged', async () => {
    const plan = await planOf(manifestOf(), { wiki: { slug: 'wiki', name: 'Wiki', group: 'Somewhere' } });
    const document = planDocument(plan);
    expect(document.resource_changes[0]?.change).toEqual({
      actions: ['no-op'],
      before: { slug: 'wiki', name: 'Wiki' },
      after: { slug: 'wiki', name: 'Wiki' },
    });
    expect(document.resource_drift).toEqual([]);
    expect(plannedEffects(plan)).toEqual({ add: 0, change: 0, destroy: 0 });
  });

  test('shows every declared field that differs, and changes nothing without permission', async () => {
    const plan = await documentOf(manifestOf('group: Docs', 'open_in_new_tab: true'), {
      wiki: { slug: 'wiki', name: 'Old', group: 'Docs', open_in_new_tab: false },
    });
    expect(plan.resource_drift).toHaveLength(1);
    expect(plan.resource_drift[0]?.differences).toEqual([
      { field: 'name', declared: 'Wiki', observed: 'Old' },
      { field: 'open_in_new_tab', declared: true, observed: false },
    ]);
    expect(plan.resource_drift[0]?.change.actions).toEqual(['no-op']);
    expect(plan.summary).toEqual({
      create: 0,
      create_if_absent: 0,
      update: 0,
      delete: 0,
      in_sync: 0,
      not_compared: 0,
      differs: 1,
      not_planned: 0,
    });
  });

  test('compares ids as a set', async () => {
    const observed = { slug: 'wiki', name: 'Wiki', backchannel_providers: [2, 3] };
    const same = await documentOf(manifestOf('backchannel_providers: [3, 2, 3]'), { wiki: observed });
    expect(same.resource_drift).toEqual([]);
    const other = await documentOf(manifestOf('backchannel_providers: [3]'), { wiki: observed });
    expect(other.resource_drift).toHaveLength(1);
  });

  test('reports that a field was not compared if the service does not show it', async () => {
    const plan = await documentOf(manifestOf('group: Docs'), { wiki: { slug: 'wiki', name: 'Wiki' } });
    expect(plan.resource_drift).toEqual([]);
    expect(plan.resource_changes[0]?.not_shown).toEqual(['group']);
    expect(plan.summary).toMatchObject({ in_sync: 1, not_compared: 0 });
  });

  test('does not count a record as in sync if the service shows no declared field', async () => {
    const plan = await planOf(manifestOf('group: Docs'), { wiki: { slug: 'wiki' } });
    const { resource_changes: changes, summary } = planDocument(plan);
    expect(changes[0]?.not_compared).toEqual(['name', 'group']);
    expect(summary).toMatchObject({ in_sync: 0, not_compared: 1 });
    expect(planHeadline(plan)).toContain('as far as it can be compared');
    expect(unseenFieldNotes(plan)).toEqual([
      'Not compared, because the service does not show the value: application.wiki `name`, `group`.',
    ]);
  });

  test('compares a declared string in the form in which the service stores it', async () => {
    const plan = await documentOf(manifestOf('meta_description: |', '  one', '  two'), {
      wiki: { slug: 'wiki', name: 'Wiki', meta_description: 'one\ntwo' },
    });
    expect(plan.resource_drift).toEqual([]);
  });

  test('marks a create as conditional if the user could not be looked up', async () => {
    const plan = await planOf('version: 1\nusers:\n  - username: alice\n    name: Alice\n');
    const { resource_changes: changes, summary } = planDocument(plan);
    expect(changes[0]).toMatchObject({ presence: 'unknown', change: { actions: ['create'] } });
    expect(summary.create_if_absent).toBe(1);
    expect(plannedEffects(plan)).toEqual({ add: 1, change: 0, destroy: 0 });
  });

  test("counts the changes in its document, whatever the document's summary says", async () => {
    const document = await documentOf('version: 1\nusers:\n  - username: alice\n  - username: bob\n');
    const altered = { ...document, summary: { ...document.summary, create_if_absent: 0 } };
    expect(plannedEffects(planFromDocument(altered)).add).toBe(2);
  });

  test('is sorted by types and names, whatever the order of the manifest', async () => {
    const plan = await planOf(
      'version: 1\nusers: [{ username: bob }, { username: Alice }]\napplications: [{ slug: b, name: b }, { slug: a, name: a }, { slug: B, name: B }]\n',
    );
    expect(plan.changes.map(({ resource }) => resource.address)).toEqual([
      'application.B',
      'application.a',
      'application.b',
      'user.Alice',
      'user.bob',
    ]);
  });

  test('is the same when read from its document, except for parts that the document leaves out', async () => {
    const plan = await planOf(
      `${manifestOf('group: Docs')}\n  - { slug: new, name: New }\nusers: [{ username: alice, name: Alice }]\n`,
      { wiki: { slug: 'wiki', name: 'Old', group: 'Docs' } },
    );
    const document = planDocument(plan);
    const again = planFromDocument(document);
    expect(planDocument(again)).toEqual(document);
    expect(again.changes.map(({ resource }) => shownOf(resource))).toEqual(
      plan.changes.map(({ resource }) => shownOf(resource)),
    );
  });

  test('has a digest of the declared resources, independent of their spelling', async () => {
    const digestOf = async (manifest: string): Promise<string> => (await planOf(manifest)).manifestDigest();
    const flow = 'version: 1\napplications: [{ name: Wiki, slug: wiki, group: Docs }]\n';
    expect(await digestOf(flow)).toBe(await digestOf(manifestOf('group: Docs')));
    expect(await digestOf(flow)).not.toBe(await digestOf(manifestOf('group: Tools')));
  });
});

describe('a value that only one application may have', () => {
  const manifest = `version: 1
applications:
  - { slug: a, name: A, backchannel_providers: [1, 2] }
  - { slug: b, name: New name }
  - { slug: c, name: C, backchannel_providers: [3, 9] }
  - { slug: d, name: New name, backchannel_providers: [5] }
  - { slug: e, name: E, backchannel_providers: [6] }
`;
  const existing: Existing = {
    a: { slug: 'a', name: 'A', backchannel_providers: [2] },
    b: { slug: 'b', name: 'B', backchannel_providers: [1, 3] },
    d: { slug: 'd', name: 'D', backchannel_providers: [5] },
    e: { slug: 'e', name: 'E', backchannel_providers: [6] },
  };
  const permission = { self: undefined, mayDelete: false };
  const provisioning = 'users are provisioned or logged out through more providers';

  test('is taken from another application, and the plan reports this', async () => {
    const { changes } = await planOf(manifest, existing, {}, '', permission);
    expect(changes.map(({ resource, action, remarks }) => [resource.name, action, remarks])).toEqual([
      ['a', 'update', [provisioning, 'removes 1 from the `backchannel_providers` of application.b']],
      ['b', 'update', undefined],
      ['c', 'create', ['removes 3 from the `backchannel_providers` of application.b']],
      ['d', 'update', undefined],
      ['e', 'no-op', undefined],
    ]);
  });

  test('counts as moved if another change in the plan takes it, but not if its present application keeps it', async () => {
    const isTaken = findLostValues((await planOf(manifest, existing, {}, '', permission)).changes);
    const [a, b] = await desired(manifest);
    if (!a || !b) throw new Error('nothing is declared');
    expect(isTaken(b, 'backchannel_providers', 1)).toBe(true);
    expect(isTaken(a, 'backchannel_providers', 1)).toBe(false); // a takes the provider itself
    expect(isTaken(b, 'backchannel_providers', 6)).toBe(false); // e already has the provider
    expect(isTaken(b, 'backchannel_providers', 7)).toBe(false);
  });

  test('counts as lost by its record if the plan deletes the record to which it refers, and not one of another kind', async () => {
    const [gone, member] = await desired(
      'version: 1\ngroups: [{ name: g, state: absent }]\nusers: [{ username: u, name: U }]\n',
    );
    if (!gone || !member) throw new Error('nothing is declared');
    const base = { pk: '5', fields: {} };
    const isLost = findLostValues([
      { resource: gone, presence: 'present', action: 'delete', differences: [], base },
    ]);
    expect([isLost(member, 'groups', '5'), isLost(member, 'roles', '5')]).toEqual([true, false]);
  });
});

test('a resource that could not be planned takes no value from others, and its kind does not count as unread', async () => {
  const manifest =
    'version: 1\napplications: [{ slug: a, name: A, backchannel_providers: [1] }]\nusers: [{ username: u, name: U }]\n';
  const resources = await desired(manifest);
  const diagnostics = [diagnosticFor('m.yaml', { code: 'name-not-found', summary: 'there is none' })];
  const changes = resources.map((resource) => notPlanned(resource, diagnostics, undefined));
  const [a] = resources;
  if (!a) throw new Error('nothing is declared');
  expect(
    findLostValues(changes)({ kind: a.kind, address: 'application.b' }, 'backchannel_providers', 1),
  ).toBe(false);
  expect([...unreadKinds({ changes })]).toEqual([]);
  expect(planSummary(changes)).toMatchObject({ not_planned: 2, create: 0, create_if_absent: 0 });
});

test('if several resources are not planned for the same reason, the advice is shown once, whatever the request ids', async () => {
  const resources = await desired(
    'version: 1\nusers: [{ username: a, name: A }, { username: b, name: B }]\n',
  );
  const changes = resources.map((resource, index) => {
    const detail = `Run the command again.\nRequest id: ${index}`;
    const problem = { code: 'service-unexpected', summary: 'the service failed', detail } as const;
    return notPlanned(resource, [diagnosticFor('m.yaml', problem)], undefined);
  });
  const details = shownChanges({ changes }).flatMap((change) =>
    change.action === 'not-planned' ? change.diagnostics.map(({ detail }) => detail) : [],
  );
  expect(details).toEqual(['Run the command again.\nRequest id: 0', '']);
});

describe('a plan for records of several types', () => {
  const who = '{ name: who, type: identification, user_fields: [username], enrollment_flow: { slug: join } }';
  const join = '{ slug: join, name: J, title: J, designation: enrollment';
  test.each<[name: string, after: string, opens: readonly string[]]>([
    ['a new stage that no declared flow uses opens nothing', `stages: [${who}]`, []],
    [
      'a new stage of a declared flow opens what it offers',
      `stages: [${who}]\nflows: [{ slug: door, name: D, title: D, designation: authentication, stages: [{ stage: { name: who }, order: 0 }] }]`,
      ['anyone, who may now enrol'],
    ],
    [
      'a changed stage opens what it offers',
      `stages: [${who.replace('who,', 'old,')}]`,
      ['anyone, who may now enrol'],
    ],
  ])('%s', async (_, after, opens) => {
    const before = `flows: [${join} }]\nstages: [{ name: old, type: identification, user_fields: [username], enrollment_flow: null }]`;
    const { changes } = await planBetween(before, after);
    expect(
      changes.flatMap((change) =>
        change.resource.kind.login?.kind === 'login stage' ? (change.opens ?? []) : [],
      ),
    ).toEqual(opens);
  });

  test('lets several brands be no default brand', async () => {
    const { refused } = await planBetween(
      'brands: [{ domain: a, default: false }]',
      'brands: [{ domain: a, default: false }, { domain: b, default: false }]',
    );
    expect(refused).toEqual([]);
  });

  test('shows no secret in ids, and in words about a delete', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const decision = { notes: ['unbinds canary-text'], opens: ['canary-text'] };
    const { changes } = await planBetween(
      'groups: [{ name: g }]\nusers: [{ username: u, name: N }]',
      `groups: [{ name: g, attributes: { id: '\${env:ID}', text: '\${env:TEXT}' } }]\nusers: [{ username: u, state: absent }]`,
      { deletions: new Map([['user.u', decision]]) },
      { env: { ID: id, TEXT: 'canary-text' } },
    );
    expect(changes.map(({ pk, remarks, opens }) => [pk, remarks, opens])).toEqual([
      ['(sensitive)', undefined, undefined],
      ['2', ['unbinds (sensitive)'], ['(sensitive)']],
    ]);
  });
});

test('a new member of a group gains what a new ancestor grants, through a parent that only the service names', async () => {
  const { changes } = await planBetween(
    'groups: [{ name: a }, { name: b, parents: [{ name: a }] }]',
    'groups: [{ name: a, parents: [{ name: new }] }, { name: b }, { name: new, is_superuser: true }]\nusers: [{ username: u, name: U, groups: [{ name: b }] }]',
  );
  const user = changes.find(({ resource: { name } }) => name === 'u');
  expect(user?.opens).toEqual([expect.stringContaining('a superuser\'s rights through "b"')]);
});

test.each([
  ['none', []],
  [
    { self: 'another', mayDelete: false },
    ['the rights of the role "r" (00000000-0000-4000-8000-000000000001)'],
  ],
] as const)(
  'with the permission %j, a new group gives the user who joins it %j',
  async (permission, gained) => {
    const { changes } = await planBetween(
      'roles: [{ name: r }]\nusers: [{ username: u, name: U, groups: [] }]',
      'groups: [{ name: g, roles: [{ name: r }] }]\nroles: [{ name: r }]\nusers: [{ username: u, name: U, groups: [{ name: g }] }]',
      { permission },
    );
    expect(changes.find(({ resource }) => resource.name === 'g')?.opens ?? []).toEqual(gained);
  },
);

test('an entry that is new since the baseline gives access although its record exists', async () => {
  const alterations = new Map([['source.s', { kind: 'added' }]] as const);
  const source = samlSource(true).replace(
    'enabled',
    'enrollment_flow: 00000000-0000-4000-8000-000000000098, enabled',
  );
  const { changes } = await planBetween(source, source, {
    comparison: { baseline: { path: 'b', noLongerDeclared: [] }, alterations },
  });
  expect(changes[0]?.opens).toEqual(['anyone with an account at the source, who may now enrol']);
});

test.each([
  [
    'flows',
    'slug: default-authentication-flow',
    'stages: []',
    'stages: [{ stage: { name: s }, order: 1 }]',
    undefined,
  ],
  ['flows', 'slug: own', 'stages: []', 'stages: [{ stage: { name: s }, order: 1 }]', true],
  [
    'applications',
    "slug: a, name: A, meta_launch_url: ''",
    'access: { groups: [{ name: g }] }',
    "meta_launch_url: 'https://a.example', access: { groups: [{ name: g }, { name: h }] }",
    undefined,
  ],
])(
  'one of the %s, { %s }, with { %s }, is unfinished if { %s } is declared: %s',
  async (list, entry, before, after, unfinished) => {
    const others = 'groups: [{ name: g }, { name: h }]\nstages: [{ type: deny, name: s }]';
    const title = list === 'flows' ? ', name: F, title: F, designation: authentication' : '';
    const declared = `${list}: [{ ${entry}${title}, ${after} }]`.replace(/meta_launch_url: '', /, '');
    const { changes } = await planBetween(
      `${others}\n${list}: [{ ${entry}${title}, ${before} }]`,
      `${others}\n${declared}`,
      { permission: 'none' },
    );
    expect(changes.find(({ resource }) => resource.kind.list === list)?.unfinished).toBe(unfinished);
  },
);

test('a generated secret is not listed among the fields that cannot be compared', async () => {
  const [resource] = await desired(
    "version: 1\nproviders: [{ type: radius, name: r, authorization_flow: 00000000-0000-4000-8000-000000000099, invalidation_flow: 00000000-0000-4000-8000-000000000099, shared_secret: '${generate:40}' }]\n",
  );
  const found = withResentFields(resource ?? expect.fail(), { fields: {} }, [], true);
  expect(found).toEqual({ differences: [], notCompared: [] });
});

test('the names known in a plan are from the service and from the manifests, without secrets', async () => {
  const [g, h] = ['0a0a0a0a-0000-4000-8000-000000000000', '0b0b0b0b-0000-4000-8000-000000000000'];
  const resources = await desired(
    "version: 1\ngroups: [{ name: canary-text, attributes: { t: '${env:T}' } }]\nusers: [{ username: u, name: U }]\n",
    { T: 'canary-text' },
  );
  const user = { pk: '1', fields: { groups: [g, h] }, names: { groups: new Map([[h, 'h']]) } };
  const observed: ObservedState = new Map([
    ['group.canary-text', { presence: 'present', held: { pk: g, fields: { name: 'canary-text' } } }],
    ['user.u', { presence: 'present', held: user }],
  ]);
  const known = observedRecordAt(withKnownNames(resources, observed), 'user.u');
  expect(known?.names).toEqual({
    groups: new Map([
      [h, 'h'],
      [g.replaceAll('-', ''), '(sensitive)'],
    ]),
  });
});

test.each([
  ['', ' write `formerly: old`.'],
  [', formerly: o', ''],
])('a new application whose provider another one has can be a renamed one: %s', async (former, advice) => {
  const resources = await desired(`version: 1\napplications: [{ slug: a, name: A, provider: 1${former} }]\n`);
  const { refused } = makePlan(resources, new Map([['application.a', { presence: 'absent' }]]), {
    toolVersion: '1.2.3',
    createdAt: new Date(0),
    service: 'https://id.example.com',
    contractOnly: true,
    permission: 'none',
    facts: new Map([[factKey(kindOf('application'), 'provider', 1), 'old']]),
  });
  expect(refused.map(({ detail }) => /another value\.(?:.*,)?(.*)$/.exec(detail)?.[1])).toEqual([advice]);
});

test.each([
  ['', '[{ name: middle }]'],
  [', parents: [{ name: top }]', '[], at_least: [parents]'],
])(
  'a group does not count as losing access if it has a parent with access: %s, then %s',
  async (earlier, declared) => {
    const access = (name: string): string =>
      `applications: [{ slug: wiki, name: Wiki, access: { groups: [{ name: ${name} }] } }]`;
    const { changes } = await planBetween(
      `groups: [{ name: child${earlier} }, { name: top }]\n${access('child')}`,
      `groups: [{ name: child, parents: ${declared} }, { name: middle, parents: [{ name: top }] }, { name: top }]\n${access('top')}`,
    );
    const wiki = changes.find(({ resource: { name } }) => name === 'wiki');
    expect([wiki?.action, wiki?.remarks]).toEqual(['update', undefined]);
  },
);

test('the name of an id that an update removes shows no secret', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const { changes } = await planBetween(
    'groups: [{ name: g }]\nusers: [{ username: u, name: U, groups: [{ name: g }] }]',
    "users: [{ username: u, name: U, groups: [], attributes: { text: '${env:TEXT}' } }]",
    { removedNames: new Map([[keyOfId(familyOf('groups'), id), 'the canary-text']]) },
    { env: { TEXT: 'canary-text' } },
  );
  const { observedNames } = changes[0]?.differences.find(({ field }) => field === 'groups') ?? {};
  expect(observedNames).toEqual({ '/groups/0': 'the (sensitive)' });
});

test('the document of a plan names the declared ids of a field that differs', async () => {
  const user = (group: string): string => `users: [{ username: u, name: U, groups: [{ name: ${group} }] }]`;
  const groups = 'groups: [{ name: g }, { name: h }]';
  const plan = await planBetween(`${groups}\n${user('g')}`, `${groups}\n${user('h')}`);
  const change = plan.changes.find(({ resource }) => resource.kind.type === 'user');
  if (change === undefined) throw new Error('no user is planned');
  expect(changeDocument(change)).toMatchObject({
    names: { '/groups/0': 'h' },
    observed_names: { '/groups/0': 'g' },
  });
});

test('the document of a plan says whether all undeclared records are known', async () => {
  const plan = await planBetween('users: []', 'users: []');
  const found = [{ address: 'user.u', pk: '1' }] as const;
  const gaps = [{ type: 'user', summary: 's', detail: '' }] as const;
  expect(planDocument({ ...plan, undeclared: { found, gaps: [] } })).toMatchObject({
    undeclared: { whole: true },
  });
  expect(planDocument({ ...plan, undeclared: { found: [], gaps } })).toMatchObject({
    undeclared: { whole: false },
  });
});

test('an unfinished resource comes before those that refer to it', async () => {
  const { changes } = await planBetween('groups: [{ name: g }]', 'groups: [{ name: g }]');
  const unfinished = changes.map((change) => ({ ...change, unfinished: true as const }));
  expect([resourcesWithBindings(changes), resourcesWithBindings(unfinished)]).toEqual([[], ['group.g']]);
});

test.each([
  ['absent', ['missing-field']],
  ['unknown', []],
] as const)(
  'a field that a new record requires is missing if the record is %s: %j',
  async (presence, codes) => {
    const resources = await desired('version: 1\nflows: [{ slug: f, name: F, title: F }]\n');
    const observed = new Map(resources.map(({ address }) => [address, { presence } as const]));
    expect(problemsOfEntries(resources, observed, undefined, 'open').map(({ code }) => code)).toEqual(codes);
  },
);

test('two new entries of one name within new parents of one name are different if their types are', async () => {
  const n = { name: 'n' };
  const resources = await desired(
    JSON.stringify({
      version: 1,
      entitlements: [{ ...n, app: { slug: 'p' } }],
      enrollment_tokens: [{ ...n, connector: { name: 'p' } }],
    }),
  );
  expect(problemsOfEntries(resources, new Map(), undefined, 'open')).toEqual([]);
});

test.each([
  ['2025.6', []],
  ['2025.8', ['flags']],
  ['', []],
])('a new record of release %j requires a field that came with 2025.8: %j', async (release, fields) => {
  const [settings] = await desired('version: 1\nsettings: [{}]\n');
  expect(missingFields(settings ?? expect.fail(), readRelease(release))).toEqual(fields);
});

test.each([
  ['the same record', '0A0A0A0A-0000-4000-8000-000000000000', ['duplicate-resource']],
  ['another record', '0b0b0b0b-0000-4000-8000-000000000000', []],
])('two entries of one name within %s are duplicates: %s', async (_, app, codes) => {
  const entries = ['0a0a0a0a-0000-4000-8000-000000000000', app].map((id) => ({ name: 'n', app: id }));
  const resources = await desired(JSON.stringify({ version: 1, entitlements: entries }));
  const observed = new Map(resources.map(({ address }) => [address, { presence: 'unknown' } as const]));
  expect(problemsOfEntries(resources, observed, undefined, 'open').map(({ code }) => code)).toEqual(codes);
});

test('an id that an entry declares twice is sent once, in whichever spelling', async () => {
  const ids = ['0A0A0A0A-0000-4000-8000-000000000000', '0a0a0a0a-0000-4000-8000-000000000000'];
  const [user] = await desired(
    JSON.stringify({ version: 1, users: [{ username: 'u', name: 'U', groups: ids }] }),
  );
  if (user === undefined) throw new Error('no user is declared');
  expect(sentFields(user)['groups']).toEqual(ids.slice(0, 1));
});

test('a right that depends on an unknown parent, and a role that is named twice, are each mentioned once', async () => {
  const id = '0a0a0a0a-0000-4000-8000-000000000000';
  const [user] = await desired(
    JSON.stringify({
      version: 1,
      users: [{ username: 'u', name: 'U', groups: [id], roles: [id, id.toUpperCase()] }],
    }),
  );
  if (user === undefined) throw new Error('no user is declared');
  const facts = new Map([[factKey(user.kind, 'groups', id), null]]);
  expect(rightsOfAdded(user, 'groups', null, facts)).toEqual([
    expect.stringMatching(/^perhaps a superuser's rights/),
  ]);
  expect(rightsOfAdded(user, 'roles', null, facts)).toHaveLength(1);
});

test('a value belongs to the record that a reference names, unless that record was observed without it', async () => {
  const [a, b] = await desired(
    'version: 1\napplications: [{ slug: a, name: A, provider: 1 }, { slug: b, name: B }]\n',
  );
  if (!a || !b) throw new Error('nothing is declared');
  const facts = new Map([[factKey(a.kind, 'provider', 1), 'b']]);
  const holder = (observed: ObservedState): string | undefined =>
    createHolderFinder([a, b], observed, facts)(a, 'provider', 1);
  const held = { pk: 'p', fields: { provider: null } };
  expect(holder(new Map())).toBe('application.b');
  expect(holder(new Map([[b.address, { presence: 'present', held }]]))).toBeUndefined();
  const own = { pk: 'p', fields: { provider: 1 } };
  expect(holder(new Map([[a.address, { presence: 'present', held: own }]]))).toBeUndefined();
});

test.each([
  ['a flow that a new provider names', false, '{ slug: f }', true, undefined],
  [
    'a flow to whose id a new provider refers',
    false,
    '00000000-0000-4000-8000-000000000001',
    true,
    ['flow.f'],
  ],
  ['another flow', false, '00000000-0000-4000-8000-000000000003', undefined, undefined],
  ['a flow that has its stages', true, '{ slug: f }', undefined, undefined],
])('%s is unfinished if it lacks declared stages', async (_, isWhole, flow, isUnfinished, waitsFor) => {
  const flows = (...stages: string[]): string =>
    `stages: [{ name: s, type: user_login }, { name: t, type: user_login }]
flows: [{ slug: f, name: F, title: F, designation: authorization, stages: [${stages.join(', ')}] }]`;
  const [first, second] = ['{ stage: { name: s }, order: 0 }', '{ stage: { name: t }, order: 1 }'];
  const { changes } = await planBetween(
    isWhole ? flows(first, second) : flows(first),
    `${flows(first, second)}\nproviders: [{ type: rac, name: p, authorization_flow: ${flow} }]`,
    { permission: 'none' },
  );
  const find = (address: string): ReadyChange | undefined =>
    changes.find(({ resource }) => resource.address === address);
  expect(find('flow.f')?.unfinished).toBe(isUnfinished);
  expect(find('provider.p')?.waitsFor).toEqual(waitsFor);
});

const none = 'users: []';
const superusers = 'groups: [{ name: admins, is_superuser: true }]';
const member = (fields: string): string => `${superusers}\nusers: [{ username: u, ${fields} }]`;
const joining = (parents: string): string =>
  `groups: [{ name: admins, is_superuser: true }, { name: g, parents: [${parents}] }]`;
const withRole = (list: string, roles: string): string => `roles: [{ name: r }]\n${list}: [{ ${roles} }]`;
const wikiWith = (fields: string): string =>
  `groups: [{ name: g }]\napplications: [{ slug: w, name: W${fields} }]`;
const samlSource = (enabled: boolean): string =>
  `sources: [{ type: saml, name: S, slug: s, enabled: ${enabled}, pre_authentication_flow: 00000000-0000-4000-8000-000000000099, sso_url: https://a/b, binding_type: REDIRECT }]`;
const throughAdmins = /^a superuser's rights through "admins"/;

test.each<[what: string, before: string, after: string, opens: RegExp[], remarks: RegExp[]]>([
  [
    'user.u, reactivated,',
    member('is_active: false, groups: [{ name: admins }]'),
    member('is_active: true, groups: [{ name: admins }]'),
    [throughAdmins],
    [/^the account can log in again$/],
  ],
  [
    'user.u, joining a group,',
    member('groups: []'),
    member('groups: [{ name: admins }]'),
    [throughAdmins],
    [],
  ],
  [
    'user.u, changed otherwise,',
    member('path: a, groups: [{ name: admins }]'),
    member('path: b, groups: [{ name: admins }]'),
    [],
    [],
  ],
  [
    'user.u, inactive and changed,',
    member('path: a, is_active: false'),
    member('path: b, is_active: false'),
    [],
    [],
  ],
  ['user.u, created,', none, member('name: U, groups: [{ name: admins }]'), [throughAdmins], []],
  [
    'user.u, renamed without a record,',
    none,
    'users: [{ username: u, name: U, formerly: v }]',
    [],
    [/^no user has the former name `v`/],
  ],
  [
    'policy.p, renamed without a record of its type,',
    none,
    'policies: [{ type: dummy, name: p, formerly: q }]',
    [],
    [/^no policy of the type `dummy` has the former name `q`, so this creates a new one$/],
  ],
  [
    'user.u, with a role,',
    withRole('users', 'username: u, roles: []'),
    withRole('users', 'username: u, roles: [{ name: r }]'),
    [/^the rights of the role "r"/],
    [],
  ],
  [
    'group.g, with a role,',
    withRole('groups', 'name: g, roles: []'),
    withRole('groups', 'name: g, roles: [{ name: r }]'),
    [/^the rights of the role "r"/],
    [],
  ],
  ['group.admins, created without members,', none, superusers, [], []],
  [
    'group.admins, made superusers,',
    superusers.replace('true', 'false'),
    superusers,
    [/^a superuser's rights$/],
    [],
  ],
  [
    'group.g, joining a group,',
    joining(''),
    joining('{ name: admins }'),
    [/^access to what is open to "admins"/, /^a superuser's rights through "admins"/],
    [],
  ],
  ['application.w, created without bindings,', none, wikiWith(''), [], []],
  ['application.w, created for everyone,', none, wikiWith(', access: everyone'), [/^everyone$/], []],
  [
    'application.w, created with a disabled binding,',
    none,
    wikiWith(', policies: [{ group: { name: g }, order: 0, enabled: false }]'),
    [/^everyone$/],
    [],
  ],
  [
    'application.w, opened,',
    wikiWith(', access: { groups: [{ name: g }] }'),
    wikiWith(', access: everyone'),
    [/^everyone$/],
    [],
  ],
  [
    'application.w, restricted,',
    wikiWith(', access: everyone'),
    wikiWith(', access: { groups: [{ name: g }] }'),
    [],
    [],
  ],
  [
    'source.s, enabled,',
    samlSource(false),
    samlSource(true),
    [/^everyone who can log in through this source$/],
    [/^people can log in through this source$/],
  ],
  [
    'source.s, disabled,',
    samlSource(true),
    samlSource(false),
    [],
    [/^people can no longer log in through this source$/],
  ],
  [
    'provider.p, of an enterprise,',
    none,
    'providers: [{ type: google_workspace, name: p, delegated_subject: a, credentials: {}, default_group_email_domain: d }]',
    [],
    [/^needs an enterprise licence/],
  ],
  [
    'token.t, expiring,',
    none,
    'tokens: [{ identifier: t, user: { name: u }, intent: api, expiring: true }]\nusers: [{ username: u, name: U }]',
    [],
    [/^may expire after the default time/],
  ],
  [
    'rac_endpoint.R/db, created with bindings,',
    none,
    'providers: [{ type: rac, name: R, authorization_flow: 00000000-0000-4000-8000-000000000099 }]\ngroups: [{ name: g }]\nrac_endpoints: [{ name: db, provider: { name: R }, protocol: ssh, host: db, auth_mode: static, policies: [{ group: { name: g }, order: 0 }] }]',
    [],
    [/^everyone who may open an application of its provider can use it until its bindings exist$/],
  ],
])('%s shows who gains what', async (what, before, after, opens, remarks) => {
  const id = '00000000-0000-4000-8000-000000000001';
  const facts = new Map([
    [factKey(kindOf('user'), 'groups', id), true],
    [factKey(kindOf('group'), 'parents', id), true],
  ]);
  const { changes } = await planBetween(before, after, {
    facts,
    permission: { self: 'another', mayDelete: true },
  });
  const change = changes.find(({ resource }) => what.startsWith(`${resource.address},`));
  const matching = (words: readonly RegExp[]): unknown[] =>
    words.map((each) => expect.stringMatching(each) as unknown);
  expect(change?.opens ?? []).toEqual(matching(opens));
  expect(change?.remarks ?? []).toEqual(matching(remarks));
});

test.each<[entry: string, binding: Partial<Child> | undefined, unbound: UnboundState, codes: string[]]>([
  ['name: W, access: everyone', undefined, 'closed', ['open-to-nobody']],
  ['name: W, access: everyone', undefined, 'open', []],
  ['name: W, access: everyone', undefined, 'unknown', []],
  ['name: W', undefined, 'closed', []],
  ['name: W, policies: [{ group: 00000000-0000-4000-8000-000000000000, order: 0 }]', undefined, 'closed', []],
  ['state: absent', undefined, 'closed', []],
  ['name: W, access: everyone', {}, 'closed', []],
  ['name: W, access: everyone', { isExpired: true }, 'closed', ['open-to-nobody']],
  ['name: W, access: everyone', { values: { order: 0, enabled: false } }, 'closed', ['open-to-nobody']],
])(
  'an application with { %s }, to which a policy is bound (%j), if the service keeps records without bindings %s, has the problems %j',
  async (entry, binding, unbound, codes) => {
    const resources = await desired(`version: 1\napplications: [{ slug: w, ${entry} }]\n`);
    const [declared] = bindingsIn(policyBindings, [{ policy: 'p', order: 0 }]);
    const bound = new Map([
      [
        policyBindings,
        binding && declared ? [{ ...declared, pk: 'b', rank: 0, isExpired: false, ...binding }] : [],
      ],
    ]);
    const observed: ObservedState = new Map(
      resources.map(({ address }) => [
        address,
        { presence: 'present', held: { pk: 'p', fields: {}, bound } },
      ]),
    );
    expect(problemsOfEntries(resources, observed, undefined, unbound).map(({ code }) => code)).toEqual(codes);
  },
);

test.each([
  ['absent', 'name: F, title: F', ['designation']],
  ['absent', 'title: F, designation: recovery', ['name']],
  ['unknown', 'title: F', []],
  ['absent', 'state: absent', []],
] as const)('an entry of a flow that is %s, with { %s }, lacks %j', async (presence, entry, fields) => {
  const resources = await desired(`version: 1\nflows: [{ slug: f, ${entry} }]\n`);
  const observed: ObservedState = new Map(resources.map(({ address }) => [address, { presence }]));
  const problems = problemsOfEntries(resources, observed, undefined, 'open');
  expect(problems.map(({ summary }) => /^the field `(\w+)` is missing/.exec(summary)?.[1])).toEqual(fields);
});

test.each([
  ['a', [], ['application.a', 'application.b']],
  ['b', ['application.a'], ['application.b']],
])(
  'if application.%s is refused, the changes of a and of b, which waits for a, are planned except of %j',
  async (slug, planned, dropped) => {
    const resources = await desired(
      'version: 1\napplications: [{ slug: a, name: A }, { slug: b, name: B }]\n',
    );
    const made = makePlan(
      resources,
      new Map(resources.map(({ address }) => [address, { presence: 'absent' as const }])),
      {
        toolVersion: '1.2.3',
        createdAt: new Date(0),
        service: 'https://id.example.com',
        contractOnly: false,
        permission: { self: undefined, mayDelete: false },
      },
    );
    const changes = made.changes.map((change) =>
      change.resource.name === 'b'
        ? { ...change, waitsFor: ['application.a' as const], since: { kind: 'added' as const } }
        : change,
    );
    const problem = diagnosticFor('m.yaml', { code: 'circular-reference', summary: 'no', detail: '' });
    const kept = withoutRefusedChanges({
      changes: changes.toReversed(),
      refused: [{ ...problem, address: `application.${slug}` as const }],
    });
    const of = (isPlanned: boolean): string[] =>
      kept
        .toReversed()
        .flatMap(({ action, resource }) =>
          (action !== 'not-planned') === isPlanned ? resource.address : [],
        );
    expect([of(true), of(false)]).toEqual([planned, dropped]);
    const waiting = kept.find(({ resource }) => resource.name === 'b');
    expect(waiting?.since).toEqual({ kind: 'added' });
    expect(waiting?.action === 'not-planned' && waiting.diagnostics.map(({ summary }) => summary)).toEqual([
      slug === 'b' ? 'no' : 'it depends on application.a, which is not planned',
    ]);
  },
);

test.each([
  ['users: []', wikiWith(', policies: [{ group: { name: g }, order: 0 }]'), ['application.w']],
  ['users: []', wikiWith(''), []],
  [wikiWith(', policies: []'), wikiWith(', policies: [{ group: { name: g }, order: 0 }]'), ['application.w']],
  [
    wikiWith(', policies: []'),
    wikiWith('2, policies: [{ group: { name: g }, order: 0 }]'),
    ['application.w'],
  ],
  [wikiWith(', policies: []'), wikiWith('2, policies: []'), []],
  [wikiWith(''), wikiWith(''), []],
])('the resources whose bindings change from %j to %j are %j', async (before, after, addresses) => {
  const { changes } = await planBetween(before, after);
  expect(resourcesWithBindings(changes)).toEqual(addresses);
});
