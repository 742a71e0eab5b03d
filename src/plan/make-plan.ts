import type { ObservedState } from '../observe/observe.ts';
import { byAddress, declaredFields, isSensitive, type Resource } from '../kinds/resource.ts';
import { sensitive } from '../base/sensitive.ts';
import type { ObservedApplication } from '../service/types.ts';
import { compare } from './compare.ts';
import { manifestDigest } from './manifest-digest.ts';
import type { Change, ObservedFields, Plan, PlanScope } from './plan.ts';

export interface PlanContext {
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
  if (resource.type === 'user') return { resource, presence: 'unknown', action: 'create', differences: [] };
  switch (observation.presence) {
    case 'present':
      return existing(resource, observation.application);
    case 'absent':
      return { resource, presence: 'absent', action: 'create', differences: [] };
    case 'unknown':
      throw new Error(`${resource.address} was not observed`);
  }
}

function existing(resource: Resource, application: ObservedApplication): Change {
  const held: Record<string, ObservedFields[string] | undefined> = application.fields;
  const differences = compare(resource, application);
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  const observed: ObservedFields = Object.fromEntries(
    declaredFields(resource).map(([field]) => [
      field,
      isSensitive(resource, field) ? sensitive : (differing.get(field) ?? held[field] ?? null),
    ]),
  );
  return { resource, presence: 'present', action: 'no-op', observed, differences };
}
