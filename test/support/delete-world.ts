import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { runIn, type Ran } from './manifest-run.ts';
import type { World } from './update-world.ts';

export const deleting = { allow: ['delete'] };

/** The existing records: an application with its provider, its group, and the group's members. */
export const seed: SandboxSeed = {
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
export const all = `version: 1
groups: [{ name: staff, state: absent }]
providers: [{ name: Wiki, type: oauth2, state: absent }]
applications: [{ slug: wiki, state: absent }, { slug: mail, name: Mail, access: { users: [{ name: carl }] } }]
users: [{ username: jane, state: absent }]
`;
export const entry = (list: string, fields: string): string =>
  `version: 1\n${list}: [{ ${fields}, state: absent }]\n`;
export const jane = entry('users', 'username: jane');

export function run(world: World, command: typeof apply, text: string, options: object = {}): Promise<Ran> {
  return runIn(command, world.run(text, { ROLLCALL_CAPABILITIES: 'update,delete' }), options);
}

export const planned = (world: World, text: string, options: object = deleting): Promise<Ran> =>
  run(world, plan, text, options);
export const applied = (world: World, text: string, options: object = deleting): Promise<Ran> =>
  run(world, apply, text, options);

export function deletes(world: World): string[] {
  return world.requests.flatMap(({ method, path }) => (method === 'DELETE' ? path : []));
}
