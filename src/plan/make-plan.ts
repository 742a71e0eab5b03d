import type { ObservedState } from '../observe/observe.ts';
import { serviceFields } from '../kinds/kind.ts';
import { blankFor, byAddress, type Resource } from '../kinds/resource.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Since } from '../manifest/since.ts';
import { compare, declaredPart } from './compare.ts';
import { digestOf } from './manifest-digest.ts';
import type { Change, ObservedFields, Plan } from './plan.ts';

interface PlanContext extends Omit<Plan, 'manifestDigest' | 'changes' | 'since'> {
  /** Of all that is declared, where that is more. */
  readonly manifestDigest?: string;
  readonly since?: Since;
}

/** desired × observed → plan. Every resource must have been observed. */
export function makePlan(
  resources: readonly Resource[],
  observed: ObservedState,
  { manifestDigest = digestOf(resources), since, ...about }: PlanContext,
): Plan {
  return {
    ...about,
    ...(since && { since: since.revision }),
    manifestDigest,
    changes: resources.toSorted(byAddress).map((resource) => {
      const alteration = since?.alterations.get(resource.address);
      return { ...changeOf(resource, observed), ...(alteration && { since: alteration }) };
    }),
  };
}

/** What a plan does to a resource that was observed. */
export function changeOf(resource: Resource, observed: ObservedState): Change {
  const observation = observed.get(resource.address);
  if (observation === undefined) throw new Error(`${resource.address} was not observed`);
  const { presence } = observation;
  if (presence === 'present') return existing(resource, observation.held);
  return { resource, presence, action: 'create', differences: [] };
}

function existing(resource: Resource, record: HeldRecord): Change {
  const differences = compare(resource, record);
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  const observed: ObservedFields = Object.fromEntries(
    Object.keys(serviceFields(resource.kind, resource.fields)).map((field) => [
      field,
      blankFor(resource, field) ?? differing.get(field) ?? declaredPart(resource, field, record.fields),
    ]),
  );
  return { resource, presence: 'present', action: 'no-op', observed, differences };
}
