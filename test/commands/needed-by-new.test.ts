import { expect, test } from 'vitest';
import { plan } from '../../src/commands/plan.ts';
import { World } from '../support/update-world.ts';

const fresh = { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] };

test('an entry without a field that a create needs is an error if its record does not exist', async () => {
  const world = new World(fresh, '2025.12');
  const text = (slug: string): string => `version: 1\nflows:\n  - { slug: ${slug}, title: Welcome }\n`;
  const missing = world.run(text('nobodys-flow'));
  expect(await plan(['m.yaml'], { output: 'text' }, missing.context)).toBe('invalid');
  for (const field of ['designation', 'name'])
    expect(missing.stderr()).toMatch(
      new RegExp(`m\\.yaml:3:\\d+: error: flow\\.nobodys-flow: the field \`${field}\` is missing`),
    );
  expect(missing.stderr()).toContain('A flow of this name does not exist yet.');
  const there = world.run(text('default-authentication-flow'));
  expect(await plan(['m.yaml'], { output: 'text' }, there.context), there.stderr()).toBe('done');
  const going = world.run('version: 1\nflows:\n  - { slug: nobodys-flow, state: absent }\n');
  expect(await plan(['m.yaml'], { output: 'text' }, going.context), going.stderr()).toBe('done');
});
