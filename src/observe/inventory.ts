import { groupBy } from '../base/group-by.ts';
import { isJsonList, isJsonObject, textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { listQuery, type Kind } from '../kinds/kind.ts';
import { nameOf } from '../kinds/resource.ts';
import { isValidPk, type Answer } from '../service/answer.ts';
import type { PageReading, ReadContext } from '../service/client.ts';
import { type ListedRecord, pkOf } from '../service/records.ts';
import type { InventoryGap, Inventory } from './gaps.ts';
import { printableAddress } from './addresses.ts';
import { withParentNames } from './names-by-id.ts';
import { pageSize, type ListQuery } from '../service/page.ts';
import { maxRounds, maxTries, retryUntilProven } from '../service/retries.ts';
import { retrieve, retrieveTokenUser } from '../service/retrieve.ts';
import { readKindChecks } from '../service/own-type.ts';

export interface InventoryOptions extends ReadContext {
  readonly onRead?: (done: number, total: number) => void;
}

/** Reads all records of a kind that the token can see, and reports records that may be missing. */
export async function readInventoryOf(
  kind: Kind<ResourceType>,
  options: InventoryOptions,
): Promise<Inventory> {
  const { signal } = options;
  const list = listQuery(kind, new Set(Object.keys(kind.fields)));
  if (kind.listing.completeFor === 'superusers') {
    const self = await retrieveTokenUser(options);
    if (self?.proof !== 'exists') return { kind, records: [], gaps: [gapAfter(self, signal)] };
    // Only superusers get the complete list; with another token, further records may be found by name.
    if (!self.isSuperuser)
      return readEachByName(kind, { path: list.path, query: { ordering: kind.identity } }, options);
  }
  return withoutDerivedTypes(await readInPages(kind, list, options), options);
}

/** Reads a list in pages; a complete list has as many different records as its pages report. */
async function readInPages(
  kind: Kind<ResourceType>,
  list: ListQuery,
  options: InventoryOptions,
): Promise<Inventory> {
  const records = new Map<string, ListedRecord>();
  const key = kind.listing.isUnique ? kind.identity : 'pk';
  const ids = new Set<string>();
  const gaps: InventoryGap[] = [];
  let maxRecords = 0;
  let limit: number | undefined;
  for (let number = 1; gaps.length === 0; number += 1) {
    const reading = await requestPage(list, number, options);
    if (endsBefore(number, reading)) break;
    if (reading?.proof !== 'exists') {
      gaps.push(gapAfter(reading, options.signal));
      break;
    }
    const { items, count, end, next } = reading.page;
    for (const { received, shown } of items) {
      const { pk, [kind.identity]: name } = received;
      if (typeof name === 'string' && name !== '') records.set(textOf(received[key]), { received, shown });
      if (isValidPk(pk)) ids.add(textOf(pk));
    }
    maxRecords = Math.max(maxRecords, count);
    options.onRead?.(records.size, count);
    if (next === 0) break;
    limit ??= readLimit(count);
    if (end >= limit) gaps.push({ kind: 'moved' });
  }
  const read = Math.min(records.size, ids.size);
  if (gaps.length === 0 && read < maxRecords) gaps.push({ kind: 'short', read, count: maxRecords });
  const withParents = await withParentNames(kind, [...records.values()], options);
  return withoutDuplicateNames({ kind, records: withParents, gaps });
}

/** Removes records that share their name with another record, because manifests cannot declare them. */
function withoutDuplicateNames({ kind, records, gaps }: Inventory): Inventory {
  const byName = [...groupBy(records, (record) => nameOf(printableAddress(kind, record)))];
  const shared = byName.flatMap(([name, alike]): InventoryGap[] => {
    const ids = alike.map(({ shown }) => textOf(shown['pk']));
    return ids.length > 1 ? [{ kind: 'several', name, ids }] : [];
  });
  const unique = byName.flatMap(([, alike]) => (alike.length === 1 ? alike : []));
  return { kind, records: unique, gaps: [...gaps, ...shared] };
}

function gapAfter(
  reading: { readonly answer: Answer } | undefined,
  signal: AbortSignal | undefined,
): InventoryGap {
  return reading === undefined || signal?.aborted
    ? { kind: 'interrupted' }
    : { kind: 'ended', answer: reading.answer };
}

/** The maximum number of records to read from a list that grows while it is read. */
function readLimit(count: number): number {
  return 2 * count + maxRounds.growing * pageSize;
}

async function requestPage(
  list: ListQuery,
  number: number,
  { client, pacing, signal }: InventoryOptions,
  isEnough: (answer: Answer) => boolean = () => false,
): Promise<PageReading | undefined> {
  if (signal?.aborted) return undefined;
  const ask = async (): Promise<PageReading> => {
    const reading = await client.readPage(list, { number, size: pageSize }, signal);
    return reading.proof !== 'exists' && isEnough(reading.answer) ? { ...reading, proof: 'absent' } : reading;
  };
  return retryUntilProven(ask, pacing, maxTries.page);
}

/** Whether a list has become shorter since its first page was read, and now ends before this page. */
function endsBefore(number: number, reading: PageReading | undefined): boolean {
  return number > 1 && reading?.proof === 'absent';
}

/** Looks up each record by its name, because the service may have returned a cached list, a filtered list, or another page. */
async function readEachByName(
  kind: Kind<ResourceType>,
  list: ListQuery,
  options: InventoryOptions,
): Promise<Inventory> {
  const { pacing, signal, onRead } = options;
  const named = new Map<string, ListedRecord>();
  const gaps: InventoryGap[] = [];
  let count = 0;
  let limit: number | undefined;
  for (let number = 1; ; number += 1) {
    const reading = await requestPage(list, number, options, (answer) => recordsIn(answer) !== undefined);
    const page = reading?.proof === 'exists' ? reading.page : undefined;
    const items = page?.items ?? recordsIn(reading?.answer);
    if (endsBefore(number, reading)) break;
    if (!items) return { kind, records: [], gaps: [gapAfter(reading, signal)] };
    for (const item of items) {
      const name = item.received[kind.identity];
      if (typeof name === 'string' && name !== '') named.set(name, item);
    }
    count = Math.max(count, page?.count ?? totalCountIn(reading?.answer), named.size);
    if (!page || page.next === 0) break;
    limit ??= readLimit(page.count);
    if (page.end >= limit) {
      gaps.push({ kind: 'moved' });
      break;
    }
  }
  const records: ListedRecord[] = [];
  gaps.unshift({ kind: 'not_superuser', named: named.size, count });
  let done = 0;
  let isOver = false;
  await pacing.forEach([...named], async ([name, item]) => {
    if (isOver || signal?.aborted) return;
    const reading = await retrieve({ kind, name }, options);
    if (reading?.proof === 'exists') {
      const { fields, shown = fields } = reading.held;
      records.push({ received: { ...item.received, ...fields }, shown: { ...item.shown, ...shown } });
    } else if (reading?.proof === 'absent' || reading?.proof === 'denied')
      gaps.push({ kind: 'not_shown', name: textOf(item.shown[kind.identity]), answer: reading.answer });
    else {
      isOver = true;
      gaps.push(gapAfter(reading, signal));
    }
    done += 1;
    onRead?.(done, named.size);
  });
  return { kind, records, gaps };
}

/** The records of an answer that is not the requested page. */
function recordsIn(answer: Answer | undefined): ListedRecord[] | undefined {
  const results = answer?.body?.['results'];
  if (!isJsonList(results)) return undefined;
  return results.flatMap((record) => (isJsonObject(record) ? { received: record, shown: record } : []));
}

function totalCountIn(answer: Answer | undefined): number {
  const pagination = answer?.body?.['pagination'];
  const count = isJsonObject(pagination) ? pagination['count'] : 0;
  return typeof count === 'number' ? count : 0;
}

/** Removes records of derived kinds, which the service includes in the list of their base kind. */
async function withoutDerivedTypes(inventory: Inventory, context: ReadContext): Promise<Inventory> {
  const { kind, records, gaps } = inventory;
  if (!kind.isBase) return inventory;
  const types = await readKindChecks(kind, records.map(pkOf), context);
  const ownRecords = records.filter((record) => types.get(pkOf(record)) === true);
  const unknown: InventoryGap[] = [];
  for (const record of records) {
    const type = types.get(pkOf(record));
    if (typeof type === 'boolean') continue;
    const answer = context.signal?.aborted ? undefined : type?.answer;
    if (answer === undefined) return { kind, records: ownRecords, gaps: [...gaps, { kind: 'interrupted' }] };
    if (type?.proof === 'absent')
      unknown.push({ kind: 'not_shown', name: textOf(record.shown[kind.identity]), answer });
    else return { kind, records: ownRecords, gaps: [...gaps, { kind: 'ended', answer }] };
  }
  return { kind, records: ownRecords, gaps: [...gaps, ...unknown] };
}
