import type { Pace } from '../service/types.ts';
import type { Context } from './context.ts';

export interface Progress {
  readonly update: (done: number, total: number, pace: Pace) => void;
  /** Clears the line. */
  readonly end: () => void;
}

const maxBarWidth = 24;
/** A bar with fewer columns would show too little progress. */
const minBarWidth = 8;
const refreshMs = 80;
const lineEveryMs = 10_000;

/** A progress bar if stderr is a terminal and nothing else is written there; otherwise a line from time to time. */
export function createProgress(
  label: string,
  { stderr, clock }: Pick<Context, 'stderr' | 'clock'>,
  isAlone: boolean,
): Progress {
  const { isTerminal, columns = Infinity } = stderr;
  const isBar = isTerminal && isAlone;
  const from = clock.now();
  let shownAt = isBar ? Number.NEGATIVE_INFINITY : from;
  return {
    update: (done, total, { limit }) => {
      const now = clock.now();
      const isEnd = done >= total;
      if (isBar ? now - shownAt < refreshMs && !isEnd : now - shownAt < lineEveryMs || isEnd) return;
      shownAt = now;
      const figures = `${done}/${total}, ${limit} at a time, ${rateOf(done, now - from)}`;
      stderr.write(isBar ? barOf(label, done, total, figures, columns) : `${label}: ${figures}\n`);
    },
    end: () => {
      if (isBar && shownAt > Number.NEGATIVE_INFINITY) stderr.write('\r\u001b[2K');
    },
  };
}

/** A bar on one line, because a wrapped bar could not be overwritten. Some terminals wrap a full line, so the last column stays empty. */
function barOf(label: string, done: number, total: number, figures: string, columns: number): string {
  const room = columns - 1 - `${label} [] ${total}/${total}, 99 at a time, 9999 records/s`.length;
  const width = room < minBarWidth ? 0 : Math.min(maxBarWidth, room);
  const filled = total === 0 ? width : Math.floor((done / total) * width);
  const bar = width === 0 ? '' : `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] `;
  return `\r${`${label} ${bar}${figures}`.slice(0, columns - 1)}\u001b[K`;
}

/** The rate in records per second. Requests are not counted, because a single request may read a whole page of records. */
function rateOf(done: number, milliseconds: number): string {
  const rate = done / (Math.max(milliseconds, 1) / 1000);
  return `${rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)} records/s`;
}
