import type { Address } from '../../src/base/diagnostic.ts';
import { mapValues } from '../../src/base/json.ts';
import { wantedChildren } from '../../src/kinds/access.ts';
import { childFields } from '../../src/kinds/bindings.ts';
import type { Child } from '../../src/kinds/children.ts';
import { sentFields } from '../../src/kinds/fields.ts';
import { mapIds } from '../../src/kinds/map-ids.ts';
import { withRunIds } from '../../src/kinds/named.ts';
import { formerName } from '../../src/kinds/lifecycle.ts';
import { addressWithName, type Resource } from '../../src/kinds/resource.ts';
import { idOfReference } from '../../src/kinds/values.ts';
import type { Observation } from '../../src/observe/observation.ts';
import type { ObservedLoginRecord } from '../../src/observe/login.ts';
import { makePlan, type CheckedPlan } from '../../src/plan/make-plan.ts';
import type { ObservedRecord } from '../../src/service/types.ts';
import { loadText } from './desired.ts';

interface PlanBetween extends CheckedPlan {
  /** The records of the service before the plan. */
  readonly records: readonly ObservedLoginRecord[];
}

/** The plan for a manifest and a service that has exactly the records of another manifest. Ids are the numbers of these records. */
export async function planBetween(
  before: string,
  after: string,
  context: Partial<Parameters<typeof makePlan>[2]> = {},
  options: Parameters<typeof loadText>[1] = {},
): Promise<PlanBetween> {
  const existing = await entriesOf(before);
  const declared = await entriesOf(after, options);
  const pks = new Map(existing.map((resource, index) => [resource.address, pkOf(resource, index + 1)]));
  const withIds = (resource: Resource): Resource =>
    withRunIds(resource, (address) => pks.get(address) ?? null);
  const held = new Map(
    existing.map((resource) => [
      resource.address,
      recordOf(withIds(resource), pks.get(resource.address) ?? ''),
    ]),
  );
  const resources = declared.map(withIds);
  const formerOf = new Map(
    resources.map((each) => [each.address, addressWithName(each, formerName(each) ?? each.name)]),
  );
  const observed = new Map(
    resources.map(({ address }): [Address, Observation] => {
      const found = held.get(address) ?? held.get(formerOf.get(address) ?? '.');
      return [address, found ? { presence: 'present', held: found } : { presence: 'absent' }];
    }),
  );
  const plan = makePlan(resources, observed, {
    toolVersion: '1.2.3',
    createdAt: new Date(0),
    service: 'https://id.example.com',
    contractOnly: false,
    permission: { self: undefined, mayDelete: true },
    deletions: new Map(resources.map(({ address }) => [address, { notes: [], opens: [] }])),
    ...context,
  });
  const records = existing.map(({ kind, name, address }): ObservedLoginRecord => {
    const { pk = '', fields = {} } = held.get(address) ?? {};
    return { kind, name, pk, fields };
  });
  return { ...plan, records };
}

async function entriesOf(
  text: string,
  options: Parameters<typeof loadText>[1] = {},
): Promise<readonly Resource[]> {
  const { resources, diagnostics } = await loadText(`version: 1\n${text}`, options);
  // A plan finds an open login again, with the records of the service.
  const errors = diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'open-login');
  if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 2));
  return resources;
}

function pkOf({ kind }: Resource, number: number): string {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return kind.family.isId(uuid) ? uuid : String(number);
}

/** The record that an apply of the entry would leave behind. */
function recordOf(resource: Resource, pk: string): ObservedRecord {
  const bound = new Map(
    wantedChildren(resource).map(({ children, wanted }) => [
      children,
      wanted.map((one, index): Child => ({ ...one, pk: `${pk}-${index}`, rank: 0, isExpired: false })),
    ]),
  );
  const none = Object.fromEntries(childFields(resource.kind).map(([field]) => [field, []]));
  const fields = mapValues(sentFields(resource), (value, field) =>
    mapIds(resource.kind.fields[field] ?? {}, value, idOfReference),
  );
  return { pk, fields: { ...none, ...fields }, bound };
}
