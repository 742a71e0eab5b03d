import type { Address } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { mergedValue } from '../kinds/fields.ts';
import { idsOf } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { recordKey } from '../kinds/values.ts';
import type { Alteration } from '../manifest/baseline.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';

/** Whether a record is a parent of another record, or a parent of its parents, as far as the parents are declared. */
export type IsAncestor = (ancestor: JsonValue, of: JsonValue) => boolean;

/** Finds the ancestors that a group has after the plan is applied. */
export function createAncestorFinder(resources: readonly Resource[], observed: ObservedState): IsAncestor {
  return finderOf(resources, observed, mergedValue);
}

/** Finds the ancestors that a group has before the plan is applied, and had in the baseline. */
export function createPastAncestorFinder(
  resources: readonly Resource[],
  observed: ObservedState,
  alterations: ReadonlyMap<Address, Alteration> = new Map(),
): IsAncestor {
  const isSame = ({ kind: { login }, address }: Resource): boolean => {
    const alteration = alterations.get(address);
    if (alteration?.kind !== 'altered') return alteration?.kind !== 'added';
    const parents = login?.kind === 'superuser group' ? login.parents : undefined;
    return alteration.fields?.every(({ field }) => field !== parents) === true;
  };
  return finderOf(resources.filter(isSame), observed, (_, __, held) => held);
}

function finderOf(
  resources: readonly Resource[],
  observed: ObservedState,
  valueOf: (resource: Resource, field: string, held: JsonValue | undefined) => JsonValue | undefined,
): IsAncestor {
  const parents = new Map<string, readonly string[]>();
  const keysByName = new Map<string, string>();
  for (const resource of resources) {
    const { login } = resource.kind;
    if (login?.kind !== 'superuser group') continue;
    const held = observedRecordAt(observed, resource.address);
    const byName = recordKey({ name: resource.name });
    const key = held ? recordKey(held.pk) : byName;
    keysByName.set(byName, key);
    if (!Object.hasOwn(resource.fields, login.parents)) continue;
    parents.set(key, idsOf(valueOf(resource, login.parents, held?.fields[login.parents])).map(recordKey));
  }
  const keyOf = (id: JsonValue): string => keysByName.get(recordKey(id)) ?? recordKey(id);
  return (ancestor, of) => {
    const found = new Set([keyOf(of)]);
    for (const key of found) for (const parent of parents.get(key) ?? []) found.add(parent);
    return found.has(keyOf(ancestor));
  };
}
