import type { ObservedState } from '../observe/observe.ts';
import { canBeRead } from '../kinds/kind.ts';
import { byAddress, declaredFields, isSensitive, type Resource } from '../kinds/resource.ts';
import { sensitive } from '../base/sensitive.ts';
import type { HeldRecord } from '../service/types.ts';
import { compare } from './compare.ts';
import { manifestDigest } from './manifest-digest.ts';
import type { Change, ObservedFields, Plan, PlanScope } from './plan.ts';

interface PlanContext {
  readonly toolVersion: string;
  readonly createdAt: Date;
  readonly service: string;
  /** Where the plan is about some of the declared resources only. */
  readonly scope?: PlanScope;
  /** All that is declared, where that is more. */
  readonly declared?: readonly Resource[];
}

/** desired × observed → plan. Every resource must have been observed. */
export function makePlan(
  resources: readonly Resource[],
  observed: ObservedState,
  context: PlanContext,
): Plan {
  const { declared = resources, ...about } = context;
  return {
    ...about,
    manifestDigest: manifestDigest(declared),
    changes: resources.toSorted(byAddress).map((resource) => changeOf(resource, observed)),
  };
}

function changeOf(resource: Resource, observed: ObservedState): Change {
  const observation = observed.get(resource.address);
  if (observation === undefined) throw new Error(`${resource.address} was not observed`);
  const { presence } = observation;
  if (presence === 'present') return existing(resource, observation.held);
  if (presence === 'unknown' && canBeRead(resource.kind))
    throw new Error(`${resource.address} was not observed`);
  return { resource, presence, action: 'create', differences: [] };
}

function existing(resource: Resource, record: HeldRecord): Change {
  const held: Record<string, ObservedFields[string] | undefined> = record.fields;
  const differences = compare(resource, record);
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  const observed: ObservedFields = Object.fromEntries(
    declaredFields(resource).map(([field]) => [
      field,
      isSensitive(resource, field) ? sensitive : (differing.get(field) ?? held[field] ?? null),
    ]),
  );
  return { resource, presence: 'present', action: 'no-op', observed, differences };
}
