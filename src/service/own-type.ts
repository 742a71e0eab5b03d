import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { needsSuperuserToLookUp, type Family, type Kind } from '../kinds/kind.ts';
import type { LookUpTarget } from '../kinds/resource.ts';
import type { LookUpResult, ReadContext, RecordReading } from './client.ts';
import type { ObservedRecord } from './types.ts';
import { readWholeList } from './read-whole.ts';
import { retryUntilProven } from './retries.ts';

/** Whether a record in a list of several types has exactly this kind, not a kind derived from it. */
export function isOfKind({ model }: Kind, record: JsonObject): boolean {
  return textOf(record['meta_model_name']).split('.').at(-1) === model.name;
}

/** Looks up a record. A record of a derived kind counts as absent. */
export async function readOfKind(
  sought: LookUpTarget,
  { client, pacing, signal }: ReadContext,
): Promise<LookUpResult | undefined> {
  const { kind } = sought;
  const { isBase, family } = kind;
  const self = needsSuperuserToLookUp(kind)
    ? await retryUntilProven(() => client.readSelf(signal), pacing)
    : undefined;
  const isPartial = needsSuperuserToLookUp(kind) && !(self?.proof === 'exists' && self.isSuperuser);
  const read = async (): Promise<LookUpResult> => {
    const reading = await client.read(sought, signal);
    return isPartial ? withoutAbsence(reading) : reading;
  };
  // If the record was deleted between the two requests, another record may have its name, so both requests are repeated once.
  for (let isLast = false; ; isLast = true) {
    const reading = await retryUntilProven(read, pacing);
    if (!isBase || reading?.proof !== 'exists') return reading;
    const id = idOf(family, reading.held.pk);
    const shown = await retryUntilProven(() => client.readById(family, id, signal), pacing);
    if (shown?.proof === 'exists')
      return isOfKind(kind, shown.record.received) ? reading : { proof: 'absent', answer: shown.answer };
    if (shown?.proof !== 'absent') return shown;
    // The type is unknown, so the record must not be changed.
    if (isLast) return { ...shown, proof: 'nothing' };
  }
}

/** A list that is not complete does not show that a record is absent. */
function withoutAbsence(reading: LookUpResult): LookUpResult {
  const { answer } = reading;
  if (answer.kind !== 'not_listed' && answer.kind !== 'unusable_success') return reading;
  return { proof: 'denied', answer: { ...answer, kind: 'not_listed' } };
}

function idOf({ isId }: Family, pk: string): JsonValue {
  return isId(Number(pk)) ? Number(pk) : pk;
}

/** Whether a record has exactly this kind, or the failed read if this is unknown. */
export type KindCheck = boolean | Exclude<RecordReading, { proof: 'exists' }> | undefined;

export async function keepRecordsOfKind<Key>(
  kind: Kind,
  found: ReadonlyMap<Key, ObservedRecord>,
  context: ReadContext,
): Promise<ReadonlyMap<Key, ObservedRecord>> {
  const pks = Array.from(found.values(), ({ pk }) => pk);
  const types = await readKindChecks(kind, pks, context);
  return new Map([...found].filter(([, { pk }]) => types.get(pk) === true));
}

export async function readKindChecks(
  kind: Kind,
  pks: readonly string[],
  context: ReadContext,
): Promise<ReadonlyMap<string, KindCheck>> {
  const { client, pacing, signal } = context;
  const { isBase, family } = kind;
  if (!isBase) return new Map(pks.map((pk) => [pk, true]));
  if (pks.length === 0) return new Map();
  const { path, query, isId } = family;
  const all = await readWholeList({ path, query, isId }, context);
  const records = all.kind === 'whole' ? all.records : [];
  const known = new Map<string, KindCheck>(
    records.map(({ received }) => [textOf(received['pk']), isOfKind(kind, received)]),
  );
  await pacing.forEach(pks, async (pk) => {
    if (known.has(pk) || signal?.aborted) return;
    const read = (): Promise<RecordReading> => client.readById(family, idOf(family, pk), signal);
    const reading = all.kind === 'unread' ? all.reading : await retryUntilProven(read, pacing);
    known.set(pk, reading?.proof === 'exists' ? isOfKind(kind, reading.record.received) : reading);
  });
  return known;
}
