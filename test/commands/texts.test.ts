import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

const manifest = `version: 1
property_mappings:
  - type: provider_scope
    name: teams
    scope_name: teams
    expression: \${text:expressions/teams.py}
`;
const before = [
  'groups = request.user.all_groups()',
  'return {',
  '    "teams": [group.name for group in groups],',
  '}',
];
const after = before.map((line) => line.replace('group.name', 'group.name.lower()'));

function filesWith(lines: readonly string[]): { files: Record<string, string> } {
  return { files: { 'm.yaml': manifest, 'expressions/teams.py': `${lines.join('\n')}\n` } };
}

const allowed = { allow: ['update'] } as const;

test('a changed text from a file is shown line by line, and sent', async () => {
  const world = new World();
  const made = world.run('', {}, filesWith(before));
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, made.context), made.stderr()).toBe('done');
  expect(otherClient(world.sandbox).record('provider_scope', 'teams')).toMatchObject({
    expression: before.join('\n'),
  });

  const planned = world.run('', {}, filesWith(after));
  await plan(['m.yaml'], { output: 'text', ...allowed }, planned.context);
  expect(planned.stdout()).toContain(
    [
      '      expression  (- observed, + declared)',
      '        groups = request.user.all_groups()',
      '        return {',
      '      -     "teams": [group.name for group in groups],',
      '      +     "teams": [group.name.lower() for group in groups],',
      '        }',
    ].join('\n'),
  );

  const changed = world.run('', {}, filesWith(after));
  await apply(['m.yaml'], { output: 'text', yes: true, ...allowed }, changed.context);
  const again = world.run('', {}, filesWith(after));
  expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, again.context)).toBe('done');
});

test('validate --without-secrets accepts a manifest with a text from a file', async () => {
  const { context, stdout, stderr } = new World().run('', {}, filesWith(before));
  const ending = await validate(['m.yaml'], { output: 'text', withoutSecrets: true }, context);
  expect({ ending, stderr: stderr() }).toEqual({ ending: 'done', stderr: '' });
  expect(stdout()).toMatch(/^Valid: 1 /);
});
