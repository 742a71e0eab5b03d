import { textOf, type JsonValue } from '../base/json.ts';
import { sentValue } from '../kinds/fields.ts';
import { isTakenOver, ownedFields, type Referable } from '../kinds/kind.ts';
import { declaredNames, type Facts, factsOf, idsIn } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { readWhole } from '../service/read-whole.ts';
import type { ListedRecord } from '../service/records.ts';
import { triesOf, untilProven } from '../service/retries.ts';
import type { ObservedState } from './observation.ts';

interface FactsOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/** Fewer ids are asked for one by one. A page of a hundred costs the service as much as so many look-ups. */
const costOfPage = 8;

/**
 * What the records of declared ids say about themselves, of ids that the service gives to no second resource: who has them. Only for
 * what is to be created, and not where a name was looked up. What cannot be read says nothing.
 */
export async function factsOfIds(
  resources: readonly Resource[],
  observed: ObservedState,
  options: FactsOptions,
): Promise<Facts> {
  const facts = new Map<string, JsonValue>();
  const wanted = new Map<Referable, Map<string, JsonValue>>();
  for (const resource of resources)
    if (observed.get(resource.address)?.presence === 'absent')
      for (const [related, id] of claimedIds(resource)) {
        const ids = wanted.get(related) ?? new Map<string, JsonValue>();
        wanted.set(related, ids.set(textOf(id), id));
      }
  for (const [related, ids] of wanted)
    for (const { received, shown } of await recordsOf(related, [...ids.values()], options))
      for (const [key, value] of factsOf(related, received, shown)) facts.set(key, value);
  return facts;
}

/** The ids in a resource that belong to one, and that no other is given. */
function claimedIds(resource: Resource): (readonly [Referable, JsonValue])[] {
  const { kind } = resource;
  const named = new Set(declaredNames(resource).map(({ field }) => field));
  return ownedFields(kind).flatMap((field) => {
    const related = kind.fields[field]?.refersTo;
    if (related === undefined || isTakenOver(kind, field) || named.has(field)) return [];
    return idsIn(field, sentValue(resource, field) ?? null).map(({ id }) => [related, id] as const);
  });
}

async function recordsOf(
  related: Referable,
  ids: readonly JsonValue[],
  { client, pacing, signal }: FactsOptions,
): Promise<readonly ListedRecord[]> {
  if (ids.length > costOfPage) {
    const isWorth = (pages: number): boolean => pages * costOfPage < ids.length;
    const list = await pacing.beside(() => readWhole(related.byName, { client, pacing, signal, isWorth }));
    if (list.kind === 'whole') return list.records;
  }
  const records: ListedRecord[] = [];
  let isOver = false;
  await pacing.forEach(ids, async (id) => {
    if (isOver || signal?.aborted) return;
    const reading = await untilProven(() => client.readById(related, id, signal), pacing, triesOf.release);
    if (reading?.proof === 'exists') records.push(reading.record);
    else if (reading?.proof !== 'absent') isOver = true;
  });
  return records;
}
