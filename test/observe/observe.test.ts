import { describe, expect, test } from 'vitest';
import { documentedClient } from '../support/documented-client.ts';
import { observe, type ObserveResult } from '../../src/observe/observe.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { answerRows } from '../support/answers.ts';
import { desired } from '../support/desired.ts';
import { countingTransport } from '../support/pool.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const absent = answered(404, { detail: 'Not found.' });

const entitlement = `version: 1
applications: [{ slug: a, name: A }]
entitlements: [{ app: { slug: a }, name: reader }]
`;
const endpoint = `version: 1
providers: [{ name: p, type: rac, authorization_flow: { slug: f } }]
rac_endpoints: [{ provider: { name: p }, name: e, protocol: ssh, host: h }]
`;

function applications(...slugs: string[]): ReturnType<typeof desired> {
  const entries = slugs.map((slug) => ({ slug, name: slug }));
  return desired(JSON.stringify({ version: 1, applications: entries }));
}

async function observing(
  count: number,
  answer: (request: HttpRequest) => Exchange,
  concurrency = 4,
  signal?: AbortSignal,
  users = '',
): Promise<{ result: ObserveResult; requests: number; mostAtOnce: number }> {
  const entries = Array.from({ length: count }, (_, index) => `  - { slug: app-${index}, name: A }`);
  const resources = await desired(`version: 1\napplications:\n${entries.join('\n')}\n${users}`);
  const transport = countingTransport(answer);
  const result = await observe(resources, {
    client: documentedClient(transport.send),
    pacing: createPacing({ concurrency, clock: virtualClock(), random: () => 0, ...(signal && { signal }) }),
    ...(signal && { signal }),
  });
  return { result, requests: transport.requests.length, mostAtOnce: transport.mostAtOnce() };
}

describe('the look-ups of a plan', () => {
  test('request every application once, and no user', async () => {
    const { result, requests } = await observing(
      20,
      () => absent,
      4,
      undefined,
      'users: [{ username: u }]\n',
    );
    expect(requests).toBe(20);
    expect(result.kind === 'observed' && result.observed.get('application.app-7')).toEqual({
      presence: 'absent',
    });
    expect(result.kind === 'observed' && result.observed.get('user.u')).toMatchObject({
      presence: 'unknown',
      unread: { answer: { kind: 'not_offered' } },
    });
  });

  test.each([1, 3, 7])('send %i requests at a time', async (concurrency) => {
    expect((await observing(40, () => absent, concurrency)).mostAtOnce).toBeLessThanOrEqual(concurrency);
  });

  test('are tried up to five times if the answers prove nothing, without a wait after the last try', async () => {
    const clock = virtualClock();
    const transport = countingTransport(() => answered(502));
    const result = await observe(await applications('a'), {
      client: documentedClient(transport.send),
      pacing: createPacing({ concurrency: 1, clock, random: () => 1 }),
    });
    expect(transport.requests).toHaveLength(5);
    expect(clock.sleeps).toEqual([200, 400, 800, 1600]);
    expect(result).toMatchObject({ kind: 'failed', notRead: 0, failures: [{ proof: 'nothing' }] });
  });

  test('report failures in the order of names, not of answers', async () => {
    const clock = virtualClock();
    const lateness: Readonly<Record<string, number>> = { a: 9, b: 3, c: 6, d: 1 };
    const result = await observe(await applications('a', 'b', 'c', 'd'), {
      client: new Client(async ({ path }) => {
        const slug = path.split('/').at(-2) ?? '';
        for (let turn = 0; turn < (lateness[slug] ?? 0); turn += 1)
          await new Promise((resolve) => setImmediate(resolve));
        return slug === 'd' ? absent : answered(418);
      }),
      pacing: {
        ...createPacing({ concurrency: 4, clock, random: () => 0 }),
        forEach: (items, task) => Promise.all(items.map(task)), // all tasks start at once
      },
    });
    expect(result.kind === 'failed' && result.failures.map(({ resource }) => resource.name)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('report after each application how many have been read', async () => {
    const reads: [number, number][] = [];
    await observe(await applications('a', 'b'), {
      client: new Client(async () => absent),
      pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
      onRead: (done, total) => reads.push([done, total]),
    });
    expect(reads).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test('count the resources inside other resources from the start', async () => {
    const reads: (readonly [number, number])[] = [];
    const inside = await desired(entitlement);
    const reading = (answer: Exchange): Promise<ObserveResult> =>
      observe(inside, {
        client: new Client(async () => answer),
        pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
        onRead: (...read) => reads.push(read),
      });
    expect(await reading(absent)).toMatchObject({ kind: 'observed' });
    expect(reads).toEqual([[1, 2]]);
    expect(await reading(answered(418))).toMatchObject({ kind: 'failed', notRead: 1 });
  });

  test('do not show that a resource is absent if they do not show whether its parent is', async () => {
    const inside = await desired(endpoint);
    const result = await observe(inside, {
      client: documentedClient(async () => absent),
      pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
    });
    expect(result.kind === 'observed' && result.observed.get('rac_endpoint.p/e')).toEqual({
      presence: 'unknown',
    });
  });

  test('include an answer that arrives at the moment of an interruption', async () => {
    const interruption = new AbortController();
    const { result } = await observing(
      1,
      () => {
        interruption.abort('SIGINT');
        return absent;
      },
      1,
      interruption.signal,
    );
    expect(result.kind).toBe('observed');
  });

  test('end if the service asks for too long a pause, and do not continue after part of the pause has passed', async () => {
    const clock = virtualClock();
    const transport = countingTransport(() => answered(429, '', { 'retry-after': '603' }));
    const result = await observe(await applications('a', 'b', 'c', 'd'), {
      client: documentedClient(transport.send),
      pacing: {
        ...createPacing({ concurrency: 1, clock, random: () => 0 }),
        forEach: async (items, task) => {
          const results = [];
          for (const item of items) {
            results.push(await task(item));
            await clock.sleep(2000); // the rest of the run goes on meanwhile
          }
          return results;
        },
      },
    });
    expect(result).toMatchObject({ kind: 'failed', notRead: 3, interrupted: false });
    expect(transport.requests).toHaveLength(1);
  });

  test('end at once if the token is denied', async () => {
    const { result, requests } = await observing(100, () => answered(403, { detail: 'no' }), 4);
    expect(requests).toBeLessThanOrEqual(4);
    expect(result).toMatchObject({ kind: 'failed', notRead: 100 - requests });
  });

  test('end after five failures in a row', async () => {
    const { result } = await observing(100, () => answered(500), 1);
    expect(result).toMatchObject({ kind: 'failed', notRead: 95 });
  });

  test('end at once after an interruption, without a failure', async () => {
    const interruption = new AbortController();
    const { result, requests } = await observing(
      100,
      () => {
        interruption.abort('SIGINT');
        return answered(502);
      },
      4,
      interruption.signal,
    );
    expect(requests).toBeLessThanOrEqual(4);
    expect(result).toEqual({ kind: 'failed', failures: [], notRead: 100, interrupted: true });
  });
});

describe('the next look-up after an answer', () => {
  test.each(answerRows.filter(({ get }) => get !== 'exists'))(
    'is sent or not, depending on the answer: $name',
    async ({ exchange, get, endsReading }) => {
      const { result } = await observing(2, () => exchange, 1);
      if (get === 'absent') expect(result.kind).toBe('observed');
      else expect(result).toMatchObject({ kind: 'failed', notRead: endsReading ? 1 : 0, interrupted: false });
    },
  );

  const silence: Exchange = { kind: 'lost', error: new DOMException('too late', 'TimeoutError') };

  test('is sent at most twice for an application, not five times, if it times out', async () => {
    const { result, requests } = await observing(1, () => silence);
    expect(requests).toBe(2);
    expect(result).toMatchObject({ kind: 'failed', failures: [{ proof: 'nothing' }] });
  });

  test('is not sent if the service is unreachable and never answered', async () => {
    const { requests } = await observing(50, () => silence, 1);
    expect(requests).toBe(2);
  });

  test('is repeated for a while if the service is unreachable but answered before', async () => {
    let asked = 0;
    const { requests } = await observing(50, () => ((asked += 1) === 1 ? absent : silence), 1);
    expect(requests).toBe(1 + 5 * 2);
  });
});
