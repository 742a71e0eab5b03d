/** A source of time that is passed as an argument, so that a run can be simulated. */
export interface Clock {
  now(): number;
  /** Resolves after this time, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;
