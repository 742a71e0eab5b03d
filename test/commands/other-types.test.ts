import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { type SandboxRelease, sandboxReleases } from '../../src/sandbox/release.ts';
import { schemaErrors } from '../support/schemas.ts';
import { World } from '../support/update-world.ts';
import { someReleases } from '../support/effort.ts';

const seed: SandboxSeed = {
  tokens: [{ token: 'sandbox-token', superuser: true }],
  providers: [
    { pk: 7, name: 'Wiki', type: 'oauth2' },
    { pk: 8, name: 'Door', type: 'proxy' },
    { pk: 9, name: 'Old', type: 'saml' },
    { pk: 10, name: 'Older', type: 'saml' },
  ],
};
const said = 'of the providers, 2 are of other types: 2 of Carrier Pigeon ("Old", "Older")';

/** A service whose SAML providers have a type that rollcall does not know. */
function withUnknownType(release: SandboxRelease): World {
  const world = new World(seed, release);
  world.tamper = (request, answer) => {
    const { path } = request;
    if (path.includes('/providers/saml/'))
      return world.handle({ ...request, path: path.replace('/saml/', '/radius/') });
    const exchange = answer();
    if (exchange.kind !== 'answered') return exchange;
    const body = exchange.body
      .replaceAll(/authentik_providers_saml\.samlprovider/g, 'authentik_providers_pigeon.pigeonprovider')
      .replaceAll('SAML Provider', 'Carrier Pigeon');
    return { ...exchange, body };
  };
  return world;
}

test.each(someReleases(sandboxReleases))(
  'a plan counts providers of unknown types as unread, on release %s',
  async (release) => {
    const world = withUnknownType(release);
    const all = 'version: 1\nusers: []\n';
    const text = world.run(all);
    await plan(['m.yaml'], { output: 'text', undeclared: true }, text.context);
    expect(text.stdout()).toContain(`Not all records were read: ${said}.`);
    expect(text.stdout()).not.toContain('Every record that this token sees is declared');
    const json = world.run(all);
    await plan(['m.yaml'], { output: 'json', undeclared: true }, json.context);
    const document = parseJson(json.stdout());
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      undeclared: { whole: false, gaps: [{ type: 'provider', summary: said }] },
    });
  },
);

test.each(someReleases(sandboxReleases))(
  'an export reports providers of unknown types, and lists a proxy provider once, on release %s',
  async (release) => {
    const { context, stdout, stderr } = withUnknownType(release).run('version: 1\n');
    expect(await exportManifests({ output: 'yaml', list: true }, context)).toBe('done');
    expect(stdout().match(/provider\.\w+/g)).toEqual(['provider.Door', 'provider.Wiki']);
    expect(stderr().replaceAll(/\s+/g, ' ')).toContain(`Left out: ${said}.`);
  },
);

test('an export of all providers includes every type', async () => {
  const { context, stdout } = new World(seed).run('version: 1\n');
  expect(await exportManifests({ output: 'yaml', type: ['provider'], list: true }, context)).toBe('done');
  expect(stdout()).toBe('provider.Door\nprovider.Old\nprovider.Older\nprovider.Wiki\n');
});

test('an export is refused for an address without a record, although other types are left out', async () => {
  const { context } = withUnknownType(sandboxReleases[0]).run('version: 1\n');
  const options = { output: 'yaml', target: ['provider.*', 'user.nobody'], list: true } as const;
  await expect(exportManifests(options, context)).rejects.toThrow('an address like user.nobody');
});

test('an export of one provider reports no other types', async () => {
  const { context, stderr } = withUnknownType(sandboxReleases[0]).run('version: 1\n');
  const options = { output: 'yaml', target: ['provider.Wiki'], list: true } as const;
  expect(await exportManifests(options, context)).toBe('done');
  expect(stderr()).not.toContain('Carrier Pigeon');
});
