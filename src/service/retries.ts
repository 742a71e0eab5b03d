import { isTimeout, type Answer } from './answer.ts';
import { maxFreeOutages, withOutageWait } from './outage.ts';
import type { Pacing } from './pacing.ts';
import type { ReadProof } from './what-answers-prove.ts';

/** The maximum number of tries. Fewer tries are made if no answer arrives, because each try then takes the whole time limit. */
interface TryLimits {
  readonly answered: number;
  readonly unanswered: number;
}

export const maxTries: Readonly<Record<'write' | 'lookUp' | 'page' | 'release', TryLimits>> = {
  write: { answered: 3, unanswered: 3 },
  lookUp: { answered: 5, unanswered: 2 },
  /** A page has few tries, because its records can be looked up one by one. */
  page: { answered: 3, unanswered: 1 },
  release: { answered: 3, unanswered: 3 },
};

/** The number of failures in a row after which nothing more is started, because the remaining requests would fail too. */
export const maxConsecutiveFailures = {
  writes: 5,
  lookUps: 5,
  /** If the service cannot show a record, only the page with this record fails. Therefore more than one page may fail. */
  pages: 3,
} as const;

/** The maximum number of times that a changing list is read: `growing` is for a list that may grow meanwhile, `whole` for a list that must not change. */
export const maxRounds = {
  growing: 10,
  whole: 3,
} as const;

export class Retries {
  readonly #pacing: Pacing;
  readonly #tries: TryLimits;
  #attempt = 1;
  #ignoredTries = 0;

  constructor(pacing: Pacing, tries: TryLimits) {
    this.#pacing = pacing;
    this.#tries = tries;
  }

  note(answer: Answer): void {
    this.#pacing.note(answer, this.#attempt);
  }

  /** Waits, and returns whether to retry. With `isIgnoredOnOutage`, a try during an outage does not count. */
  async again(answer: Answer, isIgnoredOnOutage: boolean): Promise<boolean> {
    const most = isTimeout(answer) ? this.#tries.unanswered : this.#tries.answered;
    const ignoresOutages = isIgnoredOnOutage && this.#ignoredTries < maxFreeOutages;
    const next = await this.#pacing.again({ attempt: this.#attempt, most, answer, ignoresOutages });
    if (next === undefined) return false;
    if (next === this.#attempt) this.#ignoredTries += 1;
    this.#attempt = next;
    return true;
  }
}

/** Repeats a request until its answer proves something. Returns the last result, or undefined if nothing was sent. */
export async function retryUntilProven<Result extends { readonly proof: ReadProof; readonly answer: Answer }>(
  ask: () => Promise<Result>,
  pacing: Pacing,
  tries: TryLimits = maxTries.lookUp,
): Promise<Result | undefined> {
  const retries = new Retries(pacing, tries);
  let result: Result | undefined;
  while (await pacing.waitForTurn()) {
    result = await ask();
    retries.note(result.answer);
    if (result.proof !== 'nothing') return result;
    if (!(await retries.again(result.answer, true))) break;
  }
  return result && { ...result, answer: withOutageWait(result.answer, pacing.outage) };
}
