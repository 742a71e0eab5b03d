import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import type { Answer } from '../../src/service/answer.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

/** Asks for another try after a failed one. */
function again(
  pacing: Pacing,
  attempt: number,
  most: number,
  ignoresOutages: boolean,
): Promise<number | undefined> {
  return pacing.again({ attempt, most, ignoresOutages, answer: { kind: 'failure' } });
}

describe('pacing', () => {
  test('doubles the upper bound of the wait with each attempt, up to ten seconds', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1 });
    for (let attempt = 1; attempt <= 8; attempt += 1) await again(pacing, attempt, 9, false);
    expect(clock.sleeps).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  test('makes all requests wait as long as the service asks one of them to', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    pacing.note({ kind: 'unavailable', retryAfter: '5' }, 1);
    const turns = await Promise.all(
      [1, 2, 3].map(async () => ((await pacing.waitForTurn()) ? clock.now() - now : 0)),
    );
    expect(turns.every((waited) => waited >= 5000)).toBe(true);
  });

  test('waits for the longest of the requested pauses', async () => {
    const clock = virtualClock(now);
    const pauses: number[] = [];
    const pacing = createPacing({
      concurrency: 1,
      clock,
      random: () => 0,
      onPause: ({ milliseconds }) => pauses.push(milliseconds),
    });
    for (const retryAfter of ['5', '9', '2', '9']) pacing.note({ kind: 'slow_down', retryAfter }, 1);
    await pacing.waitForTurn();
    expect(clock.now() - now).toBe(9000);
    expect(pauses).toEqual([5000, 9000]);
  });

  test.each([
    ['600', true],
    ['601', false],
  ])('if asked to pause for %s seconds, waits: %s', async (retryAfter, waits) => {
    const tooLong: boolean[] = [];
    const clock = virtualClock(now);
    const pacing = createPacing({
      concurrency: 1,
      clock,
      random: () => 0,
      onPause: ({ isTooLong }) => tooLong.push(isTooLong),
    });
    pacing.note({ kind: 'slow_down', retryAfter }, 1);
    expect([await pacing.waitForTurn(), tooLong]).toEqual([waits, [!waits]]);
  });

  test('reports a retry, unless all requests pause anyway', async () => {
    const retried: string[] = [];
    const pacing = createPacing({
      concurrency: 1,
      clock: virtualClock(now),
      random: () => 0,
      onRetry: ({ kind }) => retried.push(kind),
    });
    for (const kind of ['failure', 'slow_down'] as const)
      await pacing.again({ attempt: 1, most: 3, ignoresOutages: false, answer: { kind } });
    expect(retried).toEqual(['failure']);
  });

  test('takes a token for refused until the service accepts it again', () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(now), random: () => 0 });
    const denied = (detail: string): Answer => ({ kind: 'denied', status: 403, body: { detail } });
    pacing.note(denied('You do not have permission to perform this action.'), 1);
    expect(pacing.isTokenRefused).toBe(false);
    pacing.note(denied('Token invalid/expired'), 1);
    pacing.note({ kind: 'failure' }, 1);
    expect(pacing.isTokenRefused).toBe(true);
    pacing.note({ kind: 'found' }, 1);
    expect(pacing.isTokenRefused).toBe(false);
  });

  test('waits for the end of a pause of ten minutes', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    pacing.note({ kind: 'slow_down', retryAfter: '600' }, 1);
    expect(await pacing.waitForTurn()).toBe(true);
    expect(clock.sleeps).toEqual([600_000]);
  });

  test.each(['601', '3600', '99999999999', '5, 3600', 'Friday, 02-Jan-26 00:00:00 GMT'])(
    'gives up at once for a pause of %s',
    async (retryAfter) => {
      const clock = virtualClock(now);
      const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
      pacing.note({ kind: 'slow_down', retryAfter }, 1);
      expect(await pacing.waitForTurn()).toBe(false);
      expect(clock.sleeps).toEqual([]);
    },
  );

  test('does not wait once the run is interrupted', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1, signal: AbortSignal.abort() });
    expect(await again(pacing, 1, 2, false)).toBeUndefined();
    pacing.note({ kind: 'slow_down', retryAfter: '5' }, 1);
    expect(await pacing.waitForTurn()).toBe(false);
    expect(clock.sleeps).toEqual([]);
  });

  /** The pacing of a run that is interrupted when it begins to sleep, or after a part of that time. */
  function interruptedAsleep(part = 0): Pacing {
    const interruption = new AbortController();
    const { signal } = interruption;
    let slept = 0;
    const clock: Clock = {
      now: () => now + slept,
      sleep: async (milliseconds, waker) => {
        expect(waker).toBe(signal);
        slept += milliseconds * part;
        interruption.abort('SIGINT');
      },
    };
    return createPacing({ concurrency: 1, clock, random: () => 1, signal });
  }

  test('retries nothing if the run is interrupted while it waits', async () => {
    expect(await again(interruptedAsleep(), 1, 2, false)).toBeUndefined();
  });

  test.each([0, 0.5, 1])('ends a pause if the run is interrupted after %d of the pause', async (part) => {
    const pacing = interruptedAsleep(part);
    pacing.note({ kind: 'slow_down', retryAfter: '5' }, 1);
    expect(await pacing.waitForTurn()).toBe(false);
  });

  test('observes a Retry-After only in answers that ask the client to wait', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1 });
    pacing.note({ kind: 'created', retryAfter: '60' }, 1);
    pacing.note({ kind: 'failure' }, 1);
    expect(await pacing.waitForTurn()).toBe(true);
    expect(clock.sleeps).toEqual([]);
  });

  test('allows a limited number of retries for the requests of a run', async () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(now), random: () => 0 });
    const granted = async (): Promise<number> => {
      let count = 0;
      while ((await again(pacing, 1, 2, false)) !== undefined) count += 1;
      return count;
    };
    expect(await granted()).toBe(20);
    for (let request = 0; request < 10; request += 1) pacing.note({ kind: 'found' }, 1);
    expect(await granted()).toBe(5);
    expect(pacing.pace()).toMatchObject({ requests: 10, retries: 25 });
  });

  test('reports how many requests were answered per second', async () => {
    const clock = virtualClock(now);
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    expect(pacing.pace().requests_per_second).toBe(0);
    for (let request = 0; request < 11; request += 1) {
      pacing.note({ kind: 'found' }, 1);
      if (request < 10) await clock.sleep(250);
    }
    expect(pacing.pace().requests_per_second).toBe(4);
  });

  test('reports no rate for a single request, or if all were answered immediately', () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(now), random: () => 0 });
    pacing.note({ kind: 'found' }, 1);
    expect(pacing.pace().requests_per_second).toBe(0);
    pacing.note({ kind: 'found' }, 1);
    expect(pacing.pace().requests_per_second).toBe(0);
  });
});

describe('the queue of requests', () => {
  interface Surroundings {
    readonly pacing: Pacing;
    readonly time: VirtualTime;
  }

  function withCeiling(concurrency: number): Surroundings {
    const time = new VirtualTime();
    const clock = time.clock(() => false);
    return { time, pacing: createPacing({ concurrency, clock, random: () => 0 }) };
  }

  /** Runs a number of tasks of 20 ms each, and returns how many ran at the same time. */
  async function busy({ pacing, time }: Surroundings, count: number): Promise<number> {
    const clock = time.clock(() => false);
    let underWay = 0;
    let most = 0;
    const all = pacing.forEach(Array.from({ length: count }), async () => {
      await pacing.waitForTurn();
      underWay += 1;
      most = Math.max(most, underWay);
      await clock.sleep(20);
      underWay -= 1;
      pacing.note({ kind: 'found' }, 1);
    });
    await time.pass(Number.POSITIVE_INFINITY);
    await all;
    return most;
  }

  test('reaches the limit of concurrent requests if the service answers them all', async () => {
    const surroundings = withCeiling(8);
    expect(await busy(surroundings, 40)).toBe(8);
    expect(surroundings.pacing.pace()).toMatchObject({ limit: 8, ceiling: 8, requests: 40 });
  });

  test.each([1, 2, 3, 8])(
    'never exceeds a limit of %i concurrent requests, and tasks outside the queue count towards the limit',
    async (ceiling) => {
      const { pacing, time } = withCeiling(ceiling);
      const clock = time.clock(() => false);
      let underWay = 0;
      let most = 0;
      const task = async (): Promise<void> => {
        underWay += 1;
        most = Math.max(most, underWay);
        await clock.sleep(20);
        underWay -= 1;
        pacing.note({ kind: 'found' }, 1);
      };
      const beside = [pacing.runBeside(task), pacing.runBeside(task)];
      const all = pacing.forEach(Array.from({ length: 100 }), task);
      beside.push(pacing.runBeside(task));
      await time.pass(Number.POSITIVE_INFINITY);
      await Promise.all([all, ...beside]);
      expect(most).toBeLessThanOrEqual(ceiling);
      expect(most).toBeGreaterThanOrEqual(Math.min(2, ceiling));
    },
  );

  test('runs queued tasks even if a task that bypassed the queue throws, and passes the exception to its caller', async () => {
    const { pacing } = withCeiling(1);
    const failing = pacing.runBeside(async () => Promise.reject(new Error('beside')));
    const all = pacing.forEach([1, 2, 3], async (item) => item);
    await expect(failing).rejects.toThrow('beside');
    expect(await all).toEqual([1, 2, 3]);
  });

  const timeout = new DOMException('late', 'TimeoutError');

  test.each<Answer>([
    { kind: 'slow_down' },
    { kind: 'unavailable', retryAfter: '1' },
    { kind: 'lost', error: timeout },
  ])(
    'halves its concurrency if the service asks the client to wait or a request times out: $kind',
    async (answer) => {
      const { pacing } = withCeiling(8);
      pacing.note(answer, 1);
      expect(pacing.pace().limit).toBe(4);
    },
  );

  test('halves its concurrency once for all requests under way at the time, and never below one', () => {
    const { pacing } = withCeiling(8);
    const limits = Array.from({ length: 16 }, () => {
      pacing.note({ kind: 'unavailable' }, 1);
      return pacing.pace().limit;
    });
    expect(limits).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1]);
  });

  test('adds one to its concurrency with twenty good answers in a row, up to the limit', () => {
    const { pacing } = withCeiling(4);
    const after = (count: number): number => {
      for (let answer = 0; answer < count; answer += 1) pacing.note({ kind: 'found' }, 1);
      return pacing.pace().limit;
    };
    pacing.note({ kind: 'slow_down' }, 1);
    expect(after(19)).toBe(2);
    pacing.note({ kind: 'failure' }, 1);
    expect([after(19), after(1), after(19), after(1), after(40)]).toEqual([2, 3, 3, 4, 4]);
  });

  test.each<[string, Answer]>([
    ['a failure', { kind: 'failure', retryAfter: '1' }],
    ['refused fields', { kind: 'fields_refused' }],
    ['a reset', { kind: 'lost', error: new Error('reset') }],
    ['a lost answer', { kind: 'lost' }],
    ['a time-out before anything was sent', { kind: 'unreachable_for_now', error: timeout }],
  ])('keeps its concurrency after %s', async (_, answer) => {
    const { pacing } = withCeiling(8);
    pacing.note(answer, 1);
    expect(pacing.pace().limit).toBe(8);
  });

  test('runs every item of each list once', async () => {
    for (const concurrency of [1, 3, 8]) {
      const pacing = createPacing({ concurrency, clock: virtualClock(now), random: () => 0 });
      for (const length of [0, 1, 5, 40]) {
        const items = Array.from({ length }, (_, index) => index);
        const doubled = await pacing.forEach(items, async (item) => {
          pacing.note({ kind: 'found' }, 1);
          return item * 2;
        });
        expect(doubled).toEqual(items.map((item) => item * 2));
      }
    }
  });

  test('uses the lower concurrency as soon as the task that caused it has ended', async () => {
    const { pacing } = withCeiling(8);
    const told: string[] = [];
    const gates = Array.from({ length: 12 }, () => gate());
    const all = pacing.forEach(gates, async ({ opened }) => {
      told.push('begins');
      await opened;
      pacing.note({ kind: 'slow_down' }, 1);
    });
    await nextTurn();
    expect(told).toHaveLength(8);
    // One request to wait halves the limit of 8. So five tasks have to end before another one starts.
    for (const { open } of gates.slice(0, 4)) open();
    await nextTurn();
    expect(told).toHaveLength(8);
    gates[4]?.open();
    await nextTurn();
    expect(told).toHaveLength(9);
    for (const { open } of gates) open();
    await all;
    expect(told).toHaveLength(12);
  });

  test('starts no more tasks after an exception, and rejects with the exception', async () => {
    const pacing = createPacing({ concurrency: 2, clock: virtualClock(now), random: () => 0 });
    const begun: number[] = [];
    const failing = pacing.forEach([1, 2, 3], async (item) => {
      begun.push(item);
      if (item === 2) throw new Error('two');
    });
    await expect(failing).rejects.toThrow('two');
    await nextTurn();
    expect(begun).toEqual([1, 2]);
  });
});

/** A promise, and the function that resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const found: Answer = { kind: 'found', status: 200 };
const silence: Answer = { kind: 'lost', error: new DOMException('too late', 'TimeoutError') };

test('only time-outs in a row end a run', async () => {
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  pacing.endAfterTimeouts(2);
  for (const answer of [silence, found, silence]) pacing.note(answer, 1);
  expect(await pacing.waitForTurn()).toBe(true);
  pacing.note(silence, 1);
  expect(await pacing.waitForTurn()).toBe(false);
});

test.each<[string, readonly Answer[], mayGoOn: readonly boolean[], asked: number]>([
  ['answers', Array.from({ length: 5 }, () => found), [true, true, true, false, false], 3],
  ['does not answer, and is not asked again', [silence, found], [false, false], 1],
])(
  'after time-outs, a run goes on up to three times if the service %s',
  async (_, answers, mayGoOn, asked) => {
    const left = [...answers];
    const outagePolicy = { waitMs: 0, fromTheStart: false, ask: async () => left.shift() ?? silence };
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0, outagePolicy });
    pacing.endAfterTimeouts(2);
    const seen: boolean[] = [];
    for (let round = 0; round < mayGoOn.length; round += 1) {
      for (const attempt of [1, 2]) pacing.note(silence, attempt);
      expect(await pacing.waitForTurn()).toBe(false);
      await pacing.resumeIfAnswered();
      seen.push(await pacing.waitForTurn());
    }
    expect([seen, answers.length - left.length]).toEqual([mayGoOn, asked]);
  },
);
