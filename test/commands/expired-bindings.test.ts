import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { capture } from '../support/run.ts';
import { allowUpdate, staff, World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

const access = 'access: { groups: [{ name: staff }] }';
const policies = 'policies: [{ group: { name: staff }, order: 0 }]';
const wiki = (more: string): string => `version: 1\napplications: [{ slug: wiki, name: Wiki, ${more} }]\n`;
const [past, later] = ['2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];

/** A service with an application that the group "staff" may open until this time. */
function worldUntil(expires: string, more: NonNullable<SandboxSeed['bindings']> = []): World {
  const carol = { username: 'carol', name: 'Carol', groups: [staff] };
  return new World(
    {
      applications: [{ slug: 'wiki', name: 'Wiki', provider: 1 }],
      users: [carol],
      bindings: [{ application: 'wiki', group: 'staff', expires }, ...more],
    },
    '2026.8',
  );
}

function mayOpen(world: World, username: string): unknown {
  const id = String(otherClient(world.sandbox).pk('user', username));
  const path = `/api/v3/core/applications/wiki/check_access/?for_user=${id}`;
  const answer = world.handle({ method: 'GET', path });
  const body = answer.kind === 'answered' ? parseJson(answer.body) : undefined;
  return isJsonObject(body) && body['passing'];
}

async function planOf(world: World, text: string): Promise<string> {
  const { context, stdout } = world.run(text);
  await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
  return stdout();
}

describe.each([access, policies])('an application with %s', (declared) => {
  test('is in sync until the binding expires', async () => {
    const world = worldUntil(later);
    expect(mayOpen(world, 'carol')).toBe(true);
    expect(await planOf(world, wiki(declared))).toContain('1 in sync');
  });

  test('is different after the binding expired, and gets a new one', async () => {
    const world = worldUntil(past);
    expect(mayOpen(world, 'carol')).toBe(false);
    const planned = await planOf(world, wiki(declared));
    expect(planned).toContain('~ application.wiki');
    expect(planned).toContain('note  a binding is expired, and unchanged');
    expect(planned).toContain('Opens application.wiki to the group "staff"');
    const { context, stdout } = world.run(wiki(declared));
    expect(await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, context), stdout()).toBe(
      'done',
    );
    expect(world.writes()).toMatchObject([{ body: { group: staff } }]);
    expect(mayOpen(world, 'carol')).toBe(true);
    expect(await planOf(world, wiki(declared))).toContain('1 in sync');
  });
});

test('an export leaves out expired bindings, and does not open a record whose bindings have all expired', async () => {
  const exported = async (world: World): Promise<{ text: string; stderr: string }> => {
    const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', type: ['application'] }, context);
    return { text: stdout(), stderr: stderr() };
  };
  const inTime = await exported(worldUntil(later));
  expect(inTime.text).toContain('- { name: staff }');
  expect(inTime.stderr).not.toContain('expired');
  const { text, stderr } = await exported(worldUntil(past));
  expect(text).not.toMatch(/staff|access|policies/);
  expect(stderr).toContain(
    'warning: application.wiki: `access` is left out, because the bindings of the record',
  );
  const inPart = await exported(worldUntil(past, [{ application: 'wiki', user: 'carol', order: 1 }]));
  expect(inPart.text).toContain('- { name: carol }');
  expect(inPart.stderr).not.toContain('expired');
});

test('a manifest cannot declare when a binding expires, since the API does not accept an expiry', async () => {
  const text = wiki('policies: [{ group: { name: staff }, order: 0, expires: 2030-01-01T00:00:00Z }]');
  const { context, stderr } = worldUntil(later).run(text);
  expect(await plan(['m.yaml'], { output: 'text' }, context)).toBe('invalid');
  expect(stderr()).toContain('expires');
});
