import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { World } from '../support/update-world.ts';

/** The token's user may open only some of the applications, and the list that the service has cached for the user contains only these. */
function world(): World {
  return new World({
    tokens: [{ token: 'sandbox-token', open_applications: ['a', 'b'] }],
    applications: ['a', 'b', 'c', 'd'].map((slug) => ({ slug, name: slug })),
  });
}

const asked = (of: World): string[] =>
  of.requests.flatMap(({ path }) => (path.startsWith('/api/v3/core/applications/?') ? path : []));

test("with a token that is not a superuser's, an export reads applications once and reports gaps", async () => {
  const service = world();
  const { context, stdout, stderr } = service.run('version: 1\n');
  expect(await exportManifests({ output: 'yaml', type: ['application'] }, context)).toBe('incomplete');
  expect(stdout()).toContain('slug: a');
  expect(stderr()).toContain('only superusers see all applications');
  expect(stderr()).not.toContain('not one that the API gives');
  expect(asked(service)).toHaveLength(1);
  expect(asked(service).join('\n')).not.toContain('superuser_full_list');
});

test("with a token that is not a superuser's, a plan with --undeclared sends no request for a list that only superusers may read", async () => {
  const service = world();
  const { context, stdout } = service.run('version: 1\napplications: [{ slug: c, name: c }]\n');
  await plan(['m.yaml'], { output: 'text', undeclared: true }, context);
  expect(stdout()).toContain('application.a (pk ');
  expect(asked(service).filter((path) => path.includes('superuser_full_list'))).toEqual([]);
});

test("with a token that is not a superuser's, a delete reads no list of applications", async () => {
  const service = world();
  const { context } = service.run('version: 1\napplications: [{ slug: c, state: absent }]\n', {
    ROLLCALL_CAPABILITIES: 'delete',
  });
  expect(await apply(['m.yaml'], { output: 'text', yes: true, allow: ['delete'] }, context)).toBe('done');
  expect(asked(service)).toEqual([]);
});

test.each([
  ['no answer', lost, 'no complete answer came back', ''],
  [
    'a denial',
    answered(403, { detail: 'You do not have permission to perform this action.' }),
    'the service denied access (403)',
    'The token needs the permission view_policybinding.',
  ],
])('an export reports why bindings could not be read: %s', async (_, exchange, why, advice) => {
  const service = new World({
    tokens: [{ token: 'sandbox-token', superuser: true }],
    applications: [{ slug: 'a', name: 'A' }],
  });
  service.tamper = ({ path }, answer) =>
    path.startsWith('/api/v3/policies/bindings/') ? exchange : answer();
  const { context, stderr } = service.run('version: 1\n');
  expect(await exportManifests({ output: 'yaml', type: ['application'] }, context)).toBe('incomplete');
  expect(stderr()).toContain(`who may open the applications could not be read: ${why}`);
  expect(stderr().includes('view_policybinding')).toBe(advice !== '');
});
