import { isTimeout, type Answer } from './answer.ts';
import type { PageContext, PageReading } from './client.ts';
import type { ListedRecord } from './records.ts';
import { pageSize, type ListQuery, type Page } from './page.ts';
import { maxConsecutiveFailures, maxRounds, maxTries, retryUntilProven } from './retries.ts';

interface PagesOptions extends PageContext {
  /** Whether to read further pages of a list that has this many records. */
  readonly isWorth: (count: number) => boolean;
  /** Called with each page, in any order. */
  readonly onPage: (page: Page<ListedRecord>) => void;
}

export interface PagesReading {
  /** Whether a page was inconsistent or not the requested one, so that the list must not be used. */
  readonly isInconsistent: boolean;
  readonly pages: number;
  /** The number of records in the list, if its further pages were skipped. */
  readonly skippedCount?: number;
  readonly failed?: Answer;
}

/** Reads the first page of a list, and then the other pages concurrently. Other pages that cannot be read are skipped. */
export async function readPages(list: ListQuery, options: PagesOptions): Promise<PagesReading> {
  const { client, pacing, signal, isWorth, onPage } = options;
  let last: { readonly number: number; readonly page: Page<ListedRecord> } | undefined;
  let pages = 0;
  let inARow = 0;
  let isOver = false;
  let isInconsistent = false;
  let failed: Answer | undefined;

  async function ask(number: number): Promise<void> {
    const reading = await retryUntilProven(
      () => client.readPage(list, { number, size: pageSize }, signal),
      pacing,
      maxTries.page,
    );
    if (reading?.proof === 'exists') take(number, reading.page);
    // The list has become shorter and now ends before this page.
    else if (reading?.proof !== 'absent') skipPage(reading);
  }

  function take(number: number, page: Page<ListedRecord>): void {
    pages += 1;
    inARow = 0;
    if (last === undefined || number > last.number) last = { number, page };
    onPage(page);
  }

  function skipPage(reading: PageReading | undefined): void {
    if (reading === undefined || (reading.proof === 'nothing' && signal?.aborted)) {
      isOver = true;
      return;
    }
    const { answer, proof } = reading;
    failed = answer;
    inARow += 1;
    isInconsistent ||= answer.kind === 'unusable_success';
    isOver ||=
      isInconsistent || proof !== 'nothing' || isTimeout(answer) || inARow >= maxConsecutiveFailures.pages;
  }

  await pacing.runBeside(() => ask(1));
  const countNow = (): number | undefined => last?.page.count;
  const count = countNow();
  if (count !== undefined && !isWorth(count)) return { isInconsistent, pages, skippedCount: count };
  const pagesNow = (): number => (last === undefined || isOver ? 0 : pageCount(last.page, last.number));
  let asked = 1;
  for (let round = 0; round < maxRounds.growing && asked < pagesNow(); round += 1) {
    const numbers = Array.from({ length: pagesNow() - asked }, (_, index) => asked + index + 1);
    asked += numbers.length;
    await pacing.forEach(numbers, async (number) => {
      if (!isOver && !signal?.aborted) await ask(number);
    });
  }
  return { isInconsistent, pages, ...(failed && { failed }) };
}

/** The number of pages, computed from one page, because the service may return fewer records per page than requested. */
function pageCount({ count, end, next }: Page<unknown>, number: number): number {
  return next === 0 ? number : Math.ceil((count * number) / end);
}

/** Requests a page with a single record, to learn how many records the list has. */
export async function readCount(
  list: ListQuery,
  { client, pacing, signal }: PageContext,
): Promise<number | undefined> {
  const ask = (): Promise<PageReading> => client.readPage(list, { number: 1, size: 1 }, signal);
  const reading = await retryUntilProven(ask, pacing, maxTries.page);
  return reading?.proof === 'exists' ? reading.page.count : undefined;
}
