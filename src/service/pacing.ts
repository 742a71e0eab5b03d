import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock, Random } from '../base/clock.ts';
import { isAnswered, isTimeout, type Answer } from './answer.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { isSuccess, isTokenUnknown } from './denial.ts';
import { Outage, type OutagePolicy } from './outage.ts';
import type { Pace } from './types.ts';
import { parseRetryAfter } from './retry-after.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

const baseMs = 200;
const capMs = 10_000;

/** The longest pause that rollcall accepts; if the service demands a longer one, the run ends. */
const longestPauseMs = 10 * 60 * 1000;

/** A run starts with this number of retries, and each request adds `retriesPerRequest`. The limit protects a failing service. */
const minRetries = 20;
const retriesPerRequest = 0.5;

const noWaiting: OutagePolicy = {
  waitMs: 0,
  fromTheStart: false,
  ask: () => Promise.reject(new Error('nothing is waited for')),
};

/** Decides when requests may be sent and how many at a time, for all workers of a run. */
export interface Pacing {
  forEach<Item, Result>(items: readonly Item[], task: (item: Item) => Promise<Result>): Promise<Result[]>;
  /** Runs a task at once, outside the queue, unless the maximum of concurrent requests is reached. */
  runBeside<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Waits until requests may be sent. Returns false if the pause is too long, the service stays unavailable or silent, or the run is interrupted. */
  waitForTurn(): Promise<boolean>;
  /** Records an answer, which may change the concurrency limit or start a pause for all workers. */
  note(answer: Answer, attempt: number): void;
  /**
   * Waits before a retry and returns the number of the next try. Returns undefined if the request has used up its tries, the run
   * has used up its retries, or the run is interrupted. With `ignoresOutages`, a try that met an outage does not count.
   */
  again(tried: Tried): Promise<number | undefined>;
  /** From now on, sends nothing more after this number of time-outs in a row. */
  endAfterTimeouts(count: number): void;
  /** After these time-outs, sends further requests if the service answers a harmless one. This happens at most a few times. */
  resumeIfAnswered(): Promise<void>;
  readonly outage: Pick<Outage, 'endedOutages' | 'waitedMs'>;
  /** Whether the service has rejected the token itself since its last success. The token may expire or be revoked during a run. */
  readonly isTokenRefused: boolean;
  pace(): Pace;
  now(): number;
}

interface Tried {
  readonly attempt: number;
  readonly most: number;
  readonly answer: Answer;
  readonly ignoresOutages: boolean;
}

export interface Pause {
  readonly milliseconds: number;
  readonly answer: Answer;
  readonly isTooLong: boolean;
}

interface PacingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly concurrency: number;
  readonly signal?: AbortSignal;
  /** How to wait for an unavailable service; by default, rollcall does not wait. */
  readonly outagePolicy?: OutagePolicy;
  readonly onPause?: (pause: Pause) => void;
  /** Called before a retry, unless the whole run pauses and onPause is called. */
  readonly onRetry?: (answer: Answer) => void;
}

export function createPacing(options: PacingOptions): Pacing {
  return new SharedPacing(options);
}

/**
 * Delays retries with full jitter (base 0.2 s, cap 10 s), or delays all workers as long as a Retry-After demands. The public
 * methods are bound, so that callers can use one without the object.
 */
class SharedPacing implements Pacing {
  readonly outage: Outage;
  isTokenRefused = false;
  readonly #options: PacingOptions;
  readonly #concurrency: ConcurrencyLimit;
  readonly #limiter: LimitFunction;
  #extraTasks = 0;
  #pausedUntil = 0;
  #requests = 0;
  #firstAnswerAt: number | undefined;
  #retries = 0;
  #timeouts = 0;
  #maxTimeouts = Infinity;
  #resumesLeft = 3;

  constructor(options: PacingOptions) {
    this.#options = options;
    this.#concurrency = new ConcurrencyLimit(options.concurrency);
    this.#limiter = pLimit(this.#concurrency.limit);
    const { clock, random, signal, outagePolicy } = options;
    this.outage = new Outage(outagePolicy ?? noWaiting, {
      clock,
      random,
      signal,
      waitForPause: () => this.#waitForPause(),
      pauseFor: (answer) => this.#pauseFor(answer, 1),
    });
  }

  readonly forEach: Pacing['forEach'] = (items, task) =>
    this.#limiter.map(items, async (item) => {
      try {
        return await task(item);
      } catch (error) {
        this.#limiter.clearQueue();
        throw error;
      } finally {
        // A higher limit starts queued tasks. After an exception, the queue is already empty, so no task starts.
        this.#updateSlots();
      }
    });

  readonly runBeside: Pacing['runBeside'] = async (task) => {
    const { ceiling } = this.#concurrency;
    if (this.#extraTasks + 1 < ceiling && this.#extraTasks + this.#limiter.activeCount < ceiling) {
      this.#extraTasks += 1;
      this.#updateSlots();
      try {
        return await task();
      } finally {
        this.#extraTasks -= 1;
        this.#updateSlots();
      }
    }
    // A failed task must not end the queue.
    const [result] = await this.forEach([task], (item) => Promise.allSettled([item()]));
    const [ended] = result ?? [];
    if (ended?.status === 'fulfilled') return ended.value;
    throw ended?.reason;
  };

  /** Reserves part of the limit for tasks outside the queue. */
  #updateSlots(): void {
    const { limit, ceiling } = this.#concurrency;
    const max = Math.max(1, Math.min(limit, ceiling - this.#extraTasks));
    if (this.#limiter.concurrency !== max) this.#limiter.concurrency = max;
  }

  readonly endAfterTimeouts: Pacing['endAfterTimeouts'] = (count) => {
    this.#maxTimeouts = count;
  };

  readonly resumeIfAnswered: Pacing['resumeIfAnswered'] = async () => {
    if (this.#timeouts < this.#maxTimeouts || this.#resumesLeft === 0) return;
    const { outagePolicy = noWaiting } = this.#options;
    const isThere = isAnswered(await outagePolicy.ask());
    this.#resumesLeft = isThere ? this.#resumesLeft - 1 : 0;
    if (isThere) this.#timeouts = 0;
  };

  readonly waitForTurn: Pacing['waitForTurn'] = async () => {
    if (this.#timeouts >= this.#maxTimeouts) return false;
    // The service may become unavailable during the pause.
    while (!this.outage.isOver || this.#pausedUntil > this.#options.clock.now())
      if ((await this.outage.wait()) === 'gone' || !(await this.#waitForPause())) return false;
    return true;
  };

  readonly note: Pacing['note'] = (answer, attempt) => {
    const now = this.#options.clock.now();
    this.#requests += 1;
    // A single refusal may be a mistake of one of several servers.
    if (isTokenUnknown(answer)) this.isTokenRefused = true;
    else if (isSuccess(answer)) this.isTokenRefused = false;
    this.#firstAnswerAt ??= now;
    this.#timeouts = isTimeout(answer) ? this.#timeouts + 1 : 0;
    const { pause } = whatAnswersProve[answer.kind];
    const isPushedBack = pause === 'always' || isTimeout(answer);
    const isGood = pause === undefined && answer.error === undefined;
    this.#concurrency.answered(isPushedBack ? 'pushed back' : isGood ? 'good' : 'bad');
    this.#pauseFor(answer, attempt);
    this.outage.note(answer);
  };

  readonly again: Pacing['again'] = async ({ attempt, most, answer, ignoresOutages }) => {
    if ((attempt >= most && !ignoresOutages) || this.#timeouts >= this.#maxTimeouts) return undefined;
    const waited = await this.outage.wait();
    if (waited === 'gone') return undefined;
    if (waited === 'back') return ignoresOutages ? attempt : attempt + 1;
    return attempt < most && (await this.#backOff(attempt, answer)) ? attempt + 1 : undefined;
  };

  readonly now: Pacing['now'] = () => this.#options.clock.now();

  readonly pace: Pacing['pace'] = () => {
    const { limit, ceiling } = this.#concurrency;
    const lasted = this.#firstAnswerAt === undefined ? 0 : this.#options.clock.now() - this.#firstAnswerAt;
    return {
      limit,
      ceiling,
      requests: this.#requests,
      retries: this.#retries,
      requests_per_second: perSecond(this.#requests - 1, lasted),
    };
  };

  #jitterMs(attempt: number): number {
    return Math.ceil(this.#options.random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)));
  }

  async #waitForPause(): Promise<boolean> {
    const { clock, signal } = this.#options;
    const left = (): number => this.#pausedUntil - clock.now();
    for (let wait = left(); wait > 0; wait = left()) {
      if (isTooLong(wait) || signal?.aborted) return false;
      await clock.sleep(wait, signal);
      if (signal?.aborted) return false; // the user may have interrupted during the pause
    }
    return true;
  }

  #pauseFor(answer: Answer, attempt: number): void {
    const now = this.#options.clock.now();
    const { pause } = whatAnswersProve[answer.kind];
    const askedMs = answer.retryAfter === undefined ? undefined : parseRetryAfter(answer.retryAfter, now);
    if (pause === undefined || (pause === 'if asked' && askedMs === undefined)) return;
    const pauseMs = askedMs ?? this.#jitterMs(attempt);
    if (now + pauseMs <= this.#pausedUntil) return;
    this.#pausedUntil = now + pauseMs;
    this.#options.onPause?.({ milliseconds: pauseMs, answer, isTooLong: isTooLong(pauseMs) });
  }

  async #backOff(attempt: number, answer: Answer): Promise<boolean> {
    const { clock, signal, onRetry } = this.#options;
    const granted =
      minRetries + this.#requests * retriesPerRequest + this.outage.endedOutages * this.#concurrency.ceiling;
    if (this.#retries >= granted) return false;
    this.#retries += 1;
    if (whatAnswersProve[answer.kind].pause !== 'always') onRetry?.(answer);
    if (!signal?.aborted) await clock.sleep(this.#jitterMs(attempt), signal);
    return !signal?.aborted;
  }
}

function isTooLong(milliseconds: number): boolean {
  return milliseconds > longestPauseMs;
}

function perSecond(count: number, milliseconds: number): number {
  return milliseconds > 0 ? Math.round((count / milliseconds) * 10_000) / 10 : 0;
}
