import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/service/answer.ts';
import { Outage, type OutageEvent, type OutagePolicy } from '../../src/service/outage.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const refused: Answer = { kind: 'unreachable_for_now', error: new Error('connect ECONNREFUSED') };
const refusedAtFormerPath: Answer = { ...refused, wasAnsweredBefore: true };
const badGateway: Answer = { kind: 'failure', status: 502 };
const unavailable: Answer = { kind: 'unavailable', status: 503, retryAfter: '5' };
const dropped: Answer = { kind: 'lost', error: new Error('reset') };
const late: Answer = { kind: 'lost', error: new DOMException('late', 'TimeoutError') };
const notFound: Answer = { kind: 'not_found', status: 404 };

interface Watched {
  readonly outage: Outage;
  readonly clock: VirtualClock;
  readonly news: OutageEvent[];
  /** The number of checks whether the service is back. */
  readonly asked: () => number;
}

/** An outage in which the service gives these answers in turn, and repeats the last one. */
function outage(
  answers: readonly [Answer, ...Answer[]],
  patience: Partial<OutagePolicy> = {},
  signal?: AbortSignal,
): Watched {
  const clock = virtualClock();
  const news: OutageEvent[] = [];
  let asked = 0;
  const ask = async (): Promise<Answer> => {
    asked += 1;
    return answers[Math.min(asked, answers.length) - 1] ?? answers[0];
  };
  return {
    clock,
    news,
    asked: () => asked,
    outage: new Outage(
      { waitMs: 60_000, fromTheStart: false, ask, onNews: (event) => news.push(event), ...patience },
      {
        clock,
        random: () => 1,
        signal,
        waitForPause: async () => true,
        pauseFor: () => {},
      },
    ),
  };
}

describe('the client waits for a service', () => {
  test.each([
    ['a refused connection, once it has answered', [notFound, refused]],
    ['a refused connection at a former path, once another path was answered', [refusedAtFormerPath]],
    ['a 502 of its proxy', [badGateway]],
    ['a 503', [unavailable]],
    ['two dropped connections in a row, once it has answered', [notFound, dropped, dropped]],
  ] as const)('after %s', async (_, answers) => {
    const { outage: watched, asked } = outage([refused, notFound]);
    for (const answer of answers) watched.note(answer);
    expect(await watched.wait()).toBe('back');
    expect(asked()).toBe(2);
    expect(watched.isOver).toBe(true);
    expect(watched.endedOutages).toBe(1);
  });

  test('that has not answered yet, if --wait is given', async () => {
    const { outage: watched } = outage([refused, notFound], { fromTheStart: true });
    watched.note(refused);
    expect(await watched.wait()).toBe('back');
  });
});

describe('the client does not wait for a service', () => {
  test.each([
    ['that has not answered yet and refuses', [refused], {}],
    ['that drops one connection', [notFound, dropped], {}],
    ['that drops two, with an answer in between', [notFound, dropped, notFound, dropped], {}],
    ['that takes too long', [notFound, late, late], {}],
    [
      'that fails',
      [
        { kind: 'failure', status: 500 },
        { kind: 'failure', status: 504 },
      ],
      {},
    ],
    ['that cannot be reached at all', [notFound, { kind: 'unreachable', error: new Error('no host') }], {}],
    ['with a waiting time of 0', [notFound, refused, badGateway, unavailable], { waitMs: 0 }],
  ] as const)('%s', async (_, answers, patience) => {
    const { outage: watched, asked } = outage([refused], patience);
    for (const answer of answers) watched.note(answer);
    expect(await watched.wait()).toBe('there');
    expect(asked()).toBe(0);
  });

  test('that answers the first check, and reports no outage', async () => {
    const { outage: watched, news } = outage([notFound]);
    watched.note(badGateway);
    expect(await watched.wait()).toBe('there');
    expect({ news, outlasted: watched.endedOutages }).toEqual({ news: [], outlasted: 0 });
  });
});

describe('during an outage', () => {
  test('only one worker sends checks: at once, after 0.25 s, then less often', async () => {
    const { outage: watched, asked, clock } = outage([refused, dropped, late, badGateway, refused, notFound]);
    watched.note(notFound);
    watched.note(refused);
    expect(await Promise.all([watched.wait(), watched.wait(), watched.wait()])).toEqual([
      'back',
      'back',
      'back',
    ]);
    expect(asked()).toBe(6);
    expect(clock.sleeps).toEqual([250, 500, 1000, 2000, 2000]);
  });

  test('the start and end of the wait are reported', async () => {
    const { outage: watched, news } = outage([refused, refused, notFound]);
    watched.note(badGateway);
    await watched.wait();
    expect(news).toEqual([
      { kind: 'away', answer: badGateway, waitMs: 60_000 },
      { kind: 'back', waitedMs: 750 },
    ]);
  });

  test('the wait ends after the set time and one more check', async () => {
    const { outage: watched, news, clock, asked } = outage([refused]);
    const startedAt = clock.now();
    watched.note(badGateway);
    expect(await watched.wait()).toBe('gone');
    expect(clock.now() - startedAt).toBe(60_000);
    expect(watched.waitedMs).toBe(60_000);
    expect(news.at(-1)).toEqual({ kind: 'gone', waitedMs: 60_000 });
    const before = asked();
    expect(await watched.wait()).toBe('gone');
    expect(asked()).toBe(before);
  });

  test('the full waiting time is available, however long earlier outages lasted', async () => {
    const { outage: watched, clock } = outage([refused, notFound, refused, notFound], { waitMs: 300 });
    for (let time = 0; time < 2; time += 1) {
      watched.note(badGateway);
      expect(await watched.wait()).toBe('back');
      await clock.sleep(10_000);
    }
    expect(watched.endedOutages).toBe(2);
  });

  test('the waiting time is counted from the beginning of the wait, not from the last answer', async () => {
    const { outage: watched, clock } = outage([refused, notFound], { waitMs: 300 });
    watched.note(badGateway);
    await clock.sleep(3_600_000); // a person reviews the plan
    expect(await watched.wait()).toBe('back');
  });

  test('an interruption ends the wait at once, and no further wait begins', async () => {
    const interruption = new AbortController();
    const ask = async (): Promise<Answer> => {
      interruption.abort('SIGINT');
      return refused;
    };
    const { outage: watched, clock, news } = outage([refused], { ask }, interruption.signal);
    watched.note(badGateway);
    expect(await watched.wait()).toBe('gone');
    expect(await watched.wait()).toBe('gone');
    expect({ sleeps: clock.sleeps, news, waitedMs: watched.waitedMs }).toEqual({
      sleeps: [],
      news: [],
      waitedMs: undefined,
    });
  });

  test('nothing is requested after an interruption', async () => {
    const interruption = new AbortController();
    const { outage: watched, asked } = outage([refused], {}, interruption.signal);
    watched.note(badGateway);
    interruption.abort('SIGINT');
    expect(await watched.wait()).toBe('gone');
    expect(asked()).toBe(0);
  });

  test('an interruption just before the end of the wait has an effect too', async () => {
    const interruption = new AbortController();
    let asked = 0;
    const patience: Partial<OutagePolicy> = {
      ask: async () => ((asked += 1) === 1 ? refused : notFound),
      onNews: ({ kind }) => {
        if (kind === 'back') interruption.abort('SIGINT');
      },
    };
    const { outage: watched } = outage([refused], patience, interruption.signal);
    watched.note(badGateway);
    expect(await watched.wait()).toBe('gone');
  });

  test('the wait ends exactly when the run is interrupted', async () => {
    const time = new VirtualTime();
    const interruption = new AbortController();
    const startedAt = time.now();
    const watched = new Outage(
      { waitMs: 60_000, fromTheStart: false, ask: async () => refused },
      {
        clock: time.clock(() => false),
        random: () => 1,
        signal: interruption.signal,
        waitForPause: async () => true,
        pauseFor: () => {},
      },
    );
    watched.note(badGateway);
    const waited = watched.wait().then((what) => ({ what, after: time.now() - startedAt }));
    time.after(7000, () => interruption.abort('SIGINT'));
    await time.pass(Number.POSITIVE_INFINITY);
    expect(await waited).toEqual({ what: 'gone', after: 7000 });
  });
});

describe('pacing during an outage', () => {
  function again(
    pacing: Pacing,
    attempt: number,
    most: number,
    ignoresOutages: boolean,
  ): Promise<number | undefined> {
    return pacing.again({ attempt, most, ignoresOutages, answer: badGateway });
  }

  function pacingThat(
    ask: () => Answer,
    patience: Partial<OutagePolicy> = {},
  ): { pacing: Pacing; clock: VirtualClock } {
    const clock = virtualClock();
    const pacing = createPacing({
      concurrency: 8,
      clock,
      random: () => 1,
      outagePolicy: { waitMs: 60_000, fromTheStart: false, ask: async () => ask(), ...patience },
    });
    return { pacing, clock };
  }

  function comingBackAfter(failures: number): () => Answer {
    let asked = 0;
    return () => ((asked += 1) > failures ? notFound : refused);
  }

  test('sends nothing until the service is back', async () => {
    const { pacing, clock } = pacingThat(comingBackAfter(3));
    pacing.note(badGateway, 1);
    expect(await pacing.waitForTurn()).toBe(true);
    expect(clock.sleeps).toEqual([250, 500, 1000]);
  });

  test('sends nothing more if the service does not come back', async () => {
    const { pacing } = pacingThat(() => refused);
    pacing.note(badGateway, 1);
    expect(await pacing.waitForTurn()).toBe(false);
    expect(await again(pacing, 1, 5, true)).toBeUndefined();
    expect(pacing.outage.waitedMs).toBe(60_000);
  });

  test('checks no earlier than the service allows, even if that is later than --wait', async () => {
    let asked = 0;
    const { pacing, clock } = pacingThat(() => ((asked += 1) === 1 ? unavailable : notFound), {
      waitMs: 7000,
    });
    pacing.note(unavailable, 1);
    expect(await pacing.waitForTurn()).toBe(true);
    // The service asks clients twice to wait for 5 s.
    expect(clock.sleeps).toEqual([5000, 250, 4750]);
  });

  test('does not report the start of a wait if the service has asked for a longer pause than --wait', async () => {
    const news: OutageEvent[] = [];
    const { pacing, clock } = pacingThat(() => unavailable, {
      waitMs: 3000,
      onNews: (event) => news.push(event),
    });
    pacing.note(unavailable, 1);
    expect(await pacing.waitForTurn()).toBe(false);
    expect(clock.sleeps).toEqual([5000]);
    expect(news).toEqual([{ kind: 'gone', waitedMs: 5000 }]);
  });

  test('observes a pause that the service asks for when the outage ends', async () => {
    const { pacing, clock } = pacingThat(() => ({ kind: 'slow_down', status: 429, retryAfter: '7' }));
    pacing.note(badGateway, 1);
    expect(await pacing.waitForTurn()).toBe(true);
    expect(clock.sleeps).toEqual([7000]);
  });

  test('ends the run if the service asks for too long a pause', async () => {
    const { pacing, clock } = pacingThat(() => notFound);
    pacing.note({ ...unavailable, retryAfter: '3600' }, 1);
    expect(await pacing.waitForTurn()).toBe(false);
    expect(clock.sleeps).toEqual([]);
    expect(pacing.outage.waitedMs).toBeUndefined();
  });

  test('does not count a request during an outage as a try unless the request may have had an effect', async () => {
    const { pacing } = pacingThat(comingBackAfter(1));
    pacing.note(badGateway, 1);
    expect(await Promise.all([again(pacing, 3, 3, true), again(pacing, 2, 3, false)])).toEqual([3, 3]);
    expect(pacing.pace().retries).toBe(0);
    pacing.note(badGateway, 1);
    expect(await again(pacing, 3, 3, false)).toBeUndefined();
  });

  test('counts a failed request as a try if there was no outage', async () => {
    const { pacing } = pacingThat(() => notFound);
    pacing.note(notFound, 1);
    pacing.note(refused, 1);
    expect(await again(pacing, 1, 3, true)).toBe(2);
    pacing.note(refused, 3);
    expect(await again(pacing, 3, 3, true)).toBeUndefined();
  });

  test('allows one more retry after each outage for each request that can be under way', async () => {
    const { pacing } = pacingThat(comingBackAfter(1));
    const granted = async (): Promise<number> => {
      let count = 0;
      while ((await again(pacing, 1, 2, false)) !== undefined) count += 1;
      return count;
    };
    expect(await granted()).toBe(20);
    pacing.note(badGateway, 1);
    expect(await pacing.waitForTurn()).toBe(true);
    expect(await granted()).toBe(9); // each request adds half a retry
  });

  test('waits for a service that becomes unreachable during a pause', async () => {
    const time = new VirtualTime();
    let asked = 0;
    const pacing = createPacing({
      concurrency: 2,
      clock: time.clock(() => false),
      random: () => 1,
      outagePolicy: {
        waitMs: 60_000,
        fromTheStart: false,
        ask: async () => ((asked += 1) > 2 ? notFound : refused),
      },
    });
    pacing.note({ kind: 'slow_down', status: 429, retryAfter: '5' }, 1);
    const startedAt = time.now();
    const turn = pacing.waitForTurn().then((may) => ({ may, after: time.now() - startedAt }));
    time.after(1000, () => pacing.note(refused, 1));
    await time.pass(Number.POSITIVE_INFINITY);
    expect(await turn).toEqual({ may: true, after: 5750 });
  });
});
