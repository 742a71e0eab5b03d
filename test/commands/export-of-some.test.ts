import { describe, expect, test } from 'vitest';
import { exportManifests } from '../../src/commands/export.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { done, endOf, type Ran } from '../support/manifest-run.ts';
import { World } from '../support/update-world.ts';
import { someReleases } from '../support/effort.ts';

const staff = '11111111-1111-4111-8111-111111111111';
const seed: SandboxSeed = {
  tokens: [
    {
      token: 'sandbox-token',
      view_roles: 'none',
      view_providers: 'none',
      view_outposts: 'none',
      view_bindings: 'none',
    },
  ],
  groups: [{ name: 'staff', pk: staff }],
  users: [
    { username: 'alice', name: 'Alice', groups: [staff] },
    { username: 'bob', name: 'Bob' },
  ],
  applications: [{ slug: 'wiki', name: 'Wiki' }],
};

function exported(world: World, options: object): Promise<Ran> {
  return endOf(world.run('version: 1\n'), (context) =>
    exportManifests({ output: 'yaml', ...options }, context),
  );
}

const lists = (world: World): string[] => [
  ...new Set(world.requests.map(({ path }) => path.replace(/^\/api\/v3\/|\?.*$/g, ''))),
];

describe.each(someReleases(sandboxReleases))('on release %s', (release) => {
  test('an export of users reads only users and the records that users refer to', async () => {
    const world = new World(seed, release);
    const { stdout } = await done(exported(world, { target: ['user.*'] }));
    expect(stdout).toContain('- { name: staff }');
    expect(stdout).not.toContain('applications:');
    expect(lists(world).toSorted()).toEqual(['admin/version/', 'core/groups/', 'core/users/']);
  });

  test('an export of a user without groups reads no groups', async () => {
    const world = new World(seed, release);
    await done(exported(world, { target: ['user.bob'] }));
    expect(lists(world).toSorted()).toEqual(['admin/version/', 'core/users/']);
  });
});

test('an export without applications succeeds even if applications cannot be read', async () => {
  const world = new World(seed);
  const some = { type: ['application', 'group', 'user'], exclude: ['application.*'], list: true };
  await done(exported(world, some));
});

test('an export of applications without access reads no bindings', async () => {
  const world = new World({ ...seed, tokens: [{ token: 'sandbox-token', superuser: true }] });
  await done(exported(world, { target: ['application.*'], without: 'access' }));
  expect(lists(world)).not.toContain('policies/bindings/');
});

test('an export with a --target includes records that came with the service', async () => {
  const world = new World({ is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] });
  const { stdout } = await done(exported(world, { target: ['group.authentik Admins'] }));
  expect(stdout).toContain('name: authentik Admins');
});

test('an export with a wildcard in the type of a --target finds the matching records', async () => {
  const world = new World({ ...seed, tokens: [{ token: 'sandbox-token', superuser: true }] });
  const { stdout } = await exported(world, { target: ['*.wiki', 'gr?up.staff'], list: true });
  expect(stdout.trim().split('\n')).toEqual(['group.staff', 'application.wiki']);
});
