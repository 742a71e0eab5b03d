/* oxlint-disable typescript/unbound-method -- what is broken here uses no `this` */
import { documentedClient } from '../support/documented-client.ts';
import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Client } from '../../src/service/client.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import { planOf } from '../support/plan-of.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const manifest = `version: 1
applications: [{ slug: same, name: S }, { slug: a, name: A }, { slug: b, name: B }, { slug: c, name: C }]
users: [{ username: u }, { username: v }]
`;
const existing = { same: { slug: 'same', name: 'S' } };
const thrown = new Error('nobody foresaw this');
const fails = (): never => {
  throw thrown;
};

/** The parts that applyPlan gets from outside. Each is called many times. */
interface Parts {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly clock: Clock;
  readonly onOutcome: () => void;
}

/** Applies a plan of five creates, one at a time. A part breaks from the third create, or its outcome, on. */
async function carriedOut(
  broken: (
    parts: Parts,
    from: <Values extends unknown[], Result>(
      work: (...values: Values) => Result,
    ) => (...values: Values) => Result,
  ) => Partial<Parts>,
): Promise<{ outcomes: Record<string, string>; posts: string[]; error: unknown; words: unknown[] }> {
  const posts: string[] = [];
  const send = async ({ method, body = '' }: HttpRequest) => {
    if (method === 'GET') return answered(404, { detail: 'Not found.' });
    const { slug = '', username = slug } = JSON.parse(body) as Record<string, string>;
    posts.push(username);
    // The second create is tried twice, so that waits and retries can break too.
    if (username === 'b' && posts.filter((name) => name === 'b').length < 2) return lost;
    return answered(201, { pk: 1, ...(JSON.parse(body) as object) });
  };
  const clock = virtualClock();
  const pacing = createPacing({ clock, random: () => 0, concurrency: 1 });
  const parts = {
    client: documentedClient(send),
    pacing,
    clock,
    onOutcome: () => {},
  };
  const fault = new AbortController();
  const outcomes = await applyPlan(await planOf(manifest, existing), {
    ...parts,
    ...broken(
      parts,
      (work) =>
        (...values) =>
          posts.includes('b') ? fails() : work(...values),
    ),
    fault,
  });
  return {
    outcomes: Object.fromEntries(outcomes.map(({ change, outcome }) => [change.resource.name, outcome])),
    words: outcomes.map(({ stoppedBy }) => stoppedBy),
    posts,
    error: fault.signal.reason,
  };
}

const rest = { same: 'unchanged', a: 'created', c: 'not_attempted', u: 'not_attempted', v: 'not_attempted' };

describe('an exception during an apply', () => {
  test.each<[string, Parameters<typeof carriedOut>[0]]>([
    [
      'thrown when a request is sent',
      ({ client }, from) => ({
        client: Object.assign(client, { create: from(client.create.bind(client)) }),
      }),
    ],
    [
      'that rejects a request',
      ({ client }) => {
        const create = client.create.bind(client);
        const failing: Client['create'] = async (kind, name, fields) =>
          name === 'b' ? fails() : create(kind, name, fields);
        return { client: Object.assign(client, { create: failing }) };
      },
    ],
    [
      'in a look-up',
      ({ client }, from) => ({ client: Object.assign(client, { read: from(client.read.bind(client)) }) }),
    ],
    [
      'while an answer is noted for pacing',
      ({ pacing }, from) => ({ pacing: { ...pacing, note: from(pacing.note) } }),
    ],
    [
      'in the wait for a turn',
      ({ pacing }, from) => ({ pacing: { ...pacing, waitForTurn: from(pacing.waitForTurn) } }),
    ],
    ['in the wait before a retry', ({ pacing }) => ({ pacing: { ...pacing, again: fails } })],
    ['thrown by the clock', ({ clock }, from) => ({ clock: { ...clock, now: from(clock.now) } })],
  ])('%s ends the change as unknown, and no other change starts', async (_, broken) => {
    const { outcomes, error, words } = await carriedOut(broken);
    expect(outcomes).toEqual({ ...rest, b: 'unknown' });
    expect(error).toBe(thrown);
    expect(words.filter((word) => word !== undefined)).toEqual(['error', 'error', 'error']);
  });

  test('in the onOutcome listener loses no outcome', async () => {
    const { outcomes, error } = await carriedOut(({ onOutcome }, from) => ({ onOutcome: from(onOutcome) }));
    expect(outcomes).toEqual({ ...rest, b: 'created' });
    expect(error).toBe(thrown);
  });

  test.each<[string, (pacing: Pacing) => Pacing['forEach']]>([
    ['before any start', () => async () => fails()],
    ['thrown synchronously', () => fails],
    [
      'while all creates are under way',
      () => async (items, task) => {
        for (const item of items) void task(item);
        return fails();
      },
    ],
    [
      'before it starts one more create',
      ({ forEach }) =>
        async (items, task) => {
          await forEach(items.slice(0, 2), task);
          setImmediate(() => items.slice(2, 3).map(task));
          return fails();
        },
    ],
  ])('in the work queue %s loses no outcome', async (_, forEach) => {
    const { outcomes, error, posts } = await carriedOut(({ pacing }) => ({
      pacing: { ...pacing, forEach: forEach(pacing) },
    }));
    expect(Object.keys(outcomes)).toHaveLength(6);
    const sent = Object.entries(outcomes).filter(([, outcome]) => outcome === 'created');
    expect(new Set(sent.map(([name]) => name))).toEqual(new Set(posts));
    expect(error).toBe(thrown);
  });
});
