import type { Clock, Random } from '../clock.ts';
import type { Answer } from './answer.ts';
import { parseRetryAfter } from './retry-after.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

const baseMs = 200;
const capMs = 10_000;

/** The longest wait that the service may ask for; a longer one ends the attempts rather than being cut short. */
const longestPauseMs = 10 * 60 * 1000;

/** When the next request may go out. One for a run, shared by all its workers. */
export interface Pacing {
  /** Waits until no pause is in force. */
  turn(): Promise<void>;
  /** Waits after an unhelpful answer. False when the wait asked for is too long to make. */
  backOff(attempt: number, answer: Answer): Promise<boolean>;
}

/** Full jitter, 0.2 s base, 10 s cap; a Retry-After is kept in full and by everybody. */
export function createPacing(
  clock: Clock,
  random: Random,
  onWait: (milliseconds: number, answer: Answer) => void = () => {},
): Pacing {
  let pausedUntil = 0;

  async function turn(): Promise<void> {
    for (let wait = pausedUntil - clock.now(); wait > 0; wait = pausedUntil - clock.now())
      await clock.sleep(wait);
  }

  return {
    turn,
    async backOff(attempt, answer) {
      const jitterMs = Math.ceil(random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)));
      const askedMs =
        answer.retryAfter === undefined ? undefined : parseRetryAfter(answer.retryAfter, clock.now());
      const waitMs = Math.max(askedMs ?? 0, jitterMs);
      if (waitMs > longestPauseMs) return false;
      onWait(waitMs, answer);
      if (whatAnswersProve[answer.kind].pause) {
        pausedUntil = Math.max(pausedUntil, clock.now() + waitMs);
        await turn();
      } else {
        await clock.sleep(waitMs);
      }
      return true;
    },
  };
}
