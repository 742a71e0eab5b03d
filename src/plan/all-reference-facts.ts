import type { JsonValue } from '../base/json.ts';
import { sentFields, sentValue } from '../kinds/fields.ts';
import { idsOf } from '../kinds/named.ts';
import {
  fieldsWithFacts,
  inheritGrants,
  inheritingFields,
  referenceFactsOf,
  type ReferenceFacts,
} from '../kinds/reference-facts.ts';
import type { Resource } from '../kinds/resource.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';

/** Facts about referenced records, from the service and from the manifests; new resources have a name instead of an id. */
export function allReferenceFacts(
  facts: ReferenceFacts = new Map(),
  resources: readonly Resource[],
  observed: ObservedState,
): ReferenceFacts {
  const all = new Map(facts);
  for (const resource of resources) {
    const { kind, name, address } = resource;
    const held = observedRecordAt(observed, address);
    for (const [key, value] of held?.facts ?? []) all.set(key, value);
    if (held || fieldsWithFacts(kind).length === 0) continue;
    const record = { ...sentFields(resource), pk: { name } };
    for (const [key, value] of referenceFactsOf(kind, record, record)) all.set(key, value);
  }
  addInheritedGrants(all, resources, observed);
  return all;
}

/** Adds the grants that resources inherit from their declared parents. Grants from observed parents are known already. */
function addInheritedGrants(
  all: Map<string, JsonValue>,
  resources: readonly Resource[],
  observed: ObservedState,
): void {
  for (const related of new Set(resources.map(({ kind }) => kind)))
    for (const inheriting of inheritingFields(related)) {
      const { field } = inheriting;
      const parents = resources.flatMap((resource): (readonly [JsonValue, readonly JsonValue[]])[] => {
        const { kind, name, address } = resource;
        if (kind !== related) return [];
        const held = observedRecordAt(observed, address);
        const value = sentValue(resource, field) ?? held?.fields[field];
        return [[held?.pk ?? { name }, idsOf(value)]];
      });
      inheritGrants(all, inheriting, parents);
    }
}
