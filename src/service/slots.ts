/** Lets at most so many tasks run at a time; the limit can change. */
export class Slots {
  #limit: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#fill();
  }

  /** Waits for a free slot, and takes it. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#fill();
    });
  }

  free(): void {
    this.#taken -= 1;
    this.#fill();
  }

  #fill(): void {
    while (this.#taken < this.#limit && this.#waiting.length > 0) {
      this.#taken += 1;
      this.#waiting.shift()?.();
    }
  }
}
