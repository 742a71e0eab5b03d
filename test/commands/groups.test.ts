import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import type { Setup } from '../support/run.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { someReleases } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const groupsPath = '/api/v3/core/groups/';
const ids = ['0a0a0a0a-0000-4000-8000-000000000001', '0a0a0a0a-0000-4000-8000-000000000002'] as const;

/** A child whose name sorts before that of its parent, and users who refer to both. */
const roll = `version: 1
groups:
  - { name: admins, is_superuser: true, parents: [{ name: staff }], attributes: { tier: 0 } }
  - name: staff
users:
  - { username: alice, name: Alice, groups: [{ name: admins }, { name: staff }] }
  - { username: bob, name: Bob }
`;

const commands = { plan, apply, validate };

function run(
  command: keyof typeof commands,
  send: Transport,
  text: string = roll,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  return runOn(commands[command], send, text, options, setup);
}

function creates(requests: readonly HttpRequest[], path = groupsPath): JsonObject[] {
  return requests
    .filter((request) => request.method === 'POST' && request.path === path)
    .map(({ body }) => parseJson(body ?? ''))
    .filter((body) => isJsonObject(body));
}

describe.each(someReleases(sandboxReleases))('on release %s, an apply', (release) => {
  test.each(['1', '8'])(
    'creates groups before resources that refer to them, %s at a time, and then has no changes',
    async (concurrency) => {
      const service = sandboxTransport({ groups: [] }, undefined, release);
      const text = roll;
      const { ending, stdout } = await run('apply', service.send, text, { concurrency });
      expect(ending, stdout).toBe('done');
      const [staff, admins] = ['staff', 'admins'].map(
        (name) => service.list(`/core/groups/?name=${name}`)[0]?.['pk'],
      );
      expect(creates(service.requests).map(({ name }) => name)).toEqual(['staff', 'admins']);
      expect(creates(service.requests)[1]).toMatchObject({ parents: [staff], parent: staff });
      expect(creates(service.requests, '/api/v3/core/users/')).toContainEqual({
        username: 'alice',
        name: 'Alice',
        groups: [admins, staff],
      });
      const again = await run('plan', service.send, text, { detailedExitcode: true });
      expect(again.ending).toBe('done');
      expect(again.stdout).toContain('No changes. Your infrastructure matches the configuration.');
    },
  );
});

describe('a plan with groups', () => {
  test.each([
    [
      'stages: [{ name: w, type: user_write, create_users_group: { name: root } }]',
      'gives everyone whom it creates a superuser\'s rights through "root"',
    ],
    [
      'sources: [{ type: ldap, slug: s, name: S, server_uri: "ldaps://a", base_dn: a, sync_parent_group: { name: root } }]',
      'gives everyone in a group that it imports a superuser\'s rights through "root"',
    ],
    [
      'tokens: [{ identifier: t, user: { name: sandbox } }]',
      'gives its holder a superuser\'s rights through "sandbox"',
    ],
    ['tokens: [{ identifier: t, user: { name: alice } }]', undefined],
  ])('reports that a superuser gains through %s', async (entries, note) => {
    const { send } = sandboxTransport({
      tokens: [{ token: sandboxToken, superuser: true }],
      groups: [{ pk: ids[0], name: 'root', is_superuser: true }],
      users: [{ username: 'alice', name: 'Alice' }],
    });
    const { stdout } = await run('plan', send, `version: 1\n${entries}\n`);
    expect(/note {2}(.*superuser's rights through "\w+")/.exec(stdout)?.[1], stdout).toBe(note);
  });

  test('shows the names of new groups in place of ids, and the rights that they grant', async () => {
    const { stdout } = await run('plan', sandboxTransport({ groups: [] }).send);
    expect(stdout).toContain('parents       ["staff" (created first)]\n');
    expect(stdout).toContain('groups    ["admins" (created first), "staff" (created first)]\n');
    expect(stdout).toContain('Gives user.alice a superuser\'s rights through "admins" in `groups`.\n');
    expect(stdout.indexOf('+ group.staff')).toBeLessThan(stdout.indexOf('+ group.admins'));
  });

  test.each([[[]], [[{ pk: ids[0], name: 'root', is_superuser: true }]]])(
    'reports who becomes a superuser through any ancestor of a group, if the service has the groups %j',
    async (groups) => {
      const text = `version: 1
groups:
  - { name: below, parents: [{ name: middle }] }
  - { name: middle, parents: [{ name: root }] }
  - { name: root, is_superuser: true }
  - { name: aside, parents: [] }
users:
  - { username: alice, name: Alice, groups: [{ name: below }] }
  - { username: bob, name: Bob, groups: [{ name: aside }] }
`;
      const { stdout } = await run('plan', sandboxTransport({ groups }).send, text);
      expect(stdout).toContain('Gives user.alice a superuser\'s rights through "below" in `groups`.\n');
      expect(stdout).toContain(
        'Gives the members of group.below access to what is open to "middle" and a superuser\'s rights through "middle" in `parents`.\n',
      );
      expect(stdout).toMatch(/note +gives its members access to what is open to "root"/);
      expect(stdout.match(/superuser's\s+rights/g)).toHaveLength(3);
    },
  );

  test.each([
    ['a group gains through its parent', 'note gives its members access to what is open to "contractors"'],
    ['a group gains through a role', 'note gives its members the rights of the role "auditors"'],
    ['a user gains through a role', 'Gives user.alice the rights of the role "auditors"'],
  ])('reports what %s', async (_, note) => {
    const text = `version: 1
groups:
  - { name: staff, parents: [{ name: contractors }], roles: [{ name: auditors }] }
  - { name: contractors }
users:
  - { username: alice, name: Alice, roles: [{ name: auditors }] }
`;
    const seed = { roles: [{ pk: ids[1], name: 'auditors' }], groups: [] };
    const { stdout } = await run('plan', sandboxTransport(seed, undefined, '2025.12').send, text);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(note);
  });

  test.each([
    ['is not declared', ''],
    ['is declared without parents', 'groups: [{ name: below }]'],
    ['still has its parent, which the run may not remove', 'groups: [{ name: below, parents: [] }]'],
    ['has a parent whose declared parents grant nothing', 'groups: [{ name: middle, parents: [] }]'],
    ['is declared next to an id', '', ', 0a0a0a0a-0000-4000-8000-000000000004'],
  ])('reports who becomes a superuser through a group that %s', async (_, declared, more = '') => {
    const below = ids[1];
    const middle = '0a0a0a0a-0000-4000-8000-000000000003';
    for (const release of someReleases(sandboxReleases)) {
      const groups = [
        { pk: ids[0], name: 'root', is_superuser: true },
        { pk: middle, name: 'middle', parent: ids[0], parents: [ids[0]] },
        { pk: below, name: 'below', parent: middle, parents: [middle] },
        { pk: '0a0a0a0a-0000-4000-8000-000000000004', name: 'other' },
      ];
      const users = `users: [{ username: alice, name: Alice, groups: [{ name: below }${more}] }]`;
      const { send } = sandboxTransport({ groups }, undefined, release);
      const { stdout } = await run('plan', send, `version: 1\n${declared}\n${users}\n`);
      expect(stdout).toContain(
        `Gives user.alice a superuser's rights through "below" (${below}) in \`groups\``,
      );
    }
  });

  test.each([
    ['gets a parent', '{ name: below, parents: [{ name: root }] }'],
    ['has a parent that gets a parent', '{ name: middle, parents: [{ name: root }] }, { name: below }'],
  ])('reports who becomes a superuser through a group that %s', async (_, declared) => {
    const middle = '0a0a0a0a-0000-4000-8000-000000000003';
    const groups = [
      { pk: ids[0], name: 'root', is_superuser: true },
      { pk: middle, name: 'middle' },
      { pk: ids[1], name: 'below', parents: [middle] },
    ];
    const { send } = sandboxTransport({ groups }, undefined, '2026.2');
    const users = 'users: [{ username: alice, name: Alice, groups: [{ name: below }] }]';
    const { stdout } = await run('plan', send, `version: 1\ngroups: [${declared}]\n${users}\n`);
    expect(stdout).toContain(
      `Gives user.alice a superuser's rights through "below" (${ids[1]}) in \`groups\``,
    );
  });

  test('reports what is known of a group whose parent cannot be read', async () => {
    const groups = [
      { pk: ids[0], name: 'root', is_superuser: true },
      { pk: ids[1], name: 'below', parents: [ids[0]] },
    ];
    const { send } = sandboxTransport({ groups }, undefined, '2026.2');
    const hiding: Transport = async (request, signal) =>
      request.path.includes(ids[0]) ? answered(404, {}) : send(request, signal);
    const users = 'users: [{ username: alice, name: Alice, groups: [{ name: below }] }]';
    const { stdout } = await run('plan', hiding, `version: 1\n${users}\n`);
    expect(stdout).toContain('+ user.alice');
    expect(stdout).toContain("Gives user.alice perhaps a superuser's rights");
  });

  test('reports who may become a superuser through an ancestor that the token cannot see', async () => {
    const [root, below] = ids;
    const middle = '0a0a0a0a-0000-4000-8000-000000000003';
    const groups = [
      { pk: root, name: 'root', is_superuser: true },
      { pk: middle, name: 'middle', parents: [root] },
      { pk: below, name: 'below', parents: [middle] },
    ];
    const tokens = [{ token: 'narrow', view_groups: ['below', 'middle'] }];
    const text = 'version: 1\nusers: [{ username: alice, name: Alice, groups: [{ name: below }] }]\n';
    const { stdout } = await run(
      'plan',
      sandboxTransport({ groups, tokens }, 'narrow', '2025.12').send,
      text,
    );
    expect(stdout).toContain(
      `Gives user.alice perhaps a superuser's rights through "below" (${below}) in \`groups\` (not all of its parents can be read).`,
    );
  });

  test.each([
    ['new', [], 'through "leaf" in'],
    ['existing', [{ pk: '0a0a0a0a-0000-4000-8000-000000000004', name: 'leaf' }], 'through "leaf" (0a0a0a0a'],
  ])(
    'reports who may become a superuser through a %s group that gets a parent with an unknown ancestor',
    async (_, leaf, expected) => {
      const [root, below] = ids;
      const groups = [
        { pk: root, name: 'root', is_superuser: true },
        { pk: below, name: 'below', parents: [root] },
        ...leaf,
      ];
      const tokens = [{ token: 'narrow', view_groups: ['below', 'leaf'] }];
      const text = `version: 1
groups: [{ name: leaf, parents: [{ name: below }] }]
users: [{ username: alice, name: Alice, groups: [{ name: leaf }] }]
`;
      const { send } = sandboxTransport({ groups, tokens }, 'narrow', '2025.12');
      const settings = { files: { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' } };
      const { stdout } = await run(
        'plan',
        send,
        text,
        { config: 'rollcall.yaml', allow: ['update'] },
        settings,
      );
      expect(stdout).toContain(`Gives user.alice perhaps a superuser's rights ${expected}`);
    },
  );

  test('reports that a group leaves a parent with superuser rights', async () => {
    const seed = {
      groups: [
        { pk: ids[0], name: 'root', is_superuser: true },
        { name: 'child', parents: [ids[0]] },
      ],
    };
    const text = 'version: 1\ngroups: [{ name: child, parents: [] }, { name: root }]\n';
    const settings = { files: { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' } };
    const options = { config: 'rollcall.yaml', allow: ['update'] };
    const { send } = sandboxTransport(seed, undefined, '2026.2');
    const { stdout } = await run('plan', send, text, options, settings);
    expect(stdout).toContain(`its \`parents\` lose "root" (${ids[0]}), which grants a superuser's rights`);
  });

  test('refers in its JSON document to a new group by name only', async () => {
    const { stdout } = await run('plan', sandboxTransport({ groups: [] }).send, roll, { output: 'json' });
    const document = JSON.parse(stdout) as { resource_changes: { address: string; change: JsonObject }[] };
    expect(schemaErrors('plan', document)).toEqual([]);
    const alice = document.resource_changes.find(({ address }) => address === 'user.alice');
    expect(alice?.change['after']).toMatchObject({ groups: [{ name: 'admins' }, { name: 'staff' }] });
  });

  test('suggests a declared group with a similar name', async () => {
    const text = roll.replace('groups: [{ name: admins }', 'groups: [{ name: admin }');
    const { ending, stderr } = await run('plan', sandboxTransport({ groups: [] }).send, text);
    expect(ending).toBe('invalid');
    expect(stderr).toContain('m.yaml:6:');
    expect(stderr).toContain('Did you mean "admins"?');
  });

  test('is refused without permission to view groups, since a create could duplicate a group', async () => {
    const service = sandboxTransport({ tokens: [{ token: 't', view_groups: 'none' }] }, 't');
    const { ending, stdout } = await run('apply', service.send);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('The token must be allowed to view groups');
    expect(creates(service.requests)).toEqual([]);
  });
});

describe('a reference to a group that could not be created', () => {
  const text = `version: 1
groups:
  - { name: bad, roles: [11111111-1111-4111-8111-111111111111] }
  - { name: child, parents: [{ name: bad }] }
users:
  - { username: alice, name: Alice, groups: [{ name: child }] }
  - { username: bob, name: Bob, groups: [{ name: bad }] }
  - { username: carl, name: Carl }
`;

  test('is reported and not sent, and other resources are created', async () => {
    const service = sandboxTransport({ groups: [] });
    const { ending, stdout } = await run('apply', service.send, text);
    expect(ending).toBe('incomplete');
    const why = 'not attempted: a resource that it depends on is missing, or not as declared';
    for (const address of ['group.child', 'user.alice', 'user.bob'])
      expect(stdout).toContain(`. ${address}  ${why}\n`);
    expect(stdout).toContain('+ user.carl  created');
    expect(service.sent()).toHaveLength(2);
    expect(service.sent()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'bad' }),
        expect.objectContaining({ username: 'carl' }),
      ]),
    );
  });

  test('is in the JSON document as the reason why another resource was not created', async () => {
    const { stdout } = await run('apply', sandboxTransport({ groups: [] }).send, text, { output: 'json' });
    const document = JSON.parse(stdout) as { outcomes: { address: string; stopped_by?: string }[] };
    expect(schemaErrors('apply', document)).toEqual([]);
    const reasons = document.outcomes.map((one) => [one.address, one.stopped_by ?? '']);
    expect(reasons).toContainEqual(['user.alice', 'unmade']);
  });
});

describe('a group name that two records have', () => {
  const twice = sandboxTransport({ groups: ids.map((pk) => ({ pk, name: 'staff' })) });

  test('is reported with both ids, at its declaration and at references', async () => {
    const { ending, stderr } = await run('apply', twice.send);
    expect(ending).toBe('invalid');
    for (const place of ['m.yaml:3:51: error: group.admins', 'm.yaml:4:11: error: group.staff'])
      expect(stderr).toContain(`${place}: there is more than one group named "staff" [ambiguous-name]`);
    expect(stderr).toContain('The same for: user.alice\n');
    expect(stderr).toContain(
      `Their ids: ${ids.join(', ')}. Rename or delete all but one of them in the service.`,
    );
    expect(twice.sent()).toEqual([]);
  });
});

describe('groups, whose names are not unique in every release,', () => {
  const one =
    'version: 1\ngroups: [{ name: staff }]\nusers: [{ username: a, name: A, groups: [{ name: staff }] }]\n';

  test('are looked up before the create, as somebody else may have created a group with the name after the plan', async () => {
    const service = sandboxTransport({ groups: [] });
    let looks = 0;
    const { stdout } = await run(
      'apply',
      async (request, signal) => {
        if (request.path.startsWith(`${groupsPath}?`) && (looks += 1) === 2)
          otherClient(service.sandbox).create('group', { name: 'staff' });
        return service.send(request, signal);
      },
      one,
    );
    expect(stdout).toContain('= group.staff  exists already');
    expect(service.list('/core/groups/?name=staff')).toHaveLength(1);
    expect(creates(service.requests)).toEqual([]);
    expect(service.sent()).toEqual([
      { username: 'a', name: 'A', groups: [service.list('/core/groups/?name=staff')[0]?.['pk']] },
    ]);
  });

  test('are looked up after a lost answer, and dependent resources are still created', async () => {
    const service = sandboxTransport({ groups: [] });
    await done(
      run(
        'apply',
        async (request, signal) => {
          const exchange = await service.send(request, signal);
          return request.method === 'POST' && request.path === groupsPath ? lost : exchange;
        },
        one,
      ),
    );
    expect(service.list('/core/groups/?name=staff')).toHaveLength(1);
    expect(creates(service.requests)).toHaveLength(1);
    expect(creates(service.requests, '/api/v3/core/users/')).toHaveLength(1);
  });

  test('are not created again while a create may still be under way', async () => {
    const service = sandboxTransport({ groups: [] });
    let posts = 0;
    const { ending, stdout } = await run(
      'apply',
      async (request, signal) => {
        if (request.method !== 'POST' || request.path !== groupsPath) return service.send(request, signal);
        posts += 1;
        return lost;
      },
      one,
    );
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('? group.staff  unknown');
    expect(posts).toBe(1);
    expect(service.sent()).toEqual([]);
  });
});

test('a new group is created before an existing user joins it', async () => {
  const service = sandboxTransport({
    groups: [{ pk: ids[0], name: 'others' }],
    users: [{ username: 'alice', name: 'Alice', groups: [ids[0]] }],
  });
  const text =
    'version: 1\ngroups: [{ name: new }]\nusers: [{ username: alice, name: Alice, groups: [{ name: new }], at_least: [groups] }]\n';
  const settings = { files: { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' } };
  const options = { config: 'rollcall.yaml', allow: ['update'] };
  const { stdout } = await done(run('apply', service.send, text, options, settings));
  expect(stdout).toContain('will add  ["new" (created first)]');
  expect(service.sent().at(-1)).toEqual({
    groups: [ids[0], service.list('/core/groups/?name=new')[0]?.['pk']],
  });
});

describe('a saved plan with new groups', () => {
  const saved = async (service: ReturnType<typeof sandboxTransport>): Promise<Setup> => {
    const { written } = await run('plan', service.send, roll, { out: 'p.json' });
    return { files: { 'm.yaml': roll, 'p.json': written.get('p.json') ?? '' } };
  };
  const options = { plan: 'p.json' };

  test('contains their names, and fills in their ids', async () => {
    const service = sandboxTransport({ groups: [] });
    await done(run('apply', service.send, roll, options, await saved(service)));
    const groups = ['admins', 'staff'].map((name) => service.list(`/core/groups/?name=${name}`)[0]?.['pk']);
    expect(creates(service.requests, '/api/v3/core/users/')).toContainEqual(
      expect.objectContaining({ groups }),
    );
  });

  test('is refused if an existing group was replaced meanwhile', async () => {
    const service = sandboxTransport({ groups: [{ pk: ids[0], name: 'staff' }] });
    const setup = await saved(service);
    otherClient(service.sandbox).delete('group', 'staff');
    otherClient(service.sandbox).create('group', { name: 'staff' });
    const { ending, stderr } = await run('apply', service.send, roll, options, setup);
    expect(ending).toBe('stale');
    expect(stderr).toContain('user.alice: `groups` would not get the value that the plan shows');
  });
});

test.each(someReleases(sandboxReleases))(
  'a group without parents is in sync on release %s',
  async (release) => {
    const service = sandboxTransport({ groups: [{ pk: ids[0], name: 'staff' }] }, undefined, release);
    const text = 'version: 1\ngroups: [{ name: staff, parents: [] }]\n';
    expect((await run('plan', service.send, text)).stdout).toContain('No changes.');
  },
);
