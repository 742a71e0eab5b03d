import type { Clock, Random } from '../base/clock.ts';
import { isAnswered, isTimeout, type Answer } from './answer.ts';

export interface OutagePolicy {
  /** The longest wait in milliseconds from the first answer that shows the outage; 0 means no wait. */
  readonly waitMs: number;
  /** Whether to wait even before the first answer of a run, although a wrong port is then reported late. */
  readonly fromTheStart: boolean;
  /** Sends a harmless request to check whether the service is back. */
  readonly ask: () => Promise<Answer>;
  readonly onNews?: (news: OutageEvent) => void;
}

export type OutageEvent =
  | { readonly kind: 'away'; readonly answer: Answer; readonly waitMs: number }
  | { readonly kind: 'back'; readonly waitedMs: number }
  | { readonly kind: 'gone'; readonly waitedMs: number };

/** How a wait ended: without an outage, with the end of the outage, or because the service did not return in time. */
type Waited = 'there' | 'back' | 'gone';

interface OutageOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Waits until the pause that the service demanded is over. Returns false if the pause is too long. */
  readonly waitForPause: () => Promise<boolean>;
  /** Makes all workers wait as long as the answer demands. */
  readonly pauseFor: (answer: Answer) => void;
}

type State =
  | { readonly kind: 'there' }
  /** The first waiting resource sends a probe to the service, and all others wait for the result. */
  | { readonly kind: 'away'; readonly sign: Answer; asking?: Promise<Waited> }
  | { readonly kind: 'gone'; readonly waitedMs: number };

/** A request can meet this many outages without using up a try. The request itself may be the cause of further outages. */
export const maxFreeOutages = 3;

const firstDelayMs = 250;
const longestDelayMs = 2000;

/** Tracks whether the service is available, for all workers of a run. */
export class Outage {
  readonly #policy: OutagePolicy;
  readonly #options: OutageOptions;
  #state: State = { kind: 'there' };
  #hasAnswered = false;
  #lastWasLost = false;
  #endedOutages = 0;

  constructor(policy: OutagePolicy, options: OutageOptions) {
    this.#policy = policy;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#state.kind === 'there';
  }

  get endedOutages(): number {
    return this.#endedOutages;
  }

  /** How long rollcall waited for the service in vain, or undefined if rollcall has not given up. */
  get waitedMs(): number | undefined {
    return this.#state.kind === 'gone' ? this.#state.waitedMs : undefined;
  }

  note(answer: Answer): void {
    this.#hasAnswered ||= isAnswered(answer);
    if (this.#state.kind === 'there' && this.#isOutageSign(answer))
      this.#state = { kind: 'away', sign: answer };
    this.#lastWasLost = isDropped(answer);
  }

  async wait(): Promise<Waited> {
    const state = this.#state;
    if (state.kind !== 'away') return state.kind;
    state.asking ??= this.#askUntilBack(state.sign);
    const waited = await state.asking;
    return this.#options.signal?.aborted ? 'gone' : waited; // the user may have interrupted while it waited
  }

  #isOutageSign(answer: Answer): boolean {
    const { waitMs, fromTheStart } = this.#policy;
    if (waitMs === 0 || this.#options.signal?.aborted) return false;
    if (isStarting(answer)) return true;
    if (!this.#hasAnswered && !fromTheStart) return false;
    if (answer.kind === 'unreachable_for_now') return true;
    // A proxy in front of a stopped service may accept connections and drop them. A single dropped connection proves nothing.
    return isDropped(answer) && this.#lastWasLost;
  }

  async #askUntilBack(sign: Answer): Promise<Waited> {
    const { waitMs, ask, onNews } = this.#policy;
    const { clock, signal, waitForPause, pauseFor } = this.#options;
    const since = clock.now();
    const left = (): number => since + waitMs - clock.now();
    let isSure = false;
    for (let asked = 0; ; asked += 1) {
      if (asked > 0) await clock.sleep(Math.min(this.#delayMs(asked), left()), signal);
      if (!(await waitForPause()) || signal?.aborted) return 'gone';
      const answer = await ask();
      if (signal?.aborted) return 'gone';
      if (isAnswered(answer) && !isStarting(answer)) {
        pauseFor(answer);
        this.#state = { kind: 'there' };
        if (!isSure) return 'there';
        this.#endedOutages += 1;
        onNews?.({ kind: 'back', waitedMs: clock.now() - since });
        return 'back';
      }
      if (left() <= 0) {
        const gone = { kind: 'gone', waitedMs: clock.now() - since } as const;
        this.#state = gone;
        onNews?.(gone);
        return 'gone';
      }
      if (!isSure) onNews?.({ kind: 'away', answer: sign, waitMs });
      isSure = true;
      pauseFor(answer);
    }
  }

  /** A random delay between half of the maximum and all of it, so that clients do not all send at the same time. */
  #delayMs(asked: number): number {
    const max = Math.min(longestDelayMs, firstDelayMs * 2 ** (asked - 1));
    return Math.ceil((max / 2) * (1 + this.#options.random()));
  }
}

function isDropped(answer: Answer): boolean {
  return answer.kind === 'lost' && !isTimeout(answer);
}

/** Whether a proxy or the service reports with 502 or 503 that the service is starting or stopping. */
export function isStarting({ kind, status }: Answer): boolean {
  return kind === 'unavailable' || status === 502;
}

export function withOutageWait(answer: Answer, { waitedMs }: Pick<Outage, 'waitedMs'>): Answer {
  return waitedMs === undefined ? answer : { ...answer, waitedMs };
}
