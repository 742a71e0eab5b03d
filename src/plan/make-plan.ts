import type { ObservedState } from '../observe/observe.ts';
import { canBeRead } from '../kinds/kind.ts';
import { byAddress, isSensitive, type Resource } from '../kinds/resource.ts';
import { sensitive } from '../base/sensitive.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Since } from '../manifest/since.ts';
import { compare } from './compare.ts';
import { canonical, sha256 } from './canonical.ts';
import type { Change, ObservedFields, Plan } from './plan.ts';

interface PlanContext extends Omit<Plan, 'manifestDigest' | 'changes' | 'since'> {
  /** All that is declared, where that is more. */
  readonly declared?: readonly Resource[];
  readonly since?: Since;
}

/** desired × observed → plan. Every resource must have been observed. */
export function makePlan(
  resources: readonly Resource[],
  observed: ObservedState,
  context: PlanContext,
): Plan {
  const { declared = resources, since, ...about } = context;
  return {
    ...about,
    ...(since && { since: since.revision }),
    manifestDigest: manifestDigest(declared),
    changes: resources.toSorted(byAddress).map((resource) => {
      const alteration = since?.alterations.get(resource.address);
      return { ...changeOf(resource, observed), ...(alteration && { since: alteration }) };
    }),
  };
}

/** A digest of what is declared: the same for the same resources, wherever and in whatever order they stand. */
function manifestDigest(resources: readonly Resource[]): string {
  return sha256(linesOf(resources));
}

/** One by one: together they are as long as the manifests. */
function* linesOf(resources: readonly Resource[]): Generator<string> {
  for (const { address, shown } of resources.toSorted(byAddress)) yield `${canonical([address, shown])}\n`;
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
  const differences = compare(resource, record);
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  const observed: ObservedFields = Object.fromEntries(
    Object.entries(resource.fields).map(([field]) => [
      field,
      isSensitive(resource, field) ? sensitive : (differing.get(field) ?? record.fields[field] ?? null),
    ]),
  );
  return { resource, presence: 'present', action: 'no-op', observed, differences };
}
