import type { Pace } from '../service/pace.ts';
import type { Context } from './context.ts';

export interface Progress {
  readonly update: (done: number, total: number, pace: Pace) => void;
  /** Clears the line. */
  readonly end: () => void;
}

const widestBar = 24;
/** In less, nobody sees it move. */
const narrowestBar = 8;
const refreshMs = 80;

/** A progress bar on stderr, when that is a terminal and nothing else is written there; a line now and then otherwise. */
export function createProgress(
  label: string,
  { stderr, clock }: Pick<Context, 'stderr' | 'clock'>,
  isAlone: boolean,
): Progress {
  const rateOf = rates(clock);
  if (!stderr.isTerminal || !isAlone) return progressLines(label, rateOf, { stderr, clock });
  const { columns = Infinity } = stderr;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    update: (done, total, { limit }) => {
      const now = clock.now();
      if (now - drawnAt < refreshMs && done < total) return;
      drawnAt = now;
      const figures = `${done}/${total}, ${limit} at a time, ${rateOf(done)}`;
      // A line that the terminal breaks could not be drawn over. Its last column stays free, for some break a line that is full.
      const room = columns - 1 - `${label} [] ${total}/${total}, 99 at a time, 9999 records/s`.length;
      const width = room < narrowestBar ? 0 : Math.min(widestBar, room);
      const filled = total === 0 ? width : Math.floor((done / total) * width);
      const bar = width === 0 ? '' : `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] `;
      stderr.write(`\r${`${label} ${bar}${figures}`.slice(0, columns - 1)}\u001b[K`);
    },
    end: () => {
      if (drawnAt > Number.NEGATIVE_INFINITY) stderr.write('\r\u001b[2K');
    },
  };
}

/** How many records were done in a second: one request may be for a page of them. */
function rates(clock: Context['clock']): (done: number) => string {
  const from = clock.now();
  return (done) => {
    const seconds = Math.max(clock.now() - from, 1) / 1000;
    const rate = done / seconds;
    return `${rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)} records/s`;
  };
}

const lineEveryMs = 10_000;

/** A line now and then, for the log of a pipeline; none when it ends sooner. */
function progressLines(
  label: string,
  rateOf: (done: number) => string,
  { stderr, clock }: Pick<Context, 'stderr' | 'clock'>,
): Progress {
  let writtenAt = clock.now();
  return {
    update: (done, total, { limit }) => {
      const now = clock.now();
      if (now - writtenAt < lineEveryMs || done === total) return;
      writtenAt = now;
      stderr.write(`${label}: ${done}/${total}, ${limit} at a time, ${rateOf(done)}\n`);
    },
    end: () => {},
  };
}
