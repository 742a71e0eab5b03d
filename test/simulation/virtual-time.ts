import type { Clock } from '../../src/base/clock.ts';

/** Time that passes only when nothing is left to do: events happen in their order, each after all that the one before has set off. */
export class VirtualTime {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #order = 0;
  #events: { at: number; order: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  /** Lets something happen so many milliseconds from now. */
  after(milliseconds: number, run: () => void): void {
    const event = { at: this.#now + Math.max(0, milliseconds), order: (this.#order += 1), run };
    // Few are waiting at a time, and most are put last or nearly so.
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > event.at) index -= 1;
    this.#events.splice(index, 0, event);
  }

  /** Lets time pass until nothing is to come, or until it has gone too far. */
  async pass(until: number): Promise<void> {
    await settled();
    for (let event = this.#events.shift(); event && event.at <= until; event = this.#events.shift()) {
      this.#now = Math.max(this.#now, event.at);
      event.run();
      await settled();
    }
  }

  /** A clock for one run, that stands still for ever once the run is dead. */
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

/** Resolves when every promise that could go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
