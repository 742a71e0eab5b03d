import { groupBy } from '../base/group-by.ts';
import { managedPart, writtenValue } from '../kinds/fields.ts';
import type { Family } from '../kinds/kind.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { idKey, idsOf, keyOfId, referenceFields, referenceNames } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { idOrName } from '../kinds/values.ts';
import type { JsonValue } from '../base/json.ts';
import type { ReadContext } from '../service/client.ts';
import { readPages } from '../service/read-pages.ts';
import { pkOf, type ListedRecord } from '../service/records.ts';
import type { ObservedRecord } from '../service/types.ts';
import { observedRecordAt, type ObservedState } from './observation.ts';
import { recordsOf } from './read-reference-facts.ts';

/** A longer list is not read for names alone. */
const maxRecords = 500;

/** Reads the names of records to which updates would no longer refer, by `keyOfId`. Names that cannot be read are left out. */
export async function readRemovedNames(
  resources: readonly Resource[],
  observed: ObservedState,
  context: ReadContext,
): Promise<ReadonlyMap<string, string>> {
  const declared = new Set(
    resources.map(({ kind, address }) => keyOfId(kind.family, observedRecordAt(observed, address)?.pk ?? '')),
  );
  const removed = resources
    .flatMap((resource) => removedIds(resource, observedRecordAt(observed, resource.address)))
    .filter(([related, id]) => !declared.has(keyOfId(related, id)));
  const names = new Map<string, string>();
  await Promise.all(
    Array.from(
      groupBy(removed, ([related]) => related),
      async ([related, all]) => {
        const ids = new Map(all.map(([, id]) => [keyOfId(related, id), id]));
        for (const record of await recordsWith([...ids.values()], related, context)) {
          const [name] = referenceNames(related, record.shown);
          if (name !== undefined) names.set(keyOfId(related, pkOf(record)), name);
        }
      },
    ),
  );
  return names;
}

function removedIds(resource: Resource, held: ObservedRecord | undefined): [Family, JsonValue][] {
  if (held === undefined || isToBeDeleted(resource)) return [];
  const { kind } = resource;
  return referenceFields(kind).flatMap(([field, related]) => {
    const declared = writtenValue(resource, field);
    if (declared === undefined) return [];
    const named = new Set([
      ...idsOf(declared).map((id) => idKey(kind, field, idOrName(id))),
      ...(held.names?.[field]?.keys() ?? []),
    ]);
    return idsOf(managedPart(resource, field, held.fields[field])).flatMap((id): [Family, JsonValue][] =>
      named.has(idKey(kind, field, id)) ? [] : [[related, id]],
    );
  });
}

async function recordsWith(
  ids: readonly JsonValue[],
  related: Family,
  context: ReadContext,
): Promise<readonly ListedRecord[]> {
  if (related.queryById) return (await recordsOf(related, ids, context)).records;
  const records: ListedRecord[] = [];
  await readPages(related, {
    ...context,
    isWorth: (count) => count <= maxRecords,
    onPage: ({ items }) => records.push(...items),
  });
  return records;
}
