import { timedOut, type Answer } from './answer.ts';
import { mostOutagesSpared, gaveUpWaiting } from './outage.ts';
import type { Pacing } from './pacing.ts';
import type { ReadProof } from './what-answers-prove.ts';

/** How often something is sent at the most; in silence, each try takes the whole time limit. */
interface Tries {
  readonly answered: number;
  readonly inSilence: number;
}

export const triesOf: Readonly<Record<'write' | 'lookUp' | 'page' | 'release', Tries>> = {
  /** A create or a change, as long as nothing says that it was carried out or refused. */
  write: { answered: 3, inSilence: 3 },
  /** What is looked up by itself: nothing else shows it. */
  lookUp: { answered: 5, inSilence: 2 },
  /** What a page does not show can be asked for in other ways. */
  page: { answered: 3, inSilence: 1 },
  /** Rules do without the release. */
  release: { answered: 3, inSilence: 3 },
};

/** After so many in a row without a clear end, the rest would end alike, and nothing more is begun. */
export const mostInARow = {
  /** Creates or changes. */
  writes: 5,
  lookUps: 5,
  /** A record that the service cannot show breaks the page that holds it, and no other. */
  pages: 3,
} as const;

/** How often a list is read that goes on changing while it is read. */
export const mostRounds = {
  /** Where each round adds pages. */
  growing: 10,
  /** Where one round has to show all. */
  whole: 3,
} as const;

/** The tries of one request: which it is, and whether there is another. */
export class Retries {
  readonly #pacing: Pacing;
  readonly #tries: Tries;
  #attempt = 1;
  #spared = 0;

  constructor(pacing: Pacing, tries: Tries) {
    this.#pacing = pacing;
    this.#tries = tries;
  }

  /** Takes note of the answer to a try. */
  note(answer: Answer): void {
    this.#pacing.note(answer, this.#attempt);
  }

  /** Waits before the next try, and returns whether there is one. A try that met an outage does not count where that `isSpared`. */
  async again(answer: Answer, isSpared: boolean): Promise<boolean> {
    const most = timedOut(answer) ? this.#tries.inSilence : this.#tries.answered;
    const isFree = isSpared && this.#spared < mostOutagesSpared;
    const next = await this.#pacing.again({ attempt: this.#attempt, most, answer, isFree });
    if (next === undefined) return false;
    if (next === this.#attempt) this.#spared += 1;
    this.#attempt = next;
    return true;
  }
}

/** Asks something, and again if the answer proves nothing. Returns what came of it last, or nothing if no request was sent. */
export async function untilProven<Result extends { readonly proof: ReadProof; readonly answer: Answer }>(
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
  return result && { ...result, answer: gaveUpWaiting(result.answer, pacing.outage) };
}
