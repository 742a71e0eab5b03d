import { describe, expect, test } from 'vitest';
import { askSandbox, type SandboxAnswer } from '../support/ask-sandbox.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';

const chief = { token: 'super', username: 'root', superuser: true };

function seeded(seed: SandboxSeed): Sandbox {
  const { sandbox, refused } = seedSandbox(seed);
  expect(refused).toEqual([]);
  return sandbox;
}

function get(sandbox: Sandbox, path: string, token?: string): SandboxAnswer {
  return askSandbox(sandbox, 'GET', `/${path}`, '', token);
}

function resultsOf({ body }: SandboxAnswer): JsonObject[] {
  const results = body['results'] ?? null;
  return isJsonList(results) ? results.filter((result) => isJsonObject(result)) : [];
}

/** The status of the answer, and one field of each result. */
function shown(answered: SandboxAnswer, field: string): [number, JsonValue[]] {
  return [answered.status, resultsOf(answered).map((result) => result[field] ?? null)];
}

function create(sandbox: Sandbox, list: string, fields: object): void {
  expect(askSandbox(sandbox, 'POST', `/core/${list}/`, fields).status).toBe(201);
}

const people = { users: ['bob', 'Alice', 'alice', 'ünï'].map((username) => ({ username, name: username })) };

describe("the sandbox's list of users", () => {
  test('has all users except the anonymous one, including the users of tokens, in code-point order', () => {
    const everybody = ['Alice', 'alice', 'bob', 'sandbox', 'ünï'];
    expect(shown(get(seeded(people), 'core/users/'), 'username')).toEqual([200, everybody]);
    expect(shown(get(seeded(people), 'core/users/?ordering=-username'), 'username')).toEqual([
      200,
      everybody.toReversed(),
    ]);
    expect(shown(get(seeded(people), 'core/users/?username=AnonymousUser'), 'username')).toEqual([200, []]);
  });

  test.each([
    ['username=alice', ['alice']],
    ['username=ALICE', []],
    ['username=%20alice%20', ['alice']],
    ['username=alice&username=bob', ['bob']],
    ['username=alice,bob', []],
    ['username=%C3%BCn%C3%AF', ['ünï']],
    ['username=&page_size=1', ['Alice']],
    ['username__in=bob&page_size=1', ['Alice']],
    ['search=ALI', ['Alice', 'alice']],
    ['ordering=nonsense&page_size=2', ['Alice', 'alice']],
    ['page_size=2&page=2', ['bob', 'sandbox']],
    ['page_size=2&page=last', ['ünï']],
  ])('can be filtered by %s', (query, usernames) => {
    expect(shown(get(seeded(people), `core/users/?${query}`), 'username')).toEqual([200, usernames]);
  });

  test.each(['page=4&page_size=2', 'page=0', 'page=-1', 'page=x'])('has no page for %s', (query) => {
    expect(get(seeded(people), `core/users/?${query}`)).toMatchObject({
      status: 404,
      body: { detail: 'Invalid page.' },
    });
  });

  test('has the number of users, and the range of each page', () => {
    const { body } = get(seeded(people), 'core/users/?page_size=2&page=2');
    expect(body['pagination']).toEqual({
      next: 3,
      previous: 1,
      count: 5,
      current: 2,
      total_pages: 3,
      start_index: 3,
      end_index: 4,
    });
    expect(get(seeded(people), 'core/users/?username=nobody').body['pagination']).toEqual({
      next: 0,
      previous: 0,
      count: 0,
      current: 1,
      total_pages: 1,
      start_index: 0,
      end_index: 0,
    });
  });

  test.each([
    ['all', 'alice', [200, ['alice']]],
    ['none', 'alice', [403, []]],
    [['alice'], 'alice', [200, ['alice']]],
    [['alice'], 'bob', [200, []]],
    [[], 'alice', [200, []]],
  ] as const)('shows only the users that the token may view: %j', (visible, username, expected) => {
    const view_users = typeof visible === 'string' ? visible : [...visible];
    const sandbox = seeded({ ...people, tokens: [{ token: 'limited', view_users }] });
    const found = get(sandbox, `core/users/?username=${username}`, 'limited');
    expect(shown(found, 'username')).toEqual(expected);
  });

  test('shows a single user by id if the token may view the user, and denies kinds that the token may not view', () => {
    const sandbox = seeded({
      ...people,
      tokens: [
        { token: 'one', view_users: ['bob'] },
        { token: 'none', view_users: 'none' },
      ],
    });
    expect(get(sandbox, 'core/users/1/', 'one')).toMatchObject({ status: 200, body: { username: 'bob' } });
    expect(get(sandbox, 'core/users/2/', 'one').status).toBe(404);
    expect(get(sandbox, 'core/users/999/').status).toBe(404);
    expect(get(sandbox, 'core/users/bob/').status).toBe(404);
    expect(get(sandbox, 'core/users/1/', 'none').status).toBe(403);
  });
});

describe('the user of a sandbox token', () => {
  test('is the user that the seed names, or else a service account', () => {
    const sandbox = seeded({
      ...people,
      tokens: [
        { token: 'a', username: 'alice' },
        { token: 'p', username: 'pipeline' },
      ],
    });
    const alice = resultsOf(get(sandbox, 'core/users/?username=alice'))[0];
    expect(get(sandbox, 'core/users/me/', 'a').body).toMatchObject({
      user: { pk: alice?.['pk'], username: 'alice', type: 'internal' },
    });
    expect(get(sandbox, 'core/users/me/', 'p').body).toMatchObject({
      user: { username: 'pipeline', type: 'service_account', is_superuser: false },
    });
  });

  test('can be a superuser, who may do everything', () => {
    const sandbox = seeded({ tokens: [{ ...chief, view_users: 'none', add_users: false }] });
    expect(get(sandbox, 'core/users/me/', 'super').body).toMatchObject({ user: { is_superuser: true } });
    expect(get(sandbox, 'core/users/?username=root', 'super').status).toBe(200);
  });
});

test("a seed defines the rights of the sandbox's tokens", () => {
  const sandbox = seeded({ tokens: [{ token: sandboxToken, superuser: true, open_applications: 'none' }] });
  expect(get(sandbox, 'core/users/me/').body).toMatchObject({
    user: { username: 'sandbox', is_superuser: true },
  });
});

const apps = { applications: ['c', 'a', 'b'].map((slug) => ({ slug, name: slug.toUpperCase() })) };
const full = 'core/applications/?superuser_full_list=true';

describe("the sandbox's list of applications", () => {
  test('is correct for a superuser who requests the whole list', () => {
    const sandbox = seeded({ ...apps, tokens: [{ ...chief, open_applications: 'none' }] });
    expect(shown(get(sandbox, full, 'super'), 'slug')).toEqual([200, ['a', 'b', 'c']]);
    expect(shown(get(sandbox, `${full}&slug=b`, 'super'), 'slug')).toEqual([200, ['b']]);
    expect(shown(get(sandbox, `${full}&page_size=2&page=2`, 'super'), 'slug')).toEqual([200, ['c']]);
    expect(get(sandbox, `${full}&page=2`, 'super').status).toBe(404);
    expect(shown(get(sandbox, 'core/applications/', 'super'), 'slug')).toEqual([200, []]);
  });

  test('is cached for other tokens until a create', () => {
    const sandbox = seeded(apps);
    expect(shown(get(sandbox, `${full}&slug=b`), 'slug')).toEqual([200, ['b']]);
    expect(shown(get(sandbox, `${full}&slug=a`), 'slug')).toEqual([200, ['b']]);
    expect(shown(get(sandbox, 'core/applications/?page_size=1&page=2'), 'slug')).toEqual([200, ['b']]);
    create(sandbox, 'applications', { slug: 'd', name: 'D' });
    const all = get(sandbox, 'core/applications/?page_size=1&page=2');
    expect(shown(all, 'slug')).toEqual([200, ['a', 'b', 'c', 'd']]);
    expect(all.body['pagination']).toMatchObject({ count: 4, current: 2, end_index: 2 });
  });

  test('shows the applications that the user may open, even without permission to view them', () => {
    const tokens = [{ token: 'limited', view_applications: 'none' as const, open_applications: ['a'] }];
    const sandbox = seeded({ ...apps, tokens });
    const list = get(sandbox, 'core/applications/', 'limited');
    expect(shown(list, 'slug')).toEqual([200, ['a']]);
    expect(list.body['pagination']).toMatchObject({ count: 3 });
    expect(get(sandbox, 'core/applications/a/', 'limited').status).toBe(403);
  });
});

describe('a list of groups or providers in the sandbox', () => {
  const seed: SandboxSeed = {
    providers: [
      { pk: 7, name: 'Grafana OIDC' },
      { pk: 8, name: 'grafana-scim' },
      { pk: 9, name: 'Wiki' },
    ],
    groups: [
      { pk: '2f23b8d6-dbbb-4842-8b22-b14c757098b0', name: 'staff' },
      { pk: '3f23b8d6-dbbb-4842-8b22-b14c757098b0', name: 'staff-2' },
    ],
    users: [{ username: 'ann', name: 'Ann', groups: ['2f23b8d6-dbbb-4842-8b22-b14c757098b0'] }],
    applications: [{ slug: 'w', name: 'About grafana', provider: 9 }],
    tokens: [
      { token: 'none', view_groups: 'none', view_providers: 'none' },
      { token: 'one', view_groups: ['staff-2'], view_providers: ['Wiki'] },
    ],
  };

  test.each([
    ['core/groups/?name=staff', ['staff']],
    ['core/groups/?name=STAFF', []],
    ['core/groups/?search=sta', ['staff', 'staff-2']],
    ['providers/all/?search=grafana', ['Grafana OIDC', 'grafana-scim', 'Wiki']],
    ['providers/all/?search=oidc%20grafana', ['Grafana OIDC']],
    ['providers/all/?name=Wiki&page_size=1', ['Grafana OIDC']],
  ])('can be filtered by %s', (path, names) => {
    expect(shown(get(seeded(seed), path), 'name')).toEqual([200, names]);
  });

  test('shows the users of each group, and the application of each provider', () => {
    const sandbox = seeded(seed);
    const [staff] = resultsOf(get(sandbox, 'core/groups/?name=staff'));
    expect(staff).toMatchObject({ users: [1], users_obj: [{ pk: 1, username: 'ann' }] });
    const [wiki] = resultsOf(get(sandbox, 'providers/all/?search=wiki'));
    expect(wiki).toMatchObject({ pk: 9, assigned_application_slug: 'w' });
    expect(get(sandbox, 'providers/all/9/').body).toEqual(wiki);
    expect(get(sandbox, `core/groups/${textOf(staff?.['pk'])}/`).body).toEqual(staff);
  });

  test('is shown to tokens that may view it', () => {
    const sandbox = seeded(seed);
    expect(get(sandbox, 'core/groups/', 'none').status).toBe(403);
    expect(get(sandbox, 'providers/all/', 'none').status).toBe(403);
    expect(shown(get(sandbox, 'core/groups/', 'one'), 'name')).toEqual([200, ['staff-2']]);
    expect(shown(get(sandbox, 'providers/all/', 'one'), 'name')).toEqual([200, ['Wiki']]);
    expect(get(sandbox, 'providers/all/7/', 'one').status).toBe(404);
  });
});

test('the sandbox shows its release to every token', () => {
  const sandbox = seeded({ tokens: [{ token: 'weak', view_users: 'none', view_applications: 'none' }] });
  expect(get(sandbox, 'admin/version/', 'weak').body).toMatchObject({ version_current: '2023.10.7' });
  expect(get(sandbox, 'admin/version/', 'wrong').status).toBe(403);
});

test('the sandbox issues and revokes tokens', () => {
  const sandbox = seeded({});
  sandbox.issue({ token: 'new', username: 'newcomer' });
  expect(shown(get(sandbox, 'core/users/?username=newcomer', 'new'), 'username')).toEqual([
    200,
    ['newcomer'],
  ]);
  sandbox.revoke('new');
  expect(get(sandbox, 'core/users/', 'new').status).toBe(403);
});
