import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { capture, type Captured } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { someReleases } from '../support/effort.ts';

const folder = new URL('../../examples/company/', import.meta.url);
const files = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
);
const paths = Object.keys(files);
const env = { WIKI_CLIENT_SECRET: 'a-secret-of-the-wiki' };

function on(world: World, given: Readonly<Record<string, string>> = files): Captured {
  return world.run('', env, { files: given, env });
}

async function expectInSync(world: World, given: Readonly<Record<string, string>>): Promise<void> {
  const { context, stdout, stderr } = on(world, given);
  const options = { output: 'text', detailedExitcode: true } as const;
  expect(await plan(Object.keys(given), options, context), stderr() + stdout()).toBe('done');
  expect(stdout()).toContain('No changes.');
}

test.each(someReleases(sandboxReleases.filter((release) => release >= '2025.12')))(
  'the company example is applied in one run to a fresh service of release %s, and then has no changes',
  async (release) => {
    const seed = { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] };
    const world = new World(seed, release);
    const checked = on(world);
    expect(await validate(paths, { output: 'text' }, checked.context), checked.stderr()).toBe('done');
    expect(checked.stderr()).toBe('');
    const planned = on(world);
    expect(await plan(paths, { output: 'text' }, planned.context), planned.stderr()).toBe('done');
    expect(planned.stdout()).toContain('36 to create, 0 to create if absent, 0 differ, 0 in sync.');
    const applied = on(world);
    // The new brand changes how people log in at its domain.
    const options = { output: 'text', yes: true, allow: ['way-in'] } as const;
    expect(await apply(paths, options, applied.context), applied.stderr()).toBe('done');
    await expectInSync(world, files);
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    expect(await exportManifests({ output: 'yaml' }, context)).toBe('done');
    await expectInSync(world, { 'exported.yaml': stdout() });
  },
);
