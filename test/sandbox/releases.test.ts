import { describe, expect, test } from 'vitest';
import { askSandbox, type SandboxAnswer } from '../support/ask-sandbox.ts';
import { isJsonList, type JsonValue } from '../../src/base/json.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';

const auditors = '33333333-3333-4333-8333-333333333333';
const late = ['2025.12', '2026.2', '2026.5', '2026.8'] as const;

function ask(sandbox: Sandbox, method: string, path: string, body: string, token?: string): SandboxAnswer {
  return askSandbox(sandbox, method, `/${path}`, body, token);
}

function get(sandbox: Sandbox, path: string, token?: string): SandboxAnswer {
  return ask(sandbox, 'GET', path, '', token);
}

function seeded(release: SandboxRelease, seed: SandboxSeed = {}): Sandbox {
  const { sandbox, refused } = seedSandbox(seed, release);
  expect(refused).toEqual([]);
  return sandbox;
}

/** Creates an application with a field, and returns the field as the service shows it, or the error. */
function made(
  release: SandboxRelease,
  field: string,
  value: JsonValue,
  shownAs = field,
): JsonValue | undefined {
  const fields = { slug: 'a', name: 'A', [field]: value };
  const { status, body } = ask(seeded(release), 'POST', 'core/applications/', JSON.stringify(fields));
  return status === 201 ? body[shownAs] : body[field];
}

describe('an application of the sandbox', () => {
  const url = 'meta_launch_url';
  const bad = ['Enter a valid URL.'];
  const long = 'a'.repeat(51);
  test.each<[string, JsonValue, Partial<Record<SandboxRelease, JsonValue | undefined>>]>([
    ['slug', long, { '2023.10': ['Ensure this field has no more than 50 characters.'], '2025.12': long }],
    ['slug', 'Device', { '2023.10': 'Device' }],
    [url, 'blank://blank', { '2023.10': 'blank://blank' }],
    [url, 'ssh://host', { '2023.10': bad, '2026.2': 'ssh://host' }],
    [url, 'sftp://host', { '2023.10': bad, '2026.2': 'sftp://host' }],
    [url, 'https://host:8/', { '2023.10': bad, '2025.12': 'https://host:8/' }],
    ['meta_icon', 'fa://fa-book', { '2023.10': null, '2025.12': 'fa://fa-book' }],
    ['meta_hide', true, { '2023.10': undefined, '2026.5': true }],
    ['meta_hide', 'so', { '2023.10': undefined, '2026.5': ['Must be a valid boolean.'] }],
  ])('with the %s %j is accepted or refused', (field, value, expected) => {
    let shown: JsonValue | undefined;
    for (const release of sandboxReleases) {
      if (Object.hasOwn(expected, release)) shown = expected[release];
      expect([release, made(release, field, value)]).toEqual([release, shown]);
    }
  });

  test.each(['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke'])(
    'with the slug %s is refused in later releases',
    (slug) => {
      expect(made('2023.10', 'slug', slug)).toBe(slug);
      const said = [`The slug '${slug}' is reserved and cannot be used for applications.`];
      for (const release of late) expect(made(release, 'slug', slug)).toEqual(said);
    },
  );

  test.each([
    ['https://a.example/%(username)s', 'https://a.example/sandbox', 'https://a.example/sandbox'],
    ['https://a.example/%(id)s', 'https://a.example/1', 'https://a.example/%(id)s'],
    ['https://a.example/%(pk)s', 'https://a.example/%(pk)s', 'https://a.example/1'],
    ['https://a.example/%(nope)s/%(username)s', undefined, undefined],
    ['https://a.example/100%/%(username)s', undefined, undefined],
    ['https://a.example/100%%', 'https://a.example/100%', 'https://a.example/100%'],
  ])('shows the launch URL %s with its placeholders replaced', (template, earlier, later) => {
    expect(made('2023.10', url, template, 'launch_url')).toBe(earlier ?? template);
    expect(made('2026.2', url, template, 'launch_url')).toBe(later ?? template);
  });

  test.each([
    ['https://example.com/i.png', undefined],
    ['/static/dist/assets/icons/icon.png', undefined],
    ['apps/i.png', undefined],
    ['/etc/passwd', ['Absolute paths are not allowed']],
    ['.hidden', ["Paths cannot start with '.'"]],
    ['a b', [expect.stringMatching(/^File name can only contain letters/)]],
    ['a//b', ['File name cannot contain duplicate /']],
  ])('shows the icon %s as a URL', (icon, complaint) => {
    expect(made('2026.2', 'meta_icon', icon)).toEqual(complaint ?? icon);
  });
});

describe.each(late)('a user in the sandbox of release %s', (release) => {
  test('has roles, and times that change with an update', () => {
    const sandbox = seeded(release, { users: [{ username: 'ann', name: 'Ann', roles: [auditors] }] });
    const before = get(sandbox, 'core/users/1/').body;
    expect(before).toMatchObject({ roles: [auditors], roles_obj: [{ pk: auditors, name: 'auditors' }] });
    const after = ask(sandbox, 'PATCH', 'core/users/1/', '{"roles":[]}').body;
    expect(after).toMatchObject({ roles: [], date_joined: before['date_joined'] });
    expect(after['last_updated']).not.toBe(before['last_updated']);
  });

  test('is shown without groups and roles if the query excludes them', () => {
    const sandbox = seeded(release);
    const path = 'core/users/?include_groups=false&include_roles=false';
    expect(get(sandbox, path).body).toMatchObject({
      results: [{ groups: [], groups_obj: null, roles_obj: null }],
    });
    expect(get(sandbox, 'core/groups/?include_users=false').body).toMatchObject({
      results: [{ users: [], users_obj: null }, {}],
    });
  });

  test('is stored despite an integer that is too large, and then a list page with that user fails', () => {
    const sandbox = seeded(release, { users: [{ username: 'ann', name: 'Ann' }] });
    const body = '{"username":"big","name":"","attributes":{"deep":[{"a":18446744073709551616}]}}';
    expect(ask(sandbox, 'POST', 'core/users/', body).status).toBe(201);
    expect(get(sandbox, 'core/users/3/').status).toBe(500);
    expect(get(sandbox, 'core/users/?username=big').status).toBe(500);
    expect(get(sandbox, 'core/users/?page_size=1').status).toBe(200);
    expect(get(sandbox, 'core/users/?page_size=1&page=2').status).toBe(500);
    expect(ask(sandbox, 'PATCH', 'core/users/3/', '{"name":"B"}').status).toBe(405);
    expect(ask(sandbox, 'PATCH', 'core/users/3/', '{"attributes":{"a":1}}').status).toBe(200);
    expect(get(sandbox, 'core/users/3/').body['name']).toBe('B');
  });
});

test('a user of the oldest release has no roles, keeps its groups in a list, and may have numbers of any size', () => {
  const sandbox = seeded('2023.10', {
    users: [{ username: 'a', name: '', roles: ['x'], attributes: { a: 2 ** 70 } }],
  });
  const { body } = get(sandbox, 'core/users/?username=a&include_groups=false');
  expect(body).toMatchObject({ results: [{ groups_obj: [], attributes: { a: 2 ** 70 } }] });
  expect(JSON.stringify(body)).not.toContain('roles');
});

describe('a page of the sandbox', () => {
  const users = Array.from({ length: 250 }, (_, index) => ({ username: `u${index}`, name: '' }));
  test.each([
    ['', 100, 20],
    ['?page_size=0', 100, 20],
    ['?page_size=x', 100, 20],
    ['?page_size=50', 50, 50],
    ['?page_size=100000', 251, 100],
  ])('requested with the query "%s" has %i users, and %i in later releases', (query, earlier, later) => {
    for (const [release, size] of [
      ['2023.10', earlier],
      ['2025.12', later],
      ['2026.2', later],
    ] as const) {
      const { body } = get(seeded(release, { users }), `core/users/${query}`);
      expect(isJsonList(body['results']) && body['results'].length).toBe(size);
      expect(body['pagination']).toMatchObject({ count: 251, next: size === 251 ? 0 : 2, end_index: size });
    }
  });

  test('of applications has its own cache in later releases', () => {
    const applications = ['a', 'b', 'c'].map((slug) => ({ slug, name: slug }));
    const sandbox = seeded('2025.12', { applications });
    const shown = (query: string): unknown => get(sandbox, `core/applications/?${query}`).body['results'];
    expect(shown('page_size=1')).toMatchObject([{ slug: 'a' }]);
    expect(shown('page_size=1&page=2')).toMatchObject([{ slug: 'b' }]);
    expect(shown('slug=c')).toMatchObject([{ slug: 'a' }]);
  });
});

test('in later releases of the sandbox, a token with a right to one record may change it', () => {
  for (const [release, status] of [
    ['2023.10', 403],
    ['2025.12', 200],
    ['2026.2', 200],
  ] as const) {
    const sandbox = seeded(release, {
      applications: [
        { slug: 'a', name: 'A' },
        { slug: 'b', name: 'B' },
      ],
      tokens: [{ token: 'one', change_applications: ['a'] }],
    });
    expect(ask(sandbox, 'PATCH', 'core/applications/a/', '{"group":"G"}', 'one').status).toBe(status);
    expect(ask(sandbox, 'PATCH', 'core/applications/b/', '{"group":"G"}', 'one').status).toBe(403);
  }
});

describe("the sandbox's reader of bodies", () => {
  test.each([
    ['{"name":"\\ud800"}', 'no low surrogate in string: line 1 column 16 (char 15)'],
    ['{"name":\n1e999}', 'number is infinity when parsed as double: line 2 column 1 (char 9)'],
    ['{"name": ', 'unexpected end of data: line 1 column 10 (char 9)'],
  ])('rejects %j as invalid JSON', (body, complaint) => {
    const detail = `JSON parse error - ${complaint}`;
    expect(ask(seeded('2026.2'), 'POST', 'core/users/', body)).toMatchObject({
      status: 400,
      body: { detail },
    });
  });

  test.each(['{"username":"\\ud83d\\ude00","name":""}', '{"username":"\\\\ud800","name":"1e999"}'])(
    'accepts %j as JSON',
    (body) => {
      expect(ask(seeded('2026.2'), 'POST', 'core/users/', body).status).toBe(201);
    },
  );
});

describe('the sandbox of release 2026.8 and later', () => {
  test('has a list at the path of the slug `requestable`, even if an application has that slug', () => {
    const applications = [{ slug: 'requestable', name: 'R' }];
    const path = 'core/applications/requestable/';
    expect(get(seeded('2026.5', { applications }), path).body).toMatchObject({ slug: 'requestable' });
    const sandbox = seeded('2026.8', { applications });
    expect(get(sandbox, path)).toMatchObject({
      status: 200,
      body: { results: [], pagination: { count: 0 } },
    });
    expect(ask(sandbox, 'PATCH', path, '{"name":"S"}').status).toBe(405);
    expect(get(sandbox, path, 'wrong').status).toBe(403);
  });

  const object_attributes = [
    { key: 'staff.number', is_required: true, is_unique: true, regex: '^\\d+$' },
    { key: 'room', regex: '^[A-Z]' },
  ];

  test.each<[JsonValue, string, string | undefined]>([
    [{}, 'staff.number', 'This field is required'],
    [{ staff: { number: '' } }, 'staff.number', 'This field is required'],
    [{ staff: { number: 'x' } }, 'staff.number', 'Value does not match configured pattern.'],
    [{ staff: { number: '7' } }, 'staff.number', 'Value is not unique.'],
    [{ staff: { number: 8 }, room: 'a' }, 'room', 'Value does not match configured pattern.'],
    [{ staff: { number: '8' } }, '', undefined],
  ])('checks the attributes %j of a user against required ones', (attributes, key, said) => {
    const users = [{ username: 'ann', name: 'Ann', attributes: { staff: { number: '7' } } }];
    const body = JSON.stringify({ username: 'ben', name: 'Ben', attributes });
    const { status, body: answer } = ask(
      seeded('2026.8', { users, object_attributes }),
      'POST',
      'core/users/',
      body,
    );
    if (said === undefined) expect(status).toBe(201);
    else expect([status, answer]).toEqual([400, { [`attributes_${key}`]: [said] }]);
    const before = seeded('2026.5', { users, object_attributes });
    expect(ask(before, 'POST', 'core/users/', body).status).toBe(201);
  });

  test('checks an update without attributes like one that empties the attributes', () => {
    const users = [{ username: 'ann', name: 'Ann', attributes: { staff: { number: '7' } } }];
    const sandbox = seeded('2026.8', { users, object_attributes });
    expect(ask(sandbox, 'PATCH', 'core/users/1/', '{"name":"B"}')).toMatchObject({
      status: 400,
      body: { 'attributes_staff.number': ['This field is required'] },
    });
    const body = '{"name":"B","attributes":{"staff":{"number":"7"}}}';
    expect(ask(sandbox, 'PATCH', 'core/users/1/', body).status).toBe(200);
  });
});
