import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kindOf } from '../../src/kinds/all.ts';

import { type Inventory, readInventoryOf } from '../../src/observe/inventory.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { withRedaction } from '../../src/service/redact.ts';
import type { Transport } from '../../src/service/transport.ts';
import { times } from '../support/effort.ts';
import {
  withChangedPage,
  listingService,
  manyApplications,
  manyUsers,
  pageOf,
  userRecord,
  type ListingService,
  type ServedPage,
} from '../support/listing-service.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function taking(
  send: Transport,
  type: 'application' | 'user' = 'user',
  signal?: AbortSignal,
): Promise<Inventory> {
  const aborting = signal && { signal };
  return readInventoryOf(kindOf(type), {
    client: new Client(send),
    pacing: createPacing({ concurrency: 4, clock: virtualClock(), random: () => 0, ...aborting }),
    ...aborting,
  });
}

const names = ({ kind, records }: Inventory): unknown[] =>
  records.map(({ received }) => received[kind.identity]);

const sorted = (texts: readonly unknown[]): string[] => texts.map(String).toSorted();

describe('an inventory of a service', () => {
  test.each([0, 1, 99, 100, 101, 250])('has all of %i users', async (count) => {
    const users = manyUsers(count);
    const inventory = await taking(listingService({ users }).send);
    expect(names(inventory)).toEqual(users.map(({ username }) => username));
    expect(inventory.gaps).toEqual([]);
  });

  test('accepts smaller pages than requested', async () => {
    const users = manyUsers(70);
    const inventory = await taking(listingService({ users, mostOnPage: 20 }).send);
    expect(names(inventory)).toEqual(users.map(({ username }) => username));
    expect(inventory.gaps).toEqual([]);
  });

  test('ends at an invalid page, and is marked incomplete', async () => {
    const { send } = listingService({
      users: manyUsers(250),
      instead: ({ page }) => (page === 2 ? answered(500) : undefined),
    });
    const { records, gaps } = await taking(send);
    expect(records).toHaveLength(100);
    expect(gaps).toMatchObject([{ kind: 'ended', answer: { status: 500 } }]);
  });

  test('ends without a failure if the run is interrupted meanwhile', async () => {
    const interruption = new AbortController();
    const { send } = listingService({
      users: manyUsers(250),
      instead: ({ page }) => {
        if (page !== 2) return undefined;
        interruption.abort('SIGINT');
        return answered(502);
      },
    });
    expect((await taking(send, 'user', interruption.signal)).gaps).toEqual([{ kind: 'interrupted' }]);
  });

  test('is marked incomplete if the list became shorter', async () => {
    const service = listingService({
      users: manyUsers(250, 1),
      instead: ({ before }, { users }) => {
        if (before === 1) users.shift(); // the other records move up, so one moves to a page that was already read
        return undefined;
      },
    });
    expect((await taking(service.send)).gaps).toEqual([{ kind: 'short', read: 249, count: 250 }]);
  });

  test('includes records created while it is read', async () => {
    const service = listingService({
      users: manyUsers(150),
      instead: ({ page, before }, { users }) => {
        if (page === 2 && before < 3) users.push(...manyUsers(150, 150));
        return undefined;
      },
    });
    const inventory = await taking(service.send);
    expect(names(inventory)).toHaveLength(300);
    expect(inventory.gaps).toEqual([]);
  });

  test.each(['user', 'application'] as const)('ends if the list grows with every page: %s', async (type) => {
    const service = listingService({
      users: manyUsers(150),
      applications: manyApplications(150),
      isSuperuser: type === 'user',
      instead: ({ list, page }, { users, applications }) => {
        if (page === undefined || list === 'me') return undefined;
        if (list === 'users') users.push(...manyUsers(100, users.length));
        else applications.push(...manyApplications(applications.length + 100).slice(applications.length));
        return undefined;
      },
    });
    const { gaps } = await taking(service.send, type);
    expect(gaps).toContainEqual({ kind: 'moved' });
    expect(service.pages()).toBeLessThan(20);
  });

  const lines = (change: (rows: readonly JsonValue[]) => readonly JsonValue[]) => {
    const users = manyUsers(250);
    return listingService({
      users,
      instead: ({ page = 1 }) =>
        withChangedPage(pageOf(users, page, 100), ({ results }) => ({ results: change(results) })),
    });
  };
  test.each<[string, ListingService, number]>([
    [
      'whose second page gets a 404',
      listingService({
        users: manyUsers(250),
        instead: ({ page }) => (page === 2 ? answered(404, { detail: 'Invalid page.' }) : undefined),
      }),
      100,
    ],
    [
      'whose second page counts fewer records',
      listingService({
        users: manyUsers(250),
        instead: ({ page }) => (page === 2 ? pageOf(manyUsers(150), 2, 100) : undefined),
      }),
      150,
    ],
    ['that repeats records', lines((rows) => [rows[0] ?? null, ...rows.slice(0, -1)]), 247],
    ['with records that are null', lines((rows) => rows.with(7, null)), 247],
    [
      'with records without an id',
      lines((rows) => rows.map((row, index) => (index === 0 ? { username: 'x' } : row))),
      247,
    ],
    [
      'whose records all have the same name',
      lines((rows) => rows.map((row) => ({ ...Object(row), username: 'x' }))),
      1,
    ],
    [
      'whose records have no name',
      lines((rows) => rows.map((row) => ({ ...Object(row), username: null }))),
      0,
    ],
    [
      'whose records all have the same id',
      lines((rows) => rows.map((row) => ({ ...Object(row), pk: 1 }))),
      1,
    ],
  ])('is marked incomplete for a list %s', async (_, { send }, read) => {
    const { records, gaps } = await taking(send);
    expect(records.length).toBeGreaterThanOrEqual(read);
    expect(gaps).toEqual([{ kind: 'short', read, count: 250 }]);
  });

  test('is marked incomplete if its only page contains fewer records than the count on that page', async () => {
    const users = manyUsers(3);
    const { send, requests } = listingService({
      users,
      instead: () =>
        withChangedPage(pageOf(users, 1, 100), ({ results }) => ({ results: results.with(1, null) })),
    });
    expect((await taking(send)).gaps).toEqual([{ kind: 'short', read: 2, count: 3 }]);
    expect(requests).toHaveLength(1);
  });

  test('ends if the service repeats the first records forever', async () => {
    const users = manyUsers(250);
    const { send, requests } = listingService({
      users,
      instead: ({ page = 1, before }) =>
        before > 20
          ? lost
          : withChangedPage(pageOf(users, 1, 100), ({ pagination }) => ({
              pagination: { ...pagination, current: page, next: page + 1 },
            })),
    });
    expect((await taking(send)).gaps.at(-1)).toMatchObject({ kind: 'ended', answer: { status: 200 } });
    expect(requests.length).toBeLessThan(20);
  });

  test.each([
    ['a denial', answered(403, { detail: 'no' })],
    ['a lost answer', lost],
    ['a missing API', answered(404, '<html>')],
  ])('ends after %s', async (_, exchange) => {
    const { gaps } = await taking(async () => exchange);
    expect(gaps).toMatchObject([{ kind: 'ended' }]);
  });

  test('ends if the user interrupts', async () => {
    const interruption = new AbortController();
    const { send } = listingService({
      users: manyUsers(250),
      instead: () => {
        interruption.abort();
        return undefined;
      },
    });
    expect((await taking(send, 'user', interruption.signal)).gaps).toEqual([{ kind: 'interrupted' }]);
  });

  test("of applications looks up each listed name, on any page, if the token is not a superuser's", async () => {
    const applications = manyApplications(5);
    const { send } = listingService({
      applications: applications.slice(0, 4),
      isSuperuser: false,
      // For this user, the service's cached list contains another page than requested, or lacks a page.
      instead: ({ list, page, query }, service) =>
        list === 'applications' && page !== undefined
          ? withChangedPage(
              answered(200, { pagination: { count: 9, current: 7 }, results: applications }),
              () => ({}),
            )
          : query.has('page') && service.users.length > 0
            ? lost
            : undefined,
    });
    const inventory = await taking(send, 'application');
    expect(sorted(names(inventory))).toEqual(applications.slice(0, 4).map(({ slug }) => slug));
    expect(inventory.gaps).toMatchObject([
      { kind: 'not_superuser', named: 5, count: 9 },
      { kind: 'not_shown', name: 'a00004' },
    ]);
  });

  test.each([
    ['absent', answered(404, { detail: 'Not found.' })],
    ['denied', answered(403, { detail: 'You do not have permission to perform this action.' })],
  ])('of applications masks a token in the name of a record that is listed, but %s', async (_, exchange) => {
    const applications = manyApplications(1).map((record) => ({ ...record, slug: 'wiki-TOKEN-123' }));
    const { send } = listingService({
      applications,
      isSuperuser: false,
      instead: ({ list, page }) => (list === 'applications' && page === undefined ? exchange : undefined),
    });
    const { gaps } = await taking(withRedaction(send, ['TOKEN-123']), 'application');
    expect(gaps).toMatchObject([{ kind: 'not_superuser' }, { kind: 'not_shown', name: 'wiki-(sensitive)' }]);
  });

  test("of applications masks a token in a record that is looked up by its name, if the token is not a superuser's", async () => {
    const applications = manyApplications(1).map((record) => ({ ...record, name: 'Wiki TOKEN-123' }));
    const { send } = listingService({ applications, isSuperuser: false });
    const { records } = await taking(withRedaction(send, ['TOKEN-123']), 'application');
    expect(records).toMatchObject([
      { received: { name: 'Wiki TOKEN-123' }, shown: { name: 'Wiki (sensitive)' } },
    ]);
  });

  test("of applications keeps the first page if the token is not a superuser's and the second page is a 404", async () => {
    const applications = manyApplications(150);
    const { send } = listingService({
      applications,
      isSuperuser: false,
      instead: ({ page }) => (page === 2 ? answered(404, { detail: 'Invalid page.' }) : undefined),
    });
    const { records, gaps } = await taking(send, 'application');
    expect(records).toHaveLength(100);
    expect(gaps).toMatchObject([{ kind: 'not_superuser', named: 100, count: 150 }]);
  });

  test("of applications has no smaller count than found names, if the token is not a superuser's", async () => {
    const applications = manyApplications(3);
    const { send } = listingService({
      applications,
      isSuperuser: false,
      instead: ({ page }) =>
        page === 1
          ? withChangedPage(pageOf(applications, 1, 100), ({ pagination }) => ({
              pagination: { ...pagination, count: 1 },
            }))
          : undefined,
    });
    const { gaps } = await taking(send, 'application');
    expect(gaps).toMatchObject([{ kind: 'not_superuser', named: 3, count: 3 }]);
  });

  test('counts a record on two pages once, and reports that a record is missing', async () => {
    const users = [...manyUsers(100), userRecord('u00099'), userRecord('u00200')];
    const { records, gaps } = await taking(listingService({ users }).send);
    expect(records).toHaveLength(101);
    expect(gaps).toEqual([{ kind: 'short', read: 101, count: 102 }]);
  });
});

/** Changes a page, by its number. */
type Spoil = (page: ServedPage, number: number) => object;

/** A service with these users, whose pages have faults. */
function spoiling(users: readonly JsonObject[], spoil: Spoil, mostOnPage = 100): ListingService {
  return listingService({
    users,
    instead: ({ page = 1, query }) =>
      withChangedPage(pageOf(users, page, Math.min(mostOnPage, Number(query.get('page_size')))), (served) =>
        spoil(served, page),
      ),
  });
}

describe('an inventory with corrupted pages', () => {
  const users = manyUsers(250);
  const usernames = users.map(({ username }) => username);

  test('is marked incomplete if the first record of each page is missing', async () => {
    const { send } = spoiling(users, ({ pagination, results }) => ({
      pagination: { ...pagination, start_index: Number(pagination['start_index']) + 1 },
      results: results.slice(1),
    }));
    expect((await taking(send)).gaps).not.toEqual([]);
  });

  test("ends if the pages repeat forever and the token is not a superuser's", async () => {
    const { send, requests } = listingService({
      isSuperuser: false,
      instead: ({ list, page = 0, before }) =>
        list === 'me' || page === 0 || before > 100
          ? undefined
          : withChangedPage(pageOf(manyApplications(250), 1, 100), ({ pagination }) => ({
              pagination: { ...pagination, current: page, next: page + 1 },
            })),
    });
    expect((await taking(send, 'application')).gaps).not.toEqual([]);
    expect(requests.filter(({ path }) => path.includes('page=')).length).toBeLessThan(10);
  });

  test("keeps the records of a list that never ends, if the token is not a superuser's", async () => {
    const applications = manyApplications(2000);
    const { send } = listingService({
      isSuperuser: false,
      applications,
      instead: ({ page }) =>
        page === 1
          ? withChangedPage(pageOf(applications, 1, 100), ({ pagination }) => ({
              pagination: { ...pagination, count: 101 },
            }))
          : undefined,
    });
    const { gaps, records } = await taking(send, 'application');
    expect(gaps).toMatchObject([{ kind: 'not_superuser' }, { kind: 'moved' }]);
    expect(records.length).toBeGreaterThan(100);
  });

  test('is complete or marked incomplete if the first page has the right count', async () => {
    const eachUser = (change: (user: object) => object): Spoil => {
      return ({ results }) => ({ results: results.map((user) => change(Object(user))) });
    };
    const saying = (change: (page: ServedPage) => JsonObject): Spoil => {
      return (page, number) => (number === 1 ? {} : { pagination: { ...page.pagination, ...change(page) } });
    };
    const spoils: readonly Spoil[] = [
      ({ results }) => ({ results: results.slice(1) }),
      ({ results: [first = null, ...others] }) => ({ results: [first, first, ...others.slice(1)] }),
      ({ results }) => ({ results: [...results.slice(1), null] }),
      eachUser((user) => ({ ...user, pk: 3 })),
      eachUser((user) => ({ ...user, username: 'u00003' })),
      saying(({ pagination }) => ({ count: Number(pagination['end_index']), next: 0 })),
      saying(() => ({ count: 900 })),
      saying(() => ({ current: 1 })),
      saying(() => ({ start_index: 1 })),
      saying(() => ({ end_index: 250 })),
      saying(() => ({ next: 0 })),
      () => ({ results: null }),
    ];
    const odd = fc.record({
      page: fc.nat(14),
      until: fc.constantFrom(3, 12, Infinity),
      spoil: fc.constantFrom(...spoils),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { maxLength: 4 }), fc.constantFrom(20, 60, 100), async (odds, most) => {
        let answers = 0;
        const { send } = spoiling(
          users,
          (page, number) => {
            answers += 1;
            if (answers > 5000) expect.fail('it goes on and on');
            const met = odds.find((each) => each.page === number && answers <= each.until);
            return met?.spoil(page, number) ?? {};
          },
          most,
        );
        const inventory = await taking(send);
        if (inventory.gaps.length === 0) expect(sorted(names(inventory))).toEqual(usernames);
        if (odds.every(({ page }) => page === 0 || page > Math.ceil(250 / most)))
          expect(inventory.gaps).toEqual([]);
      }),
      { numRuns: times({ short: 8, full: 1000 }) },
    );
  });
});

test('the type of a record that vanishes before it is read leaves a gap', async () => {
  const provider = { pk: 1, name: 'wiki' };
  const client = new Client(async ({ path }) =>
    path.includes('/providers/oauth2/')
      ? pageOf([provider], 1, 100)
      : path.includes('page=')
        ? pageOf([], 1, 100)
        : answered(404, { detail: 'Not found.' }),
  );
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const { records, gaps } = await readInventoryOf(kindOf('provider', 'oauth2provider'), { client, pacing });
  expect([records, gaps]).toMatchObject([[], [{ kind: 'not_shown', name: 'wiki' }]]);
});
