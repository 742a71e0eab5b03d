import { describe, expect, test } from 'vitest';
import { createPacing } from '../../src/service/pacing.ts';
import { parseRetryAfter } from '../../src/service/retry-after.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('a Retry-After header', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['5s', undefined],
    ['', undefined],
    ['2026-01-01T00:00:30Z', undefined],
    ['99999999999', undefined],
  ])('%j means %s', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});

describe('pacing', () => {
  test('doubles the longest wait with each attempt, up to ten seconds', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1 });
    for (let attempt = 1; attempt <= 8; attempt += 1) await pacing.backOff(attempt);
    expect(clock.sleeps).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  test('makes everybody wait as long as the service tells one of them', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    pacing.heed({ kind: 'unavailable', retryAfter: '5' }, 1);
    const turns = await Promise.all(
      [1, 2, 3].map(async () => ((await pacing.turn()) ? clock.now() - now : 0)),
    );
    expect(turns.every((waited) => waited >= 5000)).toBe(true);
  });

  test('keeps the longest of the pauses that it is told', async () => {
    const clock = virtualClock(now);
    const pauses: number[] = [];
    const pacing = createPacing({
      concurrency: 1,
      clock,
      random: () => 0,
      onPause: (milliseconds) => pauses.push(milliseconds),
    });
    for (const retryAfter of ['5', '9', '2']) pacing.heed({ kind: 'slow_down', retryAfter }, 1);
    await pacing.turn();
    expect(clock.now() - now).toBe(9000);
    expect(pauses).toEqual([5000, 9000]);
  });

  test('does not cut short a pause of an hour, but gives up at once', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    pacing.heed({ kind: 'slow_down', retryAfter: '3600' }, 1);
    expect(await pacing.turn()).toBe(false);
    expect(clock.sleeps).toEqual([]);
  });

  test('heeds a Retry-After only of answers that ask to wait', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1 });
    pacing.heed({ kind: 'created', retryAfter: '60' }, 1);
    pacing.heed({ kind: 'failure' }, 1);
    expect(await pacing.turn()).toBe(true);
    expect(clock.sleeps).toEqual([]);
  });

  test('grants only so many retries for the requests of a run', async () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(now), random: () => 0 });
    const granted = async (): Promise<number> => {
      let count = 0;
      while (await pacing.backOff(1)) count += 1;
      return count;
    };
    expect(await granted()).toBe(20);
    for (let request = 0; request < 10; request += 1) pacing.heed({ kind: 'found' }, 1);
    expect(await granted()).toBe(5);
    expect(pacing.pace()).toMatchObject({ requests: 10, retries: 25 });
  });

  test('halves the number of requests at a time when the service asks to wait, or lets the time limit pass', async () => {
    const timeout = Object.assign(new Error('late'), { name: 'TimeoutError' });
    for (const answer of [
      { kind: 'slow_down' },
      { kind: 'unavailable' },
      { kind: 'lost', error: timeout },
    ] as const) {
      const pacing = createPacing({ concurrency: 8, clock: virtualClock(now), random: () => 0 });
      await pacing.forEach(Array.from({ length: 200 }), async () => pacing.heed({ kind: 'found' }, 1));
      const { limit } = pacing.pace();
      pacing.heed(answer, 1);
      expect(pacing.pace().limit).toBe(Math.max(1, Math.floor(limit / 2)));
    }
  });

  test('tells how many requests were answered in a second', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    expect(pacing.pace().requests_per_second).toBe(0);
    for (let request = 0; request < 11; request += 1) {
      pacing.heed({ kind: 'found' }, 1);
      if (request < 10) await clock.sleep(250);
    }
    expect(pacing.pace().requests_per_second).toBe(4);
  });
});
