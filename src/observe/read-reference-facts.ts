import { groupBy } from '../base/group-by.ts';
import type { JsonValue } from '../base/json.ts';
import { convertToNewestRelease } from '../kinds/forms.ts';
import { writtenValue } from '../kinds/fields.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { idKey, idsOf, referenceFields } from '../kinds/named.ts';
import {
  grantKeys,
  inheritGrants,
  inheritingFields,
  type ReferenceFacts,
  referenceFactsOf,
} from '../kinds/reference-facts.ts';
import type { Resource } from '../kinds/resource.ts';
import { isNameReference, idText, recordKey } from '../kinds/values.ts';
import type { ReadContext } from '../service/client.ts';
import { readWholeList } from '../service/read-whole.ts';
import type { ListedRecord } from '../service/records.ts';
import { unreadableReason } from '../service/readable-kinds.ts';
import { isSuperuserToken } from '../service/retrieve.ts';
import { maxTries, retryUntilProven } from '../service/retries.ts';
import type { UnreadableReason, UnseenIds } from '../service/types.ts';
import { type Observation, observedRecordAt, type ObservedState } from './observation.ts';
import type { ResolvedNames, UnresolvedName } from './resolve-names.ts';

/** This many look-ups cost the service about as much time as one page of 100 records. */
const lookUpsPerPage = 8;

interface Place extends Omit<UnresolvedName, 'fault'> {
  readonly declared: UnresolvedName['declared'] & { readonly related: Family };
}

export interface ReferenceReading {
  readonly known: {
    /** Facts about the referenced records, such as their owners. */
    readonly facts: ReferenceFacts;
    readonly unseenIds: Readonly<Record<string, UnseenIds>>;
  };
  readonly missing: readonly UnresolvedName[];
}

/** Looks up the ids in new entries; an id counts as missing only if the token's user is a superuser, who sees all records. */
export async function readReferenceFacts(
  { resources, records: ofNames }: Pick<ResolvedNames, 'resources' | 'records'>,
  observed: ObservedState,
  context: ReadContext,
): Promise<ReferenceReading> {
  const added = resources.filter(
    (resource) => mayBeCreated(observed.get(resource.address)) && !isToBeDeleted(resource),
  );
  const wanted = groupBy(added.flatMap(literalIds), ({ place }) => place.declared.related);
  const facts = new Map<string, JsonValue>();
  const records = new Map<Family, readonly ListedRecord[]>(ofNames);
  const missing: UnresolvedName[] = [];
  const unseenIds: Record<string, UnseenIds> = {};
  for (const [related, all] of wanted) {
    const placesOfIds = groupBy(all, ({ id }) => recordKey(id));
    const ids = Array.from(placesOfIds.values(), ([{ id }]) => id);
    const read = await recordsOf(related, ids, context);
    records.set(related, [...(records.get(related) ?? []), ...read.records]);
    const isKnown = read.absent.length > 0 && (await isSuperuserToken(context));
    const gone = isKnown ? new Set(read.absent.map(recordKey)) : new Set<string>();
    for (const key of gone)
      for (const { place } of placesOfIds.get(key) ?? [])
        missing.push({ ...place, fault: { kind: 'no_such_id' } });
    const count = ids.length - read.records.length - gone.size;
    if (count > 0) unseenIds[related.list] = { count, ...(read.unread && { unread: read.unread }) };
  }
  for (const [related, all] of records)
    for (const { received, shown } of all)
      for (const [key, value] of referenceFactsOf(related, received, shown)) facts.set(key, value);
  const families = new Set([
    ...records.keys(),
    ...resources.flatMap(({ kind }) => [kind.family, ...grantingFields(kind).map(([, related]) => related)]),
  ]);
  for (const related of families)
    await addInheritedGrants(facts, related, records.get(related) ?? [], { resources, observed }, context);
  return { known: { facts, unseenIds }, missing };
}

/** Reads all ancestors of records, and adds the grants that the records inherit: the members of a group inside a superuser group are superusers too. */
async function addInheritedGrants(
  facts: Map<string, JsonValue>,
  related: Family,
  records: readonly ListedRecord[],
  known: { readonly resources: readonly Resource[]; readonly observed: ObservedState },
  context: ReadContext,
): Promise<void> {
  for (const inheriting of inheritingFields(related)) {
    const { kind, field, factField } = inheriting;
    const parents = new Map<string, readonly JsonValue[]>();
    const add = (pk: JsonValue, ids: JsonValue | undefined): void =>
      void parents.set(recordKey(pk), idsOf(ids));
    const addRecord = ({ received, shown }: ListedRecord): void => {
      add(received['pk'] ?? null, convertToNewestRelease(kind, received)[field]);
      for (const [key, value] of referenceFactsOf(related, received, shown)) facts.set(key, value);
    };
    for (const { address } of known.resources.filter(({ kind: { type } }) => type === related.type)) {
      const held = observedRecordAt(known.observed, address);
      if (held) add(held.pk, held.fields[field]);
      for (const [key, value] of held?.facts ?? []) facts.set(key, value);
    }
    for (const record of records) addRecord(record);
    const joined = addedGrantIds(related, known);
    for (;;) {
      const unread = [...parents.values(), joined].flat().filter((id) => !parents.has(recordKey(id)));
      const ids = [...new Map(unread.map((id) => [recordKey(id), id])).values()];
      if (ids.length === 0) break;
      const { records: read } = await recordsOf(related, ids, context);
      for (const record of read) addRecord(record);
      for (const id of ids.filter((each) => !parents.has(recordKey(each)))) {
        add(id, null);
        for (const key of grantKeys(kind, factField, id)) if (!facts.has(key)) facts.set(key, null);
      }
    }
    inheritGrants(facts, inheriting, [...parents]);
  }
}

/** The reference fields through which a record gets the rights of the records that it names. */
function grantingFields(kind: Kind): ReturnType<typeof referenceFields> {
  return referenceFields(kind).filter(([field]) => kind.fields[field]?.fact?.grants !== undefined);
}

/** The ids that manifests add to such fields of existing records. */
function addedGrantIds(
  related: Family,
  { resources, observed }: { readonly resources: readonly Resource[]; readonly observed: ObservedState },
): JsonValue[] {
  return resources.flatMap((resource) => {
    const { kind } = resource;
    const held = observedRecordAt(observed, resource.address);
    if (held === undefined) return [];
    return grantingFields(kind).flatMap(([field, { type }]) => {
      if (type !== related.type) return [];
      const has = new Set(idsOf(held.fields[field]).map((id) => idKey(kind, field, id)));
      const ids = idsOf(writtenValue(resource, field));
      return ids.filter((id) => !isNameReference(id) && !has.has(idKey(kind, field, id)));
    });
  });
}

function mayBeCreated(seen: Observation | undefined): boolean {
  return seen?.presence === 'absent' || (seen?.presence === 'unknown' && !seen.ids && !seen.torn);
}

/** The ids that a manifest contains for kinds whose records can be read by id. */
function literalIds(resource: Resource): { readonly id: JsonValue; readonly place: Place }[] {
  return referenceFields(resource.kind).flatMap(([field, related]) =>
    related.queryById
      ? idsOf(writtenValue(resource, field)).flatMap((id, item) =>
          isNameReference(id)
            ? []
            : { id, place: { resource, declared: { related, name: idText(id), field, item } } },
        )
      : [],
  );
}

/** Reads records by their ids, or their whole list if that takes fewer requests. */
export async function recordsOf(
  related: Family,
  ids: readonly JsonValue[],
  { client, pacing, signal }: ReadContext,
): Promise<{
  readonly records: readonly ListedRecord[];
  readonly absent: readonly JsonValue[];
  /** Why further ids were not looked up. */
  readonly unread?: UnreadableReason;
}> {
  const records: ListedRecord[] = [];
  if (ids.length > lookUpsPerPage) {
    const isWorthReading = (pages: number): boolean => pages * lookUpsPerPage < ids.length;
    const list = await pacing.runBeside(() =>
      readWholeList(related, { client, pacing, signal, isWorth: isWorthReading }),
    );
    const wanted = new Set(ids.map(recordKey));
    if (list.kind === 'whole')
      records.push(...list.records.filter(({ received }) => wanted.has(recordKey(received['pk'] ?? null))));
  }
  const found = new Set(records.map(({ received }) => recordKey(received['pk'] ?? null)));
  const absent: JsonValue[] = [];
  let unread: UnreadableReason | undefined;
  let isOver = false;
  const unknownIds = ids.filter((id) => !found.has(recordKey(id)));
  await pacing.forEach(unknownIds, async (id) => {
    if (isOver || signal?.aborted) return;
    const reading = await retryUntilProven(
      () => client.readById(related, id, signal),
      pacing,
      maxTries.release,
    );
    if (reading?.proof === 'exists') records.push(reading.record);
    else if (reading?.proof === 'absent') absent.push(id);
    else {
      isOver = true;
      unread = reading && unreadableReason(reading);
    }
  });
  return { records, absent, ...(unread && { unread }) };
}
