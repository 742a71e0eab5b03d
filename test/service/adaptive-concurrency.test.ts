import { describe, expect, test } from 'vitest';
import { AdaptiveConcurrency } from '../../src/service/adaptive-concurrency.ts';
import { simulate, type Queueing, type Service } from '../support/queueing.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** As a real service was measured: 30 ms alone, 138 at 4, 379 at 8, 1014 at 16. */
const slowsWhenPushed: Service = (underWay) => {
  const measured = [
    [1, 30],
    [4, 138],
    [8, 379],
    [16, 1014],
    [64, 8000],
  ] as const;
  const above = measured.findIndex(([count]) => count >= underWay);
  const [count, time] = measured[above] ?? [64, 8000];
  const [lower, lowerTime] = measured[Math.max(0, above - 1)] ?? [1, 30];
  return count === lower ? time : lowerTime + ((time - lowerTime) * (underWay - lower)) / (count - lower);
};

const services: Readonly<Record<string, Service | Queueing>> = {
  'serves one at a time': { servers: 1, milliseconds: 20 },
  'serves four at a time': { servers: 4, milliseconds: 20 },
  'serves thirty-two at a time': { servers: 32, milliseconds: 20 },
  'slows as it is pushed': slowsWhenPushed,
};

const requests = 10_000;

function bestFixed(service: Service | Queueing): number {
  const times = [1, 2, 3, 4, 6, 8, 10, 16, 24, 32, 48, 64].map(
    (limit) => simulate(service, requests, limit, seededRandom(0)).milliseconds,
  );
  return Math.min(...times);
}

function medianAdaptive(service: Service | Queueing): number {
  const times = Array.from({ length: 11 }, (_, seed) =>
    simulate(service, requests, new AdaptiveConcurrency(64), seededRandom(seed)),
  ).map(({ milliseconds }) => milliseconds);
  return times.toSorted((a, b) => a - b)[5] ?? Number.NaN;
}

describe('adaptive concurrency', () => {
  test.each(Object.entries(services))(
    'is within a tenth of the best fixed concurrency on a service that %s',
    (_, service) => {
      expect(medianAdaptive(service) / bestFixed(service)).toBeLessThan(1.1);
    },
  );

  test('is much faster than a fixed ten on a service that slows as it is pushed', () => {
    const ten = simulate(slowsWhenPushed, requests, 10, seededRandom(0)).milliseconds;
    expect(medianAdaptive(slowsWhenPushed) / ten).toBeLessThan(0.7);
  });

  test.each([1, 2, 5, 16])('never goes beyond a ceiling of %i', (ceiling) => {
    const limit = new AdaptiveConcurrency(ceiling);
    simulate({ servers: 64, milliseconds: 20 }, 2000, limit, seededRandom(1));
    expect(limit.highest).toBe(ceiling);
  });

  test('is exactly one under a ceiling of one', () => {
    const limit = new AdaptiveConcurrency(1);
    for (let now = 0; now < 1000; now += 1) {
      limit.completed(now, true);
      if (now % 7 === 0) limit.pushedBack();
      expect(limit.limit).toBe(1);
    }
  });

  test('halves when the service pushes back, once for what was under way together', () => {
    const limit = new AdaptiveConcurrency(64);
    simulate({ servers: 32, milliseconds: 20 }, 2000, limit, seededRandom(1));
    const before = limit.limit;
    expect(before).toBeGreaterThan(16);
    for (let answer = 0; answer < before; answer += 1) {
      limit.pushedBack();
      limit.completed(answer, true);
    }
    expect(limit.limit).toBe(Math.floor(before / 2));
    limit.pushedBack();
    expect(limit.limit).toBe(Math.floor(Math.floor(before / 2) / 2));
  });

  test('climbs again after a push back', () => {
    const limit = new AdaptiveConcurrency(64);
    for (let push = 0; push < 5; push += 1) limit.pushedBack();
    expect(limit.limit).toBe(1);
    expect(
      simulate({ servers: 16, milliseconds: 20 }, 5000, limit, seededRandom(1)).limit,
    ).toBeGreaterThanOrEqual(12);
  });

  test('learns nothing while there is too little to do', () => {
    const limit = new AdaptiveConcurrency(64);
    for (let now = 0; now < 1000; now += 1) limit.completed(now, false);
    expect(limit.limit).toBe(2);
    expect(new AdaptiveConcurrency(1).limit).toBe(1);
  });
});
