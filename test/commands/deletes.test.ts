import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import { user } from '../../src/kinds/user.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { createClient } from '../../src/service/client.ts';
import { runIn, type Ran } from '../support/manifest-run.ts';
import { outcomesIn, World } from '../support/update-world.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { schemaErrors } from '../support/schemas.ts';
import { parseJson } from '../../src/base/json.ts';
import { someReleases } from '../support/effort.ts';

const deleting = { allow: ['delete'] };

/** The existing records: an application with its provider, its group, and the group's members. */
const seed: SandboxSeed = {
  tokens: [{ token: 'sandbox-token', superuser: true }],
  groups: [{ name: 'admins', is_superuser: true }, { name: 'staff' }, { name: 'guests' }],
  providers: [{ pk: 7, name: 'Wiki', type: 'oauth2' }],
  applications: [
    { slug: 'wiki', name: 'Wiki', provider: 7 },
    { slug: 'mail', name: 'Mail' },
  ],
  users: [
    { username: 'jane', name: 'Jane' },
    { username: 'carl', name: 'Carl' },
  ],
  bindings: [
    { application: 'wiki', group: 'staff' },
    { application: 'mail', group: 'staff' },
    { application: 'mail', user: 'carl' },
  ],
};
const all = `version: 1
groups: [{ name: staff, state: absent }]
providers: [{ name: Wiki, type: oauth2, state: absent }]
applications: [{ slug: wiki, state: absent }, { slug: mail, name: Mail, access: { users: [{ name: carl }] } }]
users: [{ username: jane, state: absent }]
`;
const entry = (list: string, fields: string): string =>
  `version: 1\n${list}: [{ ${fields}, state: absent }]\n`;
const jane = entry('users', 'username: jane');

function run(world: World, command: typeof apply, text: string, options: object = {}): Promise<Ran> {
  return runIn(command, world.run(text, { ROLLCALL_CAPABILITIES: 'update,delete' }), options);
}

const planned = (world: World, text: string, options: object = deleting): Promise<Ran> =>
  run(world, plan, text, options);
const applied = (world: World, text: string, options: object = deleting): Promise<Ran> =>
  run(world, apply, text, options);

function deletes(world: World): string[] {
  return world.requests.flatMap(({ method, path }) => (method === 'DELETE' ? path : []));
}

test('a refused delete does not look like a difference in one line', async () => {
  const world = new World({ ...seed, tokens: [{ token: 'sandbox-token' }] });
  const { stdout } = await planned(world, jane, { ...deleting, compact: true });
  expect(stdout).toContain("! user.jane is not deleted; it needs a superuser's token");
});

test('a note of a delete names the dependents that refer to the record, and none to which only the record refers', async () => {
  const world = new World(seed, '2023.10');
  const made = `version: 1
property_mappings: [{ type: provider_scope, name: rooms, scope_name: rooms, expression: 'return 1' }]
providers: [{ name: Door, type: oauth2, authorization_flow: { slug: door }, property_mappings: [{ name: rooms }] }]
stages: [{ type: dummy, name: knock }]
flows: [{ slug: door, name: Door, title: Door, designation: authorization, stages: [{ stage: { name: knock }, order: 0 }] }]
`;
  expect((await applied(world, made, {})).ending).toBe('done');
  const { stdout: stage } = await planned(world, entry('stages', 'type: dummy, name: knock'));
  expect(stage).toContain('note  deletes "Flow-stage binding #0 to Flow Door (door)" with it');
  expect(stage).toContain('note  "Flow Door (door)" loses it');
  expect((await planned(world, entry('providers', 'name: Door, type: oauth2'))).stdout).not.toContain(
    'loses it',
  );
});

describe.each(someReleases(sandboxReleases))('an apply with deletes on release %s', (release) => {
  test('deletes each resource declared absent once, applications first, and has no changes the second time', async () => {
    const world = new World(seed, release);
    const { stdout } = await planned(world, all, { allow: ['update', 'delete'] });
    expect(stdout).toContain('Plan: 0 to add, 1 to change, 4 to destroy.');
    expect(stdout).toContain('deletes the binding "wiki/staff" with it');
    // The application is deleted too.
    expect(stdout).not.toContain('the application "wiki" loses it');
    expect(stdout).toContain('another application can then have its `provider` "Wiki" (7)');
    const done = await applied(world, all, { allow: ['update', 'delete'] });
    expect(done.ending, done.stdout).toBe('done');
    expect(done.stdout).toContain('Apply complete! Resources: 0 added, 1 changed, 4 destroyed.');
    expect(deletes(world).map((path) => path.replace(/^\/api\/v3\/(\w+\/\w+)\/.*/, '$1'))).toEqual([
      'policies/bindings',
      'core/applications',
      'providers/oauth2',
      'core/groups',
      'core/users',
    ]);
    // rollcall reads each record only after the previous one is deleted.
    const from = world.requests.findIndex(
      ({ method, path }) => method === 'DELETE' && path.includes('/applications/'),
    );
    const next = world.requests.slice(from + 1).map(({ method, path }) => `${method} ${path}`);
    expect(
      next.findIndex((request) => request.startsWith('GET /api/v3/core/groups/?name=staff')),
    ).toBeLessThan(next.findIndex((request) => request.startsWith('DELETE /api/v3/core/groups/')));
    expect(next.join('\n')).toContain('GET /api/v3/core/groups/?name=staff');
    expect((await planned(world, all)).stdout).toContain('No changes.');
  });
});

test('a delete that a proxy confirms, but does not pass on, ends as unknown', async () => {
  const world = new World(seed);
  world.tamper = ({ method }, answer) => (method === 'DELETE' ? answered(204, '') : answer());
  const { ending, stdout } = await applied(world, jane);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('unclear whether it was deleted');
  world.tamper = (_, answer) => answer();
  expect((await applied(world, jane)).ending).toBe('done');
});

test('a delete does not wait for an unfinished resource that the record belongs to', async () => {
  const world = new World(
    { ...seed, applications: [{ slug: 'bare', name: 'Bare' }], bindings: [] },
    '2026.2',
  );
  const entitlement = 'entitlements: [{ name: reader, app: { slug: bare } }]\n';
  expect((await applied(world, `version: 1\n${entitlement}`)).ending).toBe('done');
  const text = `version: 1
applications: [{ slug: bare, name: Bare, access: { groups: [{ name: staff }] } }]
${entitlement.replace(' }]', ', state: absent }]')}`;
  const { stdout } = await applied(world, text);
  expect(stdout).toContain('x application.bare  unfinished');
  expect(stdout).toContain('- entitlement.bare/reader  deleted');
});

test('an application for everyone is created whole, with its launch URL, and is not read again', async () => {
  const world = new World({ ...seed, applications: [], bindings: [] });
  world.tamper = ({ method, path }, answer) =>
    method === 'GET' && path.includes('/applications/open/') && world.writes().length > 0
      ? answered(500, '')
      : answer();
  const text =
    'version: 1\napplications: [{ slug: open, name: Open, access: everyone, meta_launch_url: "https://open.example.com/" }]\n';
  const { ending, stdout } = await applied(world, text);
  expect([ending, stdout]).toEqual(['done', expect.stringContaining('+ application.open  created')]);
  expect(world.writes()).toHaveLength(1);
});

test('a delete that is safe only together with another delete is not planned if the other record stays', async () => {
  const world = new World(seed, '2026.2');
  const entitled = `version: 1
applications: [{ slug: wiki, name: Wiki }]
entitlements: [{ name: reader, app: { slug: wiki } }]
`;
  expect((await applied(world, entitled)).ending).toBe('done');
  const text = `version: 1
groups: [{ name: staff, state: absent }]
applications: [{ slug: wiki, state: absent }, { slug: mail, name: Mail, access: { users: [{ name: carl }] } }]
`;
  const allow = ['update', 'delete'];
  const { stdout } = await planned(world, text, { allow });
  expect(stdout).toContain('application.wiki is not deleted: the service would also delete');
  expect(stdout).toContain('group.staff is not deleted: everyone could then open the application "wiki"');
  const again = `${text}entitlements: [{ name: reader, app: { slug: wiki }, state: absent }]\n`;
  expect((await applied(world, again, { allow })).stdout).toContain('3 destroyed');
});

test('the last group of an entitlement is deleted, because the entitlement then belongs to nobody', async () => {
  const world = new World({ ...seed, bindings: [] }, '2026.2');
  const entitlements =
    'entitlements: [{ name: reader, app: { slug: wiki }, policies: [{ group: { name: staff }, order: 0 }] }]';
  expect((await applied(world, `version: 1\n${entitlements}\n`)).ending).toBe('done');
  const { stdout } = await planned(world, entry('groups', 'name: staff'));
  expect(stdout).toContain('nobody can open the entitlement "reader" any more');
  expect(stdout).toContain('- group.staff will be deleted');
});

test('a delete that is safe only together with another delete is not sent if the other delete fails', async () => {
  const world = new World(seed);
  world.tamper = ({ method, path }, answer) =>
    method === 'DELETE' && path.includes('/applications/') ? answered(403, { detail: 'no' }) : answer();
  const text = `version: 1
groups: [{ name: staff, state: absent }]
applications: [{ slug: wiki, state: absent }, { slug: mail, name: Mail, access: { users: [{ name: carl }] } }]
`;
  const { stdout } = await applied(world, text, { allow: ['update', 'delete'] });
  expect(stdout).toContain('x application.wiki  denied');
  expect(stdout).toMatch(/group\.staff +(?:not attempted|in conflict)/);
  expect(deletes(world).some((path) => path.includes('/groups/'))).toBe(false);
});

test('a resource declared absent is shown and left unchanged unless both delete switches are on', async () => {
  const world = new World(seed);
  const { stdout } = await applied(world, jane, {});
  expect(stdout).toContain('user.jane is not deleted');
  expect(world.writes()).toEqual([]);
});

test.each([
  [
    'the user of the token',
    entry('users', 'username: sandbox'),
    'user.sandbox is not deleted: the token belongs to this user',
  ],
  ['the last group of superusers', entry('groups', 'name: admins'), 'it is the last group of superusers'],
  [
    'the last subject bound to an application',
    entry('groups', 'name: staff'),
    'everyone could then open the application "wiki", because the service would also delete the last binding that keeps it closed ("wiki/staff")',
  ],
])('%s is not deleted, and the run ends as incomplete with the reason', async (_, text, why) => {
  const world = new World(seed);
  const { ending, stdout } = await applied(world, text);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain(why);
  expect(stdout).toMatch(/error: \S+: not deleted: /);
  expect(stdout).toContain('Apply incomplete! Resources: 0 added, 0 changed, 0 destroyed.');
  expect(deletes(world)).toEqual([]);
  const { stdout: json } = await applied(world, text, { ...deleting, output: 'json' });
  expect(outcomesIn(json)).toMatchObject([
    { outcome: 'not_attempted', stopped_by: 'left', detail: expect.stringContaining('left unchanged: ') },
  ]);
  expect(schemaErrors('apply', parseJson(json))).toEqual([]);
});

test('a resource that may not be deleted does not prevent other deletes', async () => {
  const world = new World(seed);
  const text = `version: 1\nusers:\n  - { username: sandbox, is_active: false }\n  - { username: jane, state: absent }\n`;
  const before = await planned(world, text, { allow: ['update', 'delete'] });
  expect([before.ending, before.stderr]).toEqual([
    'incomplete',
    expect.stringContaining('error: 1 resource is left unchanged: user.sandbox'),
  ]);
  const { ending, stdout } = await applied(world, text, { allow: ['update', 'delete'] });
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('not changed in `is_active`: the token belongs to this user');
  expect(deletes(world)).toHaveLength(1);
});

describe('an application declared absent whose provider moves to another application', () => {
  const text = `version: 1
applications:
  - { slug: anew, name: Anew, provider: 7 }
  - { slug: mail, name: Mail, provider: 9 }
  - { slug: wiki, state: absent }
  - { slug: old, state: absent }
`;
  const handing = {
    ...seed,
    providers: [...(seed.providers ?? []), { pk: 9, name: 'Old', type: 'oauth2' as const }],
    applications: [...(seed.applications ?? []), { slug: 'old', name: 'Old', provider: 9 }],
  };
  const both = { allow: ['update', 'delete'], maxDeletes: '2' };

  test.each(someReleases(sandboxReleases))('is deleted first on release %s', async (release) => {
    const world = new World(handing, release);
    const { ending, stdout } = await planned(world, text, both);
    expect(ending, stdout).toBe('done');
    expect(stdout).toContain('Plan: 1 to add, 1 to change, 2 to destroy.');
    const done = await applied(world, text, both);
    expect(done.ending, done.stdout).toBe('done');
    expect(world.held('/applications/anew/')).toMatchObject({ provider: 7 });
    expect(world.held('/applications/mail/')).toMatchObject({ provider: 9 });
    expect((await planned(world, text, both)).stdout).toContain('No changes.');
  });

  test('is an error if the run may not delete it', async () => {
    const { ending, stderr } = await planned(new World(handing), text, { allow: ['update'] });
    expect(ending).toBe('invalid');
    expect(stderr).toContain('deleting it requires the capability `delete` and --allow delete');
  });

  test('prevents the change of the other application if the delete failed', async () => {
    const world = new World(handing);
    world.tamper = ({ method }, answer) => (method === 'DELETE' ? answered(400, { detail: 'no' }) : answer());
    const { stdout } = await applied(world, text, { ...both, output: 'json' });
    expect(outcomesIn(stdout)).toMatchObject([
      { address: 'application.wiki', outcome: 'rejected' },
      { address: 'application.anew', outcome: 'not_attempted', stopped_by: 'waits' },
      { address: 'application.old', outcome: 'rejected' },
      { address: 'application.mail', outcome: 'not_attempted', stopped_by: 'waits' },
    ]);
  });
});

test.each(someReleases(sandboxReleases))(
  'a provider is deleted before another one gets its client id, on release %s',
  async (release) => {
    const world = new World({ ...seed, is_fresh: true }, release);
    const flows = `authorization_flow: { slug: default-provider-authorization-implicit-consent }, invalidation_flow: { slug: default-provider-invalidation-flow }, redirect_uris: ['https://wiki.example.com/'], grant_types: [authorization_code]`;
    const provider = (name: string, id: string): string =>
      `  - { name: ${name}, type: oauth2, client_id: ${id}, ${flows} }\n`;
    const manifest = (providers: string, name: string): string =>
      `version: 1\nproviders:\n${providers}applications: [{ slug: wiki, name: Wiki, provider: { name: ${name} } }]\n`;
    const options = { allow: ['update', 'delete'] };
    const before = manifest(provider('Second', 'wiki') + provider('Third', 'third'), 'Second');
    expect((await applied(world, before, options)).ending).toBe('done');
    const swapped = manifest(provider('Second', 'third') + provider('Third', 'wiki'), 'Second');
    expect((await planned(world, swapped, options)).stderr).toContain('depend on each other');
    const after = manifest(
      '  - { name: Second, type: oauth2, state: absent }\n' + provider('New', 'wiki'),
      'New',
    );
    const done = await applied(world, after, options);
    expect(done.ending, done.stdout).toBe('done');
    expect(done.stdout).toContain('Resources: 1 added, 1 changed, 1 destroyed.');
    expect((await planned(world, after, options)).stdout).toContain('No changes.');
  },
);

test('the last two subjects bound to an application cannot be deleted together', async () => {
  const world = new World({
    ...seed,
    bindings: [
      { application: 'mail', group: 'staff' },
      { application: 'mail', user: 'carl' },
    ],
  });
  const text =
    'version: 1\ngroups: [{ name: staff, state: absent }]\nusers: [{ username: carl, state: absent }]\n';
  expect((await applied(world, text)).stdout).toContain('everyone could then open');
  expect(deletes(world)).toEqual([]);
  // One of the two may be deleted, because the other still has access.
  expect((await applied(world, entry('users', 'username: carl'))).stdout).toContain('1 destroyed');
});

test('a user is not deleted if the service does not tell whose token the run uses', async () => {
  const world = new World(seed);
  world.tamper = ({ path }, answer) => {
    const exchange = answer();
    return path.endsWith('/users/me/') && exchange.kind === 'answered'
      ? { ...exchange, body: exchange.body.replace(/"pk":\s*\d+/, '"pk": null') }
      : exchange;
  };
  const { stdout } = await applied(world, entry('users', 'username: sandbox'));
  expect(stdout).toContain('it is unknown whether the token belongs to this user');
  expect(deletes(world)).toEqual([]);
});

test.each([
  ['an application', entry('applications', 'slug: mail'), 'application.mail'],
  ['a group', entry('groups', 'name: guests'), 'group.guests'],
])('%s is not deleted if its dependents cannot be read', async (_, text, address) => {
  const world = new World(seed);
  world.tamper = ({ path }, answer) =>
    path.endsWith('/used_by/')
      ? answered(403, { detail: 'You do not have permission to perform this action.' })
      : answer();
  const { stdout } = await applied(world, text);
  expect(stdout).toContain(`! ${address} is not deleted: its dependent records could not be read`);
  expect(deletes(world)).toEqual([]);
});

test.each([
  ['/users/me/', 'users', 'username: jane'],
  ['/used_by/', 'groups', 'name: guests'],
  ['/policies/bindings/', 'groups', 'name: guests'],
])('a delete is refused for a token that is revoked before the read of %s', async (path, list, name) => {
  const world = new World(seed);
  let isRevoked = false;
  world.tamper = (request, answer) => {
    isRevoked ||= request.path.includes(path);
    return isRevoked ? world.handle(request, 'revoked') : answer();
  };
  const { stdout } = await planned(world, entry(list, name));
  expect(stdout).toContain('is not deleted: the service no longer accepts the token');
});

test('no delete is sent if the list of bindings is incomplete', async () => {
  const world = new World(seed);
  world.tamper = ({ path, method }, answer) => {
    const exchange = answer();
    if (method !== 'GET' || !path.startsWith('/api/v3/policies/bindings/') || exchange.kind !== 'answered')
      return exchange;
    const body = JSON.parse(exchange.body) as {
      pagination: { count: number };
      results: { group: unknown }[];
    };
    const results = body.results.filter(({ group }) => group === null);
    const pagination = { ...body.pagination, count: results.length, end_index: results.length };
    return { ...exchange, body: JSON.stringify({ ...body, pagination, results }) };
  };
  const { stdout } = await applied(world, entry('groups', 'name: staff'));
  expect(stdout).toContain('some bindings of the record are hidden from this token');
  expect(deletes(world)).toEqual([]);
});

test.each([
  ['a disabled binding', 'group: { name: guests }, enabled: false'],
  ['a negated binding', 'group: { name: guests }, negate: true'],
  ['a policy', 'policy: { name: always }'],
])(
  'the only group that restricts a record is not deleted, even if the record also has %s',
  async (_, other) => {
    const world = new World({ ...seed, bindings: [] });
    const made = await applied(
      world,
      `version: 1
policies: [{ type: dummy, name: always }]
flows:
  - slug: in
    name: In
    title: In
    designation: authorization
    policies: [{ group: { name: staff }, order: 0 }, { ${other}, order: 1 }]
`,
    );
    expect(made.ending, made.stdout).toBe('done');
    expect((await applied(world, entry('groups', 'name: staff'))).stdout).toContain(
      'everyone could then open',
    );
    expect(deletes(world)).toEqual([]);
  },
);

test('without the capability delete, the client deletes nothing', async () => {
  const world = new World(seed);
  const client = createClient(world.send, { capabilities: ['update'] });
  await expect(client.remove(user, 'jane', '3')).rejects.toThrow('needs the capability delete');
  expect(world.requests).toEqual([]);
});

test('a service account of the service itself is not deleted', async () => {
  const users = [{ username: 'ak-outpost', name: 'Outpost', path: 'goauthentik.io/outposts/x' }];
  const world = new World({ ...seed, users });
  expect((await applied(world, entry('users', 'username: ak-outpost'))).stdout).toContain(
    'it is an account of the service itself',
  );
  expect(deletes(world)).toEqual([]);
});

test('a run whose token cannot see all bindings deletes no group or user that may be bound', async () => {
  const world = new World({ ...seed, tokens: [{ token: 'sandbox-token' }] });
  expect((await applied(world, jane)).stdout).toContain(
    "it needs a superuser's token: other tokens may not see all bindings",
  );
  expect(deletes(world)).toEqual([]);
});

test('bindings are checked at the time of the delete, not of the plan', async () => {
  const world = new World(seed);
  const pkOf = (type: 'application' | 'user', name: string): unknown => world.sandbox.pk(type, name);
  let asked = 0;
  world.tamper = ({ path }, answer) => {
    // The plan reads the bindings twice. After that, another client leaves only jane bound to the wiki.
    if (path.includes('/used_by/') && (asked += 1) === 2) {
      world.sandbox.delete('group', 'staff');
      const body = JSON.stringify({
        target: pkOf('application', 'wiki'),
        user: pkOf('user', 'jane'),
        order: 0,
      });
      world.handle({ method: 'POST', path: '/api/v3/policies/bindings/', body });
    }
    return answer();
  };
  const { stdout, stderr } = await applied(world, jane);
  expect(stdout).toContain('in conflict');
  expect(stdout + stderr).toContain('user.jane');
  expect(deletes(world)).toEqual([]);
});

test.each([
  ['the connection is lost', 'before', lost],
  ['the connection is lost', 'after', lost],
  ['a gateway answers 404', 'before', answered(404, { detail: 'Not Found' })],
  ['a gateway answers 404', 'after', answered(404, { detail: 'Not Found' })],
  ['a gateway answers 410', 'before', answered(410, { detail: 'Gone' })],
])('if %s %s a delete takes effect, a read determines the outcome', async (_, when, unclear) => {
  const world = new World(seed);
  let sent = 0;
  world.tamper = ({ method }, answer) => {
    if (method !== 'DELETE' || (sent += 1) > 1) return answer();
    if (when === 'after') answer();
    return unclear;
  };
  const { context, stdout } = world.run(jane, { ROLLCALL_CAPABILITIES: 'delete' });
  expect(await apply(['m.yaml'], { output: 'json', yes: true, ...deleting }, context)).toBe('done');
  expect(outcomesIn(stdout())).toMatchObject([{ address: 'user.jane', outcome: 'deleted' }]);
  expect(sent).toBe(when === 'after' ? 1 : 2);
});

test('a delete that a gateway always answers with 404 ends as unknown while the record is there', async () => {
  const world = new World(seed);
  world.tamper = ({ method }, answer) =>
    method === 'DELETE' ? answered(404, { detail: 'Not Found' }) : answer();
  const { ending, stdout } = await applied(world, jane, { ...deleting, output: 'json' });
  expect(ending).toBe('incomplete');
  expect(outcomesIn(stdout)).toMatchObject([{ address: 'user.jane', outcome: 'unknown' }]);
});

test('a binding whose delete a gateway answers with 404 is not reported as deleted', async () => {
  const world = new World(seed);
  world.tamper = ({ method }, answer) =>
    method === 'DELETE' ? answered(404, { detail: 'Not Found' }) : answer();
  const text =
    'version: 1\napplications: [{ slug: mail, name: Mail, access: { groups: [{ name: staff }] } }]\n';
  const { stdout } = await applied(world, text, { allow: ['update', 'delete'], output: 'json' });
  expect(outcomesIn(stdout)).toMatchObject([{ address: 'application.mail', outcome: 'unknown' }]);
});

test('a record recreated under the same name is not deleted', async () => {
  const world = new World(seed);
  let asked = 0;
  world.tamper = ({ path }, answer) => {
    const given = answer();
    if (path.includes('/used_by/') && (asked += 1) === 1) {
      world.sandbox.delete('user', 'jane');
      world.sandbox.create('user', { username: 'jane', name: 'Another Jane' });
    }
    return given;
  };
  const { stdout, stderr } = await applied(world, jane);
  expect(stdout + stderr).toContain('another record now has its name');
  expect(deletes(world)).toEqual([]);
});

test('no delete starts after an unfinished create', async () => {
  const world = new World(seed);
  world.tamper = ({ method, path }, answer) => {
    const exchange = answer();
    return method === 'POST' && path.endsWith('/applications/') ? lost : exchange;
  };
  const text = `version: 1
applications: [{ slug: new, name: New, access: { users: [{ name: carl }] } }]
users: [{ username: jane, state: absent }]
`;
  const { ending, stdout } = await run(world, apply, text, deleting);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('not attempted: it is applied last');
  expect(world.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

describe('an apply with deletes', () => {
  const users = Array.from({ length: 40 }, (_, index) => ({ username: `u${index}`, name: 'U' }));
  const going = (count: number): string =>
    `version: 1\nusers:\n${users
      .slice(0, count)
      .map(({ username }) => `  - { username: ${username}, state: absent }\n`)
      .join('')}`;

  test.each([
    [5, {}, 'the plan would delete 5 of the 41 users, more than a tenth (4)'],
    [11, {}, 'the plan would delete 11 resources, and --max-deletes allows 10'],
    [5, { maxDeletes: '4' }, 'the plan would delete 5 resources, and --max-deletes allows 4'],
  ])('deletes nothing if %i deletes are planned, given %j', async (count, options, words) => {
    const world = new World({ ...seed, users });
    const { ending, stderr } = await applied(world, going(count), { ...deleting, ...options });
    expect(ending).toBe('failed');
    expect(stderr).toContain(words);
    expect(deletes(world)).toEqual([]);
  });

  test('names the number of all deletes as the limit if too many of one kind are planned', async () => {
    const world = new World({ ...seed, users, groups: [{ name: 'old' }] });
    const text = `${going(5)}groups: [{ name: old, state: absent }]\n`;
    expect((await applied(world, text)).stderr).toContain('allow it with --max-deletes 6.');
    const { stdout } = await applied(world, text, { ...deleting, maxDeletes: '6' });
    expect(stdout).toContain('6 destroyed');
  });

  test('deletes a few resources by default, and more with --max-deletes', async () => {
    const world = new World({ ...seed, users });
    expect((await applied(world, going(4))).stdout).toContain('4 destroyed');
    expect((await applied(world, going(12), { ...deleting, maxDeletes: '8' })).stdout).toContain(
      '8 destroyed',
    );
  });

  test('asks a separate question that states the number of deletes', async () => {
    const world = new World(seed);
    const env = { ROLLCALL_CAPABILITIES: 'delete' };
    const { context, questions } = world.run(jane, env, { answerToPrompt: 'yes' });
    expect(await apply(['m.yaml'], { output: 'text', ...deleting }, context)).toBe('done');
    expect(questions.map((question) => question.replace(/ Only.*/s, ''))).toEqual([
      'Delete 1 in http://127.0.0.1:9?',
      'Delete it for good?',
    ]);
  });
});

test.each([
  [entry('users', 'username: a, name: A'), 'this field is declared for a resource that should be absent'],
  [
    'version: 1\ngroups: [{ name: g, state: absent }]\nusers: [{ username: a, name: A, groups: [{ name: g }] }]\n',
    'group.g is declared absent, but is still referred to',
  ],
  [
    'version: 1\napplications: [{ slug: a, name: A, provider: { name: p } }]\nproviders: [{ name: p, type: proxy, state: absent }]\n',
    'provider.p is declared absent, but is still referred to',
  ],
  ['version: 1\nusers: [{ username: a, name: A, state: present }]\n', '`state` must be "absent"'],
  ['version: 1\nusers: [{ username: a, state: absent }, { username: a, name: A }]\n', 'is declared twice'],
])('an inconsistent delete in a manifest is refused: %j', async (text, summary) => {
  const world = new World();
  const { context, stderr, stdout } = world.run(text);
  expect(await validate(['m.yaml'], { output: 'text' }, context)).toBe('invalid');
  expect(stderr() + stdout()).toContain(summary);
});

test('an entry declared absent gets no defaults and needs no display name', async () => {
  const { context, stdout } = new World().run(
    'version: 1\ndefaults: { user: { path: staff } }\napplications: [{ slug: a, state: absent }]\nusers: [{ username: a, state: absent }]\n',
  );
  expect(await validate(['m.yaml'], { output: 'text' }, context)).toBe('done');
  expect(stdout()).toContain('Valid: 1 application, 1 user.');
});

test('with contract_only, apply deletes nothing, and reports that deletes are not documented operations', async () => {
  const { ending, stderr, stdout } = await planned(new World(seed), jane, { contractOnly: true });
  expect(ending).toBe('invalid');
  expect(stderr + stdout).toContain('deletes are not among the three documented operations');
});

test('the JSON document of a plan contains its deletes', async () => {
  const world = new World(seed);
  const { context, stdout } = world.run(jane, { ROLLCALL_CAPABILITIES: 'delete' });
  expect(await plan(['m.yaml'], { output: 'json', ...deleting }, context)).toBe('done');
  const document = parseJson(stdout());
  expect(schemaErrors('plan', document)).toEqual([]);
  expect(document).toMatchObject({
    summary: { delete: 1 },
    resource_changes: [
      {
        address: 'user.jane',
        state: 'absent',
        change: { actions: ['delete'], before: { username: 'jane' }, after: null },
      },
    ],
  });
});

test.each([true, false])(
  "an entry declared absent whose record is not found has a warning unless the token is a superuser's: %s",
  async (superuser) => {
    const world = new World({ ...seed, tokens: [{ token: 'sandbox-token', superuser }] });
    const ran = await planned(world, entry('applications', 'slug: nothing'), { output: 'json' });
    expect([ran.ending, ran.stdout.includes('perhaps-hidden')]).toEqual(['done', !superuser]);
    const strict = await planned(world, entry('applications', 'slug: nothing'), { strict: true });
    expect(strict.ending).toBe('done');
  },
);

test('an entry declared absent has no such warning if its record could not be looked up', async () => {
  const tokens = [{ token: 'sandbox-token', view_users: 'none' as const }];
  const ran = await planned(new World({ ...seed, tokens }), entry('users', 'username: jane'), {
    output: 'json',
  });
  expect([ran.ending, ran.stdout.includes('perhaps-hidden')]).toEqual(['incomplete', false]);
});

test('a saved plan deletes its resources, except those already gone', async () => {
  const world = new World(seed);
  const { context, written } = world.run(jane, { ROLLCALL_CAPABILITIES: 'delete' });
  expect(await plan(['m.yaml'], { output: 'text', out: 'p.json', ...deleting }, context)).toBe('done');
  const saved = written.get('p.json') ?? '';
  const withPlan = (text: string, options: object): Promise<string> =>
    apply(
      ['m.yaml'],
      { output: 'text', plan: 'p.json', ...options },
      world.run(jane, { ROLLCALL_CAPABILITIES: 'delete' }, { files: { 'm.yaml': jane, 'p.json': text } })
        .context,
    );
  expect(await withPlan(saved, {})).toBe('invalid');
  expect(await withPlan(saved, deleting)).toBe('done');
  expect(deletes(world)).toHaveLength(1);
  expect(await withPlan(saved, deleting)).toBe('stale');
  expect(deletes(world)).toHaveLength(1);
});

test.each(formatNames.filter((name) => name !== 'github'))(
  'the %s report of a plan contains its deletes',
  async (format) => {
    const world = new World(seed);
    const { context, written } = world.run(jane, { ROLLCALL_CAPABILITIES: 'delete' });
    const report = [`${format}=out.txt`];
    expect(await apply(['m.yaml'], { output: 'text', yes: true, ...deleting, report }, context)).toBe('done');
    expect(written.get('out.txt')).toMatch(/jane/);
  },
);

describe('a plan with deletes that would cascade', () => {
  const flows = `version: 1
flows: [{ slug: way, state: absent }]
`;
  const named = (): World => {
    const world = new World({
      ...seed,
      flows: [{ pk: '7f9b0b6e-6c43-4b8e-9f0c-0a4c58a3a001', slug: 'way' }],
    });
    const flow = world.sandbox.record('/flows/instances/', 'way')?.['pk'] ?? null;
    world.sandbox.change('/providers/oauth2/', 'Wiki', { authorization_flow: flow });
    return world;
  };

  test('does not delete a flow that a provider refers to', async () => {
    const { stdout } = await planned(named(), flows);
    expect(stdout).toContain(
      'flow.way is not deleted: the service would also delete the provider "Wiki": declare that record as absent too',
    );
  });

  test('deletes a binding before its flow if the flow is declared absent', async () => {
    const world = named();
    const both = `${flows}providers: [{ name: Wiki, type: oauth2, state: absent }]\n`;
    const { ending, stdout } = await applied(world, both);
    expect([ending, stdout]).toEqual(['done', expect.stringContaining('2 destroyed')]);
    expect(world.writes().map(({ path }) => path.split('/')[3])).toEqual(['providers', 'flows']);
  });

  test('does not delete a bound policy', async () => {
    const world = new World(seed);
    world.sandbox.create('/policies/dummy/', { name: 'gate' });
    const { pk = null } = world.sandbox.record('/policies/dummy/', 'gate') ?? {};
    const { pk: target = null } = world.sandbox.record('/core/applications/', 'wiki') ?? {};
    world.sandbox.create('/policies/bindings/', { policy: pk, target, order: 1 });
    const { stdout } = await planned(
      world,
      'version: 1\npolicies: [{ name: gate, type: dummy, state: absent }]\n',
    );
    expect(stdout).toContain('policy.gate is not deleted: records that have this policy');
  });
});
