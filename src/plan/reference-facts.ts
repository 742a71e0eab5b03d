import { memoizePerKey } from '../base/memoize.ts';
import type { Kind } from '../kinds/kind.ts';
import { sentFields, sentValue } from '../kinds/fields.ts';
import {
  factKey,
  fieldsWithFacts,
  referenceFactsOf,
  idsWithPointers,
  referenceFields,
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

/** Adds inherited grants: the members of a group inside a superuser group are superusers too. */
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

/** The fields that refer to a parent of the same kind and through which a record inherits the parent's grants. */
const inheritingFields = memoizePerKey((kind: Kind) =>
  referenceFields(kind).flatMap(([field, related]) => {
    const { grants, factField } = kind.fields[field] ?? {};
    return related.type === kind.type && grants !== undefined && factField !== undefined
      ? [{ field, factField }]
      : [];
  }),
);
