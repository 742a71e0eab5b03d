import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/service/answer.ts';
import { Outage, type OutageNews, type OutagePolicy } from '../../src/service/outage.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const refused: Answer = { kind: 'unreachable_for_now', error: new Error('connect ECONNREFUSED') };
const badGateway: Answer = { kind: 'failure', status: 502 };
const unavailable: Answer = { kind: 'unavailable', status: 503, retryAfter: '5' };
const dropped: Answer = { kind: 'lost', error: new Error('reset') };
const late: Answer = { kind: 'lost', error: new DOMException('late', 'TimeoutError') };
const notFound: Answer = { kind: 'not_found', status: 404 };

interface Watched {
  readonly outage: Outage;
  readonly clock: VirtualClock;
  readonly news: OutageNews[];
  /** How often the service was asked whether it is back. */
  readonly asked: () => number;
}

/** An outage that answers these, one after the other and the last again and again, to whoever asks. */
function outage(
  answers: readonly [Answer, ...Answer[]],
  patience: Partial<OutagePolicy> = {},
  signal?: AbortSignal,
): Watched {
  const clock = virtualClock();
  const news: OutageNews[] = [];
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
        unpaused: async () => true,
        pauseFor: () => {},
      },
    ),
  };
}

describe('a service is waited for', () => {
  test.each([
    ['a refused connection, once it has answered', [notFound, refused]],
    ['a 502 of its front', [badGateway]],
    ['a 503', [unavailable]],
    ['two dropped connections in a row, once it has answered', [notFound, dropped, dropped]],
  ] as const)('after %s', async (_, answers) => {
    const { outage: watched, asked } = outage([refused, notFound]);
    for (const answer of answers) watched.note(answer);
    expect(await watched.wait()).toBe('back');
    expect(asked()).toBe(2);
    expect(watched.isOver).toBe(true);
    expect(watched.outlasted).toBe(1);
  });

  test('that has not answered yet, on request', async () => {
    const { outage: watched } = outage([refused, notFound], { fromTheStart: true });
    watched.note(refused);
    expect(await watched.wait()).toBe('back');
  });
});

describe('a service is not waited for', () => {
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
    ['with no patience', [notFound, refused, badGateway, unavailable], { waitMs: 0 }],
  ] as const)('%s', async (_, answers, patience) => {
    const { outage: watched, asked } = outage([refused], patience);
    for (const answer of answers) watched.note(answer);
    expect(await watched.wait()).toBe('there');
    expect(asked()).toBe(0);
  });

  test('that answers the first question: there was no outage, and no report', async () => {
    const { outage: watched, news } = outage([notFound]);
    watched.note(badGateway);
    expect(await watched.wait()).toBe('there');
    expect({ news, outlasted: watched.outlasted }).toEqual({ news: [], outlasted: 0 });
  });
});

describe('while a service is away', () => {
  test('one worker asks for all: at once, after 0.25 s, then less often', async () => {
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

  test('it waits for the set time, asks a last time, and gives up', async () => {
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

  test('each outage has the full time', async () => {
    const { outage: watched, clock } = outage([refused, notFound, refused, notFound], { waitMs: 300 });
    for (let time = 0; time < 2; time += 1) {
      watched.note(badGateway);
      expect(await watched.wait()).toBe('back');
      await clock.sleep(10_000);
    }
    expect(watched.outlasted).toBe(2);
  });

  test('the time begins with the waiting, however long ago the service was heard of', async () => {
    const { outage: watched, clock } = outage([refused, notFound], { waitMs: 300 });
    watched.note(badGateway);
    await clock.sleep(3_600_000); // a person thinks the plan over
    expect(await watched.wait()).toBe('back');
  });

  test('an interruption ends the waiting at once, and no more waiting begins', async () => {
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

  test('an interruption counts in the last moment, too', async () => {
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

  test('the wait ends with an interruption', async () => {
    const time = new VirtualTime();
    const interruption = new AbortController();
    const startedAt = time.now();
    const watched = new Outage(
      { waitMs: 60_000, fromTheStart: false, ask: async () => refused },
      {
        clock: time.clock(() => false),
        random: () => 1,
        signal: interruption.signal,
        unpaused: async () => true,
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

describe('pacing in an outage', () => {
  function again(
    pacing: Pacing,
    attempt: number,
    most: number,
    isFree: boolean,
  ): Promise<number | undefined> {
    return pacing.again({ attempt, most, isFree, answer: badGateway });
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
      patience: { waitMs: 60_000, fromTheStart: false, ask: async () => ask(), ...patience },
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
    expect(await pacing.turn()).toBe(true);
    expect(clock.sleeps).toEqual([250, 500, 1000]);
  });

  test('sends nothing more if it does not come back', async () => {
    const { pacing } = pacingThat(() => refused);
    pacing.note(badGateway, 1);
    expect(await pacing.turn()).toBe(false);
    expect(await again(pacing, 1, 5, true)).toBeUndefined();
    expect(pacing.outage.waitedMs).toBe(60_000);
  });

  test('asks only when the service allows it, which may be later than --wait says', async () => {
    let asked = 0;
    const { pacing, clock } = pacingThat(() => ((asked += 1) === 1 ? unavailable : notFound), {
      waitMs: 7000,
    });
    pacing.note(unavailable, 1);
    expect(await pacing.turn()).toBe(true);
    // Told to wait 5 s, and once more.
    expect(clock.sleeps).toEqual([5000, 250, 4750]);
  });

  test('does not say that it waits where the service has asked for longer than that', async () => {
    const news: OutageNews[] = [];
    const { pacing, clock } = pacingThat(() => unavailable, {
      waitMs: 3000,
      onNews: (event) => news.push(event),
    });
    pacing.note(unavailable, 1);
    expect(await pacing.turn()).toBe(false);
    expect(clock.sleeps).toEqual([5000]);
    expect(news).toEqual([{ kind: 'gone', waitedMs: 5000 }]);
  });

  test('keeps the pause that the service asks for when it is back', async () => {
    const { pacing, clock } = pacingThat(() => ({ kind: 'slow_down', status: 429, retryAfter: '7' }));
    pacing.note(badGateway, 1);
    expect(await pacing.turn()).toBe(true);
    expect(clock.sleeps).toEqual([7000]);
  });

  test('lets too long a pause end the run', async () => {
    const { pacing, clock } = pacingThat(() => notFound);
    pacing.note({ ...unavailable, retryAfter: '3600' }, 1);
    expect(await pacing.turn()).toBe(false);
    expect(clock.sleeps).toEqual([]);
    expect(pacing.outage.waitedMs).toBeUndefined();
  });

  test('counts a try that met an outage for nothing, and one that may have been acted upon for one', async () => {
    const { pacing } = pacingThat(comingBackAfter(1));
    pacing.note(badGateway, 1);
    expect(await Promise.all([again(pacing, 3, 3, true), again(pacing, 2, 3, false)])).toEqual([3, 3]);
    expect(pacing.pace().retries).toBe(0);
    pacing.note(badGateway, 1);
    expect(await again(pacing, 3, 3, false)).toBeUndefined();
  });

  test('counts a try where the service was there after all', async () => {
    const { pacing } = pacingThat(() => notFound);
    pacing.note(notFound, 1);
    pacing.note(refused, 1);
    expect(await again(pacing, 1, 3, true)).toBe(2);
    pacing.note(refused, 3);
    expect(await again(pacing, 3, 3, true)).toBeUndefined();
  });

  test('grants as many retries more for each outage as can be under way', async () => {
    const { pacing } = pacingThat(comingBackAfter(1));
    const granted = async (): Promise<number> => {
      let count = 0;
      while ((await again(pacing, 1, 2, false)) !== undefined) count += 1;
      return count;
    };
    expect(await granted()).toBe(20);
    pacing.note(badGateway, 1);
    expect(await pacing.turn()).toBe(true);
    expect(await granted()).toBe(9); // and half a one for the request
  });

  test('waits for a service that goes away while a pause is kept', async () => {
    const time = new VirtualTime();
    let asked = 0;
    const pacing = createPacing({
      concurrency: 2,
      clock: time.clock(() => false),
      random: () => 1,
      patience: {
        waitMs: 60_000,
        fromTheStart: false,
        ask: async () => ((asked += 1) > 2 ? notFound : refused),
      },
    });
    pacing.note({ kind: 'slow_down', status: 429, retryAfter: '5' }, 1);
    const startedAt = time.now();
    const turn = pacing.turn().then((may) => ({ may, after: time.now() - startedAt }));
    time.after(1000, () => pacing.note(refused, 1));
    await time.pass(Number.POSITIVE_INFINITY);
    expect(await turn).toEqual({ may: true, after: 5750 });
  });
});
