export interface Pace {
  /** The number of concurrent requests that are allowed now, and the maximum. */
  readonly limit: number;
  readonly ceiling: number;
  readonly requests: number;
  readonly retries: number;
  /** Measured from the first answer to the last. */
  readonly requests_per_second: number;
}
