/**
 * How many requests should be under way at a time. It starts with two, as many as the smallest service works on at once;
 * goes up while more gets done, goes back where it does not, and halves when the service pushes back. Pure: what happened, and when, is given to it.
 */
export class AdaptiveConcurrency {
  readonly ceiling: number;
  #limit: number;
  #highest: number;
  #phase: Phase = { kind: 'climbing' };
  /** The throughput of the limit before this one, in completions per millisecond. */
  #rateBefore = 0;
  #limitBefore = 1;
  #window: Window = { kind: 'settling', left: 0 };
  /** Completions to come before a push back counts again: requests that were under way together have one cause. */
  #deaf = 0;
  /** How many windows pass before another limit is tried. */
  #patience = leastPatience;
  #direction: 'up' | 'down' = 'up';

  constructor(ceiling: number) {
    this.ceiling = ceiling;
    this.#limit = Math.min(2, ceiling);
    this.#highest = this.#limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** The highest limit that was used. */
  get highest(): number {
    return this.#highest;
  }

  /** A request was answered. Without `busy`, nothing was waiting to be sent, so the rate does not show what the service can do. */
  completed(now: number, busy: boolean): void {
    this.#deaf = Math.max(0, this.#deaf - 1);
    const window = this.#window;
    if (!busy) {
      this.#measureAfresh(0);
    } else if (window.kind === 'settling') {
      if (window.left > 1) this.#window = { kind: 'settling', left: window.left - 1 };
      else this.#window = { kind: 'measuring', since: now, count: 0 };
    } else {
      const count = window.count + 1;
      const lasted = now - window.since;
      if (count < samplesFor(this.#limit, this.#phase) || lasted < leastMs[this.#phase.kind])
        this.#window = { ...window, count };
      else this.#judge(count / lasted, now);
    }
  }

  /** The service asked for less, or did not answer in time. */
  pushedBack(): void {
    if (this.#deaf > 0) return;
    this.#deaf = this.#limit;
    this.#phase = { kind: 'steady', windows: 0 };
    this.#patience = leastPatience;
    this.#direction = 'up';
    this.#set(Math.floor(this.#limit / 2));
  }

  /** A window is over, in which so many were completed in a millisecond. */
  #judge(rate: number, now: number): void {
    this.#window = { kind: 'measuring', since: now, count: 0 };
    const phase = this.#phase;
    switch (phase.kind) {
      case 'climbing':
        if (this.#limit > 1 && rate < this.#rateBefore * worthClimbing) {
          this.#set(this.#limitBefore);
          this.#phase = { kind: 'steady', windows: 0 };
        } else if (this.#limit === this.ceiling) this.#phase = { kind: 'steady', windows: 0 };
        else this.#try(this.#limit * 2, rate);
        return;
      case 'trying': {
        const gained =
          rate >= this.#rateBefore * (this.#limit > this.#limitBefore ? worthGoingUp : worthGoingDown);
        if (!gained) this.#goBack();
        else if (this.#limit > this.#limitBefore) this.#phase = { kind: 'climbing' };
        else this.#phase = { kind: 'steady', windows: this.#patience }; // further down, at once
        return;
      }
      case 'steady': {
        if (phase.windows < this.#patience) {
          this.#phase = { kind: 'steady', windows: phase.windows + 1 };
          return;
        }
        const step = Math.max(1, Math.floor(this.#limit / 4));
        const next = this.#direction === 'up' ? this.#limit + step : this.#limit - step;
        if (next < 1 || next > this.ceiling) this.#turnAround();
        else {
          this.#phase = { kind: 'trying' };
          this.#try(next, rate);
        }
      }
    }
  }

  #try(limit: number, rate: number): void {
    this.#rateBefore = rate;
    this.#limitBefore = this.#limit;
    this.#set(limit);
  }

  #goBack(): void {
    this.#set(this.#limitBefore);
    this.#turnAround();
  }

  #turnAround(): void {
    this.#direction = this.#direction === 'up' ? 'down' : 'up';
    this.#patience = Math.min(this.#patience * 2, mostPatience);
    this.#phase = { kind: 'steady', windows: 0 };
  }

  #set(limit: number): void {
    const before = this.#limit;
    this.#limit = Math.min(Math.max(1, limit), this.ceiling);
    this.#highest = Math.max(this.#highest, this.#limit);
    this.#measureAfresh(before);
  }

  /** Requests that are under way were sent under another limit, so they do not count for the new one. */
  #measureAfresh(underWay: number): void {
    this.#window = { kind: 'settling', left: underWay };
  }
}

type Phase =
  /** At the start: doubles for as long as that is worth it. */
  | { readonly kind: 'climbing' }
  | { readonly kind: 'steady'; readonly windows: number }
  /** One step away from the limit before. */
  | { readonly kind: 'trying' };

type Window =
  | { readonly kind: 'settling'; readonly left: number }
  | { readonly kind: 'measuring'; readonly since: number; readonly count: number };

/** How much more must get done for the limit to be doubled, and for it to go up by a step. */
const worthClimbing = 1.2;
const worthGoingUp = 1.05;
/** With this part of the throughput left, a lower limit is kept: it is easier on the service. */
const worthGoingDown = 0.98;
const leastPatience = 2;
const mostPatience = 64;

/** The clock tells milliseconds: in a shorter window a rate would be mostly rounding. */
const leastMs: Readonly<Record<Phase['kind'], number>> = { climbing: 10, steady: 50, trying: 50 };

/** With fewer completions a rate would be mostly noise. */
function samplesFor(limit: number, { kind }: Phase): number {
  return kind === 'climbing' ? Math.max(5, limit) : Math.max(16, limit * 4);
}
