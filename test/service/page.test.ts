import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { Client, type PageReading } from '../../src/service/client.ts';
import { pageIn } from '../../src/service/page.ts';
import { withRedaction } from '../../src/service/redact.ts';
import { readRecordings, responseBody, type Recording } from '../support/recordings.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';

const users = { path: '/api/v3/core/users/', query: { ordering: 'username', search: 'a b&c' } };
const two = [
  { pk: 1, username: 'a' },
  { pk: 2, username: 'b' },
];

/** The second of three pages. Each page has two records. */
function page(pagination: JsonObject = {}, results: readonly unknown[] = two): object {
  return {
    pagination: {
      next: 3,
      previous: 1,
      count: 5,
      current: 2,
      total_pages: 3,
      start_index: 3,
      end_index: 4,
      ...pagination,
    },
    results,
  };
}

async function reading(body: unknown, status = 200, number = 2): Promise<PageReading> {
  const { send } = scriptedTransport(answered(status, body));
  return new Client(send).readPage(users, { number, size: 2 });
}

test('a page is requested with the query of the list, the number of the page and the page size', async () => {
  const { send, requests } = scriptedTransport(answered(200, page()));
  await new Client(send).readPage(users, { number: 2, size: 2 });
  expect(requests).toEqual([
    { method: 'GET', path: '/api/v3/core/users/?ordering=username&search=a+b%26c&page=2&page_size=2' },
  ]);
});

test('a page has records, the total number of records, and the number of the next page', async () => {
  expect(await reading(page())).toMatchObject({
    proof: 'exists',
    page: { count: 5, next: 3, end: 4, items: two.map((each) => ({ received: each, shown: each })) },
  });
});

describe('an inconsistent or unrequested page proves nothing:', () => {
  test.each<[string, object]>([
    ['another page', page({ current: 1 })],
    ['more records than its range', page({}, [...two, { pk: 3 }])],
    ['fewer records than its range', page({}, two.slice(1))],
    ['no records within its range', page({ start_index: 0, end_index: 0 }, [])],
    ['an end of the range beyond the count', page({ count: 3, next: 0 })],
    ['no next page before the end', page({ next: 0 })],
    ['a next page after the end', page({ count: 4 })],
    ['a next page that skips one', page({ next: 4 })],
    ['a range that does not fit its number', page({ start_index: 2, end_index: 3 })],
    ['the range of the page before', page({ start_index: 1, end_index: 2 })],
    ['a greater count than the pages before', page({ start_index: 2, end_index: 4 }, [...two, { pk: 3 }])],
    ['a smaller count than the pages before', page({ start_index: 3, end_index: 3 }, two.slice(1))],
    ['a greater count on the last page', page({ next: 0, start_index: 2, end_index: 5 }, [...two, ...two])],
    ['a count that is a string', page({ count: '5' })],
    ['a count that is a fraction', page({ count: 5.5 })],
    ['a count that is negative', page({ count: -5 })],
    ['no count', { pagination: { next: 0 }, results: two }],
    ['no pagination', { results: two }],
    ['no results', { pagination: page() }],
    ['results that are not a list', { ...page(), results: {} }],
    ['a record in place of a list', { pk: 1, username: 'a' }],
    ['a list in place of a page', two],
  ])('%s', async (_name, body) => {
    expect((await reading(body)).proof).toBe('nothing');
  });
});

test('a first page that does not begin at 1 is invalid', async () => {
  const later = { next: 0, previous: 0, count: 3, current: 1, start_index: 2, end_index: 3 };
  expect((await reading(page(later), 200, 1)).proof).toBe('nothing');
});

test('a first page without the records that are counted is invalid', async () => {
  const empty = { next: 2, previous: 0, count: 3, current: 1, start_index: 0, end_index: 0 };
  expect((await reading(page(empty, []), 200, 1)).proof).toBe('nothing');
});

test('an empty list has one page', () => {
  const pagination = {
    next: 0,
    previous: 0,
    count: 0,
    current: 1,
    total_pages: 1,
    start_index: 0,
    end_index: 0,
  };
  expect(pageIn({ pagination, results: [] }, 1)).toEqual({ items: [], count: 0, end: 0, next: 0 });
});

test.each([
  [404, { detail: 'Invalid page.' }, 2, 'absent'],
  [404, { detail: 'Not found.' }, 1, 'fault'],
  [404, '<!DOCTYPE html>', 2, 'fault'],
  [403, { detail: 'no' }, 2, 'denied'],
  [500, '<h1>Server Error</h1>', 2, 'nothing'],
  [400, { username: ['no'] }, 2, 'fault'],
  [201, page(), 2, 'nothing'],
] as const)(
  'an answer with status %i and the body %j for page %i is read as %s',
  async (status, body, number, proof) => {
    expect((await reading(body, status, number)).proof).toBe(proof);
  },
);

test('list items that are not records are skipped, and secrets are kept only for comparison', async () => {
  const secret = 'canary-of-a-header';
  const body = page({}, [null, { pk: 2, username: secret, name: `it is ${secret}` }]);
  const { send } = scriptedTransport(answered(200, body));
  const met = await new Client(withRedaction(send, [secret])).readPage(users, { number: 2, size: 2 });
  if (met.proof !== 'exists') expect.fail(met.proof);
  expect(met.page.items.map(({ received }) => received['name'])).toEqual([`it is ${secret}`]);
  expect(JSON.stringify(met.page.items.map(({ shown }) => shown))).not.toContain(secret);
  expect(JSON.stringify(met.answer)).not.toContain(secret);
});

describe("the answer about the token's user", () => {
  test.each([
    ['of a superuser', answered(200, { user: { username: 'me', is_superuser: true } }), 'exists', true],
    [
      'with a string for the superuser',
      answered(200, { user: { username: 'me', is_superuser: 'true' } }),
      'exists',
      false,
    ],
    ['without the field', answered(200, { user: { username: 'me' } }), 'exists', false],
    ['in another form', answered(200, { username: 'me', is_superuser: true }), 'nothing', undefined],
    ['that is a denial', answered(403, { detail: 'no' }), 'denied', undefined],
    ['that is a 404', answered(404, { detail: 'no' }), 'fault', undefined],
  ] as const)(
    'proves no user and no superuser rights that it does not contain: %s',
    async (_, exchange, proof, isSuperuser) => {
      const met = await new Client(scriptedTransport(exchange).send).readSelf();
      expect(met.proof).toBe(proof);
      expect(met.proof === 'exists' ? met.isSuperuser : undefined).toBe(isSuperuser);
    },
  );
});

describe('a recorded answer of 2023.10', () => {
  const recorded = [
    ...readRecordings('2023.10', 'list-users'),
    ...readRecordings('2023.10', 'list-applications'),
  ];
  const named = (name: string): Recording =>
    recorded.find((recording) => recording.name === name) ?? expect.fail(`${name} is not recorded`);

  test.each([
    ['page 1 of size 2', 'exists'],
    ['page 2 of size 2', 'exists'],
    ['superuser_full_list, page_size 2', 'exists'],
    ['page 2', 'exists'],
    ['include_groups=false (newer releases only)', 'exists'],
    ['token that may view one user: all', 'exists'],
    ['page beyond the end', 'absent'],
    ['token none: by username', 'denied'],
    // The service's cached list for this token was filtered by policies, so its count does not match.
    ['policy-bound without superuser_full_list, as superuser', 'nothing'],
    ['token none: count of all, superuser_full_list', 'nothing'],
    ['token none: policy-bound, superuser_full_list', 'nothing'],
    ['slug filter: absent', 'nothing'],
  ])('to "%s" is read as %s', async (name, proof) => {
    const recording = named(name);
    const number = Number(/[?&]page=(\d+)/.exec(recording.request.path)?.[1] ?? 1);
    const { send } = scriptedTransport(answered(recording.response.status, responseBody(recording)));
    expect((await new Client(send).readPage(users, { number, size: 2 })).proof).toBe(proof);
  });
});
