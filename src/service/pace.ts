export interface Pace {
  /** The number of requests that may run concurrently now, and the configured maximum. */
  readonly limit: number;
  readonly ceiling: number;
  readonly requests: number;
  readonly retries: number;
  /** The average rate from the first answer to the last. */
  readonly requests_per_second: number;
}
