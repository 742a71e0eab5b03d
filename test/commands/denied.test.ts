import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { runIn, type Ran } from '../support/manifest-run.ts';
import { World } from '../support/update-world.ts';

type Token = NonNullable<SandboxSeed['tokens']>[number];

const text = `version: 1
applications: [{ slug: old, name: New }, { slug: new, name: N }]
groups: [{ name: g }]
users: [{ username: u, name: U }, { username: v, name: V }]
`;

function ran(rights: Partial<Token>, command: typeof apply, manifest = text): Promise<Ran> {
  const world = new World({
    tokens: [{ token: 'sandbox-token', ...rights }],
    applications: [{ slug: 'old', name: 'Old' }],
    users: [{ username: 'old', name: 'Old' }],
  });
  const captured = world.run(manifest, { ROLLCALL_CAPABILITIES: 'update,delete' });
  return runIn(command, captured, command === apply ? { allow: ['update', 'delete'] } : {});
}

test.each<[string, Partial<Token>, string]>([
  ['creates a user', { add_users: false }, 'add_user'],
  ['creates an application', { add_applications: false }, 'add_application'],
  ['changes an application', { change_applications: 'none' }, 'change_application'],
])('a denied request names the permission that it needs: it %s', async (_, rights, permission) => {
  const { ending, stdout } = await ran(rights, apply);
  expect(ending).not.toBe('done');
  expect(stdout).toContain(`The token needs the permission \`${permission}\`.`);
  expect(stdout.match(/The token needs/g)).toHaveLength(1);
});

test('a denied delete names the permission that it needs', async () => {
  const absent = 'version: 1\napplications: [{ slug: old, state: absent }]\n';
  const { stdout } = await ran({ delete_applications: false }, apply, absent);
  expect(stdout).toContain('The token needs the permission `delete_application`.');
});

test('requests that need different permissions are reported one by one', async () => {
  const { stdout } = await ran({ add_users: false, change_applications: 'none' }, apply);
  expect(stdout.match(/The token needs the permission `\w+`/g)).toEqual([
    'The token needs the permission `change_application`',
    'The token needs the permission `add_user`',
  ]);
  expect(stdout).toContain('The same for: user.v');
});

test('a denied look-up names the permission that it needs', async () => {
  const { ending, stderr } = await ran({ view_applications: 'none' }, plan);
  expect(ending).toBe('denied');
  expect(stderr).toContain('The token needs the permission `view_application`.');
  expect(stderr).not.toContain('Check the token and its permissions');
});
