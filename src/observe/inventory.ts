import { groupBy } from '../base/group-by.ts';
import { isJsonList, isJsonObject, textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { listQuery, type Kind, type Family } from '../kinds/kind.ts';
import { nameOf } from '../kinds/resource.ts';
import { isValidPk, type Answer } from '../service/answer.ts';
import type { PageReading, ReadContext } from '../service/client.ts';
import { type ListedRecord, pkOf } from '../service/records.ts';
import { printableAddress } from './addresses.ts';
import { withParentNames } from './references-by-id.ts';
import { pageSize, type ListQuery, type Page } from '../service/page.ts';
import { maxRounds, maxTries, retryUntilProven } from '../service/retries.ts';
import { retrieve, retrieveTokenUser } from '../service/retrieve.ts';
import { readKindChecks } from '../service/own-type.ts';

export interface Inventory {
  readonly kind: Kind<ResourceType>;
  readonly records: readonly ListedRecord[];
  /** The reasons why records may be missing; a complete inventory has none. */
  readonly gaps: readonly InventoryGap[];
}

export type InventoryGap =
  /** The token's user is not a superuser, so only `named` of `count` records were found. */
  | { readonly kind: 'not_superuser'; readonly named: number; readonly count: number }
  | { readonly kind: 'not_shown'; readonly name: string; readonly answer: Answer }
  /** The list grew while it was read, so it may contain further records. */
  | { readonly kind: 'moved' }
  /** The service counts more records than its list contains. */
  | { readonly kind: 'short'; readonly read: number; readonly count: number }
  /** Several records have this name, so the name identifies no record. */
  | { readonly kind: 'several'; readonly name: string; readonly ids: readonly string[] }
  | {
      readonly kind: 'other_types';
      readonly of: Family;
      readonly others: readonly { readonly name: string; readonly type: string }[];
    }
  /** The bindings that manifests declare in `field` could not be read. */
  | { readonly kind: 'no_access'; readonly field: string; readonly answer: Answer }
  /** The bindings of this record have expired, so nobody can open it, which no value of `access` expresses. */
  | { readonly kind: 'expired'; readonly name: string }
  | { readonly kind: 'ended'; readonly answer: Answer }
  | { readonly kind: 'interrupted' };

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
  let maxRecords = 0;
  const gaps = await readPages(list, options, ({ items, count }) => {
    for (const { received, shown } of items) {
      const { pk, [kind.identity]: name } = received;
      if (typeof name === 'string' && name !== '') records.set(textOf(received[key]), { received, shown });
      if (isValidPk(pk)) ids.add(textOf(pk));
    }
    maxRecords = Math.max(maxRecords, count);
    options.onRead?.(records.size, count);
  });
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

/** Reads the pages of a list, and returns a gap if it did not reach the end. `otherPage` finds records in an answer that is not the requested page. */
async function readPages(
  list: ListQuery,
  { client, pacing, signal }: InventoryOptions,
  onPage: (page: Page<ListedRecord>) => void,
  otherPage: (answer: Answer) => Page<ListedRecord> | undefined = () => undefined,
): Promise<InventoryGap[]> {
  let limit: number | undefined;
  for (let number = 1; ; number += 1) {
    const ask = async (): Promise<PageReading> => {
      const reading = await client.readPage(list, { number, size: pageSize }, signal);
      const page = reading.proof === 'exists' ? undefined : otherPage(reading.answer);
      return page ? { ...reading, proof: 'exists', page } : reading;
    };
    const reading = signal?.aborted ? undefined : await retryUntilProven(ask, pacing, maxTries.page);
    // The list has become shorter since its first page was read, and now ends before this page.
    if (reading?.proof === 'absent') return [];
    if (reading?.proof !== 'exists') return [gapAfter(reading, signal)];
    onPage(reading.page);
    const { count, end, next } = reading.page;
    if (next === 0) return [];
    limit ??= 2 * count + maxRounds.growing * pageSize; // the list may grow while it is read
    if (end >= limit) return [{ kind: 'moved' }];
  }
}

/** Looks up each record by its name, because the service may have returned a cached list, a filtered list, or another page. */
async function readEachByName(
  kind: Kind<ResourceType>,
  list: ListQuery,
  options: InventoryOptions,
): Promise<Inventory> {
  const { pacing, signal, onRead } = options;
  const named = new Map<string, ListedRecord>();
  let count = 0;
  const onPage = (page: Page<ListedRecord>): void => {
    for (const item of page.items) {
      const name = item.received[kind.identity];
      if (typeof name === 'string' && name !== '') named.set(name, item);
    }
    count = Math.max(count, page.count, named.size);
  };
  const listGaps = await readPages(list, options, onPage, pageInOtherAnswer);
  if (listGaps.some((gap) => gap.kind !== 'moved')) return { kind, records: [], gaps: listGaps };
  const records: ListedRecord[] = [];
  const gaps: InventoryGap[] = [{ kind: 'not_superuser', named: named.size, count }, ...listGaps];
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

/** The records of an answer that is not the requested page. No further page is read after it. */
function pageInOtherAnswer({ body }: Answer): Page<ListedRecord> | undefined {
  const { results, pagination = null } = body ?? {};
  if (!isJsonList(results)) return undefined;
  const items = results.flatMap((record) =>
    isJsonObject(record) ? { received: record, shown: record } : [],
  );
  const count = isJsonObject(pagination) ? pagination['count'] : 0;
  return { items, count: typeof count === 'number' ? count : 0, end: items.length, next: 0 };
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
