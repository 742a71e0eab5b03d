import { describe, expect, test } from 'vitest';
import { askSandbox, type SandboxAnswer } from '../support/ask-sandbox.ts';
import type { SandboxSeed, SeedToken } from '../../src/generated/sandbox-seed.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { textOf, valueAt } from '../../src/base/json.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { otherClient } from '../support/other-client.ts';

const [staff, guests] = ['2f23b8d6-dbbb-4842-8b22-b14c757098b0', '3f23b8d6-dbbb-4842-8b22-b14c757098b0'];
const seed: SandboxSeed = {
  groups: [
    { pk: staff, name: 'staff' },
    { pk: guests, name: 'guests' },
  ],
  applications: [
    { slug: 'wiki', name: 'Wiki', provider: 1, backchannel_providers: [2, 3] },
    { slug: 'mail', name: 'Mail' },
  ],
  users: [
    { username: 'ann', name: 'Ann', groups: [staff], attributes: { a: { b: 1 }, c: 2 } },
    { username: 'bob', name: 'Bob' },
  ],
};

function seeded(more: SandboxSeed = {}): Sandbox {
  return seedSandbox({ ...seed, ...more }).sandbox;
}

function ask(
  sandbox: Sandbox,
  method: string,
  path: string,
  fields: object = {},
  token?: string,
): SandboxAnswer {
  return askSandbox(sandbox, method, `/core/${path}`, fields, token);
}

test('the sandbox requires a right to make a group a superuser group, but not to keep it one', () => {
  const tokens = [{ token: 'limited', rights: { enable_superuser_groups: false } }];
  const { sandbox } = seedSandbox({ ...seed, tokens }, '2026.2');
  const { body } = ask(sandbox, 'POST', 'groups/', { name: 'admins', is_superuser: true });
  const change = (pk: unknown): number =>
    ask(sandbox, 'PATCH', `groups/${String(pk)}/`, { is_superuser: true }, 'limited').status;
  expect([change(staff), change(body['pk'])]).toEqual([400, 200]);
});

test('the sandbox shows a role once to a user who has it through two groups', () => {
  const role = '4f23b8d6-dbbb-4842-8b22-b14c757098b0';
  const groups = [staff, guests].map((pk) => ({ pk, name: pk, roles: [role] }));
  const users = [{ username: 'ann', name: 'Ann', groups: [staff, guests] }];
  const tokens = [{ token: 'anns', username: 'ann' }];
  const { sandbox } = seedSandbox({ roles: [{ pk: role, name: 'r' }], groups, users, tokens }, '2026.2');
  expect(ask(sandbox, 'GET', 'users/me/', {}, 'anns').body).toMatchObject({
    user: { roles: [{ pk: role }] },
  });
});

test.each([
  [2 ** 64, 500],
  [2 ** 64 - 2048, 200],
  [-(2 ** 63), 200],
  [-(2 ** 63) - 2048, 500],
])('the sandbox answers a read of a user with the number %d with %i', (a, status) => {
  const { sandbox } = seedSandbox({ users: [{ username: 'big', name: '', attributes: { a } }] }, '2026.2');
  expect(ask(sandbox, 'GET', 'users/1/').status).toBe(status);
});

test('the sandbox shows the members of a group by number', () => {
  const sandbox = seeded();
  const members = (): unknown => ask(sandbox, 'GET', `groups/${guests}/`).body['users'];
  expect(members()).toEqual([]);
  for (const pk of [2, 1]) ask(sandbox, 'PATCH', `users/${pk}/`, { groups: [guests] });
  expect(members()).toEqual([1, 2]);
});

test('the sandbox replaces the members of a group, who keep their other groups', () => {
  const sandbox = seeded();
  ask(sandbox, 'PATCH', `groups/${guests}/`, { users: [1, 2] });
  ask(sandbox, 'PATCH', `groups/${guests}/`, { users: [2] });
  const groupsOf = (pk: number): unknown => ask(sandbox, 'GET', `users/${pk}/`).body['groups'];
  expect([groupsOf(1), groupsOf(2)]).toEqual([[staff], [guests]]);
});

test.each([
  ['2023.10', (above: string) => ({ parent: above })],
  ['2026.8', (above: string) => ({ parents: [above] })],
] as const)(
  'in release %s, the sandbox makes the members of all groups in a superuser group superusers',
  (release, inside) => {
    const top = '4f23b8d6-dbbb-4842-8b22-b14c757098b0';
    const groups = [
      { pk: top, name: 'top', is_superuser: true },
      { pk: guests, name: 'guests', ...inside(top) },
      { pk: staff, name: 'staff', ...inside(guests) },
    ];
    const users = [staff, top].map((group, index) => ({ username: `u${index}`, name: '', groups: [group] }));
    const { sandbox } = seedSandbox({ groups, users: [...users, { username: 'none', name: '' }] }, release);
    const isSuperuser = (pk: number): unknown => ask(sandbox, 'GET', `users/${pk}/`).body['is_superuser'];
    expect([1, 2, 3].map(isSuperuser)).toEqual([true, true, false]);
  },
);

test('the sandbox filters by names without case, and refuses to filter by a record that does not exist', () => {
  const { sandbox } = seedSandbox({
    outposts: [
      { pk: guests, name: 'Edge' },
      { pk: staff, name: 'Core' },
    ],
  });
  const { body } = askSandbox(sandbox, 'GET', '/outposts/instances/?name__iexact=edge');
  expect(body).toMatchObject({ results: [{ name: 'Edge' }] });
  const stages = `/stages/identification/?password_stage=${staff}`;
  expect(askSandbox(sandbox, 'GET', stages)).toMatchObject({
    status: 400,
    body: { password_stage: ['Select a valid choice. That choice is not one of the available choices.'] },
  });
});

test.each<[object, number, object?]>([
  [{ username: 'AnonymousUser' }, 400],
  [{ path: '/a' }, 400],
  [{ path: 'a/' }, 400],
  [{ path: 'a//b' }, 400],
  [{ path: 'a/b' }, 201, { path: 'a/b' }],
  [{ type: 'internal_service_account' }, 400],
  [{ last_login: '2026-02-28T00:00:00Z' }, 201],
  [{ last_login: '2026-02-30T00:00:00Z' }, 400],
  [{ groups: [staff.replaceAll('-', '').toUpperCase()] }, 201, { groups: [staff] }],
])('the sandbox answers a create of a user with %j with %i', (fields, status, shown = {}) => {
  expect(ask(seeded(), 'POST', 'users/', { username: 'new', name: '', ...fields })).toMatchObject({
    status,
    body: shown,
  });
});

test('the sandbox lets an existing user become an internal service account', () => {
  const type = 'internal_service_account';
  expect(ask(seeded(), 'PATCH', 'users/1/', { type })).toMatchObject({ status: 200, body: { type } });
});

test('the sandbox shows the permissions of a superuser only to a superuser', () => {
  const sandbox = seeded({
    tokens: [
      { token: 'one', superuser: true },
      { token: 'other', username: 'ann' },
    ],
  });
  const permissionsOf = (token: string): number => {
    const { user = null } = ask(sandbox, 'GET', 'users/me/', {}, token).body;
    const all = valueAt(user, ['system_permissions']);
    return Array.isArray(all) ? all.length : -1;
  };
  expect([permissionsOf('one') > 0, permissionsOf('other')]).toEqual([true, 0]);
});

test('the sandbox lists records without a value last', () => {
  const sandbox = seeded();
  ask(sandbox, 'PATCH', 'users/2/', { last_login: '2026-01-01T00:00:00Z' });
  const { results } = ask(sandbox, 'GET', 'users/?ordering=last_login&path_startswith=users').body;
  expect(Array.isArray(results) && results.map((user) => valueAt(user, ['username']))[0]).toBe('bob');
});

test('only the first release of the sandbox leaves out the backchannel application if there is none', () => {
  const hasField = (release: '2023.10' | '2025.12'): boolean => {
    const { sandbox } = seedSandbox({ providers: [{ pk: 9, name: 'p' }] }, release);
    return 'assigned_backchannel_application_slug' in askSandbox(sandbox, 'GET', '/providers/saml/9/').body;
  };
  expect([hasField('2023.10'), hasField('2025.12')]).toEqual([false, true]);
});

test('the sandbox accepts a token only as a bearer token', () => {
  const statusOf = (authorization: string): number => {
    const path = '/api/v3/core/users/me/';
    return seeded().handle({ method: 'GET', path, headers: { authorization }, body: '' }).status;
  };
  expect(['Bearer sandbox-token', 'Basic sandbox-token', 'Bearer', ''].map(statusOf)).toEqual([
    200, 403, 403, 403,
  ]);
});

test('in later releases, the sandbox limits pages, and accepts an escaped backslash before `ud800`', () => {
  const users = Array.from({ length: 101 }, (_, index) => ({ username: `u${index}`, name: '' }));
  const { sandbox } = seedSandbox({ users }, '2026.2');
  expect(ask(sandbox, 'GET', 'users/?page_size=1000').body['results']).toHaveLength(100);
  const username = String.raw`\ud800`;
  expect(ask(sandbox, 'POST', 'users/', { username, name: '' }).status).toBe(201);
});

test('in later releases, the list of applications is fresh only after a create', () => {
  const { sandbox } = seedSandbox(seed, '2025.12');
  const hasNewName = (): boolean =>
    JSON.stringify(ask(sandbox, 'GET', 'applications/').body['results']).includes('Post');
  expect(hasNewName()).toBe(false);
  ask(sandbox, 'PATCH', 'applications/mail/', { name: 'Post' });
  expect(hasNewName()).toBe(false);
  ask(sandbox, 'POST', 'applications/', { slug: 'new', name: 'New' });
  expect(hasNewName()).toBe(true);
});

test('the sandbox does not give a new record the number of another or a deleted record', () => {
  const sandbox = seeded();
  const create = (username: string): unknown =>
    ask(sandbox, 'POST', 'users/', { username, name: '' }).body['pk'];
  const first = Number(create('first'));
  otherClient(sandbox).delete('user', 'ann');
  expect(create('second')).toBe(first + 1);
});

test('the sandbox checks required and unique attributes of users, except disabled ones', () => {
  const demand = { is_required: true, is_unique: true, enabled: true };
  const { sandbox } = seedSandbox(
    {
      users: [{ username: 'ann', name: '', attributes: { key: 'k' } }],
      object_attributes: [
        { key: 'key', ...demand },
        { key: 'off', ...demand, enabled: false },
      ],
    },
    '2026.8',
  );
  const statuses = ['', 'k', 'other'].map(
    (key) => ask(sandbox, 'POST', 'users/', { username: `u${key}`, name: '', attributes: { key } }).status,
  );
  expect(statuses).toEqual([400, 400, 201]);
  expect(ask(sandbox, 'PATCH', 'users/1/', { attributes: { key: 'k' } }).status).toBe(200);
});

test('the sandbox adds its own scopes to the mappings of a proxy provider, each once', () => {
  const { sandbox } = seedSandbox({ is_fresh: true }, '2026.2');
  const pkOf = (path: string, name: string): unknown => otherClient(sandbox).pk(path, name);
  const fields = {
    name: 'own',
    external_host: 'https://a.example/',
    internal_host: 'https://b.example',
    authorization_flow: pkOf('/flows/instances/', 'default-provider-authorization-implicit-consent'),
    invalidation_flow: pkOf('/flows/instances/', 'default-provider-invalidation-flow'),
  };
  const { body } = askSandbox(sandbox, 'POST', '/providers/proxy/', fields);
  const { pk = null, property_mappings: all } = body;
  expect(new Set(all as unknown[]).size).toBe(5);
  expect(body['redirect_uris']).toMatchObject([
    { url: 'https://a.example/outpost.goauthentik.io/callback?X-authentik-auth-callback=true' },
    { url: 'https://a.example/?X-authentik-auth-callback=true' },
  ]);
  const path = `/providers/proxy/${textOf(pk)}/`;
  expect(askSandbox(sandbox, 'PATCH', path, { ...fields, property_mappings: all }).body).toMatchObject({
    property_mappings: expect.toSatisfy((both: unknown[]) => both.length === 5) as unknown,
  });
});

test('the sandbox refuses every method at a list without the right to add', () => {
  const sandbox = seeded({ tokens: [{ token: 'limited', rights: { add_groups: false } }] });
  const statuses = ['POST', 'PUT', 'DELETE'].map(
    (method) => ask(sandbox, method, 'groups/', {}, 'limited').status,
  );
  expect(statuses).toEqual([403, 403, 403]);
});

describe('an update of an application in the sandbox', () => {
  test('may repeat its present values', () => {
    const again = { slug: 'wiki', provider: 1, backchannel_providers: [3, 2] };
    expect(ask(seeded(), 'PATCH', 'applications/wiki/', again)).toMatchObject({
      status: 200,
      body: { ...again, backchannel_providers: [2, 3], name: 'Wiki' },
    });
  });

  test('frees its old slug, provider and backchannel providers', () => {
    const sandbox = seeded();
    const other = { slug: 'www', provider: 4, backchannel_providers: [3] };
    expect(ask(sandbox, 'PATCH', 'applications/wiki/', other).status).toBe(200);
    expect(ask(sandbox, 'GET', 'applications/wiki/').status).toBe(404);
    const theirs = { slug: 'wiki', provider: 1, backchannel_providers: [2] };
    expect(ask(sandbox, 'PATCH', 'applications/mail/', theirs).status).toBe(200);
    expect(ask(sandbox, 'GET', 'applications/www/').body).toMatchObject({ backchannel_providers: [3] });
    expect(ask(sandbox, 'POST', 'applications/', { slug: 'mail', name: 'M', provider: 4 })).toMatchObject({
      status: 400,
      body: { provider: ['Application with this provider already exists.'] },
    });
  });

  test('changes nothing if refused', () => {
    const sandbox = seeded();
    const before = ask(sandbox, 'GET', 'applications/wiki/').body;
    const refused = { name: 'W', slug: 'mail', backchannel_providers: [] };
    expect(ask(sandbox, 'PATCH', 'applications/wiki/', refused).status).toBe(400);
    expect(ask(sandbox, 'GET', 'applications/wiki/').body).toEqual(before);
  });
});

describe('an update of a user in the sandbox', () => {
  test('replaces attributes and groups in full, and changes the members of the groups', () => {
    const sandbox = seeded();
    const fields = { attributes: { a: {} }, groups: [guests] };
    expect(ask(sandbox, 'PATCH', 'users/1/', fields)).toMatchObject({ status: 200, body: fields });
    expect(ask(sandbox, 'GET', 'users/1/').body['attributes']).toEqual({ a: {} });
    const results = [
      { name: 'guests', users: [1] },
      { name: 'staff', users: [] },
    ];
    expect(ask(sandbox, 'GET', 'groups/').body).toMatchObject({ results });
  });

  test('may change the username, and the token of the user stays valid', () => {
    const sandbox = seeded({ tokens: [{ token: 'anns', username: 'ann' }] });
    expect(ask(sandbox, 'PATCH', 'users/1/', { username: 'anna' }).status).toBe(200);
    expect(ask(sandbox, 'GET', 'users/me/', {}, 'anns').body).toMatchObject({
      user: { pk: 1, username: 'anna' },
    });
    expect(ask(sandbox, 'POST', 'users/', { username: 'ann', name: 'Another' }).status).toBe(201);
  });

  test('causes a crash if values cannot be stored, and changes nothing', () => {
    const sandbox = seeded();
    expect(ask(sandbox, 'PATCH', 'users/1/', { name: 'A', attributes: { a: '\0' } }).status).toBe(405);
    expect(ask(sandbox, 'GET', 'users/1/').body['name']).toBe('Ann');
  });
});

describe('a token of the sandbox', () => {
  const rows: readonly [Omit<SeedToken, 'token'>, application: number, user: number][] = [
    [{ change_applications: 'none' }, 403, 200],
    [{ change_applications: ['wiki'] }, 403, 200],
    [{ change_users: 'none' }, 200, 403],
    [{ change_users: ['ann'] }, 200, 403],
    [{ view_applications: 'none', view_users: ['bob'] }, 403, 404],
  ];
  test.each(rows)('updates only records within its rights: %j', (rights, application, user) => {
    const sandbox = seeded({ tokens: [{ token: 'limited', ...rights }] });
    expect(ask(sandbox, 'PATCH', 'applications/wiki/', { group: 'G' }, 'limited').status).toBe(application);
    expect(ask(sandbox, 'PATCH', 'users/1/', { email: '' }, 'limited').status).toBe(user);
  });

  test('deletes no records without the rights to delete', () => {
    const sandbox = seeded({
      tokens: [{ token: 'keeper', delete_applications: false, delete_users: false }],
    });
    expect(ask(sandbox, 'DELETE', 'applications/wiki/', {}, 'keeper').status).toBe(403);
    expect(ask(sandbox, 'DELETE', 'users/1/', {}, 'keeper').status).toBe(403);
  });
});

describe('another client of the sandbox', () => {
  test('creates, changes and deletes records by slug or username', () => {
    const sandbox = seeded();
    expect(otherClient(sandbox).change('application', 'wiki', { group: 'G' })).toMatchObject({
      record: { group: 'G' },
    });
    expect(otherClient(sandbox).record('application', 'wiki')).toEqual(
      ask(sandbox, 'GET', 'applications/wiki/').body,
    );
    expect(otherClient(sandbox).change('user', 'ann', { email: 'x' })).toMatchObject({
      errors: { email: [expect.anything()] },
    });
    expect(otherClient(sandbox).change('user', 'nobody', {})).toBeUndefined();
    expect([otherClient(sandbox).delete('user', 'ann'), otherClient(sandbox).delete('user', 'ann')]).toEqual([
      true,
      false,
    ]);
    expect(otherClient(sandbox).record('user', 'ann')).toBeUndefined();
    expect(otherClient(sandbox).create('user', { username: 'ann', name: 'Ann' })).toMatchObject({
      record: { username: 'ann' },
    });
  });

  test("deletes a user's tokens with the user", () => {
    const sandbox = seeded({ tokens: [{ token: 'anns', username: 'ann' }] });
    otherClient(sandbox).delete('user', 'ann');
    expect(ask(sandbox, 'GET', 'users/me/', {}, 'anns').status).toBe(403);
  });

  test('frees the providers of an application by deleting the application', () => {
    const sandbox = seeded();
    otherClient(sandbox).delete('application', 'wiki');
    const next = { slug: 'wiki', name: 'Wiki', provider: 1, backchannel_providers: [2] };
    expect(ask(sandbox, 'POST', 'applications/', next)).toMatchObject({ status: 201, body: next });
  });
});

const unchanged: Partial<Record<SandboxRelease, Sandbox>> = {};
const long = 'x'.repeat(256);

test.each<[release: SandboxRelease, request: string, fields: object | string, status: number, words: string]>(
  [
    ['2026.2', 'POST applications/', { slug: 'n', name: 'N', meta_icon: '' }, 201, '"meta_icon_url":null'],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: 'logo.png' },
      201,
      '"meta_icon_url":"/files/media/public/logo.png"',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: 'fa://fa-x' },
      201,
      '"meta_icon_url":"fa://fa-x"',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: './a.png' },
      201,
      '"meta_icon":"./a.png"',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: '/a' },
      400,
      'Absolute paths are not allowed',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: 'a/../b' },
      400,
      'Parent directory references',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: long },
      400,
      'Path component too long',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_icon: `${long.slice(6)}/`.repeat(5) },
      400,
      'File name too long',
    ],
    ['2023.10', 'POST applications/', { slug: 'n', name: 'N', meta_icon: '/a' }, 201, '"meta_icon":null'],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_launch_url: 'https://a/%(username)s' },
      201,
      '"launch_url":"https://a/sandbox"',
    ],
    [
      '2026.2',
      'POST applications/',
      { slug: 'n', name: 'N', meta_launch_url: 'ftp' },
      400,
      'Enter a valid URL.',
    ],
    ['2026.2', 'POST applications/', '[]', 400, 'Expected a dictionary, but got list.'],
    ['2026.2', 'POST applications/', '{', 400, 'unexpected end of data: line 1 column 2 (char 1)'],
    ['2023.10', 'POST applications/', '{', 400, 'Expecting value: line 1 column 2 (char 1)'],
    ['2023.10', `PATCH groups/${staff}/`, { parent: staff }, 400, 'Cannot set group as parent of itself.'],
    ['2023.10', `PATCH groups/${staff}/`, { parent: guests }, 200, `"parent":"${guests}"`],
    [
      '2026.2',
      'POST users/',
      { username: 'x', name: 'X', type: 'internal_service_account' },
      400,
      'internal service account is not allowed',
    ],
    [
      '2026.2',
      'PATCH users/1/',
      { type: 'internal_service_account' },
      200,
      '"type":"internal_service_account"',
    ],
    ['2026.2', 'POST users/', { username: 'ann', name: 'X' }, 400, 'This field must be unique.'],
    ['2026.2', 'PATCH users/1/', { username: 'ann' }, 200, '"username":"ann"'],
    ['2026.2', 'POST users/', { username: 'x'.repeat(151), name: 'X' }, 400, 'no more than 150 characters'],
    ['2026.2', 'POST users/', { username: 'x'.repeat(150), name: 'X' }, 201, '"username":"xxx'],
    [
      '2026.2',
      'POST users/',
      { username: 'x', name: 'X', last_login: '0000-01-01T00:00:00Z' },
      400,
      'Datetime has wrong format.',
    ],
    ['2026.2', 'POST users/', { username: 'x', name: 'X', groups: ['x'] }, 400, 'is not a valid UUID.'],
    ['2026.2', 'POST users/', { username: 'x', name: 'X', groups: 'x' }, 400, 'Expected a list of items'],
    [
      '2026.2',
      'POST users/',
      { username: 'x', name: 'X', is_active: null },
      400,
      'This field may not be null.',
    ],
    ['2026.2', 'POST users/', { username: 'x', name: 'X', type: 'odd' }, 400, 'is not a valid choice.'],
    [
      '2026.2',
      'GET users/?page=last&page_size=2',
      '',
      200,
      '"current":2,"total_pages":2,"start_index":3,"end_index":3',
    ],
    ['2026.2', 'GET users/?page=0', '', 404, 'Invalid page.'],
    ['2026.2', 'GET users/?page=9', '', 404, 'Invalid page.'],
    ['2026.2', 'GET users/?page=x', '', 404, 'Invalid page.'],
    ['2026.2', 'GET users/?username=ANN', '', 200, '"count":0'],
    ['2026.2', 'GET users/?search=AN', '', 200, '"username":"ann"'],
    ['2026.2', 'DELETE users/', '', 405, 'not allowed'],
  ],
)('in a sandbox of %s, %s with %j gets %i and %s', (release, request, fields, status, words) => {
  const [method = '', path = ''] = request.split(' ');
  // Requests that change nothing share a sandbox.
  const isChanging = status < 400 && method !== 'GET';
  const sandbox = isChanging
    ? seedSandbox(seed, release).sandbox
    : (unchanged[release] ??= seedSandbox(seed, release).sandbox);
  const answer = askSandbox(sandbox, method, `/core/${path}`, fields);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)]);
});

test.each<[release: SandboxRelease, fields: object, status: number, words: string]>([
  ['2023.10', {}, 400, "One of 'policy', 'group' or 'user' must be set."],
  ['2026.2', {}, 400, "One of 'group', 'policy', 'user' must be set."],
  ['2026.2', { group: staff, user: 1 }, 400, "Only one of 'group', 'policy', 'user' can be set."],
  ['2026.2', { group: guests, target: guests }, 400, 'object does not exist.'],
  ['2026.2', { group: guests, target: undefined }, 400, 'This field is required.'],
  ['2026.2', { group: guests }, 201, guests],
  ['2026.2', { group: staff }, 201, staff],
])('in a sandbox of %s, a new binding with %j gets %i and %s', (release, fields, status, words) => {
  const { sandbox } = seedSandbox(seed, release);
  const target = askSandbox(sandbox, 'GET', '/core/applications/wiki/').body['pk'];
  const answer = askSandbox(sandbox, 'POST', '/policies/bindings/', { order: 0, target, ...fields });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)]);
});
