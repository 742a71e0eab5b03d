import { describe, expect, test } from 'vitest';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { exportManifests } from '../../src/commands/export.ts';
import type { ExportOptions } from '../../src/commands/export-options.ts';
import { plan } from '../../src/commands/plan.ts';
import { UsageError } from '../../src/base/errors.ts';
import { parseJson } from '../../src/base/json.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { Transport } from '../../src/service/transport.ts';
import { done, endOf, type Ran } from '../support/manifest-run.ts';
import {
  withChangedPage,
  listingService,
  manyApplications,
  manyUsers,
  pageOf,
} from '../support/listing-service.ts';
import { capture } from '../support/run.ts';
import { otherClient } from '../support/other-client.ts';
import { user } from '../../src/kinds/user.ts';
import { changedFieldsOf, possiblyUnchangedFields } from '../../src/adopt/changes.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { sandboxHere } from '../support/sandbox-requests.ts';
import { answered, lost } from '../support/scripted-transport.ts';

const url = 'https://id.example.com';

/** A sandbox without `is_fresh` has only some default records of other types. */
const type = ['certificate', 'role', 'group', 'outpost', 'application', 'user'];

function exporting(
  transport: Transport,
  options: Partial<ExportOptions> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return endOf(capture({ url, transport, files }), (context) =>
    exportManifests({ output: 'yaml', ids: true, type, ...options }, context),
  );
}

/** Whether a plan of these manifests has no changes, and its other messages. */
async function planning(transport: Transport, texts: ReadonlyMap<string, string>): Promise<string> {
  const { context, stdout, stderr } = capture({ url, transport, files: Object.fromEntries(texts) });
  const ending = await plan([...texts.keys()], { output: 'text', detailedExitcode: true }, context);
  return `${ending}\n${stderr()}${stdout()}`;
}

test.each(['(sensitive)', '(hidden)'])(
  'a name %s is escaped in an export, whose plan has no changes',
  async (word) => {
    const { send } = sandboxHere({
      users: [{ username: word, name: word, email: 'a@example.com', attributes: { a: word } }],
      applications: [{ slug: 'a', name: word, meta_description: word }],
    });
    const { written, stderr } = await done(exporting(send, { out: 'm', check: true, quiet: true }));
    expect(stderr).toBe('');
    expect([...written.values()].join('')).toContain(`username: ${word}`);
    expect(await planning(send, written)).toMatch(/^done\n[^]*No changes\./);
  },
);

test('an export names no variable for an empty secret', async () => {
  const providers = ['', 's3cret-of-p'].map((client_secret, index) => ({
    pk: index + 1,
    name: `p${index}`,
    type: 'oauth2' as const,
    client_secret,
  }));
  const { stdout } = await exporting(sandboxHere({ providers }).send, { type: ['provider'] });
  expect(stdout.match(/P\d_CLIENT_SECRET/g)).toEqual(['P1_CLIENT_SECRET']);
});

test('an export sorts ids as numbers', async () => {
  const { send } = sandboxHere({
    providers: [9, 10].map((pk) => ({ pk, name: `p${pk}` })),
    applications: [{ slug: 'a', name: 'A', backchannel_providers: [10, 9] }],
  });
  const { stdout } = await exporting(send, { type: ['application'] });
  expect(stdout).toMatch(/backchannel_providers:\s+- 9\s+- 10\n/);
});

test('a default value that a shipped record lacks is not a change', () => {
  expect(changedFieldsOf(user, { is_active: true, name: 'A' }, {})).toEqual({ name: 'A' });
});

test('a changed field that a shipped record lacks is possibly unchanged if its default is unknown', () => {
  const changes = { is_active: false, name: 'A', attributes: { a: 1, b: 2 } };
  expect(possiblyUnchangedFields(user, changes, { attributes: { a: 0 } })).toEqual(['name', 'attributes.b']);
});

describe('an export contains ids instead of names', () => {
  const named = { ids: false };
  /** The same names with other ids. */
  const world = (first: number, more: SandboxSeed = {}): ReturnType<typeof sandboxHere> => {
    const uuid = (index: number): string =>
      `00000000-0000-4000-8000-${String(first + index).padStart(12, '0')}`;
    const names = ['Grafana OIDC', 'wiki: "saml"', 'a\u0000b'.replace('\u0000', '#'), '日本', 'scim'];
    return sandboxHere({
      providers: names.map((name, index) => ({ pk: first + index, name })),
      groups: ['staff', 'ops & more'].map((name, index) => ({
        pk: uuid(index),
        num_pk: index,
        name,
      })),
      ...more,
    });
  };
  const uuidOf = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;

  test('only if it writes them: --list reads no names', async () => {
    const from = world(100, { users: [{ username: 'alice', name: 'Alice', groups: [uuidOf(100)] }] });
    const asked: string[] = [];
    const watched: Transport = async (request, signal) => {
      asked.push(request.path);
      return from.send(request, signal);
    };
    await done(exporting(watched, { ...named, type: ['user'], list: true }));
    expect(asked.filter((path) => path.includes('/core/groups/'))).toEqual([]);
  });

  test('if two records have the same name', async () => {
    const from = world(100, {
      groups: ['staff', 'ops & more', 'twice', 'twice'].map((name, index) => ({
        pk: uuidOf(100 + index),
        num_pk: index,
        name,
      })),
      users: [{ username: 'alice', name: 'Alice', groups: [uuidOf(102), uuidOf(100)] }],
    });
    const { stdout, stderr, ending } = await exporting(from.send, { ...named, check: true });
    expect(ending).toBe('incomplete');
    expect(stdout).not.toContain('- name: twice');
    expect(stderr).toContain(
      `warning: group.twice: several records have this name [not-exported]\n    Their ids: ${uuidOf(102)}, ${uuidOf(103)}.`,
    );
    expect(stdout).toContain(`- { name: staff }\n      - ${uuidOf(102)}\n`);
  });

  test('if the token may not view the records, and ends with exit code 6', async () => {
    const from = world(100, {
      tokens: [{ token: 'superuser-token', username: 'limited', view_groups: 'none' }],
      users: [{ username: 'alice', name: 'Alice', groups: [uuidOf(100)] }],
    });
    const { ending, stderr, stdout } = await exporting(from.send, { ...named, type: ['user'] });
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('username: limited');
    expect(stderr).toContain('the names of groups could not be read');
    expect(stderr).toContain('Fields contain ids instead of these names');
    expect(stderr).toContain('to write their ids too, use --ids.');
    expect(stderr).toContain('Grant the token the permission to view groups.');
    const both = await exporting(from.send, { ...named, type: ['group', 'user'] });
    expect(both.stderr).toContain('the names of groups could not be read');
  });

  test('if the service fails to list the records; the failure is not reported as a missing permission', async () => {
    const { send } = world(100, {
      users: [{ username: 'alice', name: 'Alice', groups: [uuidOf(100)] }],
    });
    const failing: Transport = async (request, signal) =>
      request.path.includes('/groups/') ? answered(500) : send(request, signal);
    const { ending, stderr } = await exporting(failing, { ...named, type: ['user'] });
    expect(ending).toBe('incomplete');
    expect(stderr).toContain('Read the log of the service.');
  });

  test('if the name contains the token', async () => {
    const from = world(100, {
      groups: [{ pk: uuidOf(1), num_pk: 1, name: `group ${sandboxToken}` }],
      users: [{ username: 'alice', name: 'Alice', groups: [uuidOf(1)] }],
    });
    const { stdout } = await done(exporting(from.send, { ...named, target: ['user.alice'], check: true }));
    expect(stdout).toContain(`groups:\n      - ${uuidOf(1)}\n`);
    expect(stdout).not.toContain(sandboxToken);
  });

  test('if a manifest cannot contain the name', async () => {
    const names = ['😀'.repeat(500), 'é'.repeat(501), ' staff'];
    const from = world(100, {
      groups: names.map((name, index) => ({ pk: uuidOf(index + 1), num_pk: index, name })),
      users: [{ username: 'alice', name: 'Alice', groups: [uuidOf(1), uuidOf(2), uuidOf(3)] }],
    });
    const { stdout } = await done(exporting(from.send, { ...named, target: ['user.alice'], check: true }));
    expect(stdout).toContain(
      `groups:\n      - { name: ${'😀'.repeat(500)} }\n      - ${uuidOf(2)}\n      - ${uuidOf(3)}\n`,
    );
  });
});

const seed: SandboxSeed = {
  roles: [],
  applications: [
    { slug: 'wiki', name: 'Wiki', group: 'Docs', provider: 3, backchannel_providers: [2, 1] },
    { slug: 'grafana', name: 'Grafana', group: 'Docs & more', policy_engine_mode: 'all' },
  ],
  users: [
    {
      username: 'alice',
      name: 'Alice Example',
      email: 'alice@example.com',
      groups: ['22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111'],
      attributes: { department: 'Engineering', key: 'a\nb\n', template: '${x}' },
      last_login: '2024-05-01T10:00:00Z',
      path: 'staff/engineering',
    },
    { username: 'bob', name: '', is_active: false },
    { username: 'outpost', name: 'Outpost', path: 'goauthentik.io/outposts' },
  ],
};

const applications = `applications:
  - slug: grafana
    name: Grafana
    access: everyone
    policy_engine_mode: all
    group: Docs & more
  - slug: wiki
    name: Wiki
    provider: 3
    backchannel_providers:
      - 1
      - 2
    access: everyone
    group: Docs
`;
const alice = `  - username: alice
    name: Alice Example
    groups:
      - 11111111-1111-4111-8111-111111111111
      - 22222222-2222-4222-8222-222222222222
    email: alice@example.com
    attributes:
      department: Engineering
      key: |
        a
        b
      template: $\${x}
    path: staff/engineering
`;
const rights = `defaults:
  group:
    is_superuser: false
    parents: []
    roles: []
  user:
    is_active: true
    groups: []
`;
const groups = 'groups:\n  - name: contractors\n  - name: staff\n';
const bob = '  - username: bob\n    name: ""\n    is_active: false\n';
const admin = '  - username: akadmin\n    name: akadmin\n    type: service_account\n';
const service = '  - username: sandbox\n    name: sandbox\n    type: service_account\n';
const head = (to: string): string =>
  `# yaml-language-server: $schema=${to}node_modules/rollcall/schemas/manifest.schema.json\nversion: 1\n`;

describe('rollcall export', () => {
  test('leaves out service defaults except rights, and formats fields as a person would', async () => {
    const { ending, stdout, stderr } = await exporting(sandboxHere(seed).send);
    expect(stdout).toBe(
      `${head('')}${rights}${groups}${applications}users:\n${admin}${alice}${bob}${service}`,
    );
    expect(stderr).toMatch(
      /^Left out: 3 of the service itself.* --internal\.\nThis is personal data of 4 users\. .*\n$/,
    );
    expect(ending).toBe('done');
  });

  test.each<[flag: string, split: ExportOptions['split'], names: string[]]>([
    ['no --split', undefined, ['applications', 'groups', 'users']],
    ['--split none', 'none', ['manifest']],
    ['--split path', 'path', ['applications', 'groups', 'users/staff/engineering', 'users/users']],
    ['--split group', 'group', ['applications/docs', 'applications/docs-more', 'groups', 'users']],
  ])('writes files whose plan has no changes: %s', async (_, split, names) => {
    const { send } = sandboxHere(seed);
    const { written, stdout, ending } = await exporting(send, { out: 'm/', ...(split && { split }) });
    expect({ stdout, ending }).toEqual({ stdout: '', ending: 'done' });
    expect([...written.keys()]).toEqual(names.map((name) => `m/${name}.yaml`));
    expect(written.get('m/users/staff/engineering.yaml') ?? head('../../../')).toContain(head('../../../'));
    expect(await planning(send, written)).toMatch(/^done\n[^]*No changes\. Your infrastructure matches/);
  });

  test.each([
    ['../../etc', 'etc'],
    ['C:\\Users', 'c-users'],
    ['CON/aux.txt/Nul/console', 'con-/aux-txt/nul-/console'],
    ['./..', 'other'],
    ['x'.repeat(400), 'x'.repeat(100)],
  ])('writes only files inside its folder, with names that every system accepts: %s', async (path, name) => {
    const { send } = sandboxHere({ users: [{ username: 'alice', name: 'Alice', path }] });
    const { written } = await exporting(send, { out: 'm', split: 'path', target: ['user.alice'] });
    expect([...written.keys()]).toEqual([`m/users/${name}.yaml`]);
  });

  test("follows the rules of the service's release, or of the release in rollcall.yaml, or else the strictest rules", async () => {
    const slug = 'a'.repeat(51);
    const applicationsOnly = { type: ['application'] };
    const { send } = sandboxHere(
      { applications: [{ slug, name: 'A', meta_icon: 'fa://fa-book' }] },
      '2025.12',
    );
    const asked = await exporting(send, applicationsOnly);
    expect(asked).toMatchObject({ ending: 'done', stderr: '' });
    expect(asked.stdout).toContain(
      `- slug: ${slug}\n    name: A\n    access: everyone\n    meta_icon: fa://fa-book\n`,
    );
    const besides = { 'rollcall.yaml': "version: 1\nrelease: '2025.10'\n" };
    expect(await exporting(send, applicationsOnly, besides)).toMatchObject({ ending: 'done' });
    const { send: silent } = sandboxHere({ applications: [{ slug, name: 'A' }] }, '2025.12');
    const unsaid: Transport = async (request, signal) =>
      request.path.includes('/version/') ? answered(404, { detail: 'Not found.' }) : silent(request, signal);
    const unknown = await exporting(unsaid, applicationsOnly);
    expect(unknown.ending).toBe('incomplete');
    expect(unknown.stdout).not.toContain(slug);
    expect(unknown.stderr).toContain('longer than 50 characters');
    const said = await exporting(unsaid, applicationsOnly, {
      'rollcall.yaml': "version: 1\nrelease: '2025.12'\n",
    });
    expect(said.ending).toBe('done');
    const older = await exporting(unsaid, applicationsOnly, besides);
    expect(older.ending).toBe('incomplete');
  });

  test('leaves out meta_icon for a release that does not accept the field', async () => {
    const { send } = sandboxHere({ applications: [{ slug: 'wiki', name: 'Wiki' }] });
    const withIcon: Transport = async (request, signal) => {
      const exchange = await send(request, signal);
      return exchange.kind === 'answered'
        ? {
            ...exchange,
            body: exchange.body.replaceAll(
              '"meta_icon":null',
              '"meta_icon":"https://id.example.com/media/icon.png"',
            ),
          }
        : exchange;
    };
    const { stdout } = await exporting(withIcon, { type: ['application'] });
    expect(stdout).toContain('slug: wiki');
    expect(stdout).not.toContain('meta_icon');
  });

  test.each([true, false])(
    'writes nothing if there is nothing to export, with --check: %s',
    async (check) => {
      const { send } = sandboxHere({ applications: [] });
      const { stdout, stderr } = await done(exporting(send, { type: ['application'], check }));
      expect(stdout + stderr).toBe('');
    },
  );

  test('leaves out records that are declared under a new name or with the value of --var', async () => {
    const { send } = sandboxHere(seed);
    const declared = 'version: 1\ngroups: [{ name: team, formerly: staff }, { name: "${var:other}" }]\n';
    const options = { list: true, type: ['group'], missingFrom: ['m/a.yaml'] };
    const { stdout } = await done(
      exporting(send, { ...options, var: ['other=contractors'] }, { 'm/a.yaml': declared }),
    );
    expect(stdout).toBe('');
    const unset = await exporting(send, options, { 'm/a.yaml': declared });
    expect(unset.ending).toBe('invalid');
  });

  test('leaves out records that are already declared, and fields that --without names', async () => {
    const { send, sandbox } = sandboxHere(seed);
    const list = async (options: Partial<ExportOptions>): Promise<string[]> => {
      const { stdout } = await done(
        exporting(
          send,
          { list: true, ...options },
          {
            'm/a.yaml':
              'version: 1\nusers: [{ username: alice }]\napplications: [{ slug: new, name: New }]\n',
          },
        ),
      );
      return stdout.trim().split('\n');
    };
    const all = [
      'group.contractors',
      'group.staff',
      'application.grafana',
      'application.wiki',
      'user.akadmin',
      'user.alice',
      'user.bob',
      'user.sandbox',
    ];
    expect(await list({})).toEqual(all);
    const certificate = 'certificate.authentik Self-signed Certificate';
    const own = 'outpost.authentik Embedded Outpost';
    expect(await list({ internal: true })).toEqual([
      certificate,
      ...all.toSpliced(7, 0, 'user.outpost').toSpliced(2, 0, own),
    ]);
    expect(await list({ target: ['user.outpost'] })).toEqual(['']);
    expect(await list({ type: ['application'] })).toEqual(all.slice(2, 4));
    expect(await list({ target: ['*.*i*'], exclude: ['user.akadmin'] })).toEqual([
      'application.wiki',
      'user.alice',
    ]);
    expect(await list({ missingFrom: ['m'] })).toEqual(all.filter((address) => address !== 'user.alice'));
    const { stdout } = await exporting(send, {
      without: 'email,user.attributes,groups',
      target: ['user.alice'],
    });
    otherClient(sandbox).change('outpost', 'authentik Embedded Outpost', { providers: [3] });
    expect(await list({ type: ['outpost'] })).toEqual([own]);
    expect(stdout).toBe(
      `${head('')}users:\n  - username: alice\n    name: Alice Example\n    is_active: true\n    path: staff/engineering\n`,
    );
  });

  test('exports users that come from sources, and leaves out internal accounts', async () => {
    const users = [
      { username: 'ldap', name: 'L', path: 'goauthentik.io/sources/ldap' },
      { username: 'made', name: 'M', path: 'goauthentik.io/service-accounts' },
      { username: 'outpost', name: 'O', path: 'goauthentik.io/outposts' },
      { username: 'proxy', name: 'P', path: 'goauthentik.io/outposts/proxy' },
      { username: 'like', name: 'I', path: 'goauthentik.io/outposts-of-ours' },
    ];
    const { send } = sandboxHere({ users });
    const { stdout, stderr } = await exporting(send, {
      list: true,
      exclude: ['user.akadmin', 'user.sandbox', 'group.*', 'role.*'],
    });
    expect(stdout).toBe('user.ldap\nuser.like\nuser.made\n');
    expect(stderr).toMatch(/^Left out: 4 of the service itself/);
    expect((await exporting(send, { list: true, internal: true })).stderr).not.toContain('Left out: 4');
  });

  test('checks its manifests with a plan, and writes nothing if that plan has changes', async () => {
    const { send } = sandboxHere(seed);
    const { ending, written, stderr } = await exporting(send, { out: 'm', check: true, split: 'path' });
    expect({ ending, files: written.size }).toEqual({ ending: 'done', files: 4 });
    expect(stderr).not.toContain('likely-refused');

    // Another client changes a user while the export reads the pages.
    let pages = 0;
    const changing: Transport = async (request, signal) => {
      const exchange = await send(request, signal);
      if (request.path.includes('/users/?') && ++pages > 1 && exchange.kind === 'answered')
        return { ...exchange, body: exchange.body.replaceAll('"Alice Example"', '"Alice"') };
      return exchange;
    };
    const refused = await exporting(changing, { out: 'm', check: true });
    expect({ ending: refused.ending, files: refused.written.size }).toEqual({ ending: 'failed', files: 0 });
    expect(refused.stderr).toMatch(/! user\.alice[^]*Nothing was written\.\n$/);
  });

  test('prints JSON that is also a valid manifest', async () => {
    const { stdout } = await exporting(sandboxHere(seed).send, { output: 'json', target: ['user.bob'] });
    expect(parseJson(stdout)).toEqual({
      version: 1,
      users: [{ username: 'bob', name: '', is_active: false, groups: [] }],
    });
  });

  test('changes no existing file', async () => {
    const { send } = sandboxHere(seed);
    const { ending, written, stderr } = await exporting(send, { out: 'm' }, { 'm/users.yaml': 'mine' });
    expect(ending).toBe('failed');
    expect(stderr).toContain('error: m/users.yaml exists already\n');
    expect(written.size).toBe(0);
  });

  test('writes hidden fields only to files', async () => {
    const { send } = sandboxHere(seed);
    const hiding = {
      'rollcall.yaml': `version: 1\nhide: [user.email]\nenvironments: { a: { url: '${url}' } }\n`,
    };
    const options = { target: ['user.alice'], env: 'a' };
    expect((await exporting(send, options, hiding)).stdout).not.toContain('alice@');
    expect((await exporting(send, { ...options, out: 'm' }, hiding)).written.get('m/users.yaml')).toContain(
      'alice@',
    );
  });

  test('leaves out a field that contains the token, and reports the omission', async () => {
    const users = [{ username: 'alice', name: 'Alice', attributes: { key: `x ${sandboxToken}` } }];
    const { send } = sandboxHere({ users });
    const { ending, stdout, stderr } = await exporting(send, { target: ['user.alice'] });
    expect(ending).toBe('incomplete');
    expect(stdout).toBe(
      `${head('')}users:\n  - username: alice\n    name: Alice\n    is_active: true\n    groups: []\n`,
    );
    expect(stderr).toContain('This is personal data of 1 user.');
    expect(stderr).toContain('user.alice: `attributes` is left out');
    expect(stderr).not.toContain(sandboxToken);
  });

  test('shows no token that a name contains', async () => {
    const { send, ask } = sandboxHere({ users: [{ username: `u-${sandboxToken}`, name: 'U' }] });
    ask('POST', '/stages/captcha/', { name: `c-${sandboxToken}`, public_key: 'p', private_key: 'q' });
    for (const list of [true, false]) {
      const { stdout, stderr } = await exporting(send, { type: ['user', 'stage'], list });
      expect(list ? stdout : stderr).toContain('user.u-(sensitive)');
      expect(list ? stdout : stderr).toContain('stage.c-(sensitive)');
      expect(stdout + stderr).not.toMatch(new RegExp(sandboxToken.replaceAll('-', '.'), 'i'));
    }
  });

  test('splits large files, with unique names', async () => {
    const long = 'x'.repeat(2_100_000);
    const { send } = sandboxHere({
      applications: [
        { slug: 'a', name: 'A', group: 'Docs', meta_description: long },
        { slug: 'b', name: 'B', group: 'Docs', meta_description: `${long}!` },
        { slug: 'c', name: 'C', group: 'Docs 1' },
      ],
    });
    const options = { out: 'm', split: 'group', type: ['application'] } as const;
    const { written } = await exporting(send, options);
    expect([...written.keys()]).toEqual(
      ['docs-1', 'docs-2', 'docs-1-2'].map((name) => `m/applications/${name}.yaml`),
    );
  });

  test('declares a group that is bound twice, and reports bindings that no manifest can distinguish', async () => {
    const bound = (order: number, negate: boolean): Promise<Ran> => {
      const [application, group] = ['wiki', 'staff'];
      const world = sandboxHere({
        applications: [{ slug: application, name: 'Wiki' }],
        bindings: [
          { application, group, order: 0 },
          { application, group, order, negate },
        ],
      });
      return exporting(world.send, { ids: false, type: ['application'], check: true });
    };
    const distinct = await bound(1, false);
    expect(distinct).toMatchObject({ ending: 'done', stderr: '' });
    expect(distinct.stdout).toMatch(/policies:\n.*staff.*order: 0.*\n.*staff.*order: 1/);
    expect(distinct.stdout).not.toContain('at_least');
    const equal = await bound(0, false);
    expect(equal).toMatchObject({ ending: 'done', stderr: '' });
    expect(equal.stdout).toMatch(/policies:\n +- .*staff.*order: 0.*\n +at_least:\n +- policies\n/);
    const { ending, stderr, stdout } = await bound(0, true);
    expect([ending, stdout]).toEqual(['incomplete', expect.stringContaining('slug: wiki')]);
    expect(stderr).toMatch(
      /^warning: application.wiki: `policies` is left out: this group is bound twice with the same order/,
    );
  });

  test('is incomplete if the plan of its manifest would be refused, and says why', async () => {
    const { send } = sandboxHere({ groups: [{ pk: uuidFrom('group a'), num_pk: 1, name: 'a' }] });
    const withItself: Transport = async (request, signal) => {
      const exchange = await send(request, signal);
      return exchange.kind === 'answered'
        ? {
            ...exchange,
            body: exchange.body.replaceAll('"parent":null', `"parent":"${uuidFrom('group a')}"`),
          }
        : exchange;
    };
    const { ending, stdout, stderr } = await exporting(withItself, { ids: false, target: ['group.a'] });
    expect([ending, stdout]).toEqual([
      'incomplete',
      expect.stringContaining('parents:\n      - { name: a }'),
    ]);
    expect(stderr).toContain('group.a: the manifest is invalid: it refers to itself');
  });

  test('names no file after a hidden field', async () => {
    const hiding = { 'rollcall.yaml': 'version: 1\nhide: [application.group]\n' };
    const ended = exporting(sandboxHere(seed).send, { out: 'm', split: 'group' }, hiding);
    await expect(ended).rejects.toThrow('--split group: application.group is hidden');
    const byPath = await exporting(sandboxHere(seed).send, { out: 'm', split: 'path' }, hiding);
    expect(byPath.ending).toBe('done');
  });

  test.each<[name: string, options: Partial<ExportOptions>, said: string]>([
    ['--contract-only', { contractOnly: true }, 'export reads lists, which contract_only does not allow'],
    ['--split without a folder', { split: 'path' }, '--split needs --out'],
    ['--list with --check', { list: true, check: true }, '--check has nothing to check'],
    ['--split with JSON', { output: 'json', out: 'm' }, '-o json'],
    ['--list with --out', { list: true, out: 'm' }, '--list'],
    ['a file for --out', { out: 'm.yaml' }, '--out names a folder'],
    ['a file with the short extension for --out', { out: 'm.yml' }, '--out names a folder'],
    ['an unknown type', { type: ['users'] }, 'there is no type "users"'],
    ['an unknown field', { without: 'emails' }, 'no field "emails"'],
    [
      'an address of another type',
      { type: ['user'], target: ['group.*'] },
      'no record that this export reads',
    ],
    ['an identity for --without', { without: 'username' }, 'no field "username"'],
    ['an address without a record', { target: ['user.nobody'] }, 'an address like user.nobody'],
  ])('refuses %s', async (_, options, said) => {
    const ended = exporting(sandboxHere(seed).send, options);
    await expect(ended).rejects.toThrow(UsageError);
    await expect(ended).rejects.toThrow(said);
  });
});

test('an export that is to leave out an unknown field lists each field once', async () => {
  const error = await exporting(sandboxHere(seed).send, { without: 'bogusxyz' }).catch(
    (thrown: unknown) => thrown,
  );
  const fields = (error instanceof UsageError && error.hint?.match(/[\w.]+(?=[,.])/g)) || [];
  expect(fields).toContain('policies');
  expect(new Set(fields).size).toBe(fields.length);
});

describe('an export reports unreadable records instead of treating them as absent', () => {
  test("if the token is not a superuser's and sees no applications", async () => {
    const { send } = listingService({ applications: manyApplications(3), isSuperuser: false });
    const { ending, stdout, stderr } = await exporting(send, { type: ['application'] });
    expect(ending).toBe('incomplete');
    expect(stdout.match(/slug:/g)).toHaveLength(3);
    expect(stderr).toContain('This token sees 3. There may be other records.');
  });

  test('if the service refers to an application that it does not show, without blaming the URL', async () => {
    const { send } = listingService({
      applications: manyApplications(3),
      isSuperuser: false,
      instead: ({ path }) =>
        path.endsWith('/a00001/')
          ? answered(404, { detail: 'No Application matches the given query.' })
          : undefined,
    });
    const { ending, stderr } = await exporting(send, { type: ['application'] });
    expect(ending).toBe('incomplete');
    expect(stderr).toContain(
      'application.a00001: the service lists the record, but does not return it (404) [not-exported]',
    );
  });

  test('if they are on a broken page or after it', async () => {
    const { send } = listingService({
      users: manyUsers(250),
      instead: ({ page }) => (page === 2 ? answered(500) : undefined),
    });
    const { ending, stdout, stderr } = await exporting(send, { type: ['user'], quiet: true });
    expect(ending).toBe('incomplete');
    expect(stdout.match(/username:/g)).toHaveLength(100);
    expect(stderr).toContain('not all users could be read: ');
  });

  test('if a requested record was not found in an incomplete list', async () => {
    const users = manyUsers(3);
    const { send } = listingService({
      users,
      instead: () =>
        withChangedPage(pageOf(users, 1, 100), ({ results }) => ({ results: results.with(0, null) })),
    });
    const options = { type: ['user'], list: true, target: ['user.u00000'] };
    const { ending, stdout, stderr } = await exporting(send, options);
    expect({ ending, stdout }).toEqual({ ending: 'incomplete', stdout: '' });
    expect(stderr).toContain('the service counts 3 users');
  });

  test('if the service does not answer, or the token may view nothing', async () => {
    for (const [exchange, ending] of [
      [lost, 'failed'],
      [answered(403, { detail: 'no' }), 'denied'],
    ] as const) {
      const ended = await exporting(async () => exchange);
      expect(ended).toMatchObject({ ending, stdout: '' });
      expect(ended.stderr).toContain('Nothing was written.');
    }
  });

  test('if a manifest cannot contain one of their values', async () => {
    const users = [{ pk: 1, username: 'a', name: ' A ', attributes: { '<<': 1 } }];
    const { ending, stdout, stderr } = await exporting(listingService({ users }).send, { type: ['user'] });
    expect(ending).toBe('incomplete');
    expect(stdout).toBe(`${head('')}users:\n  - username: a\n`);
    expect(stderr).toContain('warning: user.a: `name` is left out: this begins or ends with white space');
    expect(stderr).toContain('warning: user.a: `attributes` is left out: merge keys are not supported');
  });
});
