import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, type JsonObject } from '../../src/base/json.ts';
import { memoizePerText } from '../../src/base/memoize.ts';
import { observe, type ObserveResult } from '../../src/observe/observe.ts';
import { type Observation } from '../../src/observe/observation.ts';
import type { ListReport } from '../../src/observe/read-lists.ts';
import { documentedOnly } from '../../src/service/documented-only.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { inFull, times } from '../support/effort.ts';
import {
  withChangedPage,
  listingService,
  manyApplications,
  manyUsers,
  pageOf,
  userRecord,
  type ListingService,
} from '../support/listing-service.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

interface Declared {
  readonly users?: readonly JsonObject[];
  readonly applications?: readonly JsonObject[];
}

interface Observed {
  readonly result: ObserveResult;
  readonly news: readonly ListReport[];
  readonly reads: readonly (readonly [done: number, total: number])[];
  /** What was observed of each resource, by address. Throws if a resource is missing. */
  readonly seen: () => ReadonlyMap<string, Observation>;
}

/** Many tests declare the same hundreds of users. */
const desiredOf = memoizePerText((manifest) => desired(manifest));

async function observing(
  declared: Declared,
  { send }: Pick<ListingService, 'send'>,
  {
    signal,
    concurrency = 4,
    contractOnly = false,
  }: {
    contractOnly?: boolean;
    signal?: AbortSignal;
    concurrency?: number;
  } = {},
): Promise<Observed> {
  const resources = await desiredOf(
    JSON.stringify({
      version: 1,
      applications: (declared.applications ?? []).map(({ slug, name }) => ({ slug, name })),
      users: (declared.users ?? []).map(({ username, name }) => ({ username, name })),
    }),
  );
  const news: ListReport[] = [];
  const reads: (readonly [number, number])[] = [];
  const result = await observe(resources, {
    client: new Client(contractOnly ? documentedOnly(send) : send),
    pacing: createPacing({ concurrency, clock: virtualClock(), random: () => 0, ...(signal && { signal }) }),
    ...(signal && { signal }),
    onRead: (done, total) => reads.push([done, total]),
    onList: (each) => news.push(each),
  });
  const seen = (): ReadonlyMap<string, Observation> =>
    result.kind === 'observed' ? result.observed : expect.fail(JSON.stringify(result.failures));
  return { result, news, reads, seen };
}

function presences({ seen }: Observed): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { presence } of seen().values()) counts[presence] = (counts[presence] ?? 0) + 1;
  return counts;
}

describe('records read from lists', () => {
  test('a web page with status 404 in place of a record is compared with the answer for an application that the list has shown', async () => {
    const applications = manyApplications(13);
    const [{ name: _, ...nameless } = { name: '' }, ...others] = applications;
    const service = listingService({
      applications: [nameless, ...others],
      instead: ({ list, page }) =>
        list === 'applications' && page === undefined ? answered(404, '<html>Not Found</html>') : undefined,
    });
    await observing({ applications }, service);
    expect(service.asked()).toContain(`applications/${textOf(applications.at(-1)?.['slug'])}/`);
  });

  test('take one request per hundred records', async () => {
    const [applications, users] = inFull ? [1000, 2000] : [200, 400];
    const declared = { users: manyUsers(users), applications: manyApplications(applications) };
    const service = listingService(declared);
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ present: applications + users });
    expect(service.requests).toHaveLength(1 + (applications + users) / 100);
    expect(observed.news.map(({ kind, progress }) => [kind.list, progress])).toEqual([
      ['applications', { kind: 'in_pages', found: applications, absent: 0, pages: applications / 100 }],
      ['users', { kind: 'in_pages', found: users, absent: 0, pages: users / 100 }],
    ]);
  });

  test('have the same fields and id as after a look-up, also fields that are not declared', async () => {
    const service = listingService({ users: manyUsers(20) });
    const { seen } = await observing({ users: manyUsers(20) }, service);
    expect(seen().get('user.u00003')).toMatchObject({
      presence: 'present',
      held: {
        pk: '4',
        fields: { username: 'u00003', name: 'User u00003', is_active: true },
        names: { groups: new Map(), roles: new Map() },
      },
    });
  });

  test('are added to the count of read resources after each page', async () => {
    const declared = { users: manyUsers(250) };
    const { reads } = await observing(declared, listingService(declared));
    expect(reads).toEqual([
      [100, 250],
      [200, 250],
      [250, 250],
    ]);
  });

  test('are complete if the service returns smaller pages than requested', async () => {
    const declared = { users: manyUsers(210) };
    const service = listingService({ ...declared, mostOnPage: 20 });
    expect(presences(await observing(declared, service))).toEqual({ present: 210 });
    expect(service.pages()).toBe(11);
    expect(service.singles()).toBe(0);
  });

  test('are requested in a stable order, and undeclared records are ignored', async () => {
    const declared = { users: manyUsers(20), applications: manyApplications(20) };
    const service = listingService(declared);
    await observing(declared, service);
    expect(service.asked()).toEqual([
      'users/me/',
      'applications/?superuser_full_list=true&ordering=slug&page=1&page_size=100',
      'users/?ordering=username&include_groups=false&include_roles=false&page=1&page_size=100',
    ]);
  });
});

test('with contract_only, no list and no user is read', async () => {
  const declared = { users: manyUsers(10), applications: manyApplications(10) };
  const service = listingService(declared);
  const observed = await observing(declared, service, { contractOnly: true });
  expect(presences(observed)).toEqual({ present: 10, unknown: 10 });
  expect(service.requests).toHaveLength(10);
});

describe('lists are read instead of single records', () => {
  test.each([
    // So few resources are looked up one by one, without even the first page of a list.
    { declared: 12, there: 12, isSuperuser: true, pages: 0, singles: 12 },
    { declared: 13, there: 13, isSuperuser: true, pages: 1, singles: 0 },
    { declared: 50, there: 400, isSuperuser: true, pages: 4, singles: 0 },
    // Users on the first page need no look-up.
    { declared: 150, there: 1201, isSuperuser: true, pages: 1, singles: 50 },
    { declared: 500, there: 0, isSuperuser: true, pages: 1, singles: 0 },
    { declared: 500, there: 50, isSuperuser: true, pages: 1, singles: 0 },
    { declared: 500, there: 0, isSuperuser: false, pages: 1, singles: 500 },
    { declared: 500, there: 50, isSuperuser: false, pages: 1, singles: 450 },
  ])(
    'if at least an eighth of the records is declared: $declared of $there, superuser: $isSuperuser',
    async ({ declared, there, isSuperuser, pages, singles }) => {
      const service = listingService({ users: manyUsers(there), isSuperuser });
      const observed = await observing({ users: manyUsers(declared) }, service);
      const present = Math.min(declared, there);
      const absent = declared - present;
      expect(presences(observed)).toEqual({
        ...(present > 0 && { present }),
        ...(absent > 0 && { absent }),
      });
      expect([service.pages(), service.singles()]).toEqual([pages, singles]);
    },
  );

  test('unless there are too many records, in which case their number is reported', async () => {
    const service = listingService({ users: manyUsers(30_000) });
    const { news } = await observing({ users: manyUsers(300) }, service);
    expect(news).toMatchObject([{ declared: 300, progress: { kind: 'too_many', count: 30_000 } }]);
  });

  test('but a listed record without a declared field is looked up', async () => {
    const service = listingService({
      users: manyUsers(100),
      instead: ({ page, query }, { users }) =>
        page === undefined
          ? undefined
          : withChangedPage(pageOf(users, page, Number(query.get('page_size'))), ({ results }) => ({
              results: results.map((user, index) =>
                index < 3 ? { ...Object(user), name: undefined } : user,
              ),
            })),
    });
    const observed = await observing({ users: manyUsers(20) }, service, { concurrency: 1 });
    expect(presences(observed)).toEqual({ present: 20 });
    expect([service.pages(), service.singles()]).toEqual([1, 3]);
  });
});

describe('a user missing from a complete list', () => {
  const there = manyUsers(250);
  const declared = { users: manyUsers(251) };
  type Instead = NonNullable<Parameters<typeof listingService>[0]['instead']>;
  const onPage =
    (number: number, spoil: Parameters<typeof withChangedPage>[1]): Instead =>
    ({ page, query }, { users }) =>
      page === number && query.get('page_size') === '100'
        ? withChangedPage(pageOf(users, page, 100), spoil)
        : undefined;

  test("counts as absent without a look-up if the token is a superuser's", async () => {
    const service = listingService({ users: there });
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ present: 250, absent: 1 });
    expect([service.pages(), service.singles()]).toEqual([3, 0]);
    expect(observed.news[0]?.progress).toEqual({ kind: 'in_pages', found: 250, absent: 1, pages: 3 });
    expect(observed.reads.at(-1)).toEqual([250, 251]);
  });

  test.each<[string, Instead]>([
    [
      'if the service names no user of the token',
      ({ list }) => (list === 'me' ? answered(200, { user: { pk: 1 } }) : undefined),
    ],
    ['if the user of the token cannot be read', ({ list }) => (list === 'me' ? answered(404) : undefined)],
    ['if a page cannot be read', ({ page }) => (page === 3 ? answered(500) : undefined)],
    [
      'if a listed record has no id',
      onPage(2, ({ results }) => ({ results: [{ username: 'x' }, ...results.slice(1)] })),
    ],
    [
      'if a listed record has no name',
      onPage(2, ({ results }) => ({ results: [{ pk: 7_000 }, ...results.slice(1)] })),
    ],
    [
      'if a record is listed twice',
      onPage(2, ({ results }) => ({ results: [results[1] ?? null, ...results.slice(1)] })),
    ],
    [
      'if a record was deleted and another created meanwhile',
      ({ page, query }, { users }) => {
        if (page === 2 && query.get('page_size') === '100') {
          users.splice(0, 1);
          users.unshift(userRecord('a1'), userRecord('a2'));
        }
        return undefined;
      },
    ],
  ])('is looked up %s', async (_, instead) => {
    const service = listingService({ users: [...there], instead });
    const observed = await observing(declared, service, { concurrency: 1 });
    expect(observed.seen().get('user.u00250')).toEqual({ presence: 'absent' });
    expect(service.requests.some(({ path }) => path.includes('username=u00250'))).toBe(true);
  });
});

describe("with a token that is not a superuser's", () => {
  const declared = { users: manyUsers(300) };

  test('users missing from a list are looked up if the token sees only some users', async () => {
    const hidden = new Set(['u00007', 'u00299']);
    const service = listingService({
      ...declared,
      isSuperuser: false,
      instead: ({ page, query }, { users }) =>
        page === undefined
          ? undefined
          : pageOf(
              users.filter((user) => !hidden.has(textOf(user['username']))),
              page,
              Number(query.get('page_size')),
            ),
    });
    expect(presences(await observing(declared, service))).toEqual({ present: 300 });
    expect(service.singles()).toBe(2);
  });

  test('each user is looked up if the list is empty, and the look-up decides whether the user is absent', async () => {
    const service = listingService({
      isSuperuser: false,
      instead: ({ page }) => (page === undefined ? undefined : pageOf([], 1, 1)),
    });
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ absent: 300 });
    expect([service.pages(), service.singles()]).toEqual([1, 300]);
  });

  test('a record is looked up if a deletion during the read moved it to an earlier page', async () => {
    const service = listingService({
      ...declared,
      isSuperuser: false,
      instead: ({ page, query }, { users }) => {
        if (page === 2 && query.get('page_size') === '100') users.splice(0, 1);
        return undefined;
      },
    });
    const observed = await observing(declared, service, { concurrency: 1 });
    // The first record still existed when the list was read.
    expect(presences(observed)).toEqual({ present: 300 });
    expect(service.singles()).toBe(1);
  });

  test('a record is found if it is listed twice because another record was created during the read', async () => {
    const service = listingService({
      ...declared,
      isSuperuser: false,
      instead: ({ page, query }, { users }) => {
        if (page === 2 && query.get('page_size') === '100') users.unshift(userRecord('a1'));
        return undefined;
      },
    });
    const observed = await observing(declared, service, { concurrency: 1 });
    expect(presences(observed)).toEqual({ present: 300 });
    expect([service.pages(), service.singles()]).toEqual([4, 0]);
  });

  test('records are looked up if the list became shorter and ends with a 404', async () => {
    const service = listingService({
      ...declared,
      isSuperuser: false,
      instead: ({ page, query }, { users }) => {
        if (page === 2 && query.get('page_size') === '100') users.splice(150, 150);
        return undefined;
      },
    });
    const observed = await observing(declared, service, { concurrency: 1 });
    expect(presences(observed)).toEqual({ present: 150, absent: 150 });
    expect(service.singles()).toBe(150);
    expect(observed.news[0]?.progress).toEqual({ kind: 'in_pages', found: 150, absent: 0, pages: 2 });
  });
});

test('a denied look-up after a list leaves the user unknown, not absent', async () => {
  const service = listingService({
    users: manyUsers(20),
    isSuperuser: false,
    instead: ({ list, page }) =>
      list === 'users' && page === undefined ? answered(403, { detail: 'no' }) : undefined,
  });
  const { result } = await observing({ users: manyUsers(21) }, service);
  expect(result).toMatchObject({ kind: 'observed' });
  const seen = result.kind === 'observed' ? [...result.observed.values()] : [];
  expect(seen.filter(({ presence }) => presence === 'present')).toHaveLength(20);
  expect(seen.filter(({ presence }) => presence === 'unknown')).toHaveLength(1);
});

describe('a record is looked up if its list entry is unusable:', () => {
  const declared = { users: manyUsers(20) };

  async function listing(
    results: readonly JsonObject[],
  ): Promise<{ service: ListingService; observed: Observed }> {
    const service = listingService({
      ...declared,
      isSuperuser: false,
      instead: ({ page, query }) =>
        page === undefined ? undefined : pageOf(results, page, Number(query.get('page_size'))),
    });
    return { service, observed: await observing(declared, service) };
  }

  const [first = {}, ...others] = manyUsers(20);
  const { name: _, ...nameless } = first;

  test.each<[string, readonly JsonObject[], number]>([
    ['listed twice with different contents', [first, { ...first, name: 'Other' }, ...others], 1],
    ['listed three times with different contents', [first, { ...first, name: 'Other' }, first, ...others], 1],
    ['listed twice with different ids', [first, { ...first, pk: 99 }, ...others], 1],
    ['not if listed twice with the same contents', [first, first, ...others], 0],
    ['without a declared field', [nameless, ...others], 1],
    ['without an id', [{ ...first, pk: null }, ...others], 1],
    ['in another case', [{ ...first, username: 'U00000' }, ...others], 1],
    ['not listed', others, 1],
  ])('%s', async (_name, results, singles) => {
    const { service, observed } = await listing(results);
    expect(presences(observed)).toEqual({ present: 20 });
    expect(observed.seen().get('user.u00000')).toMatchObject({ held: { fields: { name: 'User u00000' } } });
    expect(service.singles()).toBe(singles);
  });
});

test('a listed record without a name does not match a declared record', async () => {
  const declared = manyUsers(20);
  const nameless = { pk: 99, name: declared[19]?.['name'] ?? '' };
  const service = listingService({
    users: declared.slice(0, 19),
    instead: ({ page, query }, { users }) =>
      page === undefined ? undefined : pageOf([...users, nameless], page, Number(query.get('page_size'))),
  });
  const observed = await observing({ users: declared }, service);
  expect(observed.seen().get('user.u00019')).toEqual({ presence: 'absent' });
});

describe('a list of applications', () => {
  const declared = { applications: manyApplications(250) };
  const stale = manyApplications(250).map((each) => ({ ...each, name: 'Stale' }));

  test.each<[string, (page: number) => Exchange]>([
    ['always the first page', () => pageOf(stale, 1, 100)],
    [
      'all records on each page',
      (page) => withChangedPage(pageOf(stale, page, 100), () => ({ results: stale })),
    ],
    [
      'fewer records than its count',
      (page) =>
        withChangedPage(pageOf(stale, page, 100), ({ results }) => ({
          results: results.slice(page === 3 ? 1 : 0),
        })),
    ],
    ['no pagination', (page) => (page < 3 ? pageOf(stale, page, 100) : answered(200, { results: stale }))],
    ['no JSON', (page) => (page < 3 ? pageOf(stale, page, 100) : answered(200, '<html>'))],
  ])('is ignored if an answer is not the requested page: %s', async (_name, answer) => {
    const service = listingService({
      ...declared,
      instead: ({ list, page, query }) =>
        list === 'applications' && page !== undefined && query.get('page_size') === '100'
          ? answer(page)
          : undefined,
    });
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ present: 250 });
    for (const observation of observed.seen().values())
      expect(observation).not.toMatchObject({ held: { fields: { name: 'Stale' } } });
    expect(service.singles()).toBe(250);
    expect(observed.news.map(({ progress }) => progress.kind)).toEqual(['doubtful']);
    expect(observed.reads.at(-1)).toEqual([250, 250]);
  });

  test("is not read with a token that is not a superuser's, as the service caches the list for such tokens", async () => {
    const service = listingService({ ...declared, isSuperuser: false });
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ present: 250 });
    expect([service.pages(), service.singles()]).toEqual([0, 250]);
    expect(observed.news.map(({ progress }) => progress.kind)).toEqual(['no_superuser']);
  });

  test.each([
    ['a denial', answered(403, { detail: 'no' })],
    ['an answer without a user', answered(200, { user: null })],
    ['a 404', answered(404)],
    ['a lost answer', lost],
  ])("is not read if the token's user is unknown after %s", async (_name, answer) => {
    const service = listingService({
      ...declared,
      instead: ({ list }) => (list === 'me' ? answer : undefined),
    });
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ present: 250 });
    expect([service.pages(), service.singles()]).toEqual([0, 250]);
    expect(observed.news.map(({ progress }) => progress.kind)).toEqual(['failed']);
  });
});

describe('an unreadable page of a list', () => {
  const declared = { users: manyUsers(500) };

  test('is replaced by look-ups of the users that may be on it', async () => {
    const service = listingService({
      ...declared,
      instead: ({ page, query }) =>
        page === 4 && query.get('page_size') === '100' ? answered(500, '<h1>Server Error</h1>') : undefined,
    });
    const observed = await observing(declared, service);
    expect(presences(observed)).toEqual({ present: 500 });
    expect(service.singles()).toBe(100);
    expect(observed.news).toMatchObject([
      {
        declared: 500,
        progress: { kind: 'in_pages', found: 400, pages: 4, failed: { kind: 'failure', status: 500 } },
      },
    ]);
  });

  test('does not prevent requests of other pages', async () => {
    const users = manyUsers(700);
    const service = listingService({
      users,
      instead: ({ page = 0, query }) =>
        query.get('page_size') === '100' && [2, 3, 5].includes(page) ? answered(500) : undefined,
    });
    const observed = await observing({ users }, service, { concurrency: 1 });
    expect(presences(observed)).toEqual({ present: 700 });
    expect(observed.news).toMatchObject([{ progress: { kind: 'in_pages', found: 400, pages: 4 } }]);
  });

  test('stops the requests of further pages if three pages in a row fail', async () => {
    const service = listingService({
      ...declared,
      instead: ({ page = 0 }) => (page > 1 ? answered(500) : undefined),
    });
    expect(presences(await observing(declared, service, { concurrency: 1 }))).toEqual({ present: 500 });
    expect([service.pages(), service.singles()]).toEqual([1 + 3 * 3, 400]);
  });

  test('stops the requests of other pages if it is the first page', async () => {
    const service = listingService({
      ...declared,
      instead: ({ page }) => (page === undefined ? undefined : answered(500)),
    });
    expect(presences(await observing(declared, service))).toEqual({ present: 500 });
    expect([service.pages(), service.singles()]).toEqual([3, 500]);
  });

  const lasting: [string, Exchange][] = [
    ['a denial', answered(403, { detail: 'no' })],
    ['a redirect', answered(302)],
    ['a refusal', answered(400, { page: ['?'] })],
  ];

  test.each(lasting)('stops the requests of further pages if the answer is %s', async (_name, answer) => {
    const service = listingService({
      ...declared,
      instead: ({ page, query }) => (page === 2 && query.get('page_size') === '100' ? answer : undefined),
    });
    const observed = await observing(declared, service, { concurrency: 1 });
    expect(presences(observed)).toEqual({ present: 500 });
    expect([service.pages(), service.singles()]).toEqual([2, 400]);
    expect(observed.news).toMatchObject([{ progress: { kind: 'in_pages', found: 100, pages: 1 } }]);
  });

  test('stops the requests of further pages after a time-out', async () => {
    const silence: Exchange = { kind: 'lost', error: new DOMException('too late', 'TimeoutError') };
    const service = listingService({
      ...declared,
      instead: ({ query }) => (query.get('page_size') === '100' ? silence : undefined),
    });
    expect(presences(await observing(declared, service, { concurrency: 1 }))).toEqual({ present: 500 });
    expect([service.pages(), service.singles()]).toEqual([1, 500]);
  });

  test.each([...lasting, ['a 404', answered(404)]] as const)(
    'stops the requests of further pages if each page is answered with %s',
    async (_name, answer) => {
      const service = listingService({
        ...declared,
        instead: ({ page }) => (page === undefined ? undefined : answer),
      });
      const observed = await observing(declared, service);
      expect(presences(observed)).toEqual({ present: 500 });
      expect(service.requests).toHaveLength(2 + 500);
      expect(observed.news.map(({ progress }) => progress.kind)).toEqual(['failed']);
    },
  );

  test('ends the run as denied if the answer is that the token may not view users', async () => {
    const service = listingService({ ...declared, instead: () => answered(403, { detail: 'no' }) });
    const { result } = await observing(declared, service, { concurrency: 1 });
    expect(result).toMatchObject({ kind: 'failed', notRead: 499, failures: [{ proof: 'denied' }] });
  });

  test('ends the run, with a report, if the answer asks for too long a pause', async () => {
    const service = listingService({
      ...declared,
      instead: ({ page }) => (page === 2 ? answered(429, '', { 'retry-after': '3600' }) : undefined),
    });
    const { result } = await observing(declared, service, { concurrency: 1 });
    expect(result).toMatchObject({
      kind: 'failed',
      notRead: 399,
      interrupted: false,
      failures: [{ proof: 'nothing', answer: { kind: 'slow_down' } }],
    });
    expect(service.singles()).toBe(0);
  });
});

test.each([0, 1, 2, 3, 4])(
  'an interruption after %i requests ends the read of a list without a failure',
  async (after) => {
    const interruption = new AbortController();
    const declared = { users: manyUsers(500) };
    const service = listingService({
      ...declared,
      instead: ({ before }) => {
        if (before >= after) interruption.abort('SIGINT');
        return undefined;
      },
    });
    const { result, news } = await observing(declared, service, {
      signal: interruption.signal,
      concurrency: 1,
    });
    // The answers from before the interruption count: the token's user, and a hundred users of each page.
    expect(result).toEqual({
      kind: 'failed',
      failures: [],
      notRead: 500 - 100 * after,
      interrupted: true,
    });
    expect(news).toEqual([]);
    expect(service.requests).toHaveLength(after + 1);
  },
);

test('concurrent changes never cause a wrong observation while lists are read', async () => {
  const change = fc.record({
    at: fc.nat(12),
    what: fc.constantFrom('create', 'delete', 'break', 'double'),
    index: fc.nat(260),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(260), { minLength: 3, maxLength: 60 }),
      fc.array(change, { maxLength: 8 }),
      fc.integer({ min: 5, max: 100 }),
      async (numbers, changes, mostOnPage) => {
        const wanted = numbers.map((number) => userRecord(`u${String(number).padStart(5, '0')}`));
        const deleted = new Set<unknown>();
        const service = listingService({
          users: manyUsers(250),
          mostOnPage,
          instead: ({ before, page, query }, { users }) => {
            for (const { what, index } of changes.filter((each) => each.at === before)) {
              const place = index % users.length;
              if (what === 'create') users.splice(place, 0, userRecord(`u9${index}`));
              if (what === 'delete') for (const { username } of users.splice(place, 1)) deleted.add(username);
              if (what === 'break' && page !== undefined) return answered(500);
              if (what === 'double' && page !== undefined) {
                const size = Math.min(mostOnPage, Number(query.get('page_size')));
                return withChangedPage(pageOf(users, page, size), ({ results }) => ({
                  results: results.map((each, at) => (at === 0 ? (results.at(-1) ?? null) : each)),
                }));
              }
            }
            return undefined;
          },
        });
        const { seen } = await observing({ users: wanted }, service);
        for (const { username } of wanted) {
          if (deleted.has(username)) continue; // the user existed at first, but was deleted meanwhile
          const exists = Number(textOf(username).slice(1)) < 250;
          const observation = seen().get(`user.${textOf(username)}`);
          expect(observation).toMatchObject(
            exists
              ? { presence: 'present', held: { fields: { username, name: `User ${textOf(username)}` } } }
              : { presence: 'absent' },
          );
        }
      },
    ),
    { numRuns: times({ short: 3, full: 1000 }) },
  );
});
