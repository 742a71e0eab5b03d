/** How the requests of a run go. */
export interface Pace {
  /** How many requests may be under way at a time: now, and at the most. */
  readonly limit: number;
  readonly ceiling: number;
  /** How many were answered, or given up. */
  readonly requests: number;
  readonly retries: number;
  /** From the first answer to the last. */
  readonly requests_per_second: number;
}
