import pLimit from 'p-limit';
import type { Clock, Random } from '../base/clock.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { timedOut, type Answer } from './answer.ts';
import { Outage, type Patience } from './outage.ts';
import type { Pace } from './pace.ts';
import { parseRetryAfter } from './retry-after.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

const baseMs = 200;
const capMs = 10_000;

/** The longest pause that rollcall waits. If the service asks for a longer one, the run ends instead. */
export const longestPauseMs: number = 10 * 60 * 1000;

/**
 * How many retries a run may make: so many in any case, and so many more for each request. This bounds the load on a service
 * in trouble. Requests that met an outage are granted more retries on top.
 */
const retriesAtLeast = 20;
const retriesForARequest = 0.5;

const noPatience: Patience = {
  waitMs: 0,
  fromTheStart: false,
  ask: () => Promise.reject(new Error('nothing is waited for')),
};

/** When requests may go out, and how many at a time. One for a run, shared by all its workers. */
export interface Pacing {
  /** Does something for every item: as many at a time as the service bears, and never more than the ceiling. */
  forEach<Item, Result>(items: readonly Item[], task: (item: Item) => Promise<Result>): Promise<Result[]>;
  /**
   * Waits until no pause is in force and the service is there. False when the pause is too long to wait out, the service
   * does not come back, or the run is interrupted meanwhile.
   */
  turn(): Promise<boolean>;
  /** Takes note of an answer: of how fast they come, and of a pause that it asks for, which holds for everybody from now on. */
  note(answer: Answer, attempt: number): void;
  /**
   * Waits before something is tried again, and says which try that is, or nothing when there should be none: that was the
   * last, the run is interrupted, or it has retried too often. A try that met an outage does not count if it `isFree`.
   */
  again(tried: Tried): Promise<number | undefined>;
  /** Whether the service is away. */
  readonly outage: Pick<Outage, 'outlasted' | 'waitedMs'>;
  /** How it goes. */
  pace(): Pace;
}

/** What is to be tried again. */
interface Tried {
  readonly attempt: number;
  /** How often it is tried at the most. */
  readonly most: number;
  /** What came of it. */
  readonly answer: Answer;
  /** Whether it does not count where the service was away. */
  readonly isFree: boolean;
}

interface PacingOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** At the most so many requests are under way at a time. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
  /** How to wait for a service that is away; not at all by default. */
  readonly patience?: Patience;
  /** Called when a pause begins, or becomes longer. */
  readonly onPause?: (milliseconds: number, answer: Answer) => void;
  /** Called before a retry, unless the whole run pauses for it: then onPause is called. */
  readonly onRetry?: (answer: Answer) => void;
}

/** Full jitter, 0.2 s base, 10 s cap; a Retry-After is kept in full and by everybody. */
export function createPacing(options: PacingOptions): Pacing {
  const { clock, random, signal, onPause, onRetry } = options;
  const concurrency = new AdaptiveConcurrency(options.concurrency);
  const limiter = pLimit(concurrency.limit);
  let pausedUntil = 0;
  let requests = 0;
  let firstAt: number | undefined;
  let retries = 0;
  const outage = new Outage(options.patience ? slowedByOutages(options.patience) : noPatience, {
    clock,
    random,
    signal,
    unpaused,
    pauseFor: (answer) => pauseFor(answer, 1),
  });

  function slowedByOutages(patience: Patience): Patience {
    return {
      ...patience,
      onNews: (news) => {
        // A service that has just started can do less.
        if (news.kind === 'away') concurrency.pushedBack();
        patience.onNews?.(news);
      },
    };
  }

  function jitterMs(attempt: number): number {
    return Math.ceil(random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)));
  }

  async function unpaused(): Promise<boolean> {
    for (let wait = pausedUntil - clock.now(); wait > 0; wait = pausedUntil - clock.now()) {
      if (wait > longestPauseMs || signal?.aborted) return false;
      await clock.sleep(wait, signal);
      if (signal?.aborted) return false; // the user may have interrupted during the pause
    }
    return true;
  }

  /** Makes everybody wait for as long as an answer asks for, if it does. */
  function pauseFor(answer: Answer, attempt: number): void {
    const { pause } = whatAnswersProve[answer.kind];
    const askedMs =
      answer.retryAfter === undefined ? undefined : parseRetryAfter(answer.retryAfter, clock.now());
    if (pause === undefined || (pause === 'if asked' && askedMs === undefined)) return;
    const pauseMs = askedMs ?? jitterMs(attempt);
    if (clock.now() + pauseMs <= pausedUntil) return;
    pausedUntil = clock.now() + pauseMs;
    onPause?.(pauseMs, answer);
  }

  async function backOff(attempt: number, answer: Answer): Promise<boolean> {
    const granted = retriesAtLeast + requests * retriesForARequest + outage.outlasted * concurrency.ceiling;
    if (retries >= granted) return false;
    retries += 1;
    if (whatAnswersProve[answer.kind].pause !== 'always') onRetry?.(answer);
    if (!signal?.aborted) await clock.sleep(jitterMs(attempt), signal);
    return !signal?.aborted;
  }

  return {
    forEach: (items, task) =>
      limiter.map(items, async (item) => {
        try {
          return await task(item);
        } catch (error) {
          limiter.clearQueue();
          throw error;
        } finally {
          // A new limit holds only from here, after everything is noted that may keep the next from beginning.
          limiter.concurrency = concurrency.limit;
        }
      }),
    async turn() {
      do {
        if ((await outage.wait()) === 'gone' || !(await unpaused())) return false;
      } while (!outage.isOver); // it may have gone away in the pause
      return true;
    },
    note(answer, attempt) {
      requests += 1;
      firstAt ??= clock.now();
      concurrency.completed(clock.now(), limiter.pendingCount > 0);
      if (whatAnswersProve[answer.kind].pause === 'always' || timedOut(answer)) concurrency.pushedBack();
      pauseFor(answer, attempt);
      outage.note(answer);
    },
    async again({ attempt, most, answer, isFree }) {
      if (attempt >= most && !isFree) return undefined;
      const waited = await outage.wait();
      if (waited === 'gone') return undefined;
      if (waited === 'back') return isFree ? attempt : attempt + 1;
      return attempt < most && (await backOff(attempt, answer)) ? attempt + 1 : undefined;
    },
    outage,
    pace: () => ({
      limit: concurrency.limit,
      highest: concurrency.highest,
      ceiling: concurrency.ceiling,
      requests,
      retries,
      requests_per_second: firstAt === undefined ? 0 : perSecond(requests - 1, clock.now() - firstAt),
    }),
  };
}

/** Rounded to a tenth. */
function perSecond(count: number, milliseconds: number): number {
  return milliseconds > 0 ? Math.round((count / milliseconds) * 10_000) / 10 : 0;
}
