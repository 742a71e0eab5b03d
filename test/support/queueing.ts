import type { AdaptiveConcurrency } from '../../src/service/adaptive-concurrency.ts';

/** How long a request takes, in milliseconds, when so many are under way with it. */
export type Service = (underWay: number) => number;

/** A service that works on so many requests at a time, each for so long; the others wait. */
export interface Queueing {
  readonly servers: number;
  readonly milliseconds: number;
}

interface Result {
  readonly milliseconds: number;
  readonly limit: number;
  readonly highest: number;
}

/**
 * Sends requests to a simulated service, as many at a time as an adaptive or a fixed limit allows.
 * A number from `random` spreads the time that each takes, from half to half as much again.
 */
export function simulate(
  service: Service | Queueing,
  requests: number,
  limit: AdaptiveConcurrency | number,
  random: () => number,
): Result {
  const limitNow = (): number => (typeof limit === 'number' ? limit : limit.limit);
  const ends: number[] = [];
  const freeAt = typeof service === 'function' ? [] : Array.from({ length: service.servers }, () => 0);
  let now = 0;
  let sent = 0;
  let done = 0;
  while (done < requests) {
    while (sent < requests && ends.length < limitNow()) {
      sent += 1;
      const spread = 0.5 + random();
      if (typeof service === 'function') {
        ends.push(now + service(ends.length + 1) * spread);
      } else {
        const server = freeAt.indexOf(Math.min(...freeAt));
        const end = Math.max(now, freeAt[server] ?? 0) + service.milliseconds * spread;
        freeAt[server] = end;
        ends.push(end);
      }
    }
    ends.sort((a, b) => b - a);
    now = ends.pop() ?? now;
    done += 1;
    if (typeof limit !== 'number') limit.completed(now, sent < requests);
  }
  const { limit: last, highest } = typeof limit === 'number' ? { limit, highest: limit } : limit;
  return { milliseconds: now, limit: last, highest };
}
