import { textOf } from '../base/json.ts';
import type { Family } from '../kinds/kind.ts';
import { referenceNames } from '../kinds/named.ts';
import type { PageContext, PageReading } from './client.ts';
import type { InconclusiveRead } from './readable-kinds.ts';
import type { ListedRecord } from './records.ts';
import { pageSize, type ListQuery } from './page.ts';
import { maxRounds, retryUntilProven } from './retries.ts';

interface WholeOptions extends PageContext {
  /** Whether to read the further pages, given their number. By default, all pages are read. */
  readonly isWorth?: (pages: number) => boolean;
}

/** A list whose records have an id and a name; an item without them counts as missing. */
type NamedList = ListQuery & Pick<Family, 'isId' | 'keys'>;

export type ListReading =
  /** If the list has several pages, a record may still be missing because it moved from one page to another. */
  | { readonly kind: 'whole'; readonly records: readonly ListedRecord[]; readonly isSinglePage: boolean }
  /** Only the first page was read, because `isWorth` refused the others. */
  | { readonly kind: 'begun'; readonly records: readonly ListedRecord[] }
  | { readonly kind: 'unread'; readonly reading: InconclusiveRead }
  | { readonly kind: 'not_sent' };

/** Reads all pages of a list in turn. If the pages contain fewer records than the service counts, the list is read again. */
export async function readWholeList(list: NamedList, options: WholeOptions): Promise<ListReading> {
  let round = await readAttempt(list, options);
  for (let rounds = 1; round.kind === 'moved' && rounds < maxRounds.whole; rounds += 1)
    round = await readAttempt(list, options);
  if (round.kind !== 'moved') return round;
  const { answer } = round.reading;
  return { kind: 'unread', reading: { proof: 'nothing', answer: { ...answer, kind: 'unusable_success' } } };
}

type ReadAttempt = ListReading | { readonly kind: 'moved'; readonly reading: PageReading };

async function readAttempt(
  list: NamedList,
  { client, pacing, signal, isWorth = () => true }: WholeOptions,
): Promise<ReadAttempt> {
  const records = new Map<string, ListedRecord>();
  let counted: number | undefined;
  for (let number = 1; ; number += 1) {
    const ask = (): Promise<PageReading> => client.readPage(list, { number, size: pageSize }, signal);
    const reading = await retryUntilProven(ask, pacing);
    if (reading === undefined || (reading.proof === 'nothing' && signal?.aborted))
      return { kind: 'not_sent' };
    if (reading.proof !== 'exists') {
      const { proof, answer, stop } = reading;
      // The first page always exists. If a later page is absent, the list has become shorter.
      return proof === 'absent'
        ? { kind: 'moved', reading }
        : { kind: 'unread', reading: { proof, answer, stop } };
    }
    const { items, count, next, end } = reading.page;
    for (const item of items) {
      const { pk = null } = item.received;
      if (list.isId(pk) && referenceNames(list, item.received).length > 0) records.set(textOf(pk), item);
    }
    counted ??= count;
    if (count !== counted) return { kind: 'moved', reading };
    if (next === 0)
      return records.size === count
        ? { kind: 'whole', records: [...records.values()], isSinglePage: number === 1 }
        : { kind: 'moved', reading };
    if (number === 1 && !isWorth(Math.ceil(count / end) - 1))
      return { kind: 'begun', records: [...records.values()] };
  }
}
