import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { parseJson } from '../../src/base/json.ts';
import { all, applied, deletes, deleting, entry, jane, planned, seed } from '../support/delete-world.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { someOf, someReleases } from '../support/effort.ts';
import { done } from '../support/manifest-run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { outcomesIn, World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

const otherGroup = 'group: { name: other }, order: 1';

describe.each(someReleases(sandboxReleases))('an apply with deletes on release %s', (release) => {
  test('deletes each resource declared absent once, applications first, and has no changes the second time', async () => {
    const world = new World(seed, release);
    const { stdout } = await planned(world, all, { allow: ['update', 'delete'] });
    expect(stdout).toContain('Plan: 0 to add, 1 to change, 4 to destroy.');
    expect(stdout).toContain('deletes the binding "wiki/staff" with it');
    // An update deletes this binding first.
    expect(stdout).not.toContain('mail/staff');
    // The application is deleted too.
    expect(stdout).not.toContain('the application "wiki" loses it');
    expect(stdout).toContain('another application can then have its `provider` "Wiki" (7)');
    const ran = await done(applied(world, all, { allow: ['update', 'delete'] }));
    expect(ran.stdout).toContain('Apply complete! Resources: 0 added, 1 changed, 4 destroyed.');
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

test('a user is deleted together with the tokens of the user', async () => {
  const world = new World(seed);
  const user = otherClient(world.sandbox).pk('user', 'jane') ?? null;
  otherClient(world.sandbox).create('/core/tokens/', { identifier: 'laptop', user });
  expect((await applied(world, jane)).stdout).toContain('1 destroyed');
});

test.each(['users/me/', 'used_by/', 'policies/bindings/'])(
  'a plan that is interrupted while it reads %s ends as interrupted, without a plan',
  async (place) => {
    const world = new World(seed);
    const interruption = new AbortController();
    let isRead = false;
    world.tamper = ({ path }, answer) => {
      if (!path.includes(place)) return interruption.signal.aborted ? lost : answer();
      isRead = true;
      interruption.abort('SIGINT');
      return lost;
    };
    const ran = world.run(all, { ROLLCALL_CAPABILITIES: 'update,delete' }, { signal: interruption.signal });
    const ending = await plan(
      ['m.yaml'],
      { output: 'text', allow: ['update', 'delete'], out: 'p.json' },
      ran.context,
    );
    expect({ isRead, ending, stdout: ran.stdout() }).toEqual({
      isRead: true,
      ending: 'interrupted',
      stdout: '',
    });
    expect(ran.stderr()).toMatch(
      /^No plan for \S+: interrupted\. (?:\d+ \w+ (?:was|were) not looked up\. )?Nothing was changed\.\n$/,
    );
    expect([...ran.written]).toEqual([]);
  },
);

test('an interruption does not cause a warning about records that may be hidden', async () => {
  const world = new World(seed);
  const interruption = new AbortController();
  world.tamper = ({ path }, answer) => {
    if (path.includes('users/me/')) interruption.abort('SIGINT');
    return interruption.signal.aborted ? lost : answer();
  };
  const text = 'version: 1\nusers: [{ username: nobody, state: absent }]\n';
  const ran = world.run(text, { ROLLCALL_CAPABILITIES: 'update,delete' }, { signal: interruption.signal });
  expect(await plan(['m.yaml'], { output: 'text' }, ran.context)).toBe('interrupted');
  expect(ran.stderr()).not.toContain('[perhaps-hidden]');
});

test('a plan that is interrupted at its last request, about the way in, ends as interrupted', async () => {
  const world = new World(
    { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] },
    '2026.2',
  );
  const text = 'version: 1\nflows: [{ slug: default-authentication-flow, state: absent }]\n';
  const options = { output: 'text', allow: ['update', 'delete', 'lockout', 'way-in'] } as const;
  const env = { ROLLCALL_CAPABILITIES: 'update,delete' };
  expect(await plan(['m.yaml'], options, world.run(text, env).context)).toBe('done');
  const count = world.requests.length;
  const interruption = new AbortController();
  world.tamper = (_, answer) => {
    if (world.requests.length === 2 * count) interruption.abort('SIGINT');
    return interruption.signal.aborted ? lost : answer();
  };
  const { context, stdout } = world.run(text, env, { signal: interruption.signal });
  expect(await plan(['m.yaml'], options, context)).toBe('interrupted');
  expect(interruption.signal.aborted).toBe(true);
  expect(stdout()).toBe('');
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
  const { ending, stdout } = await applied(world, text);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('not attempted: it is applied last');
  expect(world.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test('a delete starts after a refused delete that it does not depend on', async () => {
  const world = new World(seed);
  let sent = 0;
  world.tamper = ({ method }, answer) =>
    method === 'DELETE' && (sent += 1) === 1 ? answered(400, { detail: 'no' }) : answer();
  const text = `version: 1
groups: [{ name: guests, state: absent }]
users: [{ username: jane, state: absent }]
`;
  const { ending, stdout } = await applied(world, text);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('1 destroyed');
  expect(deletes(world)).toHaveLength(2);
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
  expect(stdout).toContain('Apply incomplete! Resources: 0 added, 0 changed, 0 destroyed, 1 not attempted.');
  expect(deletes(world)).toEqual([]);
  const { stdout: json } = await applied(world, text, { ...deleting, output: 'json' });
  expect(outcomesIn(json)).toMatchObject([
    { outcome: 'not_attempted', stopped_by: 'left', detail: expect.stringContaining('left unchanged: ') },
  ]);
  expect(schemaErrors('apply', parseJson(json))).toEqual([]);
});

test('the last group of superusers is not deleted if the service does not tell what other groups are', async () => {
  const world = new World(seed);
  world.tamper = ({ path }, answer) => {
    const exchange = answer();
    return path.startsWith('/api/v3/core/groups/?') && exchange.kind === 'answered'
      ? { ...exchange, body: exchange.body.replaceAll(/"is_superuser":\s*false/g, '"is_superuser": null') }
      : exchange;
  };
  const { stdout } = await applied(world, entry('groups', 'name: admins'));
  expect(stdout).toContain('it is the last group of superusers');
  expect(deletes(world)).toEqual([]);
});

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

test('the last group bound to an application is deleted after the same plan binds a user', async () => {
  const world = new World({ ...seed, bindings: [{ application: 'mail', group: 'staff' }] });
  const text = `version: 1
groups: [{ name: staff, state: absent }]
applications: [{ slug: mail, name: Mail, access: { users: [{ name: carl }] } }]
`;
  const { ending, stdout } = await applied(world, text, { allow: ['update', 'delete'] });
  expect([ending, stdout]).toEqual(['done', expect.stringContaining('1 changed, 1 destroyed')]);
  expect(world.writes().map(({ path }) => path.split('/')[1])).toEqual(['api', 'api', 'groups']);
});

test('the last group bound to an application is not deleted if the run may not bind the declared user', async () => {
  const world = new World({ ...seed, bindings: [{ application: 'mail', group: 'staff' }] });
  const text = `version: 1
groups: [{ name: staff, state: absent }]
applications: [{ slug: mail, name: Mail, access: { users: [{ name: carl }] } }]
`;
  expect((await planned(world, text)).stdout).toContain('everyone could then open');
});

test.each([
  [false, 'changes the title', 'title: Other'],
  [false, 'adds no policies', 'policies: [], at_least: [policies]'],
  [false, 'adds a disabled group', `policies: [{ ${otherGroup}, enabled: false }], at_least: [policies]`],
  [true, 'adds another group', `policies: [{ ${otherGroup} }], at_least: [policies]`],
  [true, 'binds another group', `policies: [{ ${otherGroup} }]`],
  [true, 'removes all policies', 'policies: []'],
])('the only group bound to a flow may be deleted: %s, if the same plan %s', async (may, _, more) => {
  const groups = [{ name: 'staff' }, { name: 'other' }];
  const world = new World({ groups, tokens: [{ token: 'sandbox-token', superuser: true }] });
  const flow = (fields: string): string =>
    `flows: [{ slug: door, designation: stage_configuration, name: Door, ${fields} }]\n`;
  const bound = flow('title: Door, policies: [{ group: { name: staff }, order: 0 }]');
  await done(applied(world, `version: 1\n${bound}`, { allow: [] }));
  const text = `${entry('groups', 'name: staff')}${flow(more)}`;
  const { stdout } = await planned(world, text, { allow: ['update', 'delete'] });
  expect(stdout.includes('everyone could then open the flow "door"')).toBe(!may);
  expect(stdout.includes('- group.staff')).toBe(may);
});

test('the only group bound to an application is not deleted if another declared binding stays disabled', async () => {
  const bindings = [
    { application: 'mail', group: 'staff' },
    { application: 'mail', group: 'guests', enabled: false },
  ];
  const text = `version: 1
groups: [{ name: staff, state: absent }]
applications:
  - { slug: mail, name: Mail, policies: [{ group: { name: guests }, order: 1, enabled: false }], at_least: [policies] }
`;
  const { stdout } = await planned(new World({ ...seed, bindings }), text, { allow: ['update', 'delete'] });
  expect(stdout).toContain('everyone could then open');
});

test('a user is not deleted if the token may not read its own user', async () => {
  const world = new World(seed);
  world.tamper = ({ path }, answer) =>
    path.endsWith('/users/me/') ? answered(403, { detail: 'no' }) : answer();
  const { stdout } = await planned(world, jane);
  expect(stdout).toContain("user.jane is not deleted: the token's user is unknown");
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

test('a run whose token cannot see all bindings deletes no group or user that may be bound', async () => {
  const world = new World({ ...seed, tokens: [{ token: 'sandbox-token' }] });
  expect((await applied(world, jane)).stdout).toContain(
    "it needs a superuser's token: other tokens may not see all bindings",
  );
  expect(deletes(world)).toEqual([]);
});

test('bindings are checked at the time of the delete, not of the plan', async () => {
  const world = new World(seed);
  const pkOf = (type: 'application' | 'user', name: string): unknown =>
    otherClient(world.sandbox).pk(type, name);
  let asked = 0;
  world.tamper = ({ path }, answer) => {
    // The plan reads the bindings twice. After that, another client leaves only jane bound to the wiki.
    if (path.includes('/used_by/') && (asked += 1) === 2) {
      otherClient(world.sandbox).delete('group', 'staff');
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

test.each(
  someOf(
    [
      ['the connection is lost', 'before', lost],
      ['the connection is lost', 'after', lost],
      ['a gateway answers 404', 'before', answered(404, { detail: 'Not Found' })],
      ['a gateway answers 404', 'after', answered(404, { detail: 'Not Found' })],
      ['a gateway answers 410', 'before', answered(410, { detail: 'Gone' })],
    ] as const,
    2,
  ),
)('if %s %s a delete takes effect, a read determines the outcome', async (_, when, unclear) => {
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

test('a record recreated under the same name is not deleted', async () => {
  const world = new World(seed);
  let asked = 0;
  world.tamper = ({ path }, answer) => {
    const given = answer();
    if (path.includes('/used_by/') && (asked += 1) === 1) {
      otherClient(world.sandbox).delete('user', 'jane');
      otherClient(world.sandbox).create('user', { username: 'jane', name: 'Another Jane' });
    }
    return given;
  };
  const { stdout, stderr } = await applied(world, jane);
  expect(stdout + stderr).toContain('another record now has its name');
  expect(deletes(world)).toEqual([]);
});

describe('a plan with deletes that would cascade', () => {
  const flows = `version: 1
flows: [{ slug: way, state: absent }]
`;
  const named = (): World => {
    const world = new World({
      ...seed,
      flows: [{ pk: '7f9b0b6e-6c43-4b8e-9f0c-0a4c58a3a001', slug: 'way' }],
    });
    const flow = otherClient(world.sandbox).record('/flows/instances/', 'way')?.['pk'] ?? null;
    otherClient(world.sandbox).change('/providers/oauth2/', 'Wiki', { authorization_flow: flow });
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
    otherClient(world.sandbox).create('/policies/dummy/', { name: 'gate' });
    const { pk = null } = otherClient(world.sandbox).record('/policies/dummy/', 'gate') ?? {};
    const { pk: target = null } = otherClient(world.sandbox).record('/core/applications/', 'wiki') ?? {};
    otherClient(world.sandbox).create('/policies/bindings/', { policy: pk, target, order: 1 });
    const gate = 'version: 1\npolicies: [{ name: gate, type: dummy, state: absent }]\n';
    const { stdout } = await planned(world, gate);
    expect(stdout).toContain('policy.gate is not deleted: records that have this policy');
    // A policy without another record that it guards is deleted after this record.
    const both = `${gate}applications: [{ slug: wiki, state: absent }]\n`;
    expect((await done(applied(world, both))).stdout).toContain('2 destroyed');
    expect(deletes(world).map((path) => path.split('/')[3])).toEqual(['core', 'policies']);
  });

  test('does not delete a policy that also guards a record that stays', async () => {
    const world = new World(seed);
    const other = otherClient(world.sandbox);
    other.create('/policies/dummy/', { name: 'gate' });
    other.create('/core/applications/', { slug: 'stays', name: 'Stays' });
    const { pk = null } = other.record('/policies/dummy/', 'gate') ?? {};
    for (const slug of ['wiki', 'stays']) {
      const { pk: target = null } = other.record('/core/applications/', slug) ?? {};
      other.create('/policies/bindings/', { policy: pk, target, order: 1 });
    }
    const { stdout } = await planned(
      world,
      'version: 1\npolicies: [{ name: gate, type: dummy, state: absent }]\napplications: [{ slug: wiki, state: absent }]\n',
    );
    expect(stdout).toContain('policy.gate is not deleted: records that have this policy');
  });
});
