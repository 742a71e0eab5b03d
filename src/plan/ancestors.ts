import type { JsonValue } from '../base/json.ts';
import { mergedValue } from '../kinds/fields.ts';
import { idsOf } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { recordKey } from '../kinds/values.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';

/** Whether a record is a parent of another record, or a parent of its parents, as far as the parents are declared. */
export type IsAncestor = (ancestor: JsonValue, of: JsonValue) => boolean;

export function createAncestorFinder(resources: readonly Resource[], observed: ObservedState): IsAncestor {
  const parents = new Map<string, readonly string[]>();
  for (const resource of resources) {
    const { login } = resource.kind;
    if (login?.kind !== 'superuser group' || !Object.hasOwn(resource.fields, login.parents)) continue;
    const held = observedRecordAt(observed, resource.address);
    const ids = idsOf(mergedValue(resource, login.parents, held?.fields[login.parents])).map(recordKey);
    parents.set(recordKey(held?.pk ?? { name: resource.name }), ids);
  }
  return (ancestor, of) => {
    const found = new Set([recordKey(of)]);
    for (const key of found) for (const parent of parents.get(key) ?? []) found.add(parent);
    return found.has(recordKey(ancestor));
  };
}
