import { afterEach, describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { someReleases } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const bindings = 'policies/bindings/';
const absent = '99999999-9999-4999-8999-999999999999';
const groups = new Set(['staff', 'contractors']);

interface Answered {
  readonly status: number;
  readonly body: JsonObject;
}

type Ask = (method: string, path: string, fields?: JsonObject, token?: string) => Promise<Answered>;

interface Service {
  readonly ask: Ask;
  /** The id of the record with this name. */
  readonly pkOf: (type: 'application' | 'group' | 'user', name: string) => string;
}

const servers: SandboxServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const wikis = ['grafana', 'wiki'].map((slug) => ({ slug, name: slug }));
const people = ['carol', 'dave'].map((username) => ({ username, name: username }));

async function serving(more: SandboxSeed, release?: SandboxRelease): Promise<Service> {
  const { sandbox, refused } = seedSandbox({ applications: wikis, users: people, ...more }, release);
  expect(refused).toEqual([]);
  const server = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
  servers.push(server);
  return {
    pkOf: (type, name) => textOf(otherClient(sandbox).pk(type, name)),
    ask: async (method, path, fields, token = sandboxToken) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = fields && { body: JSON.stringify(fields) };
      const response = await fetch(`${server.url}/api/v3/${path}`, { method, headers, ...body });
      const answer = parseJson(await response.text()) ?? null;
      return { status: response.status, body: isJsonObject(answer) ? answer : {} };
    },
  };
}

function resultsOf({ body }: Answered): JsonObject[] {
  const results = body['results'] ?? null;
  return isJsonList(results) ? results.filter((result) => isJsonObject(result)) : [];
}

/** The status of the answer, and the subject of each binding in the list. */
function shown(answered: Answered): [number, ...string[]] {
  const names = resultsOf(answered).map((binding) => {
    const of = [binding['group_obj'], binding['user_obj'], binding['policy_obj']].find((one) => one !== null);
    return isJsonObject(of ?? null)
      ? textOf((of as JsonObject)['username'] ?? (of as JsonObject)['name'])
      : ''; // checked above
  });
  return [answered.status, ...names];
}

/** Whether a user could open the application grafana. */
async function passing({ ask, pkOf }: Service, username: string): Promise<unknown> {
  const path = `core/applications/grafana/check_access/?for_user=${pkOf('user', username)}`;
  return (await ask('GET', path)).body['passing'];
}

const bound = (names: readonly string[], application = 'grafana'): NonNullable<SandboxSeed['bindings']> =>
  names.map((name) => ({ application, [groups.has(name) ? 'group' : 'user']: name }));

describe("the sandbox's list of bindings", () => {
  const both = { bindings: [...bound(['staff', 'carol']), ...bound(['contractors'], 'wiki')] };

  test('has the bindings of a target with the names of their users or groups, and ignores other filters', async () => {
    const service = await serving(both);
    const path = `${bindings}?target=${service.pkOf('application', 'grafana')}`;
    expect(shown(await service.ask('GET', path))).toEqual([200, 'staff', 'carol']);
    const group = service.pkOf('group', 'contractors');
    expect(shown(await service.ask('GET', `${path}&group=${group}`))).toEqual([200, 'staff', 'carol']);
    expect(shown(await service.ask('GET', `${path}&user=1&enabled=false`))).toEqual([200, 'staff', 'carol']);
  });

  test('has the bindings of several targets, or all bindings if the request names no target', async () => {
    const service = await serving(both);
    const [grafana, wiki] = ['grafana', 'wiki'].map((slug) => service.pkOf('application', slug));
    const several = `${bindings}?target_in=${grafana}&target_in=${wiki}&ordering=order`;
    expect(shown(await service.ask('GET', several))).toEqual([200, 'staff', 'carol', 'contractors']);
    expect(shown(await service.ask('GET', `${bindings}?target_in=${wiki}`))).toEqual([200, 'contractors']);
    expect(shown(await service.ask('GET', bindings))).toEqual([200, 'staff', 'carol', 'contractors']);
    // The recorded service ignores this parameter.
    const other = `${bindings}?target__in=${wiki}`;
    expect(shown(await service.ask('GET', other))).toEqual([200, 'staff', 'carol', 'contractors']);
  });

  test('is refused if any of the requested targets does not exist', async () => {
    const { ask, pkOf } = await serving(both);
    expect(await ask('GET', `${bindings}?target=${absent}`)).toEqual({
      status: 400,
      body: { target: ['Select a valid choice. That choice is not one of the available choices.'] },
    });
    const several = `target_in=${pkOf('application', 'wiki')}&target_in=${absent}`;
    expect(await ask('GET', `${bindings}?${several}`)).toEqual({
      status: 400,
      body: { target_in: [`Select a valid choice. ${absent} is not one of the available choices.`] },
    });
  });

  test('has each binding on exactly one of several pages', async () => {
    const { ask } = await serving(both);
    const pages = await Promise.all(
      [1, 2].map((page) => ask('GET', `${bindings}?ordering=pk&page_size=2&page=${page}`)),
    );
    expect(pages.map(({ body }) => body['pagination'])).toMatchObject([
      { count: 3, current: 1, next: 2, total_pages: 2 },
      { count: 3, current: 2, next: 0, total_pages: 2 },
    ]);
    const pks = pages.flatMap((page) => resultsOf(page).map(({ pk }) => textOf(pk)));
    expect(pks).toEqual(pks.toSorted());
    expect(new Set(pks).size).toBe(3);
    expect((await ask('GET', `${bindings}?page_size=2&page=3`)).status).toBe(404);
  });

  test.each([
    ['all', [200, 'staff', 'carol', 'contractors']],
    ['none', [403]],
    [
      ['grafana/staff', 'wiki/staff'],
      [200, 'staff'],
    ],
    [[], [200]],
  ] as const)('shows and counts only the bindings that the token may view: %j', async (visible, expected) => {
    const view_bindings = typeof visible === 'string' ? visible : [...visible];
    const { ask } = await serving({ ...both, tokens: [{ token: 'limited', view_bindings }] });
    const list = await ask('GET', bindings, undefined, 'limited');
    expect(shown(list)).toEqual(expected);
    if (list.status === 200) expect(list.body['pagination']).toMatchObject({ count: expected.length - 1 });
    for (const binding of resultsOf(await ask('GET', bindings))) {
      const { status } = await ask('GET', `${bindings}${textOf(binding['pk'])}/`, undefined, 'limited');
      const isListed = resultsOf(list).some(({ pk }) => pk === binding['pk']);
      expect(status).toBe(isListed ? 200 : visible === 'none' ? 403 : 404);
    }
  });
});

describe.each(someReleases(sandboxReleases))('a binding in the sandbox of release %s', (release) => {
  test('can exist twice, and each is deleted separately', async () => {
    const { ask, pkOf } = await serving({}, release);
    const fields = { target: pkOf('application', 'grafana'), group: pkOf('group', 'staff'), order: 0 };
    const made = [await ask('POST', bindings, fields), await ask('POST', bindings, fields)];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const [first, second] = made.map(({ body }) => `${bindings}${textOf(body['pk'])}/`);
    expect(first).not.toBe(second);
    const listed = resultsOf(await ask('GET', bindings)).map(({ pk }) => pk);
    expect(listed).toEqual(made.map(({ body }) => body['pk']).toReversed());
    expect(await ask('DELETE', first ?? '')).toEqual({ status: 204, body: {} });
    for (const method of ['DELETE', 'GET']) expect((await ask(method, first ?? '')).status).toBe(404);
    expect((await ask('GET', second ?? '')).status).toBe(200);
    expect(shown(await ask('GET', bindings))).toEqual([200, 'staff']);
  });

  test.each([
    ['group', 'groups', 'staff'],
    ['user', 'users', 'carol'],
    ['application', 'applications', 'grafana'],
  ] as const)('is deleted together with its %s', async (type, list, name) => {
    const service = await serving(
      { bindings: [...bound(['staff', 'carol']), ...bound(['contractors'], 'wiki')] },
      release,
    );
    const of = type === 'application' ? name : service.pkOf(type, name);
    expect((await service.ask('DELETE', `core/${list}/${of}/`)).status).toBe(204);
    const left = ['staff', 'carol', 'contractors'].filter(
      (other) => other !== name && (type !== 'application' || other === 'contractors'),
    );
    expect(shown(await service.ask('GET', bindings))).toEqual([200, ...left]);
  });

  test('accepts and refuses the same changes as in that release of the service', async () => {
    const { ask, pkOf } = await serving({ bindings: bound(['staff', 'contractors']) }, release);
    const [binding, other] = resultsOf(await ask('GET', bindings));
    const path = `${bindings}${textOf(binding?.['pk'])}/`;
    const whole = { target: pkOf('application', 'grafana'), group: pkOf('group', 'staff'), order: 0 };
    const isEarly = release === '2023.10';
    expect((await ask('PATCH', path, { enabled: false })).status).toBe(isEarly ? 400 : 405);
    const { order = null } = other ?? {};
    expect((await ask('PATCH', path, { ...whole, order })).status).toBe(isEarly ? 200 : 400);
    expect((await ask('PATCH', path, { ...whole, enabled: false })).status).toBe(200);
    const { body } = await ask('GET', path);
    expect(body).toMatchObject({ enabled: false, order: 0 });
  });
});

test('a token of the sandbox creates, changes and deletes bindings within its rights', async () => {
  const none = { add_bindings: false, change_bindings: 'none', delete_bindings: false } as const;
  const { ask, pkOf } = await serving({ bindings: bound(['staff']), tokens: [{ token: 'views', ...none }] });
  const [binding] = resultsOf(await ask('GET', bindings, undefined, 'views'));
  const path = `${bindings}${textOf(binding?.['pk'])}/`;
  const fields = { target: pkOf('application', 'wiki'), group: pkOf('group', 'staff'), order: 0 };
  expect((await ask('POST', bindings, fields, 'views')).status).toBe(403);
  expect((await ask('PATCH', path, { ...fields, enabled: false }, 'views')).status).toBe(403);
  expect((await ask('DELETE', path, undefined, 'views')).status).toBe(403);
  expect(shown(await ask('GET', bindings))).toEqual([200, 'staff']);
});

test('a binding of an entitlement has a user or a group, but no policy', async () => {
  const { ask, pkOf } = await serving({}, '2025.12');
  const app = pkOf('application', 'grafana');
  const { body: entitlement } = await ask('POST', 'core/application_entitlements/', { name: 'e', app });
  const { body: dummy } = await ask('POST', 'policies/dummy/', { name: 'p' });
  const target = entitlement['pbm_uuid'] ?? null;
  const { status } = await ask('POST', bindings, { target, policy: dummy['pk'] ?? null, order: 0 });
  expect(status).toBe(400);
  const user = Number(pkOf('user', 'carol'));
  expect((await ask('POST', bindings, { target, user, order: 0 })).status).toBe(201);
});

describe('access to an application of the sandbox', () => {
  test('is for everyone until somebody is bound, and again after the last binding is removed', async () => {
    const service = await serving({});
    const { ask, pkOf } = service;
    expect(await passing(service, 'carol')).toBe(true);
    const target = pkOf('application', 'grafana');
    const { body } = await ask('POST', bindings, { target, user: Number(pkOf('user', 'carol')), order: 0 });
    expect([await passing(service, 'carol'), await passing(service, 'dave')]).toEqual([true, false]);
    await ask('DELETE', `${bindings}${textOf(body['pk'])}/`);
    expect(await passing(service, 'dave')).toBe(true);
  });

  test('is for everyone after the last group was deleted', async () => {
    const service = await serving({ bindings: bound(['staff']) });
    expect(await passing(service, 'dave')).toBe(false);
    await service.ask('DELETE', `core/groups/${service.pkOf('group', 'staff')}/`);
    expect(await passing(service, 'dave')).toBe(true);
  });

  test.each(someReleases(sandboxReleases))(
    'on %s includes members of a group and of its child groups',
    async (release) => {
      const service = await serving({ bindings: bound(['staff']) }, release);
      const { ask, pkOf } = service;
      const parent = pkOf('group', 'staff');
      const above = release === '2023.10' ? { parent } : { parents: [parent] };
      const below = await ask('POST', 'core/groups/', { name: 'below', ...above });
      expect(await passing(service, 'carol')).toBe(false);
      const memberships = [textOf(below.body['pk'])];
      await ask('PATCH', `core/users/${pkOf('user', 'carol')}/`, { groups: memberships });
      expect([await passing(service, 'carol'), await passing(service, 'dave')]).toEqual([true, false]);
      await ask('PATCH', `core/users/${pkOf('user', 'dave')}/`, { groups: [parent] });
      expect(await passing(service, 'dave')).toBe(true);
    },
  );

  test("excludes members of a bound group's parent, as a parent inherits nothing from a child", async () => {
    const service = await serving({ bindings: bound(['staff']) });
    const { ask, pkOf } = service;
    const above = await ask('POST', 'core/groups/', { name: 'above' });
    const parent = textOf(above.body['pk']);
    await ask('PATCH', `core/groups/${pkOf('group', 'staff')}/`, { parent });
    await ask('PATCH', `core/users/${pkOf('user', 'carol')}/`, { groups: [parent] });
    expect(await passing(service, 'carol')).toBe(false);
  });

  const carol = { application: 'grafana', user: 'carol' };
  const dave = { application: 'grafana', user: 'dave' };
  const policy = { application: 'grafana', policy: 'p' };
  test.each<[string, 'any' | 'all', NonNullable<SandboxSeed['bindings']>, [carol: boolean, dave: boolean]]>([
    ['two users in mode any', 'any', [carol, dave], [true, true]],
    ['two users in mode all', 'all', [carol, dave], [false, false]],
    ['one user twice in mode all', 'all', [carol, carol], [true, false]],
    ['a user and a disabled user', 'any', [carol, { ...dave, enabled: false }], [true, false]],
    ['only a disabled user', 'any', [{ ...dave, enabled: false }], [true, true]],
    ['a negated user', 'any', [{ ...carol, negate: true }], [false, true]],
    ['a user and a negated user', 'any', [carol, { ...dave, negate: true }], [true, false]],
    ['a user and a negated user in mode all', 'all', [carol, { ...dave, negate: true }], [true, false]],
    ['a policy', 'any', [policy], [false, false]],
    ['a user and a policy', 'any', [carol, policy], [true, false]],
    ['a user and a policy in mode all', 'all', [carol, policy], [false, false]],
  ])('depends on all bindings: %s', async (_, policy_engine_mode, all, expected) => {
    const applications = [{ slug: 'grafana', name: 'Grafana', policy_engine_mode }];
    const service = await serving({ applications, bindings: all });
    expect([await passing(service, 'carol'), await passing(service, 'dave')]).toEqual(expected);
  });

  test('is reported for the requester if no user is named, and is a 404 for a missing user', async () => {
    const { ask, pkOf } = await serving({ bindings: bound(['carol']) });
    const path = 'core/applications/grafana/check_access/';
    expect(await ask('GET', path)).toEqual({
      status: 200,
      body: { passing: false, messages: [], log_messages: [] },
    });
    expect((await ask('GET', `${path}?for_user=9999`)).status).toBe(404);
    const other = `core/applications/none/check_access/?for_user=${pkOf('user', 'carol')}`;
    expect((await ask('GET', other)).status).toBe(404);
    expect((await ask('GET', path, undefined, 'nonsense')).status).toBe(403);
  });
});
