import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { kindOf, type ResourceType } from '../../src/kinds/all.ts';
import type { Binding, ChildField } from '../../src/kinds/children.ts';
import { groupField, policyField } from '../../src/kinds/policy-bindings.ts';
import { Client } from '../../src/service/client.ts';
import { judgeDeletion, readDeletions, type DeleteDecision } from '../../src/service/deletions.ts';
import type { DeleteCandidate } from '../../src/service/dependents.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';

function candidate(type: ResourceType, pk: string, fields: JsonObject = {}): DeleteCandidate {
  const kind = kindOf(type, type === 'policy' ? 'dummypolicy' : undefined);
  return { resource: { kind, name: 'x', address: `${type}.x` }, held: { pk, fields } };
}

interface Service {
  readonly groups?: readonly JsonObject[];
  readonly applications?: readonly JsonObject[];
  readonly application_entitlements?: readonly JsonObject[];
  readonly bindings?: readonly JsonObject[];
  readonly uses?: readonly JsonObject[];
}

interface Plan extends Pick<Parameters<typeof judgeDeletion>[1], 'plannedBindings'> {
  readonly of?: DeleteCandidate;
  /** The id of the user of the token. */
  readonly self?: number | null;
}

/** Decides about the delete of a group, or of another record, in a service with these records. */
async function decision(
  service: Service,
  fields: JsonObject = { is_superuser: false },
  deletes: readonly DeleteCandidate[] = [],
  { self = 1, of = candidate('group', id, fields), ...planned }: Plan = {},
): Promise<DeleteDecision> {
  const client = new Client(async ({ path }) => {
    if (path.includes('/me/'))
      return answered(200, { user: { pk: self, username: 'me', is_superuser: true } });
    if (path.includes('/used_by/')) return answered(200, service.uses ?? []);
    const lists: Readonly<Record<string, readonly JsonObject[] | undefined>> = { ...service };
    return pageOf([...(lists[path.split('?')[0]?.split('/').at(-2) ?? ''] ?? [])], 1, 100);
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const deleting = { client, pacing, deletes: [of, ...deletes], isFlagOff: async () => false };
  return judgeDeletion(of, { ...deleting, ...planned });
}

const group = (pk: string, isSuperuser: boolean): JsonObject => ({ pk, name: pk, is_superuser: isSuperuser });

test.each([
  [
    'the last of the superusers',
    true,
    [group(id, true), group(other, false)],
    'it is the last group of superusers',
  ],
  ['one of two of superusers', true, [group(id, true), group(other, true)], undefined],
  ['one of ordinary users, in a service without superusers', false, [group(id, false)], undefined],
])('a group is deleted unless it is the last of superusers: %s', async (_, isSuperuser, groups, refusal) => {
  expect((await decision({ groups }, { is_superuser: isSuperuser })).refusal).toBe(refusal);
});

const application = {
  app: 'authentik_core',
  model_name: 'application',
  pk: other,
  name: 'Wiki',
  action: 'cascade',
};

test.each<[string, readonly DeleteCandidate[], boolean]>([
  ['nothing else', [], true],
  ['a record of another type with the same id', [candidate('role', other)], true],
  ['that record', [candidate('application', other)], false],
])(
  'a delete with which the service deletes another record is refused if the manifests delete %s',
  async (_, deletes, isRefused) => {
    const { refusal } = await decision({ uses: [application] }, undefined, deletes);
    expect(refusal).toEqual(
      isRefused ? expect.stringContaining('also delete the application "Wiki"') : undefined,
    );
  },
);

const binding = {
  pk: 'b',
  target: other,
  group: id,
  user: null,
  policy: null,
  order: 0,
  enabled: true,
  negate: false,
};

test.each<[string, Service, RegExp | undefined, readonly string[]]>([
  [
    'an application',
    { applications: [{ pk: other, slug: 'wiki', name: 'Wiki' }] },
    /^everyone could then open the application "wiki"/,
    [],
  ],
  [
    'an entitlement',
    { application_entitlements: [{ pk: other, pbm_uuid: other, name: 'admin', app: id }] },
    undefined,
    ['nobody can open the entitlement "admin" any more'],
  ],
])('the last binding of %s', async (_, service, refusal, notes) => {
  const found = await decision({ ...service, bindings: [binding] });
  expect(found).toEqual(
    refusal ? { notes: [], refusal: expect.stringMatching(refusal) as string } : { notes },
  );
});

test.each([
  ['negated', { group: null, user: 5, negate: true }, true],
  ['disabled', { group: null, user: 5, enabled: false }, true],
  ['of a policy', { group: null, policy: id }, true],
  ['of a user', { group: null, user: 5 }, false],
])('another binding that is %s keeps an application closed, or not', async (_, more, isRefused) => {
  const bindings = [binding, { ...binding, pk: 'c', ...more }];
  const applications = [{ pk: other, slug: 'wiki', name: 'Wiki' }];
  expect((await decision({ applications, bindings })).refusal !== undefined).toBe(isRefused);
});

const policyBinding = { ...binding, group: null, policy: id };
const usesOfPolicy = [
  { app: 'authentik_policies', model_name: 'policybinding', pk: 'b', name: 'B', action: 'cascade' },
  {
    app: 'authentik_policies',
    model_name: 'policybindingmodel',
    pk: other,
    name: 'M',
    action: 'left_dangling',
  },
];
const bound = (binds: ChildField): Binding => ({ binds, id, values: {} });
const ofOther =
  (bindings: readonly Binding[]) =>
  (pk: string): readonly Binding[] | undefined =>
    pk === other ? bindings : undefined;

test.each<[string, Service, Plan, readonly DeleteCandidate[], boolean]>([
  ['nothing changes its record', {}, {}, [], true],
  ['its record is deleted too', {}, {}, [candidate('application', other)], false],
  ['another record is deleted', {}, {}, [candidate('application', 'c')], true],
  ['the plan takes it from its record', {}, { plannedBindings: ofOther([bound(groupField)]) }, [], false],
  ['the plan leaves its record without bindings', {}, { plannedBindings: ofOther([]) }, [], false],
  ['the plan changes only its binding', {}, { plannedBindings: ofOther([bound(policyField)]) }, [], true],
  [
    'the plan takes it from one of two records',
    {
      uses: [...usesOfPolicy, { ...usesOfPolicy[0], pk: 'c' }],
      bindings: [policyBinding, { ...policyBinding, pk: 'c', target: 'd' }],
    },
    { plannedBindings: ofOther([]) },
    [],
    true,
  ],
  ['one of its bindings is hidden', { bindings: [] }, { plannedBindings: ofOther([]) }, [], true],
])('a policy is not deleted while a record has it: %s', async (_, more, plan, deletes, isRefused) => {
  const service = { uses: usesOfPolicy, bindings: [policyBinding], ...more };
  const { refusal } = await decision(service, {}, deletes, { of: candidate('policy', id), ...plan });
  expect(refusal).toEqual(isRefused ? expect.stringContaining('could become open to everyone') : undefined);
});

test.each([
  [7, '8', undefined],
  [7, '7', 'the token belongs to this user'],
  [null, '8', 'it is unknown whether the token belongs to this user'],
])('with a token of the user %j, a delete of the user %s: %s', async (self, pk, refusal) => {
  expect((await decision({}, {}, [], { self, of: candidate('user', pk) })).refusal).toBe(refusal);
});

test.each<[ResourceType, isSuperuser: boolean, count: number | undefined]>([
  ['group', false, 2],
  ['application', true, 2],
  ['application', false, undefined],
])(
  'of two records of the type %s, a token (of a superuser: %s) shows %s',
  async (type, is_superuser, count) => {
    const client = new Client(async ({ path }) =>
      path.includes('/me/')
        ? answered(200, { user: { pk: 1, username: 'me', is_superuser } })
        : pageOf(path.includes('/used_by/') ? [] : [group(id, false), group(other, true)], 1, 100),
    );
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
    const deletes = [candidate(type, id, { is_superuser: false })];
    const { counts } = await readDeletions({ client, pacing, deletes, isFlagOff: async () => false });
    expect(counts.get(kindOf(type))).toBe(count);
  },
);
