import { describe, expect, test } from 'vitest';
import { documentedClient } from '../support/documented-client.ts';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { Outcome } from '../../src/apply/outcome.ts';
import { observe } from '../../src/observe/observe.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { ReadyChange } from '../../src/plan/plan.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { countingTransport } from '../support/pool.ts';
import { planOf, type Existing } from '../support/plan-of.ts';
import { answered, lost, refused } from '../support/scripted-transport.ts';
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const absent = answered(404, { detail: 'Not found.' });

function created({ body = '{}' }: HttpRequest): Exchange {
  return answered(201, { pk: 1, ...(JSON.parse(body) as object) });
}

interface Applied {
  readonly outcomes: Outcome[];
  readonly posts: string[];
  readonly mostAtOnce: number;
  readonly counts: Record<string, number>;
}

/** Applies a plan of absent applications and as many users, on a service that answers every POST in this way. */
async function applying(
  each: number,
  post: (request: HttpRequest) => Exchange,
  concurrency = 4,
): Promise<Applied> {
  const numbers = Array.from({ length: each }, (_, index) => index);
  const resources = await desired(
    JSON.stringify({
      version: 1,
      applications: numbers.map((number) => ({ slug: `a${number}`, name: 'A' })),
      users: numbers.map((number) => ({ username: `u${number}` })),
    }),
  );
  const clock = virtualClock();
  const pacing = createPacing({ clock, random: () => 0, concurrency });
  const looking = documentedClient(async () => absent);
  const result = await observe(resources, { client: looking, pacing });
  if (result.kind !== 'observed') throw new Error('nothing was observed');
  const plan = makePlan(resources, result.observed, {
    toolVersion: '0',
    createdAt: new Date(0),
    permission: 'none',
    service: 'https://s',
  });
  const transport = countingTransport((request) => (request.method === 'GET' ? absent : post(request)));
  const seen: Outcome[] = [];
  const outcomes = await applyPlan(plan, {
    client: documentedClient(transport.send),
    pacing,
    clock,
    onOutcome: (outcome) => seen.push(outcome),
  });
  expect(outcomes.map(({ change }) => change)).toEqual(plan.changes);
  expect(new Set(seen)).toEqual(new Set(outcomes));
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const posts = transport.requests.filter(({ method }) => method === 'POST').map(({ body = '' }) => body);
  return { outcomes, posts, mostAtOnce: transport.mostAtOnce(), counts };
}

describe('applying a plan', () => {
  test.each([1, 3, 7])('creates at most %i resources at a time, each once', async (concurrency) => {
    const { counts, posts, mostAtOnce } = await applying(20, created, concurrency);
    expect(counts).toEqual({ created: 40 });
    expect(new Set(posts).size).toBe(40);
    expect(posts).toHaveLength(40);
    expect(mostAtOnce).toBeLessThanOrEqual(concurrency);
  });

  test('stops the run after five creates in a row with an unknown result', async () => {
    const { counts } = await applying(20, () => lost, 1);
    expect(counts).toEqual({ unknown: 5, not_attempted: 35 });
  });

  test('stops the run after five creates in a row that could not be sent', async () => {
    const { posts } = await applying(10, () => refused, 1);
    expect(posts).toHaveLength(5 * 3);
  });

  test('continues if unknown results are not in a row', async () => {
    let posts = 0;
    const { counts } = await applying(10, (request) => ((posts += 1) % 4 === 0 ? created(request) : lost), 1);
    expect((counts['unknown'] ?? 0) + (counts['created'] ?? 0)).toBe(20);
  });

  test('stops the run when the service asks for too long a pause', async () => {
    const { counts, posts } = await applying(20, () => answered(429, '', { 'retry-after': '3600' }), 4);
    expect(counts).toEqual({ not_attempted: 40 });
    expect(posts.length).toBeLessThanOrEqual(4);
  });
});

/** Starts a batch of tasks at once, and the rest one after the other. */
function beginningWith(atOnce: number): Pacing['forEach'] {
  return async (items, task) => {
    const results = await Promise.all(items.slice(0, atOnce).map(task));
    for (const item of items.slice(atOnce)) results.push(await task(item));
    return results;
  };
}

/** Applies the plan of a manifest, with a number of changes at a time, by default all. There is no listener for outcomes. */
async function carryOut(
  manifest: string,
  existing: Existing,
  transport: Transport,
  {
    env,
    clock = virtualClock(),
    atATime = Infinity,
  }: { env?: Record<string, string>; clock?: VirtualClock; atATime?: number } = {},
): Promise<Outcome[]> {
  const plan = await planOf(manifest, existing, env);
  const pacing: Pacing = {
    ...createPacing({ clock, random: () => 0, concurrency: 4 }),
    forEach: async (items, task) => {
      const results = [];
      for (let first = 0; first < items.length; first += atATime)
        results.push(...(await Promise.all(items.slice(first, first + atATime).map(task))));
      return results;
    },
  };
  return applyPlan(plan, { client: documentedClient(transport), pacing, clock });
}

describe('the outcomes of a plan', () => {
  test('show which resources are unchanged and which ones differ, and no request is sent for any of them', async () => {
    const manifest = 'version: 1\napplications: [{ slug: a, name: A }, { slug: b, name: B }]\n';
    const outcomes = await carryOut(
      manifest,
      { a: { slug: 'a', name: 'A' }, b: { slug: 'b', name: 'X' } },
      async () => {
        throw new Error('nothing is to be sent');
      },
    );
    expect(outcomes.map(({ outcome, differences }) => ({ outcome, differences }))).toEqual([
      { outcome: 'unchanged', differences: undefined },
      { outcome: 'differs', differences: [{ field: 'name', declared: 'B', observed: 'X' }] },
    ]);
    expect(outcomes.every(({ attempts, durationMs }) => attempts === 0 && durationMs === 0)).toBe(true);
  });

  test("contain the service's messages with secrets redacted", async () => {
    const manifest = 'version: 1\nusers: [{ username: u, attributes: { key: "${env:KEY}" } }]\n';
    const said = answered(400, { attributes: ['hunter22 is no key'] });
    const outcomes = await carryOut(manifest, {}, async () => said, { env: { KEY: 'hunter22' } });
    expect(outcomes).toMatchObject([
      { outcome: 'rejected', answer: { status: 400, body: { attributes: ['(sensitive) is no key'] } } },
    ]);
  });

  test('report how long each change took, including its waiting time', async () => {
    const clock = virtualClock();
    const outcomes = await carryOut(
      'version: 1\nusers: [{ username: u }]\n',
      {},
      async (request) => {
        await clock.sleep(150);
        return created(request);
      },
      { clock },
    );
    expect(outcomes).toMatchObject([{ outcome: 'created', durationMs: 150 }]);
  });
});

describe('unknown results caused by an outage', () => {
  const badGateway = answered(502, 'Bad Gateway');

  /** Creates users: a batch at once, and the rest one after the other. Every 502 is a short outage. */
  async function through(
    total: number,
    atOnce: number,
    post: (name: string) => Exchange | undefined,
  ): Promise<Record<string, number>> {
    const names = Array.from({ length: total }, (_, index) => `u${index}`);
    const manifest = `version: 1\nusers: [${names.map((name) => `{ username: ${name}, name: U }`).join(', ')}]\n`;
    const plan = await planOf(manifest);
    const clock = virtualClock();
    let asked = 0;
    const pacing: Pacing = {
      ...createPacing({
        clock,
        random: () => 0,
        concurrency: 8,
        outagePolicy: {
          waitMs: 60_000,
          fromTheStart: false,
          ask: async () =>
            (asked += 1) % 2 === 1 ? { kind: 'failure', status: 502 } : { kind: 'not_found', status: 404 },
        },
      }),
      forEach: beginningWith(atOnce),
    };
    const send: Transport = async (request) => {
      const { username } = JSON.parse(request.body ?? '{}') as { username: string }; // a create of a user
      return post(username) ?? created(request);
    };
    const outcomes = await applyPlan(plan, {
      client: documentedClient(send),
      pacing,
      clock,
    });
    const counts: Record<string, number> = {};
    for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  }

  test('count as one result if the same outage caused them, and other requests continue', async () => {
    const underWay = new Set(['u0', 'u1', 'u2', 'u3', 'u4', 'u5']);
    const counts = await through(10, 6, (name) => (underWay.has(name) ? badGateway : undefined));
    expect(counts).toEqual({ unknown: 6, created: 4 });
  });

  test('end the run if every create takes the service down', async () => {
    expect(await through(10, 1, () => badGateway)).toEqual({ unknown: 5, not_attempted: 5 });
  });

  test('do not count if a look-up after the outage finds the record', async () => {
    const posts = new Map<string, number>();
    const counts = await through(20, 1, (name) => {
      posts.set(name, (posts.get(name) ?? 0) + 1);
      return posts.get(name) === 1 ? badGateway : undefined;
    });
    expect(counts).toEqual({ created: 20 });
  });
});

test('a resource that was started but not sent is reported with the reason why the run stopped', async () => {
  const manifest = 'version: 1\nusers: [{ username: u, name: U }]\n';
  const clock = virtualClock();
  const pacing = createPacing({ clock, random: () => 0, concurrency: 1 });
  pacing.note({ kind: 'slow_down', status: 429, retryAfter: '3600' }, 1);
  const client = new Client(async () => {
    throw new Error('nothing is to be sent');
  });
  expect(await applyPlan(await planOf(manifest), { client, pacing, clock })).toMatchObject([
    { outcome: 'not_attempted', stoppedBy: 'pause', attempts: 0 },
  ]);
});

describe('concurrent creates of one kind', () => {
  const two = 'version: 1\napplications: [{ slug: a, name: A }, { slug: b, name: B }]\n';
  const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((slug) => `{ slug: ${slug}, name: A }`).join(', ');

  async function sentFor(slug: string, toTheOther: Exchange): Promise<number> {
    let sent = 0;
    await carryOut(two, {}, async (request) => {
      if (!request.body?.includes(`"${slug}"`)) return toTheOther;
      sent += 1;
      return sent === 1 ? refused : created(request);
    });
    return sent;
  }

  test('are retried after a failure', async () => {
    expect(await sentFor('b', answered(400, { name: ['no'] }))).toBe(2);
  });

  test('are not retried once one of them is denied', async () => {
    expect(await sentFor('b', answered(403, { detail: 'no' }))).toBe(1);
  });

  test('do not stop creates of other kinds if one create is denied and the service asks the rest to wait', async () => {
    const outcomes = await carryOut(
      `version: 1\napplications: [${seven}]\nusers: [{ username: u }]\n`,
      {},
      async (request) => {
        if (request.path.includes('users')) return created(request);
        return request.body?.includes('"a"') ? answered(403, { detail: 'no' }) : answered(429, '');
      },
      { atATime: 7 },
    );
    expect(outcomes.map(({ outcome }) => outcome).slice(0, -1)).not.toContain('created');
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'created' });
  });

  test.each([
    ['denied', answered(403, { detail: 'no' })],
    ['refused by the licence', answered(400, { detail: 'no', code: 'denied_license' })],
  ])('do not stop creates of users if all creates of applications are %s', async (_what, refusal) => {
    const outcomes = await carryOut(
      `version: 1\napplications: [${seven}]\nusers: [{ username: u }]\n`,
      {},
      async (request) => (request.path.includes('applications') ? refusal : created(request)),
      { atATime: 7 },
    );
    expect(outcomes.at(-1)).toMatchObject({
      change: { resource: { address: 'user.u' } },
      outcome: 'created',
    });
  });
});

test('a delete that only a change behind a loss of rights waits for comes after all others, and not after a failure', async () => {
  const plan = await planOf(
    'version: 1\ngroups: [{ name: g, state: absent }]\nroles: [{ name: r }]\nusers: [{ username: u, name: U }, { username: v, name: V }]\n',
  );
  const permission = { self: undefined, mayDelete: true };
  const base = { pk: '1', fields: {} };
  const changes = plan.changes.map((change): ReadyChange => {
    const there = { ...change, presence: 'present', base } as const;
    switch (change.resource.name) {
      case 'g':
        return { ...there, action: 'delete' };
      case 'r':
        return { ...there, action: 'update', permission, takesOwnRights: true };
      case 'v':
        return { ...change, action: 'create', waitsFor: ['group.g', 'role.r'] };
      default:
        return { ...change, action: 'create' };
    }
  });
  const clock = virtualClock();
  const pacing = createPacing({ clock, random: () => 0, concurrency: 1 });
  const client = documentedClient(async () => answered(400, { name: ['no'] }));
  const outcomes = await applyPlan({ ...plan, changes }, { client, pacing, clock });
  expect(
    outcomes.map(({ change, outcome, stoppedBy }) => [change.resource.name, outcome, stoppedBy]),
  ).toEqual([
    ['r', 'not_attempted', 'not_last'],
    ['g', 'not_attempted', 'not_last'],
    ['u', 'rejected', undefined],
    ['v', 'not_attempted', 'waits'],
  ]);
});

test.each<[string, readonly string[], string, object]>([
  [
    'a loss of rights waits for the success of a delete before it',
    ['g', 'r'],
    'r',
    { stoppedBy: 'not_last' },
  ],
  [
    'a delete comes after a loss of rights that failed',
    ['r', 'g'],
    'g',
    { attempts: 0, stoppedBy: undefined },
  ],
  ['a loss of rights comes after a change that was left out', ['u', 'r'], 'r', { stoppedBy: undefined }],
])('%s', async (_, order, name, expected) => {
  const plan = await planOf(
    'version: 1\ngroups: [{ name: g, state: absent }]\nroles: [{ name: r }]\nusers: [{ username: u, name: U }]\n',
  );
  const permission = { self: undefined, mayDelete: true };
  const changes = order.flatMap((each) =>
    plan.changes.flatMap((change): ReadyChange[] => {
      const there = { ...change, presence: 'present', base: { pk: '1', fields: {} } } as const;
      if (change.resource.name !== each) return [];
      if (each === 'g') return [{ ...there, action: 'delete' }];
      if (each === 'r') return [{ ...there, action: 'update', permission, takesOwnRights: true }];
      return [{ ...change, action: 'no-op', leftBecause: 'it may not be changed' }];
    }),
  );
  const clock = virtualClock();
  const pacing = createPacing({ clock, random: () => 0, concurrency: 1 });
  const client = documentedClient(async () => answered(400, { name: ['no'] }));
  const outcomes = await applyPlan({ ...plan, changes }, { client, pacing, clock });
  expect(outcomes.find(({ change }) => change.resource.name === name)).toMatchObject(expected);
});
