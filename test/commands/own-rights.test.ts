import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { show } from '../../src/commands/show.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { someOf, someReleases } from '../support/effort.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';

type Service = ReturnType<typeof sandboxTransport>;

/** The records that give the token of `bot` its rights, and as many records that give it none. */
const records = `version: 1
roles: [{ name: writers }, { name: readers }, { name: others }]
groups:
  - { name: admins, is_superuser: true }
  - { name: ops, parents: [{ name: admins }], roles: [{ name: writers }] }
  - { name: owners, is_superuser: true }
  - { name: staff, parents: [{ name: owners }], roles: [{ name: others }] }
users:
  - { username: bot, name: Bot, groups: [{ name: ops }] }
  - { username: carl, name: Carl, groups: [{ name: staff }] }
tokens:
  - { identifier: run, user: { name: bot }, intent: api }
  - { identifier: other, user: { name: carl }, intent: api }
`;

const files = { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' };
const allow = ['update', 'delete', 'lockout'];

function run(
  command: typeof plan,
  { send }: Pick<Service, 'send'>,
  text: string,
  options: object = {},
): Promise<Ran> {
  const given = { config: 'rollcall.yaml', allow, maxDeletes: '2', ...options };
  return runOn(command, send, text, given, { files });
}

async function serviceOf(release: SandboxRelease): Promise<Service> {
  const service = sandboxTransport(
    {
      tokens: [{ token: sandboxToken, username: 'bot', superuser: true }],
      groups: [],
      users: [
        { username: 'bot', name: 'Bot' },
        { username: 'alice', name: 'Alice' },
      ],
    },
    undefined,
    release,
  );
  await done(run(apply, service, records));
  return service;
}

/** Changes that take rights from the token. Each is paired with a similar change of a record that gives the token none. */
const takings = [
  [
    'its user leaves a group',
    'user.bot',
    'username: bot, name: Bot, groups: []',
    'username: carl, name: Carl, groups: []',
  ],
  ['its group loses a role', 'group.ops', 'name: ops, roles: []', 'name: staff, roles: []'],
  ['its group leaves its parent', 'group.ops', 'name: ops, parents: []', 'name: staff, parents: []'],
  [
    'the parent of its group makes no superusers',
    'group.admins',
    'name: admins, is_superuser: false',
    'name: owners, is_superuser: false',
  ],
  ['its group is deleted', 'group.ops', 'name: ops, state: absent', 'name: staff, state: absent'],
  ['its role is deleted', 'role.writers', 'name: writers, state: absent', 'name: others, state: absent'],
  [
    'it gets another intent',
    'token.run',
    'identifier: run, intent: app_password',
    'identifier: other, intent: app_password',
  ],
  ['it is deleted', 'token.run', 'identifier: run, state: absent', 'identifier: other, state: absent'],
].map(([taking = '', address = '', entry = '', other = '']) => ({
  taking,
  address,
  list: `${address.split('.')[0]}s`,
  entry,
  other,
}));

const line = (address: string): string =>
  `May take rights from this run's own token, and is therefore applied last: ${address}.`;

/** A manifest with a create, an update, a delete and this entry. */
function among(list: string, entry: string): string {
  const lists: Record<string, string[]> = {
    groups: ['name: zebras'],
    users: ['username: alice, name: Alice A.'],
    roles: ['name: readers, state: absent'],
  };
  lists[list] = [entry, ...(lists[list] ?? [])];
  return `version: 1\n${Object.entries(lists)
    .map(([name, all]) => `${name}: [${all.map((one) => `{ ${one} }`).join(', ')}]\n`)
    .join('')}`;
}

function writesOf({ requests }: Service, from: number): string[] {
  return requests
    .slice(from)
    .flatMap(({ method, path }) => (method === 'GET' ? [] : `${method} ${path.split('/')[4]}`));
}

describe.each(someReleases(sandboxReleases))(
  "a change that may take rights from the run's own token, on %s",
  (release) => {
    // Earlier releases do not show which roles a user has.
    const shown = takings.filter(({ address }) => release !== '2023.10' || address !== 'role.writers');

    test.each(someOf(shown, 4))(
      'is carried out last and listed first in the plan if $taking',
      async ({ address, list, entry }) => {
        const service = await serviceOf(release);
        const text = among(list, entry);
        const { ending, stdout, stderr } = await run(plan, service, text);
        expect(ending, stderr).toBe('done');
        expect(stdout).toContain(line(address));
        expect(stdout.indexOf(line(address))).toBeLessThan(stdout.search(/^ {2}[-+~] /m));
        const [first = ''] = stdout.split(/^(?= {2}[-+~] )/m).slice(1);
        expect(first).toMatch(new RegExp(`^ {2}[-~] ${address.replace('.', '\\.')} `));
        expect(first).toContain(
          "note  may take rights from this run's own token, so this change is made last",
        );
        const from = service.requests.length;
        const applied = await run(apply, service, text, { concurrency: '8' });
        expect(applied.ending, applied.stdout + applied.stderr).toBe('done');
        const writes = writesOf(service, from);
        expect(writes).toHaveLength(4);
        expect(writes.at(-1)).toBe(`${entry.endsWith('absent') ? 'DELETE' : 'PATCH'} ${list}`);
      },
    );

    test.each(someOf(shown, 4))(
      'is not attempted after a failure if $taking',
      async ({ address, list, entry }) => {
        const service = await serviceOf(release);
        const from = service.requests.length;
        const send: Service['send'] = async (request, signal) =>
          request.method === 'DELETE' && request.path.includes('/rbac/roles/')
            ? answered(400, { detail: 'Not now.' })
            : service.send(request, signal);
        const { ending, stdout } = await run(apply, { send }, among(list, entry));
        expect(ending).toBe('incomplete');
        expect(stdout).toMatch(
          new RegExp(`${address}.*not attempted: it is applied last, and an earlier change failed`),
        );
        expect(writesOf(service, from).toSorted()).toEqual(['PATCH users', 'POST groups']);
      },
    );

    test.each(takings)(
      'is not confused with the same change of another record: $taking',
      async ({ list, other }) => {
        const service = await serviceOf(release);
        const { stdout } = await done(run(plan, service, among(list, other)));
        expect(stdout).not.toContain('own token');
      },
    );
  },
);

const self = '/api/v3/core/users/me/';

function withSelf({ send }: Service, change: (user: JsonObject) => JsonObject): Pick<Service, 'send'> {
  return {
    send: async (request, signal) => {
      const exchange = await send(request, signal);
      if (request.path !== self || exchange.kind !== 'answered') return exchange;
      const body = parseJson(exchange.body);
      const user = isJsonObject(body) && isJsonObject(body['user']) ? body['user'] : {};
      return { ...exchange, body: JSON.stringify({ user: change(user) }) };
    },
  };
}

describe('the user of the token', () => {
  const group = 'version: 1\ngroups: [{ name: staff, roles: [] }, { name: zebras }]\n';

  test('is not requested if the plan takes no rights', async () => {
    const service = await serviceOf('2025.12');
    const from = service.requests.length;
    const text = `version: 1\ngroups: [{ name: ops, attributes: { a: 1 } }, { name: zebras, is_superuser: true }]\n`;
    await done(run(plan, service, text));
    expect(service.requests.slice(from).filter(({ path }) => path === self)).toEqual([]);
  });

  test('is requested once if the plan may take rights', async () => {
    const service = await serviceOf('2025.12');
    const from = service.requests.length;
    await done(run(apply, service, group));
    expect(service.requests.slice(from).filter(({ path }) => path === self)).toHaveLength(1);
  });

  test('counts as affected if it is unknown, so the change comes last', async () => {
    const service = await serviceOf('2025.12');
    const send: Service['send'] = async (request, signal) =>
      request.path === self ? answered(403, { detail: 'No.' }) : service.send(request, signal);
    const from = service.requests.length;
    const planned = await run(plan, { send }, group);
    expect(planned.stdout).toContain(line('group.staff'));
    await done(run(apply, { send }, group));
    expect(writesOf(service, from)).toEqual(['POST groups', 'PATCH groups']);
  });

  test.each([
    ['user.carl', 'users: [{ username: carl, name: Carl, groups: [] }]'],
    ['token.other', 'tokens: [{ identifier: other, intent: app_password }]'],
    ['group.staff', 'groups: [{ name: staff, roles: [] }]'],
  ])('is assumed to be affected by %s if it is unknown', async (address, entries) => {
    const { send } = withSelf(await serviceOf('2025.12'), () => ({}));
    const { stdout } = await run(plan, { send }, `version: 1\n${entries}\n`);
    expect(stdout).toContain(line(address));
  });

  test.each([
    [true, 'keeps its place, as a superuser needs no role'],
    [false, 'comes last, as it may be a role of the token'],
  ])('if its roles are unknown and is_superuser is %s, a delete of a role %s', async (isSuperuser) => {
    const { send } = withSelf(await serviceOf('2025.12'), (user) => ({
      ...user,
      roles: null,
      is_superuser: isSuperuser,
    }));
    const { stdout } = await run(plan, { send }, 'version: 1\nroles: [{ name: others, state: absent }]\n');
    expect(stdout).toMatch(/^ {2}- role\.others /m);
    expect(stdout.includes(line('role.others'))).toBe(!isSuperuser);
  });

  test('may lose rights, and the plan reports this loss next to other consequences of the change', async () => {
    const service = await serviceOf('2025.12');
    const { stdout } = await run(plan, service, 'version: 1\ngroups: [{ name: ops, state: absent }]\n');
    expect(stdout).toMatch(/note {2}may take rights .*\n +note {2}the user "bot" loses it\n/);
  });

  /** A service that answers the question about the token's user in another way. */
});

test('a token is deleted after every other change that takes rights from it', async () => {
  const service = await serviceOf('2025.12');
  const from = service.requests.length;
  const text = `version: 1
users: [{ username: bot, name: Bot, groups: [] }]
tokens: [{ identifier: run, state: absent }]
roles: [{ name: readers, state: absent }]
`;
  const planned = await run(plan, service, text);
  expect(planned.stdout).toContain(line('user.bot, token.run'));
  await done(run(apply, service, text));
  expect(writesOf(service, from)).toEqual(['DELETE roles', 'PATCH users', 'DELETE tokens']);
});

test('changes that depend on a change of the own rights come after it, and are made in the same run', async () => {
  const service = await serviceOf('2025.12');
  const text = `version: 1
groups: [{ name: ops, parents: [] }, { name: zebras }]
users: [{ username: bot, name: Bot, groups: [] }, { username: newb, name: N, groups: [{ name: ops }] }]
applications: [{ slug: wiki, name: Wiki, access: { users: [{ name: newb }] } }]
tokens: [{ identifier: t, user: { name: newb }, intent: app_password }]
roles: [{ name: readers, state: absent }]
`;
  const planned = await run(plan, service, text);
  const from = service.requests.length;
  const applied = await run(apply, service, text, { concurrency: '8' });
  expect(applied.ending, applied.stdout + applied.stderr).toBe('done');
  expect(writesOf(service, from)).toEqual([
    'POST groups',
    'DELETE roles',
    'PATCH groups',
    'POST users',
    'POST applications',
    'POST bindings',
    'POST tokens',
    'PATCH users',
  ]);
  const [, wiki = ''] = planned.stdout.split('application.wiki ');
  expect(wiki).toMatch(/^[^+~]+note {2}depends on a change that may take rights from this run's own token; /);
});

test('new records that refer to each other are completed, even behind a change of the own rights', async () => {
  const service = await serviceOf('2025.12');
  const text = `version: 1
groups: [{ name: ops, parents: [] }]
stages: [{ type: identification, name: s, user_fields: [username], enrollment_flow: { slug: f } }]
flows:
  - { slug: f, name: F, title: F, designation: enrollment, policies: [{ group: { name: ops }, order: 0 }], stages: [{ stage: { name: s }, order: 10 }] }
`;
  const { ending, stdout, stderr } = await run(apply, service, text);
  expect(ending, stdout + stderr).toBe('done');
  expect((await run(plan, service, text)).stdout).toContain('No changes.');
});

test('a saved plan marks the change that may take rights from the token, and carries it out last', async () => {
  const service = await serviceOf('2025.12');
  const text = among('groups', 'name: ops, roles: []');
  const saved = await run(plan, service, text, { out: 'plan.json' });
  const json = saved.written.get('plan.json') ?? '';
  expect(json).toContain('"takes_own_rights": true');
  const shown = capture({ files: { 'plan.json': json } });
  expect(await show('plan.json', { output: 'text' }, shown.context)).toBe('done');
  expect(shown.stdout()).toContain(line('group.ops'));
  const from = service.requests.length;
  const given = { config: 'rollcall.yaml', allow, plan: 'plan.json' };
  const applied = await runOn(apply, service.send, text, given, { files: { ...files, 'plan.json': json } });
  expect(applied.ending, applied.stderr).toBe('done');
  expect(writesOf(service, from).at(-1)).toBe('PATCH groups');
});

test('a change of a group that is bound to a stage of the login comes last too', async () => {
  const service = await serviceOf('2025.12');
  const flow = (title: string, roles: string): string => `version: 1
groups: [{ name: ops, roles: ${roles} }]
stages: [{ type: user_login, name: enter }]
flows:
  - slug: login
    name: Login
    title: ${title}
    designation: authentication
    stages: [{ stage: { name: enter }, order: 10, policies: [{ group: { name: ops }, order: 0 }] }]
`;
  const before = await run(apply, service, flow('Before', '[{ name: writers }]'));
  expect(before.ending, before.stdout + before.stderr).toBe('done');
  const from = service.requests.length;
  const after = await run(apply, service, flow('After', '[]'));
  expect(after.ending, after.stdout + after.stderr).toBe('done');
  expect(writesOf(service, from)).toEqual(['PATCH instances', 'PATCH groups']);
});

test('a new member of a group that loses rights of the token comes after this group', async () => {
  const service = await serviceOf('2025.12');
  const text = among('groups', 'name: ops, roles: []').replace(
    'users: [',
    'users: [{ username: dora, name: Dora, groups: [{ name: ops }] }, ',
  );
  const from = service.requests.length;
  await done(run(apply, service, text, { concurrency: '8' }));
  expect(writesOf(service, from).slice(-2)).toEqual(['PATCH groups', 'POST users']);
});

describe('permissions that releases before 2025.12 may remove with any change', () => {
  const changes = `version: 1
groups: [{ name: zebras }]
roles: [{ name: doers, formerly: writers }]
users: [{ username: bot, name: Bot B. }]
`;
  const note = (lost: string): string => `note  releases before 2025.12 may remove ${lost} with any change`;
  const notes = [note('its global permissions')];

  test.each([
    ['2023.10', notes],
    ['2025.12', []],
    ['an unknown release', notes],
  ])('are mentioned in a plan for %s', async (release, said) => {
    const { send } = await serviceOf(release === '2025.12' ? release : '2023.10');
    const answer: Service['send'] = async (request, signal) =>
      release === 'an unknown release' && request.path.endsWith('/admin/version/')
        ? answered(403, { detail: 'No.' })
        : send(request, signal);
    const { stdout } = await done(run(plan, { send: answer }, changes));
    expect(stdout.match(/note {2}releases before .*/g) ?? []).toEqual(said);
    expect(stdout).not.toContain('own token');
  });

  test('may be those of the token, so these changes come last', async () => {
    const service = withSelf(await serviceOf('2023.10'), (user) => ({ ...user, is_superuser: false }));
    const { stdout } = await done(run(plan, service, changes));
    expect(stdout).toContain(line('role.doers'));
    expect(stdout.match(/own token, so this change is made last/g)).toHaveLength(1);
  });
});
