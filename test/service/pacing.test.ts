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
    const pacing = createPacing(clock, () => 1);
    for (let attempt = 1; attempt <= 8; attempt += 1) await pacing.backOff(attempt, { kind: 'lost' });
    expect(clock.sleeps).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  test('makes everybody wait when the service asks one of them to', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing(clock, () => 0);
    await Promise.all([
      pacing.backOff(1, { kind: 'unavailable', retryAfter: '5' }),
      pacing.turn(),
      pacing.turn(),
    ]);
    expect(clock.now() - now).toBeGreaterThanOrEqual(5000);
  });
});
