import { describe, expect, test } from 'vitest';
import { observe, type ObserveResult } from '../../src/observe/observe.ts';
import { createClient } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { countingTransport } from '../support/pool.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const absent = answered(404, { detail: 'Not found.' });

async function observing(
  count: number,
  answer: (request: HttpRequest) => Exchange,
  concurrency = 4,
  signal?: AbortSignal,
): Promise<{ result: ObserveResult; requests: number; mostAtOnce: number }> {
  const entries = Array.from({ length: count }, (_, index) => `  - { slug: app-${index}, name: A }`);
  const resources = await desired(
    `version: 1\napplications:\n${entries.join('\n')}\nusers: [{ username: u }]\n`,
  );
  const transport = countingTransport(answer);
  const result = await observe(resources, {
    client: createClient(transport.send),
    pacing: createPacing({ concurrency, clock: virtualClock(), random: () => 0, ...(signal && { signal }) }),
    ...(signal && { signal }),
  });
  return { result, requests: transport.requests.length, mostAtOnce: transport.mostAtOnce() };
}

describe('observing', () => {
  test('looks up every application once, and no user', async () => {
    const { result, requests } = await observing(20, () => absent);
    expect(requests).toBe(20);
    expect(result.kind === 'observed' && result.observed.get('application.app-7')).toEqual({
      presence: 'absent',
    });
    expect(result.kind === 'observed' && result.observed.get('user.u')).toEqual({ presence: 'unknown' });
  });

  test.each([1, 3, 7])('has %i requests under way at a time, and no more', async (concurrency) => {
    expect((await observing(40, () => absent, concurrency)).mostAtOnce).toBeLessThanOrEqual(concurrency);
  });

  test('asks again where an answer proves nothing, five times in all', async () => {
    const { result, requests } = await observing(1, () => answered(502));
    expect(requests).toBe(5);
    expect(result).toMatchObject({ kind: 'failed', notRead: 0, failures: [{ proof: 'nothing' }] });
  });

  test('lists every failure, in the order of names', async () => {
    const { result } = await observing(12, ({ path }) => (/app-[12]\//.test(path) ? answered(500) : absent));
    expect(result.kind === 'failed' && result.failures.map(({ resource }) => resource.name)).toEqual([
      'app-1',
      'app-2',
    ]);
  });

  test('ends at once when the token is denied', async () => {
    const { result, requests } = await observing(100, () => answered(403, { detail: 'no' }), 4);
    expect(requests).toBeLessThanOrEqual(4);
    expect(result).toMatchObject({ kind: 'failed', notRead: 100 - requests });
  });

  test('ends after five failures in a row', async () => {
    const { result } = await observing(100, () => answered(500), 1);
    expect(result).toMatchObject({ kind: 'failed', notRead: 95 });
  });

  test('ends at once when it is interrupted, and blames nobody', async () => {
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
