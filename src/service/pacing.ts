import type { Clock, Random } from '../clock.ts';
import type { Answer } from './answer.ts';
import { parseRetryAfter } from './retry-after.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

const baseMs = 200;
const capMs = 10_000;

/** The longest pause that is waited out; the service may ask for a longer one, and then the run ends instead. */
const longestPauseMs = 10 * 60 * 1000;

/** When requests may go out. One for a run, shared by all its workers. */
export interface Pacing {
  /** Waits until no pause is in force. False when the pause is too long to wait out, or the run is interrupted in it. */
  turn(): Promise<boolean>;
  /** Takes note of a pause that an answer asks for; it holds for everybody from this moment. */
  heed(answer: Answer, attempt: number): void;
  /** Waits before the next attempt. False when there should be none: the run is interrupted. */
  backOff(attempt: number): Promise<boolean>;
}

export interface PacingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
  /** Called when a pause begins, or becomes longer. */
  readonly onPause?: (milliseconds: number, answer: Answer) => void;
}

/** Full jitter, 0.2 s base, 10 s cap; a Retry-After is kept in full and by everybody. */
export function createPacing({ clock, random, signal, onPause }: PacingOptions): Pacing {
  let pausedUntil = 0;
  const jitterMs = (attempt: number): number =>
    Math.ceil(random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)));

  return {
    async turn() {
      for (let wait = pausedUntil - clock.now(); wait > 0; wait = pausedUntil - clock.now()) {
        if (wait > longestPauseMs || signal?.aborted) return false;
        await clock.sleep(wait, signal);
      }
      return true;
    },
    heed(answer, attempt) {
      const { pause } = whatAnswersProve[answer.kind];
      const toldMs =
        answer.retryAfter === undefined ? undefined : parseRetryAfter(answer.retryAfter, clock.now());
      if (pause === undefined || (pause === 'if told' && toldMs === undefined)) return;
      const pauseMs = toldMs ?? jitterMs(attempt);
      if (clock.now() + pauseMs <= pausedUntil) return;
      pausedUntil = clock.now() + pauseMs;
      onPause?.(pauseMs, answer);
    },
    async backOff(attempt) {
      if (!signal?.aborted) await clock.sleep(jitterMs(attempt), signal);
      return !signal?.aborted;
    },
  };
}
