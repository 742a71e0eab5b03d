import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import { user } from '../../src/kinds/user.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { Client } from '../../src/service/client.ts';
import { applied, deletes, deleting, entry, jane, planned, seed } from '../support/delete-world.ts';
import { otherClient } from '../support/other-client.ts';
import { outcomesIn, World } from '../support/update-world.ts';
import { answered } from '../support/scripted-transport.ts';
import { schemaErrors } from '../support/schemas.ts';
import { parseJson } from '../../src/base/json.ts';
import { someReleases } from '../support/effort.ts';

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
  const withDoor = async (more: string): Promise<string> => {
    const rooms = entry('property_mappings', 'type: provider_scope, name: rooms');
    const text = `${rooms}providers: [{ name: Door, type: oauth2, authorization_flow: { slug: door }${more} }]\n`;
    return (await planned(world, text, { allow: ['update', 'delete'] })).stdout;
  };
  expect(await withDoor('')).toContain('loses it');
  expect(await withDoor(', property_mappings: []')).not.toContain('loses it');
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

test('without the capability delete, the client deletes nothing', async () => {
  const world = new World(seed);
  const client = new Client(world.send, { capabilities: ['update'] });
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

test('a saved plan of a delete that is no longer safe is stale, with the reason', async () => {
  const world = new World(seed);
  const text = entry('groups', 'name: guests');
  const { context, written } = world.run(text, { ROLLCALL_CAPABILITIES: 'delete' });
  expect(await plan(['m.yaml'], { output: 'text', out: 'p.json', ...deleting }, context)).toBe('done');
  const others = otherClient(world.sandbox);
  others.create('application', { slug: 'late', name: 'Late' });
  const target = others.record('application', 'late')?.['pk'] ?? null;
  others.create('/policies/bindings/', { target, group: others.pk('group', 'guests') ?? null, order: 0 });
  const files = { 'm.yaml': text, 'p.json': written.get('p.json') ?? '' };
  const late = world.run(text, { ROLLCALL_CAPABILITIES: 'delete' }, { files });
  expect(await apply(['m.yaml'], { output: 'text', plan: 'p.json', ...deleting }, late.context)).toBe(
    'stale',
  );
  expect(late.stderr()).toContain('group.guests: it would no longer be deleted [stale-plan]');
  expect(late.stderr()).toContain('The reason: everyone could then open the application "late"');
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
