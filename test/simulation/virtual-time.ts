import type { Clock } from '../../src/base/clock.ts';

/** Virtual time passes only when nothing else can run. Events happen in order, each after all consequences of the event before it. */
export class VirtualTime {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #order = 0;
  #events: { at: number; order: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  /** Calls a function after this many milliseconds. */
  after(milliseconds: number, run: () => void): void {
    const event = { at: this.#now + Math.max(0, milliseconds), order: (this.#order += 1), run };
    // Few events wait at a time, and most are inserted near the end.
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > event.at) index -= 1;
    this.#events.splice(index, 0, event);
  }

  /** Lets time pass until no event is left, or until the limit is reached. */
  async pass(until: number): Promise<void> {
    await settled();
    for (let event = this.#events.shift(); event && event.at <= until; event = this.#events.shift()) {
      this.#now = Math.max(this.#now, event.at);
      event.run();
      await settled();
    }
  }

  /** A clock for one run. Once the run is dead, the clock stops forever. */
  clock(isDead: () => boolean): Clock {
    return {
      now: () => this.#now,
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          const wake = (): void => {
            signal?.removeEventListener('abort', wake);
            if (!isDead()) resolve();
          };
          this.after(milliseconds, wake);
          signal?.addEventListener('abort', wake, { once: true });
        }),
    };
  }
}

/** Resolves once all promises that could continue have done so. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
