import { sentFields, sentValue } from '../kinds/fields.ts';
import {
  factKey,
  fieldsWithFacts,
  inheritingFields,
  referenceFactsOf,
  idsWithPointers,
  type ReferenceFacts,
} from '../kinds/named.ts';
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
  inheritGrants(all, resources, observed);
  return all;
}

/** Adds the grants that resources inherit from their declared parents. Grants from observed parents are known already. */
function inheritGrants(
  all: Map<string, Parameters<typeof factKey>[2]>,
  resources: readonly Resource[],
  observed: ObservedState,
): void {
  const givers = resources.flatMap((resource) =>
    inheritingFields(resource.kind).map((inheriting) => ({ resource, ...inheriting })),
  );
  for (let isMore = givers.length > 0; isMore;) {
    const before = all.size;
    for (const { resource, field, factField } of givers) {
      const { kind, name, address } = resource;
      const held = observedRecordAt(observed, address);
      const ids = idsWithPointers(field, sentValue(resource, field) ?? held?.fields[field] ?? null);
      if (!ids.some(({ id }) => all.get(factKey(kind, field, id)) === true)) continue;
      const record = { [factField]: true, pk: held?.pk ?? { name } };
      for (const [key, value] of referenceFactsOf(kind, record, record)) all.set(key, value);
    }
    isMore = all.size > before;
  }
}
