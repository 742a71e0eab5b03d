import { textOf } from '../base/json.ts';
import type { Family } from '../kinds/kind.ts';
import { namesOf } from '../kinds/named.ts';
import type { Client, PageReading } from './client.ts';
import type { ListedRecord } from './records.ts';
import { pageSize, type ListQuery } from './page.ts';
import type { Pacing } from './pacing.ts';
import { mostRounds, triesOf, untilProven } from './retries.ts';

interface WholeOptions {
  readonly client: Pick<Client, 'readPage'>;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
  /** Whether it is worth to ask for so many further pages, once the first has shown how many there are; by default, it is. */
  readonly isWorth?: (pages: number) => boolean;
}

/** A list of records that have an id of their kind and a name: a row without these is none of them, and one is missing. */
type NamedList = ListQuery & Pick<Family['byName'], 'isId' | 'keys'>;

/** What came of reading a list as a whole. */
export type WholeReading =
  /** Of several pages, one record can be missing all the same: it moved to a page that was read, and another is there in its place. */
  | { readonly kind: 'whole'; readonly records: readonly ListedRecord[]; readonly isAtOnce: boolean }
  /** The first page, where the further ones were not worth it. */
  | { readonly kind: 'begun'; readonly records: readonly ListedRecord[] }
  /** An answer that says nothing of the list: it was denied, for one. */
  | { readonly kind: 'unread'; readonly reading: Exclude<PageReading, { proof: 'exists' }> }
  /** Nothing was sent, or the run was interrupted. */
  | { readonly kind: 'not_sent' };

/**
 * Reads all pages of a list, one after the other: by any number of readers at once, which wait for no one. It is whole only where
 * each record that the service counts was seen; where they moved between the pages, it is read again.
 */
export async function readWhole(list: NamedList, options: WholeOptions): Promise<WholeReading> {
  let round = await readOnce(list, options);
  for (let rounds = 1; round.kind === 'moved' && rounds < mostRounds.whole; rounds += 1)
    round = await readOnce(list, options);
  if (round.kind !== 'moved') return round;
  const { answer } = round.reading;
  return { kind: 'unread', reading: { proof: 'nothing', answer: { ...answer, kind: 'unusable_success' } } };
}

type Round = WholeReading | { readonly kind: 'moved'; readonly reading: PageReading };

async function readOnce(
  list: NamedList,
  { client, pacing, signal, isWorth = () => true }: WholeOptions,
): Promise<Round> {
  const records = new Map<string, ListedRecord>();
  let counted: number | undefined;
  for (let number = 1; ; number += 1) {
    const ask = (): Promise<PageReading> => client.readPage(list, { number, size: pageSize }, signal);
    const reading = await untilProven(ask, pacing, triesOf.lookUp);
    if (reading === undefined || (reading.proof === 'nothing' && signal?.aborted))
      return { kind: 'not_sent' };
    // The list has become shorter than it was.
    if (reading.proof === 'absent') return { kind: 'moved', reading };
    if (reading.proof !== 'exists') return { kind: 'unread', reading };
    const { items, count, next, end } = reading.page;
    for (const item of items) {
      const { pk = null } = item.received;
      if (list.isId(pk) && namesOf(list, item.received).length > 0) records.set(textOf(pk), item);
    }
    counted ??= count;
    if (count !== counted) return { kind: 'moved', reading };
    if (next === 0)
      return records.size === count
        ? { kind: 'whole', records: [...records.values()], isAtOnce: number === 1 }
        : { kind: 'moved', reading };
    if (number === 1 && !isWorth(Math.ceil(count / end) - 1))
      return { kind: 'begun', records: [...records.values()] };
  }
}
