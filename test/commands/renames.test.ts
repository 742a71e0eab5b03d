import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { done, runIn, type Ran } from '../support/manifest-run.ts';
import { allowUpdate, staff, World } from '../support/update-world.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { someReleases } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const providers = (name: string): string => `providers:
  - { name: ${name}, type: proxy, external_host: "https://wiki.example.com", mode: forward_single, authorization_flow: { slug: default-provider-authorization-implicit-consent }, invalidation_flow: { slug: default-provider-invalidation-flow }`;

const before = `version: 1
groups: [{ name: engineering }]
${providers('Wiki')} }
applications: [{ slug: wiki, name: Wiki, provider: { name: Wiki }, access: { groups: [{ name: engineering }] } }]
users: [{ username: jane, name: Jane, groups: [{ name: engineering }] }]
`;
const after = `version: 1
groups: [{ name: platform, formerly: engineering }]
${providers('Handbook')}, formerly: Wiki }
applications: [{ slug: handbook, formerly: wiki, name: Wiki, provider: { name: Handbook }, access: { groups: [{ name: platform }] } }]
users: [{ username: jane.doe, formerly: jane, name: Jane, groups: [{ name: platform }] }]
`;
const jane = 'version: 1\nusers: [{ username: jane.doe, formerly: jane, name: Jane }]\n';

function run(world: World, command: typeof apply, text: string, options: object = {}): Promise<Ran> {
  return runIn(command, world.run(text), { ...allowUpdate, ...options });
}

const planned = (world: World, text: string, options: object = {}): Promise<Ran> =>
  run(world, plan, text, options);

describe.each(someReleases(sandboxReleases))('a rename on release %s', (release) => {
  test('is done once, keeps the id, and is then in sync', async () => {
    const world = new World({ users: [], applications: [] }, release);
    await done(run(world, apply, before));
    const held = ['application', 'user', 'group', 'proxy'] as const;
    const old = { application: 'wiki', user: 'jane', group: 'engineering', proxy: 'Wiki' };
    const now = { application: 'handbook', user: 'jane.doe', group: 'platform', proxy: 'Handbook' };
    const pks = held.map((type) => otherClient(world.sandbox).pk(type, old[type]));
    expect(pks).not.toContain(undefined);
    const from = world.writes().length;
    const shown = await planned(world, after);
    expect(shown.stdout).toContain('Plan: 0 to add, 4 to change, 0 to destroy.');
    expect(shown.stdout).toContain('note  the login name of the account changes\n');
    expect(shown.stdout).toContain('including the URLs of OpenID Connect and SAML');
    const renamed = await run(world, apply, after);
    expect(renamed.stdout).toContain('0 added, 4 changed, 0 destroyed');
    expect(renamed.stdout).not.toContain('unclear');
    expect(held.map((type) => otherClient(world.sandbox).pk(type, now[type]))).toEqual(pks);
    expect(held.map((type) => otherClient(world.sandbox).record(type, old[type]))).toEqual(
      held.map(() => undefined),
    );
    expect(world.writes().length - from).toBe(4);
    const again = await planned(world, after);
    expect(again.stdout).toContain('No changes.');
    expect(again.stdout).toContain(
      'No visible record has the former name; `formerly` can be deleted after every service has the new name: group.platform, provider.Handbook, application.handbook, user.jane.doe.',
    );
  });
});

test('a rename without permission to update creates no second record', async () => {
  const world = new World({ users: [{ username: 'jane', name: 'Jane' }] });
  const { stdout } = await run(world, apply, jane, { allow: [] });
  expect(stdout).toContain('0 created, 1 differing (left unchanged)');
  expect(stdout).not.toContain('`formerly` can be deleted');
  expect(world.writes()).toEqual([]);
});

test('a renamed resource found under neither name is created only by a superuser', async () => {
  const world = new World({ users: [] });
  world.sandbox.issue({ token: 'sandbox-token', superuser: false });
  const refused = await run(world, apply, jane);
  expect(refused.ending).not.toBe('done');
  expect(refused.stderr + refused.stdout).toContain(
    'm.yaml:2:41: error: user.jane.doe: there is no user named "jane.doe" or "jane", or they are not visible to this token',
  );
  expect(world.writes()).toEqual([]);
  world.sandbox.issue({ token: 'sandbox-token', superuser: true });
  const { stdout } = await run(world, apply, jane);
  expect(stdout).toContain('1 created');
  // The former name is not sent.
  expect(stdout).not.toContain('formerly');
});

test('a create whose former name does not exist has a note', async () => {
  const world = new World({ users: [] });
  world.sandbox.issue({ token: 'sandbox-token', superuser: true });
  const { stdout } = await planned(world, jane);
  expect(stdout).toContain('note  no user has the former name `jane`, so this creates a new one\n');
});

test('a renamed resource found under both names is an error with both ids, and nothing is sent', async () => {
  const users = [
    { username: 'jane', name: 'Jane' },
    { username: 'jane.doe', name: 'Another' },
  ];
  const world = new World({ users });
  const { ending, stderr, stdout } = await run(world, apply, jane);
  expect(ending).not.toBe('done');
  expect(stderr + stdout).toContain('both "jane.doe" and "jane" exist');
  expect(stderr + stdout).toContain('Their ids, in this order: 2, 1. The new name is taken');
  expect(world.writes()).toEqual([]);
});

test('a rename ends in conflict if somebody else took the new name after the plan', async () => {
  const world = new World({ groups: [{ name: 'engineering' }], users: [] }, '2023.10');
  const text = 'version: 1\ngroups: [{ name: platform, formerly: engineering }]\n';
  let looks = 0;
  world.tamper = ({ path }, answer) => {
    // The fourth look-up is that of the new name, just before the update.
    if (path.includes('/groups/?name=') && (looks += 1) === 4)
      otherClient(world.sandbox).create('group', { name: 'platform' });
    return answer();
  };
  const { stdout } = await run(world, apply, text);
  expect(stdout).toContain('group.platform');
  expect(stdout).toContain('in conflict');
  expect(world.writes()).toEqual([]);
  expect(otherClient(world.sandbox).record('group', 'engineering')).toBeDefined();
});

test.each(['before', 'after'])(
  'a rename that gets no answer is sent again only if it had no effect: connection lost %s the effect',
  async (when) => {
    const world = new World({ applications: [{ slug: 'wiki', name: 'Wiki' }], users: [] });
    let patches = 0;
    world.tamper = ({ method }, answer) => {
      if (method !== 'PATCH' || (patches += 1) > 1) return answer();
      if (when === 'after') answer();
      return lost;
    };
    const text = 'version: 1\napplications: [{ slug: handbook, formerly: wiki, name: Wiki }]\n';
    await done(run(world, apply, text));
    expect(otherClient(world.sandbox).record('application', 'handbook')).toBeDefined();
    expect(otherClient(world.sandbox).record('application', 'wiki')).toBeUndefined();
    expect(patches).toBe(when === 'after' ? 1 : 2);
  },
);

test.each([
  ['{ username: a, formerly: a }', 'the resource already has this name'],
  ['{ username: a, formerly: b }, { username: b }', 'this is the former name of a'],
  ['{ username: b }, { username: a, formerly: b }', '`b` is still declared, so it was not renamed'],
  ['{ username: a, formerly: c }, { username: b, formerly: c }', '`c` is the former name of a too'],
  ['{ username: a, formerly: "${env:OLD}" }', 'its former name comes from an environment variable'],
])('the entries %s are refused as %s', async (entries, summary) => {
  const world = new World();
  const { context, stderr, stdout } = world.run(`version: 1\nusers: [${entries}]\n`, { OLD: 'old' });
  expect(await validate(['m.yaml'], { output: 'text' }, context)).toBe('invalid');
  expect(stderr() + stdout()).toContain(summary);
});

test('with contract_only, a rename is an error, since a rename is not a documented operation', async () => {
  const { ending, stderr, stdout } = await planned(new World(), jane, { contractOnly: true, allow: [] });
  expect(ending).toBe('invalid');
  expect(stderr + stdout).toContain('renames are not among the three documented operations');
});

test('a former name that two records have is ambiguous, and nothing is renamed', async () => {
  const world = new World(
    { groups: [{ name: 'engineering' }, { name: 'engineering', pk: staff }], users: [] },
    '2023.10',
  );
  const text = 'version: 1\ngroups: [{ name: platform, formerly: engineering }]\n';
  const { ending, stderr, stdout } = await run(world, apply, text);
  expect(ending).not.toBe('done');
  expect(stderr + stdout).toContain(
    'cannot determine whether the group exists as "platform" or as "engineering"',
  );
  expect(world.writes()).toEqual([]);
});

test.each([
  ["a proxy's web page", answered(404, '<!DOCTYPE html>')],
  ['a denial', answered(403, '{"detail":"No."}')],
])('%s in the look-up of a former name is reported, and only the rename is left out', async (_, page) => {
  const world = new World({ users: [{ username: 'jane', name: 'Jane' }] });
  world.tamper = ({ path }, answer) => (path.endsWith('?username=jane') ? page : answer());
  const text = `${jane}groups: [{ name: platform }]\n`;
  const { ending, stderr, stdout } = await run(world, apply, text);
  expect(ending, stderr + stdout).toBe('incomplete');
  expect(stderr + stdout).toContain('user.jane.doe: could not look up the user by its name');
  expect(world.writes()).toEqual([{ path: '/groups/', body: { name: 'platform' } }]);
  expect(otherClient(world.sandbox).record('user', 'jane.doe')).toBeUndefined();
});
