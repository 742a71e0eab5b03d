import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { schemaErrors } from '../support/schemas.ts';
import { World } from '../support/update-world.ts';

const seed: SandboxSeed = {
  tokens: [{ token: 'sandbox-token', superuser: true }],
  providers: [
    { pk: 7, name: 'Wiki', type: 'oauth2' },
    { pk: 8, name: 'Door', type: 'proxy' },
    { pk: 9, name: 'Old', type: 'saml' },
    { pk: 10, name: 'Older', type: 'saml' },
  ],
};
const said = 'of the providers, 2 are of other types: 2 of SAML Provider ("Old", "Older")';

test.each(sandboxReleases)(
  'a plan counts providers of other types as unread, on release %s',
  async (release) => {
    const world = new World(seed, release);
    const all = 'version: 1\nusers: []\n';
    const text = world.run(all);
    await plan(['m.yaml'], { output: 'text', undeclared: true }, text.context);
    expect(text.stdout()).toContain(`Not all was read: ${said}.`);
    expect(text.stdout()).not.toContain('Everything that this token sees in the service is declared.');
    const json = world.run(all);
    await plan(['m.yaml'], { output: 'json', undeclared: true }, json.context);
    const document = parseJson(json.stdout());
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      undeclared: { whole: false, gaps: [{ type: 'provider', summary: said }] },
    });
  },
);

test.each(sandboxReleases)('an export names them, and a proxy once, on release %s', async (release) => {
  const { context, stdout, stderr } = new World(seed, release).run('version: 1\n');
  expect(await exportManifests({ output: 'yaml', list: true }, context)).toBe('done');
  expect(stdout().match(/provider\.\w+/g)).toEqual(['provider.Door', 'provider.Wiki']);
  expect(stderr().replaceAll(/\s+/g, ' ')).toContain(`Left out: ${said}.`);
});

test('an export of all providers includes every type', async () => {
  const { context, stdout } = new World(seed).run('version: 1\n');
  expect(await exportManifests({ output: 'yaml', type: ['provider'], list: true }, context)).toBe('done');
  expect(stdout()).toBe('provider.Door\nprovider.Old\nprovider.Older\nprovider.Wiki\n');
});

test('an export of one provider says nothing of others', async () => {
  const { context, stderr } = new World(seed).run('version: 1\n');
  const options = { output: 'yaml', target: ['provider.Wiki'], list: true } as const;
  expect(await exportManifests(options, context)).toBe('done');
  expect(stderr()).not.toContain('SAML');
});
