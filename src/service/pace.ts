/** The pace of a run's requests. */
export interface Pace {
  /** The number of concurrent requests: now, and the maximum. */
  readonly limit: number;
  readonly ceiling: number;
  /** The number of requests that were answered or given up. */
  readonly requests: number;
  readonly retries: number;
  /** From the first answer to the last. */
  readonly requests_per_second: number;
}
