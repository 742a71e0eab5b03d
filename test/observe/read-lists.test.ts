import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { readLists, type ListReport } from '../../src/observe/read-lists.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { certificates } from '../support/pem.ts';
import { desired } from '../support/desired.ts';
import { listingService, manyUsers, pageOf, userRecord } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const names = Array.from({ length: 13 }, (_, index) => `u${index}`);
const resources = await desired(
  JSON.stringify({ version: 1, users: names.map((username) => ({ username, name: `Name of ${username}` })) }),
);
const userNamed = (pk: number, username: string, name: string): JsonObject => ({
  ...userRecord(username),
  pk,
  name,
});
const there = names.slice(1).map((username, index) => userNamed(index + 1, username, `Name of ${username}`));

interface ReadOfUsers {
  readonly found: number;
  readonly absent: readonly string[];
  readonly namesakes: readonly string[];
  readonly progress: ListReport['progress'] | undefined;
}

/** Reads the list of users for 13 declared users. `later` is the first user of the list when its second page is read. */
async function read(
  users: readonly JsonObject[],
  {
    self,
    later,
    second,
    of = resources,
  }: { self?: Exchange; later?: JsonObject; second?: Exchange; of?: readonly Resource[] } = {},
): Promise<ReadOfUsers> {
  const { send } = listingService({
    users,
    instead: ({ list, page }, service) => {
      if (page === 2 && later) service.users.unshift(later);
      return list === 'me' ? self : page === 2 ? second : undefined;
    },
  });
  const reports: ListReport[] = [];
  const { found, absent, namesakes } = await readLists(of, {
    client: new Client(send),
    pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
    onFound: () => {},
    onList: (report) => reports.push(report),
  });
  return {
    found: found.size,
    absent: Array.from(absent, ({ name }) => name),
    namesakes: Array.from(namesakes, ([{ name }, other]) => `${name} as ${other}`),
    progress: reports[0]?.progress,
  };
}

test('a list with at most eight times as many records as are declared is read', async () => {
  const others = manyUsers(13 * 8 - there.length, 100);
  expect(await read([...there, ...others])).toMatchObject({
    found: 12,
    progress: { kind: 'in_pages', pages: 2 },
  });
  expect(await read([...there, ...others, ...manyUsers(1, 900)])).toMatchObject({
    progress: { kind: 'too_many', count: 105 },
  });
});

test('a list is read only for more than twelve declared resources', async () => {
  expect((await read(there, { of: resources.slice(1) })).progress).toBeUndefined();
});

test('a list is ignored as a whole if one of its pages is not the requested one', async () => {
  const users = [...there, ...manyUsers(92, 100)];
  expect(await read(users, { second: pageOf(users, 1, 100) })).toEqual({
    found: 0,
    absent: [],
    namesakes: [],
    progress: { kind: 'doubtful' },
  });
});

test('a name that two different records have is looked up, because it is neither found nor absent', async () => {
  expect(await read([...there, userNamed(90, 'u5', 'Another')])).toMatchObject({ found: 11, absent: ['u0'] });
});

test('a title that several records have shows no namesake', async () => {
  const namesakes = ['former', 'other'].map((name, index) => userNamed(90 + index, name, 'Name of u0'));
  expect(await read([...there, ...namesakes])).toMatchObject({ absent: ['u0'], namesakes: [] });
});

test('a record that the list lacks is absent if the list shows every id, and its namesake is noted', async () => {
  const namesake = userNamed(90, 'former', 'Name of u0');
  const unnamed = userNamed(91, 'other', '');
  expect(await read([...there, namesake, unnamed])).toMatchObject({
    found: 12,
    absent: ['u0'],
    namesakes: ['u0 as former'],
  });
  expect(await read([...there, { ...namesake, pk: 1 }])).toMatchObject({
    absent: [],
    namesakes: ['u0 as former'],
  });
});

test("without the rights of a superuser, nothing counts as absent, also if the token's user is unknown", async () => {
  const user = answered(200, { user: { pk: 1, username: 'me', is_superuser: false } });
  for (const self of [user, answered(403, { detail: 'no' })])
    expect(await read(there, { self })).toMatchObject({
      found: 12,
      absent: [],
      progress: { kind: 'in_pages' },
    });
});

test('a record that was created while the list was read does not count as absent', async () => {
  const others = manyUsers(104 - there.length, 100);
  const all = [...there, ...others];
  expect(await read(all)).toMatchObject({ found: 12, absent: ['u0'] });
  expect(await read(all, { later: userNamed(901, 'u0', 'Name of u0') })).toMatchObject({
    found: 12,
    absent: [],
  });
});

test('records without a title are no namesakes', async () => {
  const of = await desired(
    JSON.stringify({ version: 1, users: names.map((username) => ({ username, name: '' })) }),
  );
  expect(await read([userNamed(90, 'other', '')], { of })).toMatchObject({ namesakes: [] });
});

test.each([
  [answered(200, { user: { pk: 1, username: 'me', is_superuser: false } }), { kind: 'no_superuser' }],
  [answered(403, { detail: 'no' }), { kind: 'failed', failed: { status: 403 } }],
])('a list that only superusers get is not read for another token: %j', async (self, progress) => {
  const applications = names.map((slug) => ({ slug, name: slug }));
  const of = await desired(JSON.stringify({ version: 1, applications }));
  expect(await read([], { self, of })).toMatchObject({ found: 0, absent: [], progress });
});

/** Reads the lists of these resources from a service that answers by the name of the list. */
function readFrom(
  of: readonly Resource[],
  answers: Readonly<Record<string, Exchange>>,
): ReturnType<typeof readLists> {
  const client = new Client(async ({ path }) => answers[path.split('/')[4] ?? ''] ?? answered(404, ''));
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  return readLists(of, { client, pacing, onFound: () => {} });
}

test('a record is found in its list although the list does not contain a write-only field', async () => {
  const all = names.map((name) => ({ name, certificate_data: certificates.one }));
  const of = await desired(JSON.stringify({ version: 1, certificates: all }));
  const records = names.map((name, index) => ({ pk: uuidFrom(name), name, fingerprint_sha256: `${index}` }));
  const { found } = await readFrom(of, { certificatekeypairs: pageOf(records, 1, 100) });
  expect(found.size).toBe(13);
});

test('the answer to a list that cannot be read is returned, although another list was read before', async () => {
  const groups = names.map((name) => ({ name }));
  const users = names.map((username) => ({ username, name: '' }));
  const of = await desired(JSON.stringify({ version: 1, groups, users }));
  const denial = answered(403, { detail: 'no' });
  const { failed } = await readFrom(of, { groups: pageOf([], 1, 100), users: denial });
  expect(failed).toMatchObject({ status: 403 });
});
