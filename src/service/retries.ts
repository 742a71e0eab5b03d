import { timedOut, type Answer } from './answer.ts';
import { maxFreeOutages, withOutageWait } from './outage.ts';
import type { Pacing } from './pacing.ts';
import type { ReadProof } from './what-answers-prove.ts';

/** The maximum number of tries. Without an answer, each try takes the whole time limit. */
interface Tries {
  readonly answered: number;
  readonly inSilence: number;
}

export const maxTries: Readonly<Record<'write' | 'lookUp' | 'page' | 'release', Tries>> = {
  /** A create or change, as long as nothing shows that it was carried out or refused. */
  write: { answered: 3, inSilence: 3 },
  /** A look-up, which nothing else replaces. */
  lookUp: { answered: 5, inSilence: 2 },
  /** Records of a missing page can be looked up individually. */
  page: { answered: 3, inSilence: 1 },
  /** Rules work without the release. */
  release: { answered: 3, inSilence: 3 },
};

/** After this many failures in a row, the rest would fail too, and nothing more is started. */
export const maxConsecutiveFailures = {
  /** Creates or changes. */
  writes: 5,
  lookUps: 5,
  /** A record that the service cannot show breaks the page that contains it, and no other. */
  pages: 3,
} as const;

/** How often a list that keeps changing is read. */
export const maxRounds = {
  /** If each round adds pages. */
  growing: 10,
  /** If one round has to show everything. */
  whole: 3,
} as const;

export class Retries {
  readonly #pacing: Pacing;
  readonly #tries: Tries;
  #attempt = 1;
  #spared = 0;

  constructor(pacing: Pacing, tries: Tries) {
    this.#pacing = pacing;
    this.#tries = tries;
  }

  note(answer: Answer): void {
    this.#pacing.note(answer, this.#attempt);
  }

  /** Waits before the next try, and returns whether there is one. A try that met an outage does not count if it `isSpared`. */
  async again(answer: Answer, isSpared: boolean): Promise<boolean> {
    const most = timedOut(answer) ? this.#tries.inSilence : this.#tries.answered;
    const isFree = isSpared && this.#spared < maxFreeOutages;
    const next = await this.#pacing.again({ attempt: this.#attempt, most, answer, isFree });
    if (next === undefined) return false;
    if (next === this.#attempt) this.#spared += 1;
    this.#attempt = next;
    return true;
  }
}

/** Repeats a request until its answer proves something. Returns the last result, or undefined if nothing was sent. */
export async function retryUntilProven<Result extends { readonly proof: ReadProof; readonly answer: Answer }>(
  ask: () => Promise<Result>,
  pacing: Pacing,
  tries: Tries,
): Promise<Result | undefined> {
  const retries = new Retries(pacing, tries);
  let result: Result | undefined;
  while (await pacing.turn()) {
    result = await ask();
    retries.note(result.answer);
    if (result.proof !== 'nothing') return result;
    if (!(await retries.again(result.answer, true))) break;
  }
  return result && { ...result, answer: withOutageWait(result.answer, pacing.outage) };
}
