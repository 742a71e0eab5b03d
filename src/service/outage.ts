import type { Clock, Random } from '../base/clock.ts';
import { isAnswered, timedOut, type Answer } from './answer.ts';

/** How to wait for an unavailable service. */
export interface OutagePolicy {
  /** The longest wait in milliseconds, from the first answer that shows the outage; 0 for none. */
  readonly waitMs: number;
  /** Whether to wait even if nothing has answered yet. Not by default, so that a wrong port fails quickly. */
  readonly fromTheStart: boolean;
  /** Sends a harmless request, to find out whether the service is back. */
  readonly ask: () => Promise<Answer>;
  readonly onNews?: (news: OutageNews) => void;
}

/** The reports during an outage. */
export type OutageNews =
  | { readonly kind: 'away'; readonly answer: Answer; readonly waitMs: number }
  | { readonly kind: 'back'; readonly waitedMs: number }
  | { readonly kind: 'gone'; readonly waitedMs: number };

/** How waiting ended: there was no outage; it is over; or rollcall has stopped waiting. */
type Waited = 'there' | 'back' | 'gone';

interface OutageOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** When it aborts, all waiting ends. */
  readonly signal?: AbortSignal | undefined;
  /** Waits until the service allows the next request. False if that takes too long. */
  readonly unpaused: () => Promise<boolean>;
  /** Makes every worker wait as long as an answer asks. */
  readonly pauseFor: (answer: Answer) => void;
}

type State =
  | { readonly kind: 'there' }
  /** An answer showed an outage. The first waiting resource probes the service; all others wait for its result. */
  | { readonly kind: 'away'; readonly sign: Answer; asking?: Promise<Waited> }
  | { readonly kind: 'gone'; readonly waitedMs: number };

/** How many outages a request may meet without using up a try. After that, the request itself may be the cause. */
export const maxFreeOutages = 3;

const firstDelayMs = 250;
const longestDelayMs = 2000;

/** Whether the service is available, and who waits for it. Shared by all workers of a run. */
export class Outage {
  readonly #patience: OutagePolicy;
  readonly #around: OutageOptions;
  #state: State = { kind: 'there' };
  #hasAnswered = false;
  #lastWasLost = false;
  #outlasted = 0;

  constructor(patience: OutagePolicy, around: OutageOptions) {
    this.#patience = patience;
    this.#around = around;
  }

  get isOver(): boolean {
    return this.#state.kind === 'there';
  }

  /** The number of outages that the run has waited out. */
  get outlasted(): number {
    return this.#outlasted;
  }

  /** How long rollcall waited without success; undefined while it still waits. */
  get waitedMs(): number | undefined {
    return this.#state.kind === 'gone' ? this.#state.waitedMs : undefined;
  }

  note(answer: Answer): void {
    if (this.#state.kind === 'there' && this.#isSign(answer)) this.#state = { kind: 'away', sign: answer };
    this.#hasAnswered ||= isAnswered(answer);
    this.#lastWasLost = isDropped(answer);
  }

  async wait(): Promise<Waited> {
    const state = this.#state;
    if (state.kind !== 'away') return state.kind;
    state.asking ??= this.#askUntilBack(state.sign);
    const waited = await state.asking;
    return this.#around.signal?.aborted ? 'gone' : waited; // the user may have interrupted while it waited
  }

  #isSign(answer: Answer): boolean {
    const { waitMs, fromTheStart } = this.#patience;
    if (waitMs === 0 || this.#around.signal?.aborted) return false;
    if (isStarting(answer)) return true;
    if (!this.#hasAnswered && !fromTheStart) return false;
    if (answer.kind === 'unreachable_for_now') return true;
    // A proxy in front of a stopped service may accept connections and drop them. A single loss proves
    // nothing.
    return isDropped(answer) && this.#lastWasLost;
  }

  async #askUntilBack(sign: Answer): Promise<Waited> {
    const { waitMs, ask, onNews } = this.#patience;
    const { clock, signal, unpaused, pauseFor } = this.#around;
    const since = clock.now();
    const left = (): number => since + waitMs - clock.now();
    let isSure = false;
    for (let asked = 0; ; asked += 1) {
      if (asked > 0) await clock.sleep(Math.min(this.#delayMs(asked), left()), signal);
      if (!(await unpaused()) || signal?.aborted) return 'gone';
      const answer = await ask();
      if (signal?.aborted) return 'gone';
      if (isAnswered(answer) && !isStarting(answer)) {
        pauseFor(answer);
        if (!isSure) return this.#backTo('there');
        this.#outlasted += 1;
        onNews?.({ kind: 'back', waitedMs: clock.now() - since });
        return this.#backTo('back');
      }
      if (left() <= 0) return this.#giveUp(clock.now() - since);
      if (!isSure) onNews?.({ kind: 'away', answer: sign, waitMs });
      isSure = true;
      pauseFor(answer);
    }
  }

  #backTo(waited: Waited): Waited {
    this.#state = { kind: 'there' };
    return waited;
  }

  #giveUp(waitedMs: number): Waited {
    this.#state = { kind: 'gone', waitedMs };
    this.#patience.onNews?.({ kind: 'gone', waitedMs });
    return 'gone';
  }

  /** Random, from half of the delay to all of it, so that many clients do not ask at the same time. */
  #delayMs(asked: number): number {
    const most = Math.min(longestDelayMs, firstDelayMs * 2 ** (asked - 1));
    return Math.ceil((most / 2) * (1 + this.#around.random()));
  }
}

function isDropped(answer: Answer): boolean {
  return answer.kind === 'lost' && !timedOut(answer);
}

/** Whether a proxy or the service itself says that the service is starting or stopped: 502, or 503. */
export function isStarting({ kind, status }: Answer): boolean {
  return kind === 'unavailable' || status === 502;
}

/** Adds to an answer how long rollcall waited for the service in vain. */
export function withOutageWait(answer: Answer, { waitedMs }: Pick<Outage, 'waitedMs'>): Answer {
  return waitedMs === undefined ? answer : { ...answer, waitedMs };
}
