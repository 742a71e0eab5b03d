export interface Pace {
  /** The number of concurrent requests: now, and the maximum. */
  readonly limit: number;
  readonly ceiling: number;
  readonly requests: number;
  readonly retries: number;
  /** From the first answer to the last. */
  readonly requests_per_second: number;
}
