/** After this many good answers in a row, a lowered limit rises by one. */
const answersToRaise = 20;

/** The maximum number of concurrent requests, which falls below the configured ceiling while the service is overloaded. */
export class ConcurrencyLimit {
  readonly ceiling: number;
  #limit: number;
  #goodAnswers = 0;
  /** The number of requests that were already sent when the limit was lowered, and whose answers do not lower it again. */
  #ignoredAnswers = 0;

  constructor(ceiling: number) {
    this.ceiling = ceiling;
    this.#limit = ceiling;
  }

  get limit(): number {
    return this.#limit;
  }

  answered(how: 'good' | 'bad' | 'pushed back'): void {
    const isDeaf = this.#ignoredAnswers > 0;
    if (isDeaf) this.#ignoredAnswers -= 1;
    this.#goodAnswers = how === 'good' ? this.#goodAnswers + 1 : 0;
    if (how === 'pushed back' && !isDeaf) {
      // All requests under way, except the one that was just answered.
      this.#ignoredAnswers = this.#limit - 1;
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    } else if (this.#goodAnswers === answersToRaise) {
      this.#goodAnswers = 0;
      this.#limit = Math.min(this.#limit + 1, this.ceiling);
    }
  }
}
