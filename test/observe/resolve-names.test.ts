import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { resolveNames } from '../../src/observe/resolve-names.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange, Transport } from '../../src/service/transport.ts';
import { trimAsService } from '../../src/manifest/trim.ts';
import { anyCharacter } from '../support/any-json.ts';
import { times } from '../support/effort.ts';
import { desired } from '../support/desired.ts';
import { withChangedPage, pageOf } from '../support/listing-service.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { namesOf, sentOf } from '../support/values.ts';

/** The records of the service, by list. */
type Held = Readonly<Record<'groups' | 'providers', readonly JsonObject[]>>;

interface Asked {
  readonly list: 'groups' | 'providers';
  readonly query: URLSearchParams;
  /** The number of earlier requests. */
  readonly before: number;
}

interface NameService {
  readonly send: Transport;
  /** The paths and queries of the requested lists, in order. */
  readonly asked: () => string[];
}

function nameService(
  held: Partial<Held>,
  {
    mostOnPage = 100,
    instead,
  }: { mostOnPage?: number; instead?: (asked: Asked) => Exchange | undefined } = {},
): NameService {
  const asked: string[] = [];
  return {
    asked: () => asked,
    send: async ({ path }) => {
      const { pathname, searchParams: query } = new URL(path, 'http://localhost');
      const list = pathname === '/api/v3/core/groups/' ? 'groups' : 'providers';
      const before = asked.length;
      asked.push([list, query.get('name') ?? query.get('search') ?? 'all', query.get('page')].join(' '));
      const records = (held[list] ?? []).filter(({ name }) => {
        const search = query.get('search')?.toLowerCase() ?? '';
        const exact = list === 'groups' ? query.get('name') : undefined;
        return textOf(name).toLowerCase().includes(search) && (!exact || name === exact);
      });
      const size = Math.min(mostOnPage, Number(query.get('page_size')));
      return instead?.({ list, query, before }) ?? pageOf(records, Number(query.get('page')), size);
    },
  };
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const staff = { pk: uuid(1), name: 'staff' };
const grafana = { pk: 42, name: 'Grafana OIDC' };

interface Found {
  readonly fields: readonly JsonObject[];
  readonly names: readonly unknown[];
  /** All faults, by name. */
  readonly faults: readonly (readonly [name: string, fault: object])[];
  readonly notRead: number;
}

async function resolved(
  manifest: { applications?: readonly JsonObject[]; users?: readonly JsonObject[] },
  { send }: NameService,
  { signal, concurrency = 1 }: { signal?: AbortSignal; concurrency?: number } = {},
): Promise<Found> {
  const text = JSON.stringify({ version: 1, ...manifest });
  const resources = await desired(text.replaceAll('${', '$$$${'));
  const result = await resolveNames(resources, {
    client: new Client(send),
    pacing: createPacing({ concurrency, clock: virtualClock(), random: () => 0, ...(signal && { signal }) }),
    ...(signal && { signal }),
  });
  return {
    fields: result.resources.map((resource) => sentOf(resource)),
    names: result.resources.map((resource) => namesOf(resource)),
    faults: result.unresolved.map(({ declared: { name }, fault }) => [
      name,
      fault.kind === 'unread' ? { kind: 'unread', proof: fault.proof, status: fault.answer.status } : fault,
    ]),
    notRead: result.notRead,
  };
}

function user(username: string, ...groups: readonly JsonValue[]): JsonObject {
  return { username, name: username, groups };
}

/** A first page with these records and a changed pagination. */
function pageSaying(results: readonly JsonValue[], more: JsonObject = {}): Exchange {
  return withChangedPage(pageOf(results, 1, 100), ({ pagination }) => ({
    pagination: { ...pagination, ...more },
  }));
}

function application(slug: string, provider: JsonValue): JsonObject {
  return { slug, name: slug, provider };
}

describe('the look-up of a name in place of an id', () => {
  test('is sent once for all uses of the name, and other values stay unchanged', async () => {
    const service = nameService({ groups: [staff, { pk: uuid(2), name: 'admins' }], providers: [grafana] });
    const { fields, names, faults } = await resolved(
      {
        applications: [
          {
            ...application('a', { name: 'Grafana OIDC' }),
            backchannel_providers: [7, { name: 'Grafana OIDC' }],
          },
          application('b', 7),
          application('c', null),
        ],
        users: [
          user('u', { name: 'staff' }, uuid(9), { name: 'admins' }),
          { ...user('v', { name: 'staff' }), attributes: { groups: [{ name: 'staff' }] } },
          user('w', uuid(3)),
        ],
      },
      service,
    );
    expect(fields).toEqual([
      { ...application('a', 42), backchannel_providers: [7, 42] },
      application('b', 7),
      application('c', null),
      user('u', uuid(1), uuid(9), uuid(2)),
      { ...user('v', uuid(1)), attributes: { groups: [{ name: 'staff' }] } },
      user('w', uuid(3)),
    ]);
    expect(names).toEqual([
      { '/provider': 'Grafana OIDC', '/backchannel_providers/1': 'Grafana OIDC' },
      undefined,
      undefined,
      { '/groups/0': 'staff', '/groups/2': 'admins' },
      { '/groups/0': 'staff' },
      undefined,
    ]);
    expect(faults).toEqual([]);
    expect(service.asked()).toEqual(['providers Grafana 1', 'groups staff 1', 'groups admins 1']);
  });

  test('is not sent if no name is used', async () => {
    const service = nameService({});
    await resolved({ applications: [application('a', 7)], users: [user('u', uuid(1))] }, service);
    expect(service.asked()).toEqual([]);
  });

  test.each([
    ['Grafana OIDC', 'Grafana'],
    ['a & b%+#?/..', 'a'],
    ['"quoted, words"', 'quoted'],
    ['${x} \\ Équipe d’été', 'Équipe'],
    ['prov-1', 'prov-1'],
    ['!!!', 'all'],
    ['x'.repeat(300), 'x'.repeat(100)],
    ['日本語', '日本語'],
  ])("searches for a word of a provider's name, and compares the whole name: %s", async (name, word) => {
    const providers = [
      { pk: 1, name: `${name} ` },
      { pk: 2, name },
      { pk: 3, name: `${name}${name}` },
    ];
    const service = nameService({ providers });
    const { fields } = await resolved({ applications: [application('a', { name })] }, service);
    expect(fields).toEqual([application('a', 2)]);
    expect(service.asked()).toEqual([`providers ${word} 1`]);
  });

  test.each(['a & b=c', '%20+#?', 'name=x&page=2', '\u0007\u202e', '${var}', '日本語'])(
    'searches for the exact name of a group: %s',
    async (name) => {
      const service = nameService({ groups: [{ pk: uuid(1), name }] });
      const { fields } = await resolved({ users: [user('u', { name })] }, service);
      expect(fields).toEqual([user('u', uuid(1))]);
      expect(service.asked()).toEqual([`groups ${name} 1`]);
    },
  );

  test('reads all pages of a search, of any size', async () => {
    const providers = Array.from({ length: 7 }, (_, index) => ({ pk: index + 1, name: `prov-${index + 1}` }));
    const service = nameService({ providers }, { mostOnPage: 3 });
    const { fields } = await resolved({ applications: [application('a', { name: 'prov-7' })] }, service);
    expect(fields).toEqual([application('a', 7)]);
    const wide = nameService({ providers: [...providers, { pk: 8, name: 'prov' }] }, { mostOnPage: 3 });
    expect((await resolved({ applications: [application('a', { name: 'prov' })] }, wide)).fields).toEqual([
      application('a', 8),
    ]);
    expect(wide.asked()).toEqual(['providers prov 1', 'providers prov 2', 'providers prov 3']);
  });

  test('reads the whole list if that takes fewer requests', async () => {
    const providers = Array.from({ length: 250 }, (_, index) => ({ pk: index, name: `prov-${index}` }));
    const named = (count: number): { applications: JsonObject[] } => ({
      applications: Array.from({ length: count }, (_, index) =>
        application(`a${index}`, { name: `prov-${index}` }),
      ),
    });
    const few = nameService({ providers }, { mostOnPage: 20 });
    expect((await resolved(named(3), few)).faults).toEqual([]);
    expect(few.asked()).toEqual([
      'providers all 1',
      'providers prov-0 1',
      'providers prov-1 1',
      ...Array.from({ length: 5 }, (_, page) => `providers prov-1 ${page + 2}`),
      'providers prov-2 1',
      ...Array.from({ length: 3 }, (_, page) => `providers prov-2 ${page + 2}`),
    ]);
    const many = nameService({ providers });
    const { fields } = await resolved(named(200), many);
    expect(fields.map(({ provider }) => provider)).toEqual(Array.from({ length: 200 }, (_, index) => index));
    expect(many.asked()).toEqual(['providers all 1', 'providers all 2', 'providers all 3']);
  });

  test('is sent for each name if the whole list cannot be read', async () => {
    const service = nameService(
      { providers: [grafana, { pk: 2, name: 'Wiki' }, { pk: 3, name: 'Grafana SAML' }] },
      { instead: ({ query }) => (query.has('search') ? undefined : answered(500, 'broken')) },
    );
    const names = ['Grafana OIDC', 'Wiki', 'Grafana SAML'];
    const applications = names.map((name, index) => application(`a${index}`, { name }));
    const { fields } = await resolved({ applications }, service);
    expect(fields.map(({ provider }) => provider)).toEqual([42, 2, 3]);
    expect(service.asked().slice(-2)).toEqual(['providers Grafana 1', 'providers Wiki 1']);
  });
});

describe('a name without an id', () => {
  test('is reported with the most similar name that the token can see', async () => {
    const service = nameService({
      groups: [staff, { pk: uuid(2), name: 'contractors' }],
      providers: [grafana],
    });
    const { faults, fields } = await resolved(
      {
        applications: [application('a', { name: 'grafana oidc' })],
        users: [user('u', { name: 'Staff' }), user('v', { name: 'nothing like these' })],
      },
      service,
    );
    expect(faults).toEqual([
      ['grafana oidc', { kind: 'not_found', nearest: 'Grafana OIDC' }],
      ['Staff', { kind: 'not_found', nearest: 'staff' }],
      ['nothing like these', { kind: 'not_found' }],
    ]);
    expect(fields[0]).toEqual(application('a', { name: 'grafana oidc' }));
  });

  test('is reported with all ids if several records have it', async () => {
    const service = nameService({ groups: [staff, { pk: uuid(2), name: 'staff' }] });
    const { faults } = await resolved({ users: [user('u', { name: 'staff' })] }, service);
    expect(faults).toEqual([['staff', { kind: 'several', ids: [uuid(1), uuid(2)] }]]);
  });

  test('is not reported as missing if its record has no id', async () => {
    const service = nameService({ groups: [{ name: 'staff' }] });
    const { faults } = await resolved({ users: [user('u', { name: 'staff' })] }, service);
    expect(faults).toEqual([['staff', { kind: 'unread', proof: 'nothing', status: 200 }]]);
  });

  test.each([401, 403])(
    'is never reported as missing if the token may not look up its kind (%i)',
    async (status) => {
      const service = nameService(
        { groups: [staff], providers: [grafana] },
        { instead: ({ list }) => (list === 'groups' ? answered(status, { detail: 'No.' }) : undefined) },
      );
      const { faults, notRead } = await resolved(
        {
          applications: [application('a', { name: 'nobody' })],
          users: [user('u', { name: 'staff' }, { name: 'x' }), user('v', { name: 'y' })],
        },
        service,
        { concurrency: 1 },
      );
      const denied = { kind: 'unread', proof: 'denied', status };
      expect(faults).toEqual([
        ['nobody', { kind: 'not_found' }],
        ['staff', denied],
        ['x', denied],
        ['y', denied],
      ]);
      expect(notRead).toBe(0);
      expect(service.asked().filter((path) => path.startsWith('groups'))).toEqual(['groups staff 1']);
    },
  );

  test('counts as unread after a denial, but names that were found before keep their ids', async () => {
    const service = nameService(
      { groups: [staff] },
      { instead: ({ query }) => (query.get('name') === 'x' ? answered(403, { detail: 'No.' }) : undefined) },
    );
    const users = [user('u', { name: 'staff' }), user('v', { name: 'x' }), user('w', { name: 'y' })];
    const { faults } = await resolved({ users }, service);
    const denied = { kind: 'unread', proof: 'denied', status: 403 };
    expect(faults).toEqual([
      ['x', denied],
      ['y', denied],
    ]);
  });

  test.each<[string, Exchange, object]>([
    ['fails', answered(500, 'broken'), { proof: 'nothing', status: 500 }],
    ['does not answer', lost, { proof: 'nothing', status: undefined }],
    [
      'redirects',
      answered(302, '', { location: 'https://elsewhere.example/' }),
      { proof: 'fault', status: 302 },
    ],
    ['returns no list', answered(200, { pk: 1, name: 'staff' }), { proof: 'nothing', status: 200 }],
    ['lists no record and counts one', pageSaying([null]), { proof: 'nothing', status: 200 }],
    ['lists a record without an id', pageSaying([{ name: 'staff' }]), { proof: 'nothing', status: 200 }],
    ['lists a record without a name', pageSaying([{ pk: uuid(1) }]), { proof: 'nothing', status: 200 }],
    ['lists no record and announces more', pageSaying([], { next: 2 }), { proof: 'nothing', status: 200 }],
    ['is another API', answered(404, { detail: 'Not found.' }), { proof: 'fault', status: 404 }],
  ])('is not looked up if the service %s', async (_, exchange, fault) => {
    const service = nameService({ groups: [staff] }, { instead: () => exchange });
    const { faults } = await resolved({ users: [user('u', { name: 'staff' })] }, service);
    expect(faults).toEqual([['staff', { kind: 'unread', ...fault }]]);
  });

  test('is looked up again after an answer that proves nothing', async () => {
    const service = nameService(
      { groups: [staff] },
      { instead: ({ before }) => (before < 2 ? [answered(503), lost][before] : undefined) },
    );
    expect((await resolved({ users: [user('u', { name: 'staff' })] }, service)).fields).toEqual([
      user('u', uuid(1)),
    ]);
  });

  test('is not looked up after several failures', async () => {
    const service = nameService({}, { instead: () => answered(500, 'broken') });
    const names = Array.from({ length: 9 }, (_, index) => ({ name: `g${index}` }));
    const { faults, notRead } = await resolved({ users: [user('u', ...names)] }, service, { concurrency: 1 });
    expect(faults).toHaveLength(9);
    expect(notRead).toBe(0);
    expect(new Set(service.asked()).size).toBeLessThanOrEqual(5);
  });

  test('is looked up after several failures that are not in a row', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `g${index}`);
    const found = ['g4', 'g6'];
    const service = nameService(
      { groups: found.map((name, index) => ({ pk: uuid(index), name })) },
      { instead: ({ query }) => (found.includes(query.get('name') ?? '') ? undefined : answered(500)) },
    );
    const groups = names.map((name) => ({ name }));
    const { faults } = await resolved({ users: [user('u', ...groups)] }, service, { concurrency: 1 });
    expect(faults.map(([name]) => name)).toEqual(['g0', 'g1', 'g2', 'g3', 'g5']);
  });

  test('is not looked up after an interruption', async () => {
    const service = nameService({ groups: [staff] });
    const { faults, notRead } = await resolved({ users: [user('u', { name: 'staff' })] }, service, {
      signal: AbortSignal.abort(),
    });
    expect([faults, notRead, service.asked()]).toEqual([[], 1, []]);
  });
});

describe('a list that changes while it is read', () => {
  const many = Array.from({ length: 6 }, (_, index) => ({ pk: index + 1, name: `prov ${index}` }));

  test('is read again, so that a record that moved to an earlier page does not count as missing', async () => {
    // After the first page is read, a record is deleted, so the first record of the second page moves to the first page.
    const after = many.slice(1);
    const service = nameService(
      { providers: after },
      { mostOnPage: 3, instead: ({ before }) => (before === 0 ? pageOf(many, 1, 3) : undefined) },
    );
    const { fields } = await resolved({ applications: [application('a', { name: 'prov 3' })] }, service);
    expect(fields).toEqual([application('a', 4)]);
  });

  /** While the list is read, a record of the first page is deleted and another record is created, so the count stays the same. */
  const moved = [...many.slice(0, 1), ...many.slice(2), { pk: 7, name: 'prov 7' }];
  /** The first request for the first page gets the original page. */
  const moving = (list: (query: URLSearchParams) => boolean): Parameters<typeof nameService>[1] => {
    let isRead = false;
    return {
      mostOnPage: 3,
      instead: ({ query }) => {
        if (isRead || !list(query)) return undefined;
        isRead = true;
        return pageOf(many, 1, 3);
      },
    };
  };

  test('is followed by a look-up for each missing name, as the list does not prove absence', async () => {
    const service = nameService(
      { providers: moved },
      moving((query) => !query.has('search')),
    );
    const { fields, faults } = await resolved(
      {
        applications: [
          application('a', { name: 'prov 0' }),
          application('b', { name: 'prov 3' }),
          application('c', { name: 'gone' }),
        ],
      },
      service,
    );
    expect(fields.map(({ provider }) => provider)).toEqual([1, 4, { name: 'gone' }]);
    expect(faults).toEqual([['gone', { kind: 'not_found' }]]);
    expect(service.asked()).toEqual([
      'providers all 1',
      'providers all 2',
      'providers prov 1',
      'providers prov 2',
      'providers gone 1',
    ]);
  });

  test('is read again if a search of several pages does not show a declared name', async () => {
    const service = nameService(
      { providers: moved },
      moving((query) => query.has('search')),
    );
    const { fields } = await resolved({ applications: [application('a', { name: 'prov 3' })] }, service);
    expect(fields).toEqual([application('a', 4)]);
  });

  test('is followed by one search for names that share a search word, as the list does not prove absence', async () => {
    const service = nameService({ providers: many });
    const applications = [application('a', { name: 'prov 8' }), application('b', { name: 'prov 9' })];
    const { faults } = await resolved({ applications }, service);
    expect(faults.map(([, { kind }]: readonly [string, { kind?: string }]) => kind)).toEqual([
      'not_found',
      'not_found',
    ]);
    expect(service.asked()).toEqual(['providers all 1', 'providers prov 1']);
  });

  test('is abandoned after several tries, without a conclusion', async () => {
    const service = nameService(
      { providers: many },
      {
        mostOnPage: 3,
        instead: ({ query }) =>
          query.get('page') === '2'
            ? withChangedPage(pageOf(many, 2, 3), ({ results }) => ({
                results: [many[0] ?? null, ...results.slice(1)],
              }))
            : undefined,
      },
    );
    const { faults } = await resolved({ applications: [application('a', { name: 'prov 9' })] }, service);
    expect(faults).toEqual([['prov 9', { kind: 'unread', proof: 'nothing', status: 200 }]]);
  });
});

test('a record with an invalid id is ignored, and its name does not count as missing', async () => {
  const held = {
    groups: [{ pk: 7, name: 'staff' }],
    providers: [{ pk: '7', name: 'Wiki' }],
  };
  const { faults } = await resolved(
    { applications: [application('a', { name: 'Wiki' })], users: [user('u', { name: 'staff' })] },
    nameService(held),
  );
  expect(faults.map(([, fault]) => fault)).toMatchObject([{ kind: 'unread' }, { kind: 'unread' }]);
});

test('each name resolves to the id of its record, for random names', async () => {
  const name = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
    .filter((text) => trimAsService(text) === text && !/[\0$]/.test(text) && !/^\s*$/.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { minLength: 1, maxLength: 15, selector: (text) => text }),
      fc.uniqueArray(name, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (held, others, mostOnPage) => {
        const known = new Map(held.map((each, index) => [each, index + 1]));
        const service = nameService(
          {
            groups: held.map((each, index) => ({ pk: uuid(index + 1), name: each })),
            providers: held.map((each, index) => ({ pk: index + 1, name: each })),
          },
          { mostOnPage },
        );
        const wanted = [...new Set([...held.filter((_, index) => index % 2 === 0), ...others])];
        const { fields, faults } = await resolved(
          {
            applications: wanted.map((each, index) => application(`a${index}`, { name: each })),
            users: [user('u', ...wanted.map((each) => ({ name: each })))],
          },
          service,
        );
        expect(fields).toEqual([
          ...wanted.map((each, index) => application(`a${index}`, known.get(each) ?? { name: each })),
          user('u', ...wanted.map((each) => (known.has(each) ? uuid(known.get(each) ?? 0) : { name: each }))),
        ]);
        const missing = wanted.filter((each) => !known.has(each));
        expect(faults.map(([each]) => each)).toEqual([...missing, ...missing]);
      },
    ),
    { numRuns: times({ short: 3, full: 400 }) },
  );
});
