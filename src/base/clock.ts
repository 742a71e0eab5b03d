/** Time as an argument, so that a run can be simulated. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves when the time is over, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;
