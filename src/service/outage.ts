import type { Clock, Random } from '../base/clock.ts';
import { timedOut, type Answer } from './answer.ts';

/** How a service that is away is waited for. */
export interface Patience {
  /** For how long, in milliseconds, from the first answer that shows that it is away; 0: not at all. */
  readonly waitMs: number;
  /** Whether also where nothing has answered yet. By default a wrong port should not take as long as a restart. */
  readonly fromTheStart: boolean;
  /** Asks the service something harmless, to find out whether it is back. */
  readonly ask: () => Promise<Answer>;
  readonly onNews?: (news: OutageNews) => void;
}

/** What is to be said of an outage while it lasts. */
export type OutageNews =
  | { readonly kind: 'away'; readonly answer: Answer; readonly waitMs: number }
  | { readonly kind: 'back'; readonly waitedMs: number }
  | { readonly kind: 'gone'; readonly waitedMs: number };

/** What came of waiting: the service was there all the time, or it was away and is back, or it is not waited for any longer. */
export type Waited = 'there' | 'back' | 'gone';

interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** When it aborts, all waiting is over. */
  readonly signal?: AbortSignal | undefined;
  /** Waits until the service allows the next request. False when that takes too long. */
  readonly unpaused: () => Promise<boolean>;
  /** Makes everybody wait for as long as an answer asks for. */
  readonly pauseFor: (answer: Answer) => void;
}

type State =
  | { readonly kind: 'there' }
  /** Somebody's answer shows that it is away. The first who waits asks for it, and the others wait for what that one hears. */
  | { readonly kind: 'away'; readonly sign: Answer; asking?: Promise<Waited> }
  | { readonly kind: 'gone'; readonly waitedMs: number };

/** So many outages one request may meet without being counted as tried: after that, it may be what brings the service down. */
export const mostOutagesSpared = 3;

const firstDelayMs = 250;
const longestDelayMs = 2000;

/** Whether the service is away, and who waits for it. One for a run, shared by all its workers. */
export class Outage {
  readonly #patience: Patience;
  readonly #around: Surroundings;
  #state: State = { kind: 'there' };
  #hasAnswered = false;
  #lastWasLost = false;
  #outlasted = 0;

  constructor(patience: Patience, around: Surroundings) {
    this.#patience = patience;
    this.#around = around;
  }

  /** Whether the service is there, as far as anybody knows. */
  get isOver(): boolean {
    return this.#state.kind === 'there';
  }

  /** How many outages the run has waited out. */
  get outlasted(): number {
    return this.#outlasted;
  }

  /** How long rollcall waited for the service without success; none while it still waits. */
  get waitedMs(): number | undefined {
    return this.#state.kind === 'gone' ? this.#state.waitedMs : undefined;
  }

  /** Takes note of an answer. */
  note(answer: Answer): void {
    if (this.#state.kind === 'there' && this.#isSign(answer)) this.#state = { kind: 'away', sign: answer };
    this.#hasAnswered ||= answer.status !== undefined;
    this.#lastWasLost = isDropped(answer);
  }

  /** Waits for as long as the service is away. */
  async wait(): Promise<Waited> {
    const state = this.#state;
    if (state.kind !== 'away') return state.kind;
    state.asking ??= this.#askUntilBack(state.sign);
    const waited = await state.asking;
    return this.#around.signal?.aborted ? 'gone' : waited; // also in the last moment of the outage
  }

  #isSign(answer: Answer): boolean {
    const { waitMs, fromTheStart } = this.#patience;
    if (waitMs === 0 || this.#around.signal?.aborted) return false;
    if (isStarting(answer)) return true;
    if (!this.#hasAnswered && !fromTheStart) return false;
    if (answer.kind === 'unreachable_for_now') return true;
    // What stands in front of a service that is away may take connections and drop them; to lose one alone is nothing.
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
      if (answer.status !== undefined && !isStarting(answer)) {
        pauseFor(answer);
        if (!isSure) return this.#backTo('there');
        this.#outlasted += 1;
        onNews?.({ kind: 'back', waitedMs: clock.now() - since });
        return this.#backTo('back');
      }
      // The service may have asked for a longer wait than it is given: then this question was the last.
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

  /** From half of it to the whole, so that many clients do not ask at once. */
  #delayMs(asked: number): number {
    const most = Math.min(longestDelayMs, firstDelayMs * 2 ** (asked - 1));
    return Math.ceil((most / 2) * (1 + this.#around.random()));
  }
}

function isDropped(answer: Answer): boolean {
  return answer.kind === 'lost' && !timedOut(answer);
}

/** Whether what stands in front of the service says that it is not there yet, or not there now. */
export function isStarting({ kind, status }: Answer): boolean {
  return kind === 'unavailable' || status === 502;
}

/** The last answer before waiting for the service without success, with how long that was. */
export function waitedInVain(answer: Answer, { waitedMs }: Pick<Outage, 'waitedMs'>): Answer {
  return waitedMs === undefined ? answer : { ...answer, waitedMs };
}
