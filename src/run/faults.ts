/**
 * What is thrown that nobody foresaw. It ends a run with an error; but from `keep` on, when something may have been sent already, as
 * an interruption would.
 */
export class Faults {
  readonly #first = new AbortController();
  #areKept = false;

  /** Gives what aborts with the first thing that is thrown from now on. */
  keep(): AbortController {
    this.#areKept = true;
    return this.#first;
  }

  get signal(): AbortSignal {
    return this.#first.signal;
  }

  /** Does something that the rest of the run does not depend on. */
  contain<Value>(work: () => Value, otherwise: Value): Value {
    try {
      return work();
    } catch (error) {
      if (!this.#areKept) throw error;
      this.#first.abort(error);
      return otherwise;
    }
  }
}
