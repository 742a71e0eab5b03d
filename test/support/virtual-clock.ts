import type { Clock } from '../../src/base/clock.ts';

/** A clock whose sleeps take no time and are recorded. */
export interface VirtualClock extends Clock {
  /** The length of each sleep, in milliseconds. */
  readonly sleeps: readonly number[];
}

export function virtualClock(startMs: number = Date.parse('2026-01-01T00:00:00Z')): VirtualClock {
  let now = startMs;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds);
      now += milliseconds;
    },
  };
}
