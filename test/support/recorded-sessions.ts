import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { SandboxSeed, SeedToken } from '../../src/generated/sandbox-seed.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { readRecordings, type RecordingFile, type Release } from './recordings.ts';
import { otherClient } from './other-client.ts';

/** The body is JSON, or text as it was sent (`raw`), or missing. */
export interface Session {
  readonly files: readonly RecordingFile[];
  readonly sandbox: Sandbox;
  /** Applies the changes that another client made before an exchange, by the exchange's name. */
  readonly before: Readonly<Record<string, () => void>>;
  /** Pairs of a recorded id and the sandbox's id that replaces it. */
  readonly ids?: readonly (readonly [theirs: string, ours: string])[];
}

const nothing = {
  view_applications: 'none',
  view_users: 'none',
  view_groups: 'none',
  view_providers: 'none',
  add_applications: false,
  add_users: false,
  change_applications: 'none',
  change_users: 'none',
  delete_applications: false,
  delete_users: false,
} as const satisfies Omit<SeedToken, 'token'>;
const least = { ...nothing, view_applications: 'all', add_applications: true, add_users: true } as const;
const seesAll = { view_users: 'all', view_groups: 'all', view_providers: 'all' } as const;
const admin = { token: '<ACCESS_TOKEN>', username: 'akadmin', superuser: true } as const;

/** The id of the administrator in every service. */
const adminPk = 3;
const admins = (pk: string): NonNullable<SandboxSeed['groups']>[number] => ({ pk, name: 'authentik Admins' });
const administrator = (group: string): JsonObject => ({
  username: 'akadmin',
  name: 'authentik Default Admin',
  email: 'root@example.com',
  groups: [group],
});

/** The initial records of each service in the recordings of creates and permissions. */
const firstSurroundings = {
  '2023.10': {
    authorizationFlow: '5346ecd3-93a7-4fa1-b6b1-3c99ad4077e8',
    group: { pk: '2f23b8d6-dbbb-4842-8b22-b14c757098b0', num_pk: 62659 },
    admins: 'cdf898e8-93cd-4f72-8ce8-521dcaf5d064',
  },
  '2025.12': {
    authorizationFlow: '91e3a346-8fc7-419e-a224-098a6d99ddbb',
    group: { pk: '11a90908-23f0-44d1-9b0c-c45b50bfbc2f', num_pk: 23474 },
    admins: 'f14dd198-92a1-4a79-bad3-ade6028754dc',
  },
  '2026.2': {
    authorizationFlow: 'cab8b388-aecd-433a-acc6-1125fb34a179',
    group: { pk: '583b43f7-792c-4e09-aed2-1e1713b03397', num_pk: 11727 },
    admins: '17e27260-80eb-42c2-a7f2-99f5fa6f3eb3',
  },
} as const satisfies Record<Release, object>;

function creates(release: Release): Session {
  const surroundings = firstSurroundings[release];
  const { authorizationFlow: authorization_flow, group } = surroundings;
  const sandbox = new Sandbox(
    {
      providers: ['one', 'two', 'three'].map((name, index) => ({
        pk: index + 1,
        name,
        type: 'oauth2' as const,
        authorization_flow,
      })),
      groups: [{ ...group, name: 'engineering' }, admins(surroundings.admins)],
    },
    release,
  );
  createUsers(sandbox, {
    [adminPk]: administrator(surroundings.admins),
    ...(release !== '2023.10' && { 4: { username: 'ak-outpost', name: 'Outpost' } }),
  });
  sandbox.issue(admin);
  const limited: SeedToken[] = [
    { token: '<TOKEN_WITHOUT_PERMISSIONS>', username: 't-without-permissions', ...nothing },
    {
      token: '<TOKEN_THAT_MAY_VIEW_ONE_APPLICATION>',
      username: 't-that-may-view-one-application',
      ...nothing,
      view_applications: ['grafana'],
    },
    {
      token: '<TOKEN_THAT_MAY_ONLY_ADD>',
      username: 't-that-may-only-add',
      ...nothing,
      add_applications: true,
    },
    { token: '<TOKEN_OF_A_PIPELINE>', username: 't-of-a-pipeline', ...least },
    {
      token: '<TOKEN_OF_A_PIPELINE_THAT_SEES_USERS>',
      username: 't-of-a-pipeline-that-sees-users',
      ...least,
      ...seesAll,
    },
    { token: '<TOKEN_THAT_MAY_CHANGE>', username: 't-that-may-change' },
  ];
  const issueAll = (): void => limited.forEach((token) => sandbox.issue(token));
  const [first] = readRecordings(release, 'permissions');
  return {
    files: [
      'create-application',
      'create-user',
      'retrieve-application',
      'permissions',
      'beyond-the-contract',
    ],
    sandbox,
    before: {
      [`permissions: ${first?.name}`]: issueAll,
      ...(release === '2026.2' && {
        'permissions: may view one application: list applications': () =>
          put(sandbox, 'application', {
            slug: 'ssh-app',
            name: 'Hidden',
            meta_launch_url: 'ssh://host.example.com',
          }),
      }),
    },
  };
}

const flow = '75368edb-a41f-4f56-9587-1b39b3734a30';
const engineering = { pk: '533b15dc-b602-4f20-95f6-35bb04f19e04', num_pk: 11063, name: 'engineering' };
const staff = { pk: '45a16c62-97ac-4279-a677-824aee4b239e', num_pk: 92554, name: 'staff' };
const summer = { pk: '5be146dc-2269-43c3-b1f7-c47076bfff07', num_pk: 12212, name: 'Equipe Été' };
const otherAdmins = 'a4839477-7404-45e2-b129-ca5d019c2105';

/** Another service of release 2023.10, with many more records, and its tokens. */
function second(open_applications: 'all' | string[] = 'all'): {
  sandbox: Sandbox;
  issue: () => void;
} {
  const sandbox = new Sandbox(
    {
      providers: Array.from({ length: 31 }, (_, index) => ({
        pk: index + 1,
        name: index < 30 ? `prov-${index + 1}` : 'another',
        type: 'oauth2' as const,
        authorization_flow: flow,
      })),
      groups: [engineering, staff, summer, admins(otherAdmins)],
    },
    '2023.10',
  );
  const tokens: SeedToken[] = [
    { ...admin },
    { token: '<TOKEN:none>', username: 'pt-none', ...nothing },
    { token: '<TOKEN:least>', username: 'pt-least', ...least },
    { token: '<TOKEN:view-app>', username: 'pt-view-app', ...nothing, view_applications: 'all' },
    { token: '<TOKEN:one-app>', username: 'pt-one-app', ...nothing, view_applications: ['full-one'] },
    { token: '<TOKEN:view-user>', username: 'pt-view-user', ...nothing, view_users: 'all' },
    { token: '<TOKEN:view-one-user>', username: 'pt-view-one-user', ...nothing, view_users: ['u-min'] },
    { token: '<TOKEN:add-app>', username: 'pt-add-app', ...nothing, add_applications: true },
    { token: '<TOKEN:add-user>', username: 'pt-add-user', ...nothing, add_users: true },
    { token: '<TOKEN:view-names>', username: 'pt-view-names', ...nothing, ...seesAll, view_users: 'none' },
    {
      token: '<TOKEN:change_application+change_user', // the sandbox reads the token up to its first space
      username: 'pt-change',
      ...nothing,
      change_applications: 'all',
      change_users: 'all',
    },
    { token: '<TOKEN:view-change>', username: 'pt-view-change' },
  ];
  const issue = (): void => tokens.forEach((token) => sandbox.issue({ ...token, open_applications }));
  return { sandbox, issue };
}

function whoAndWhich(): Session {
  const { sandbox, issue } = second();
  createUsers(sandbox, { [adminPk]: administrator(otherAdmins) });
  issue();
  return { files: ['who-and-which-release'], sandbox, before: {} };
}

/** 302 users: those that the answers show, and others after them in the list. */
function manyUsers(): Session {
  const { sandbox, issue } = second();
  const shown = usersIn('list-users');
  createUsers(sandbox, { [adminPk]: administrator(otherAdmins), ...shown });
  issue();
  const others = 302 - Object.keys(shown).length - 12; // each token has a user, including the administrator's token
  for (let index = 1; index <= others; index += 1) put(sandbox, 'user', { username: `~${index}`, name: '' });
  return { files: ['list-users'], sandbox, before: {} };
}

function manyNames(): Session {
  const { sandbox, issue } = second();
  createUsers(sandbox, usersIn('list-users'));
  put(sandbox, 'application', { slug: 'f1-a116', name: 'n116', provider: 1 });
  put(sandbox, 'application', { slug: 'f1-a129', name: 'n129', backchannel_providers: [1] });
  issue();
  return { files: ['names'], sandbox, before: {} };
}

/** The number of applications before each exchange: another client kept creating applications. */
const applicationsBefore: Readonly<Record<string, number>> = {
  'superuser_full_list, page_size 2': 1230,
  'page_size 10000': 1250,
  'without superuser_full_list': 1431,
  'slug filter: case variant': 1471,
  'policy-bound without superuser_full_list, as superuser': 1472,
  'token none: count of all, superuser_full_list': 1479,
  'token none: policy-bound, superuser_full_list': 1480,
  'token view-app: count of all, superuser_full_list': 1551,
  'token view-app: policy-bound, superuser_full_list': 1552,
  'token least: count of all, superuser_full_list': 1611,
  'token least: policy-bound, superuser_full_list': 1612,
  'token one-app: count of all, superuser_full_list': 1641,
  'token add-app: count of all, superuser_full_list': 1671,
};

function manyApplications(): Session {
  const known: JsonObject[] = [
    ...['--f1--', '--f2--'].map((slug) => ({ slug, name: 'n10' })),
    ...['-f1', '-f2'].map((slug) => ({ slug, name: 'n8' })),
    ...['f1-a64', 'f2-a64'].map((slug) => ({ slug, name: '\u0001' })),
    { slug: 'policy-bound', name: 'Policy bound' },
    {
      slug: 'full-one',
      name: 'Full One',
      backchannel_providers: [7],
      open_in_new_tab: true,
      meta_launch_url: 'https://one.example.com/start?x=1&y=%20',
      meta_description: 'First line\nSecond line — with Ünïcode ✓ and "quotes"',
      meta_publisher: 'ACME & Söhne',
      policy_engine_mode: 'all',
      group: 'Changed',
    },
    {
      slug: 'ftp',
      name: 'ftp',
      meta_launch_url: 'ftp://files.example.com/pub',
      meta_publisher: 'Platform team',
    },
  ];
  const others = Array.from({ length: 1671 }, (_, index) => `other-${index}`);
  const open = [...known.map(({ slug }) => textOf(slug)), ...others].filter(
    (slug) => slug !== 'policy-bound',
  );
  const { sandbox, issue } = second(open);
  issue();
  for (const body of known) put(sandbox, 'application', body);
  let count = known.length;
  const before = Object.entries(applicationsBefore).map(([name, wanted]): [string, () => void] => [
    `list-applications: ${name}`,
    () => {
      for (; count < wanted; count += 1)
        put(sandbox, 'application', { slug: `other-${count}`, name: 'other' });
    },
  ]);
  return { files: ['list-applications'], sandbox, before: Object.fromEntries(before) };
}

function changes(): Session {
  const { sandbox, issue } = second();
  put(sandbox, 'application', {
    slug: 'upd-1',
    name: 'Upd 1',
    provider: 23,
    backchannel_providers: [24],
    meta_description: 'd',
    group: 'old',
  });
  put(sandbox, 'application', { slug: 'upd-2', name: 'Upd 2', provider: 25, backchannel_providers: [26] });
  createUsers(sandbox, {
    11: { username: 'u-min', name: '' },
    306: {
      username: 'upd-u1',
      name: 'U',
      groups: [engineering.pk],
      email: 'a@example.com',
      attributes: { a: 1, b: { c: 2 } },
    },
    307: { username: 'upd-u2', name: 'U' },
    308: { username: 'upd-u3', name: 'U' },
  });
  issue();
  return { files: ['update-application', 'update-user', 'delete'], sandbox, before: {} };
}

/** The ids of the last user before this recording. */
const usersBeforeOddValues = { '2023.10': 1572, '2026.2': 1209 } as const;

function oddValues(release: keyof typeof usersBeforeOddValues): Session {
  const sandbox = new Sandbox({}, release);
  createUsers(sandbox, {
    [adminPk]: { username: 'akadmin', name: '' },
    [usersBeforeOddValues[release]]: { username: 'gone', name: '' },
  });
  sandbox.issue(admin);
  return { files: ['odd-values'], sandbox, before: {} };
}

/** The id of the first of two users who became members of a group, and the prefix of all names in the recording. */
const groupSurroundings = {
  '2023.10': { firstUser: 1359, prefix: 'zkmwsd23wn' },
  '2026.2': { firstUser: 1196, prefix: 'zkmwsd2be2' },
} as const;

function groups(release: keyof typeof groupSurroundings): Session {
  const { firstUser, prefix } = groupSurroundings[release];
  const sandbox = new Sandbox({ groups: [] }, release);
  createUsers(sandbox, {
    [adminPk]: { username: 'akadmin', name: '' },
    [firstUser]: { username: `${prefix}-u`, name: 'U' },
    [firstUser + 1]: { username: `${prefix}-u2`, name: 'U2' },
  });
  const rights = {
    ...nothing,
    add_groups: false,
    change_groups: 'none',
    enable_superuser_groups: false,
  } as const;
  const tokens: SeedToken[] = [
    { ...admin },
    { token: '<TOKEN:none>', username: 'pt-none', ...rights },
    { token: '<TOKEN:authentik_core.add_group>', username: 'pt-add', ...rights, add_groups: true },
    // The sandbox reads each of these tokens up to its first space.
    {
      token: '<TOKEN:authentik_core.view_group',
      username: 'pt-change',
      ...rights,
      view_groups: 'all',
      change_groups: 'all',
    },
    {
      token: '<TOKEN:authentik_core.add_group',
      username: 'pt-superusers',
      ...rights,
      // Releases before 2025.2 do not have this permission, so the role with it could not be created.
      ...(release !== '2023.10' && {
        add_groups: true,
        view_groups: 'all',
        enable_superuser_groups: true,
      }),
    },
  ];
  for (const token of tokens) sandbox.issue(token);
  return {
    files: ['groups'],
    sandbox,
    before: {
      'groups: retrieve by pk': () =>
        otherClient(sandbox).change('group', `${prefix}-staff`, { users: [firstUser] }),
    },
  };
}

/** The applications and the bound group that existed before the recording of access. */
const accessSurroundings = {
  '2023.10': {
    application: '1c6bb75b-8c7a-48f3-ae99-7462e6bd3086',
    other: '077776c9-b4af-422b-99f7-70d01dd60f37',
    group: { pk: '93530f11-ed6d-4031-a468-56bf916b47a6', num_pk: 19582, name: 'zkmwsd23wn-admins' },
  },
  '2026.2': {
    application: '7750f39d-413a-4303-9826-24d381a982e6',
    other: '2e388523-1d3d-4642-9a12-2828d1345b45',
    group: { pk: 'eef190db-46ff-4b01-a7e3-fe9e3aaaf4f7', num_pk: 31761, name: 'zkmwsd2be2-staff' },
  },
} as const;

function access(release: keyof typeof groupSurroundings): Session {
  const { firstUser, prefix } = groupSurroundings[release];
  const { application, other, group } = accessSurroundings[release];
  const slugs = [`${prefix}-app`, `${prefix}-other`];
  const sandbox = new Sandbox(
    { groups: [group], applications: slugs.map((slug) => ({ slug, name: slug })) },
    release,
  );
  const groupsOf = release === '2023.10' ? [group.pk] : [];
  createUsers(sandbox, {
    [adminPk]: { username: 'akadmin', name: '' },
    [firstUser]: { username: `${prefix}-u`, name: 'U' },
    [firstUser + 1]: { username: `${prefix}-u2`, name: 'U2', groups: groupsOf },
    [firstUser + 6]: { username: `${prefix}-outsider`, name: 'O' },
  });
  otherClient(sandbox).change('group', group.name, { attributes: { k: 2 } });
  const rights = { ...nothing, view_bindings: 'none', add_bindings: false } as const;
  const tokens: SeedToken[] = [
    { ...admin },
    { token: '<TOKEN:none>', username: 'pt-none', ...rights },
    {
      token: '<TOKEN:authentik_policies.view_policybinding>',
      username: 'pt-view',
      ...rights,
      view_bindings: 'all',
    },
    // The sandbox reads this token up to its first space.
    {
      token: '<TOKEN:authentik_policies.add_policybinding',
      username: 'pt-add',
      ...rights,
      view_bindings: 'all',
      add_bindings: true,
    },
  ];
  for (const token of tokens) sandbox.issue(token);
  const pkOf = (slug = ''): string => textOf(otherClient(sandbox).pk('application', slug));
  return {
    files: ['access'],
    sandbox,
    before: {},
    ids: [
      [application, pkOf(slugs[0])],
      [other, pkOf(slugs[1])],
    ],
  };
}

/** An application and a user are renamed and deleted; for each, another record already has the new name. */
function departures(release: keyof typeof groupSurroundings): Session {
  const { firstUser, prefix } = groupSurroundings[release];
  const { application } = accessSurroundings[release];
  const slugs = [`${prefix}-app`, `${prefix}-app2`];
  const applications = [
    { slug: slugs[0] ?? '', name: 'App' },
    { slug: slugs[1] ?? '', name: 'App2' },
  ];
  const sandbox = new Sandbox({ groups: [], applications }, release);
  const [, , , , , , , , , , , , , kept, gone] = readRecordings(release, 'rename-and-delete').map(
    ({ request }) => Number(/\/users\/(\d+)\//.exec(request.path)?.[1]),
  );
  createUsers(sandbox, {
    [adminPk]: { username: 'akadmin', name: '' },
    [firstUser]: { username: `${prefix}-u`, name: 'U' },
    [firstUser + 6]: { username: `${prefix}-outsider`, name: 'O' },
    [kept ?? 0]: { username: 'kept', name: '' },
    [gone ?? 0]: { username: 'gone-later', name: '' },
  });
  const rights = { ...nothing, view_users: 'all', delete_users: false } as const;
  const tokens: SeedToken[] = [
    { ...admin },
    { token: '<TOKEN:authentik_core.view_user>', username: 'pt-view', ...rights },
    // The sandbox reads this token up to its first space.
    { token: '<TOKEN:authentik_core.view_user', username: 'pt-delete', ...rights, delete_users: true },
  ];
  for (const token of tokens) sandbox.issue(token);
  const ours = textOf(otherClient(sandbox).pk('application', slugs[0] ?? ''));
  return { files: ['rename-and-delete'], sandbox, before: {}, ids: [[application, ours]] };
}

/** The flows that were created as references, the key of each service, and the id of the last provider before the recording. */
function providers(release: '2023.10' | '2026.2'): Session {
  const made = readRecordings(release, 'providers').flatMap(
    ({ request: { path }, response: { body = null } }): JsonObject[] =>
      path === '/api/v3/flows/instances/' && isJsonObject(body) ? [body] : [],
  );
  const keys = readRecordings(release, 'providers').flatMap(
    ({ request: { path }, response: { body = null } }) =>
      path.startsWith('/api/v3/crypto/') && isJsonObject(body) && isJsonList(body['results'] ?? null)
        ? (body['results'] as JsonObject[]) // checked above: a list of records
        : [],
  );
  const text = (value: JsonValue | undefined): string => textOf(value);
  const sandbox = new Sandbox(
    {
      tokens: [admin],
      flows: made.map(({ pk, slug, designation }) => ({
        pk: text(pk),
        slug: text(slug),
        designation: text(designation),
      })),
      certificates: keys.map(({ pk, name }) => ({ pk: text(pk), name: text(name) })),
      providers: [{ pk: release === '2023.10' ? 240 : 203, name: 'before' }],
    },
    release,
  );
  return { files: ['providers'], sandbox, before: {} };
}

export function recordedSessions(release: Release): Session[] {
  const first = creates(release);
  if (release === '2025.12') return [first];
  if (release === '2026.2')
    return [
      first,
      oddValues(release),
      groups(release),
      access(release),
      providers(release),
      departures(release),
    ];
  return [
    first,
    oddValues(release),
    whoAndWhich(),
    manyUsers(),
    manyNames(),
    manyApplications(),
    changes(),
    groups(release),
    access(release),
    providers(release),
    departures(release),
  ];
}

/** The users in the answers of a file, by id, as the first answers show them. */
function usersIn(file: RecordingFile): Record<number, JsonObject> {
  const found: Record<number, JsonObject> = {};
  const visit = (value: JsonValue): void => {
    if (isJsonList(value)) return value.forEach(visit);
    if (!isJsonObject(value)) return;
    const pk = Number(value['pk']);
    if ('username' in value && 'path' in value) found[pk] ??= value;
    Object.values(value).forEach(visit);
  };
  for (const { response } of readRecordings('2023.10', file)) visit(response.body ?? null);
  return found;
}

/** Creates users so that each gets its recorded id. The service itself had created and deleted other users in between. */
function createUsers(sandbox: Sandbox, users: Readonly<Record<number, JsonObject>>): void {
  const end = Math.max(...Object.keys(users).map(Number));
  for (let pk = 1; pk <= end; pk += 1) {
    put(sandbox, 'user', users[pk] ?? { username: 'gone', name: '' });
    otherClient(sandbox).delete('user', 'gone');
  }
}

function put(sandbox: Sandbox, type: 'application' | 'user', body: JsonObject): void {
  const made = otherClient(sandbox).create(type, body);
  if (!('record' in made)) throw new Error(`the sandbox does not accept ${JSON.stringify(body)}`);
}
