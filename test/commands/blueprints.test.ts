import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { answered } from '../support/scripted-transport.ts';
import { World } from '../support/update-world.ts';

const seed = {
  is_fresh: true,
  tokens: [{ token: 'sandbox-token', superuser: true }],
  groups: [{ name: 'mine' }],
};
const title = 'flows: [{ slug: default-authentication-flow, title: Log in }]';

async function planned(
  world: World,
  text: string,
  allow: readonly string[] = ['update'],
): Promise<{ said: string; reads: number }> {
  const { context, stdout } = world.run(`version: 1\n${text}\n`);
  const before = world.requests.length;
  await plan(['m.yaml'], { output: 'text', allow }, context);
  const reads = world.requests.slice(before).filter(({ path }) => path.includes('/managed/blueprints/?'));
  return { said: stdout(), reads: reads.length };
}

const named = 'the blueprint "Default - Authentication flow" of the service may revert the update';
const unnamed = 'a blueprint of the service may revert the update';

test.each(sandboxReleases)(
  'a plan that updates default records reads blueprints once, and names the blueprint that may revert the update: %s',
  async (release) => {
    const stages = `stages: [{ type: user_login, name: default-authentication-login, session_duration: hours=24 }]`;
    const { said, reads } = await planned(new World(seed, release), `${title}\n${stages}`);
    expect(said.split(named)).toHaveLength(3);
    expect(reads).toBe(1);
  },
);

test('an update of a default record whose blueprint is unknown has a general warning', async () => {
  const { said } = await planned(
    new World(seed, '2025.12'),
    'transports: [{ name: default-local-transport, send_once: true }]',
  );
  expect(said).toContain(unnamed);
});

test('an update of a default record keeps its other warnings', async () => {
  const denied = title.replace('title: Log in', 'denied_action: continue');
  const { said } = await planned(new World(seed, '2025.12'), denied);
  expect(said.replaceAll(/\s+/g, ' ')).toContain(`people who are denied access are handled differently`);
  expect(said).toContain(named);
});

test('an update of a default record has a general warning if the token may not view blueprints', async () => {
  const world = new World(seed, '2025.12');
  world.tamper = ({ path }, answer) =>
    path.includes('/managed/blueprints/') ? answered(403, { detail: 'no' }) : answer();
  const { said } = await planned(world, title);
  expect(said).toContain(unnamed);
});

test.each([
  ['an update of a record that the service does not ship', 'groups: [{ name: mine, is_superuser: true }]'],
  [
    'a default that is in sync',
    'flows: [{ slug: default-authentication-flow, designation: authentication }]',
  ],
  ['a new record', 'groups: [{ name: other }]'],
  ['the settings', 'settings: [{ gdpr_compliance: false }]'],
])('a plan reads no blueprints for %s', async (_, text) => {
  const { said, reads } = await planned(new World(seed, '2025.12'), text);
  expect(said).not.toContain('may revert the update');
  expect(reads).toBe(0);
});

test('without permission to update, a plan reads no blueprints', async () => {
  const { reads } = await planned(new World(seed, '2025.12'), title, []);
  expect(reads).toBe(0);
});

test('an update of a default record has no warning if its blueprint is disabled', async () => {
  const world = new World(seed, '2025.12');
  const off = world.run(
    'version: 1\nblueprints: [{ name: Default - Authentication flow, path: default/flow-default-authentication-flow.yaml, enabled: false }]\n',
  );
  expect(
    await apply(['m.yaml'], { output: 'text', yes: true, allow: ['update'] }, off.context),
    off.stderr(),
  ).toBe('done');
  expect(off.stdout()).not.toContain('may revert the update');
  expect((await planned(world, title)).said).not.toContain('may revert the update');
});

test('an update is said to be reverted by the blueprint whose path fits the record best', async () => {
  const world = new World(seed, '2025.12');
  const { context } = world.run(
    'version: 1\nblueprints: [{ name: Mine, path: default/flow-default-authentication-login.yaml }]\n',
  );
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, context)).toBe('done');
  const stages =
    'stages: [{ type: user_login, name: default-authentication-login, session_duration: hours=24 }]';
  expect((await planned(world, stages)).said).toContain('the blueprint "Mine" of the service may revert');
});
