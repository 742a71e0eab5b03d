/** How many good answers in a row raise a lowered limit by one. */
const goodForOneMore = 20;

/** The number of concurrent requests: the ceiling, or less if the service pushed back. */
export class ConcurrencyLimit {
  readonly ceiling: number;
  #limit: number;
  #good = 0;
  /** Answers to ignore before the next push back counts: concurrent requests share one cause. */
  #deaf = 0;

  constructor(ceiling: number) {
    this.ceiling = ceiling;
    this.#limit = ceiling;
  }

  get limit(): number {
    return this.#limit;
  }

  answered(how: 'good' | 'bad' | 'pushed back'): void {
    const isDeaf = this.#deaf > 0;
    if (isDeaf) this.#deaf -= 1;
    this.#good = how === 'good' ? this.#good + 1 : 0;
    if (how === 'pushed back' && !isDeaf) {
      // This answer is one of the concurrent ones.
      this.#deaf = this.#limit - 1;
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    } else if (this.#good === goodForOneMore) {
      this.#good = 0;
      this.#limit = Math.min(this.#limit + 1, this.ceiling);
    }
  }
}
