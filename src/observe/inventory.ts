import { isJsonList, isJsonObject, textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { listQuery, type Kind } from '../kinds/kind.ts';
import { isAnswered, isIdentifier, type Answer } from '../service/answer.ts';
import type { Client, PageReading } from '../service/client.ts';
import type { ListedRecord } from '../service/records.ts';
import { pageSize, type ListQuery } from '../service/page.ts';
import type { Pacing } from '../service/pacing.ts';
import { mostInARow, mostRounds, triesOf, untilProven } from '../service/retries.ts';
import { retrieve, retrieveSelf } from '../service/retrieve.ts';

/** What the service holds of one kind, as far as the token can see. */
export interface Inventory {
  readonly kind: Kind<ResourceType>;
  readonly records: readonly ListedRecord[];
  /** What was not read, though it is or may be there. None: each record that the service counts was read. */
  readonly gaps: readonly Gap[];
}

/** What an inventory lacks. */
export type Gap =
  /** The service shows all to superusers alone. To this token it names so many of those that it counts. */
  | { readonly kind: 'not_superuser'; readonly named: number; readonly count: number }
  /** The service names it, and does not show it to a look-up. */
  | { readonly kind: 'not_shown'; readonly name: string; readonly answer: Answer }
  /** The record that stands at this place of the list breaks every page that holds it. */
  | ({ readonly kind: 'broken'; readonly place: number; readonly answer: Answer } & Neighbours)
  /** The list changed each time while it was read: others may be there. */
  | { readonly kind: 'moved' }
  /** The service counts so many, and its list has fewer records that are not the same, however often it is read. */
  | { readonly kind: 'short'; readonly read: number; readonly count: number }
  /** More than one has this name, by which they cannot be told apart. */
  | { readonly kind: 'several'; readonly name: string; readonly ids: readonly string[] }
  /** Who may open them was not shown: the field of an entry that would declare it. */
  | { readonly kind: 'no_access'; readonly field: string; readonly answer: Answer }
  /** After this answer, nothing more was asked. */
  | { readonly kind: 'ended'; readonly answer: Answer }
  | { readonly kind: 'interrupted' };

/** The names of the next records that could be read, before one in its list and after it; none at an end of the list. */
interface Neighbours {
  before?: string;
  after?: string;
}

interface InventoryOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  /** When it aborts, nothing more is asked. */
  readonly signal?: AbortSignal | undefined;
  /** Gets how many were read, and of how many. */
  readonly onRead?: (done: number, total: number) => void;
}

/** Reads all records of a kind that the token can see, and says what it could not. */
export async function inventoryOf(kind: Kind<ResourceType>, options: InventoryOptions): Promise<Inventory> {
  const { client, pacing, signal } = options;
  const list = listQuery(kind, new Set(Object.keys(kind.fields)));
  if (kind.listing.completeFor === 'superusers') {
    const self = await retrieveSelf(client, pacing, signal);
    if (self?.proof !== 'exists') return { kind, records: [], gaps: [gapOf(self, signal)] };
    if (!self.isSuperuser) return namedOneByOne(kind, list, options);
  }
  return inPages(kind, list, options);
}

/**
 * Reads a list of several pages until it shows the same records twice: where one is created or deleted meanwhile, the others move,
 * and one can slip from a page that is still to be read to one that was. It is whole only with as many records as any page counts.
 */
async function inPages(
  kind: Kind<ResourceType>,
  list: ListQuery,
  options: InventoryOptions,
): Promise<Inventory> {
  let before: ListReader | undefined;
  for (let round = 1; ; round += 1) {
    const reader = new ListReader(list, kind, options);
    await reader.read();
    const { records, gaps } = reader;
    const isEnded = gaps.some((gap) => gap.kind !== 'broken');
    const isSame = before !== undefined && hasSameKeys(before.records, records);
    const isStill = isEnded || isSame || (reader.isAtOnce && reader.missing === 0);
    if (!isStill && round === mostRounds.twice) gaps.push({ kind: 'moved' });
    else if (!isEnded && reader.missing > 0)
      gaps.push({ kind: 'short', read: reader.shown, count: reader.shown + reader.missing });
    if (isStill || round === mostRounds.twice)
      return toldApart({ kind, records: [...records.values()], gaps });
    before = reader;
  }
}

/** The same without those that share their name: a manifest can declare none of them. */
function toldApart({ kind, records, gaps }: Inventory): Inventory {
  const idsOf = new Map<string, string[]>();
  const nameOf = ({ shown }: ListedRecord): string => textOf(shown[kind.identity]);
  for (const record of records)
    idsOf.set(nameOf(record), [...(idsOf.get(nameOf(record)) ?? []), textOf(record.shown['pk'])]);
  const several = Array.from(idsOf, ([name, ids]): Gap => ({ kind: 'several', name, ids }));
  const isAlone = (record: ListedRecord): boolean => idsOf.get(nameOf(record))?.length === 1;
  const shared = several.filter((gap) => gap.kind === 'several' && gap.ids.length > 1);
  return { kind, records: records.filter(isAlone), gaps: [...gaps, ...shared] };
}

function hasSameKeys(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}

/** Why nothing more is read after a reading that proves nothing, or that was not begun. */
function gapOf(reading: { readonly answer: Answer } | undefined, signal: AbortSignal | undefined): Gap {
  return reading === undefined || signal?.aborted
    ? { kind: 'interrupted' }
    : { kind: 'ended', answer: reading.answer };
}

/** Reads a list from its beginning to its end, and where a page cannot be read, each of its records alone. */
class ListReader {
  /** By their names; by their ids, where several may have one name. */
  readonly records = new Map<string, ListedRecord>();
  readonly gaps: Gap[] = [];
  readonly #ids = new Set<string>();
  readonly #list: ListQuery;
  readonly #identity: string;
  readonly #key: string;
  readonly #options: InventoryOptions;
  /** How many records there are by the last page, once there was one; and by the one that counted most. */
  #count = Infinity;
  #most = 0;
  /** How far it is read at the most, once there was a page. */
  #limit: number | undefined;
  /** How many records the service gives with a page. */
  #size = pageSize;
  /** Up to which place of the list all is read. */
  #covered = 0;
  #answers = 0;
  /** The name of the last record that was read. */
  #last = '';
  #isOver = false;

  constructor(list: ListQuery, { identity, listing }: Kind, options: InventoryOptions) {
    this.#list = list;
    this.#identity = identity;
    this.#key = listing.isUnique ? identity : 'pk';
    this.#options = options;
  }

  /** Whether one answer had the whole list. */
  get isAtOnce(): boolean {
    return this.#answers === 1 && this.#covered === this.#count;
  }

  /** How many were seen that have an id and a name that no other has. */
  get shown(): number {
    return Math.min(this.records.size, this.#ids.size);
  }

  /** How many less these are than a page has counted, besides those that are known to be broken. */
  get missing(): number {
    return Math.max(0, this.#most - this.shown - this.gaps.filter(({ kind }) => kind === 'broken').length);
  }

  async read(): Promise<void> {
    while (this.#covered < this.#count && !this.#isOver) {
      const number = Math.floor(this.#covered / this.#size) + 1;
      const reading = await askFor(this.#list, number, pageSize, this.#options);
      // What breaks one page need not break the others. A service that gives no answer is something else.
      const isBroken = reading?.proof === 'nothing' && isAnswered(reading.answer);
      if (isBroken && !this.#options.signal?.aborted) await this.#readOneByOne();
      else this.#take(reading, (end) => Math.floor(end / number));
    }
  }

  async #readOneByOne(): Promise<void> {
    const end = this.#covered + this.#size;
    let inARow = 0;
    while (this.#covered < Math.min(end, this.#count) && !this.#isOver) {
      const place = this.#covered + 1;
      const reading = await askFor(this.#list, place, 1, this.#options);
      inARow = reading?.proof === 'nothing' ? inARow + 1 : 0;
      if (reading?.proof === 'nothing' && inARow < mostInARow.records && !this.#options.signal?.aborted) {
        this.gaps.push({
          kind: 'broken',
          place,
          answer: reading.answer,
          ...(this.#last && { before: this.#last }),
        });
        this.#covered = place;
      } else this.#take(reading, () => this.#size);
    }
  }

  #take(reading: PageReading | undefined, sizeBy: (end: number) => number): void {
    if (reading?.proof !== 'exists') {
      this.#isOver = true;
      // A list that has become shorter ends before a page that it had.
      if (reading?.proof !== 'absent') this.gaps.push(gapOf(reading, this.#options.signal));
      return;
    }
    const { items, count, end, next } = reading.page;
    for (const item of items) {
      const { pk } = item.received;
      const name = item.received[this.#identity];
      if (typeof name === 'string' && name !== '') this.records.set(textOf(item.received[this.#key]), item);
      if (isIdentifier(pk)) this.#ids.add(textOf(pk));
    }
    const nameOf = (item: ListedRecord | undefined): string => textOf(item?.shown[this.#identity]);
    for (const gap of this.gaps)
      if (gap.kind === 'broken' && items.length > 0) gap.after ??= nameOf(items[0]);
    this.#last = nameOf(items.at(-1)) || this.#last;
    this.#limit ??= furthest(count);
    if (end >= this.#limit && end < count) {
      this.#isOver = true;
      this.gaps.push({ kind: 'moved' });
    }
    this.#count = count;
    this.#most = Math.max(this.#most, count);
    this.#answers += 1;
    if (next > 0) this.#size = Math.max(1, sizeBy(end));
    this.#covered = end;
    this.#options.onRead?.(this.records.size, count);
  }
}

/** How far a list is read that may grow meanwhile: one that grows as fast as it is read has no end. */
function furthest(count: number): number {
  return 2 * count + mostRounds.growing * pageSize;
}

async function askFor(
  list: ListQuery,
  number: number,
  size: number,
  { client, pacing, signal }: InventoryOptions,
): Promise<PageReading | undefined> {
  if (signal?.aborted) return undefined;
  return untilProven(() => client.readPage(list, { number, size }, signal), pacing, triesOf.page);
}

/** Looks up each record that the service names to this token: what it lists may be old, filtered, or another page than asked for. */
async function namedOneByOne(
  kind: Kind<ResourceType>,
  list: ListQuery,
  options: InventoryOptions,
): Promise<Inventory> {
  const { client, pacing, signal, onRead } = options;
  const named = new Map<string, ListedRecord>();
  const gaps: Gap[] = [];
  let count = 0;
  let limit: number | undefined;
  for (let number = 1; ; number += 1) {
    const reading = await askFor(list, number, pageSize, options);
    const page = reading?.proof === 'exists' ? reading.page : undefined;
    const items = page?.items ?? namedIn(reading?.answer);
    if (!items) return { kind, records: [], gaps: [gapOf(reading, signal)] };
    for (const item of items) {
      const name = item.received[kind.identity];
      if (typeof name === 'string' && name !== '') named.set(name, item);
    }
    count = Math.max(count, page?.count ?? countedIn(reading?.answer), named.size);
    if (!page || page.next === 0) break;
    limit ??= furthest(page.count);
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
    const reading = await retrieve(kind, name, client, pacing, signal);
    if (reading?.proof === 'exists') {
      const { fields, shown = fields } = reading.held;
      records.push({ received: { ...item.received, ...fields }, shown: { ...item.shown, ...shown } });
    } else if (reading?.proof === 'absent' || reading?.proof === 'denied')
      gaps.push({ kind: 'not_shown', name, answer: reading.answer });
    else {
      isOver = true;
      gaps.push(gapOf(reading, signal));
    }
    done += 1;
    onRead?.(done, named.size);
  });
  return { kind, records, gaps };
}

/** What an answer lists that is not the page that was asked for. */
function namedIn(answer: Answer | undefined): ListedRecord[] | undefined {
  const results = answer?.body?.['results'];
  if (!isJsonList(results)) return undefined;
  return results.flatMap((record) => (isJsonObject(record) ? { received: record, shown: record } : []));
}

function countedIn(answer: Answer | undefined): number {
  const pagination = answer?.body?.['pagination'];
  const count = isJsonObject(pagination) ? pagination['count'] : 0;
  return typeof count === 'number' ? count : 0;
}
