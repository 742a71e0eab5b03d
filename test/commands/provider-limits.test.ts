import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { application } from '../../src/kinds/application.ts';
import { oauth2 } from '../../src/kinds/oauth2.ts';
import { proxy } from '../../src/kinds/proxy.ts';
import { documentedOnly } from '../../src/service/documented-only.ts';
import { Client } from '../../src/service/client.ts';
import type { Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';
import { otherClient } from '../support/other-client.ts';

const authorization = 'authorization_flow: { slug: default-provider-authorization-implicit-consent }';
const invalidation = 'invalidation_flow: { slug: default-provider-invalidation-flow }';

function provider(type: string, name: string, ...lines: readonly string[]): string {
  return [`  - name: ${name}`, `type: ${type}`, authorization, ...lines].join('\n    ');
}

function grafana(...lines: readonly string[]): string {
  return `version: 1\nproviders:\n${provider('oauth2', 'Grafana', 'redirect_uris: []', ...lines)}\n`;
}

function wiki(name: string): string {
  return provider(
    'proxy',
    name,
    invalidation,
    'mode: forward_single',
    `external_host: https://${name}.example.com`,
  );
}

const planned = (send: Transport, text: string, options: object = {}): Promise<Ran> =>
  runOn(plan, send, text, options);

describe('a field that only some releases require', () => {
  test('is an error if missing for such a release, and optional otherwise', async () => {
    const late = await planned(sandboxTransport({}, undefined, '2026.2').send, grafana());
    expect([late.ending, late.stderr]).toEqual([
      'invalid',
      expect.stringContaining('release 2026.2.2 requires an `invalidation_flow`'),
    ]);
    const early = await planned(sandboxTransport({}, undefined, '2023.10').send, grafana());
    expect([early.ending, early.stderr]).toEqual(['done', '']);
  });

  test('causes a warning if logins would fail without it', async () => {
    const words = 'refuses logins through a provider that has no `grant_types`';
    for (const release of ['2026.5', '2026.8'] as const) {
      const { send } = sandboxTransport({}, undefined, release);
      expect((await planned(send, grafana(invalidation))).stderr).toContain(words);
      const whole = grafana(invalidation, 'grant_types: [authorization_code]');
      expect((await planned(send, whole)).stderr).toBe('');
    }
    const { send } = sandboxTransport({}, undefined, '2026.5');
    await runOn(apply, send, grafana(invalidation), { yes: true });
    expect((await planned(send, grafana(invalidation))).stderr).toContain(words);
    await runOn(apply, send, grafana(invalidation, 'grant_types: [authorization_code]'), {
      yes: true,
      capability: ['update'],
      allow: ['update'],
    });
    expect((await planned(send, grafana(invalidation))).stderr).toBe('');
    const before = await planned(sandboxTransport({}, undefined, '2026.2').send, grafana(invalidation));
    expect(before.stderr).toBe('');
  });

  test('causes a warning of `validate`, unless the release is known and needs no such field', async () => {
    const words = /releases? (since )?2026\.5 refuses? logins through a provider that has no `grant_types`/;
    const validated = async (release: string): Promise<string> => {
      const config = release === '' ? {} : { 'rollcall.yaml': `version: 1\nrelease: '${release}'\n` };
      const { context, stdout } = capture({ files: { 'm.yaml': grafana(invalidation), ...config } });
      expect(await validate(['m.yaml'], { output: 'text' }, context)).toBe('done');
      return stdout();
    };
    expect(await validated('')).toMatch(words);
    expect(await validated('2026.5')).toMatch(words);
    expect(await validated('2026.2')).toBe('Valid: 1 provider.\n');
  });

  test('is optional for a provider that exists', async () => {
    const { send } = sandboxTransport({}, undefined, '2026.8');
    const grants = 'grant_types: [authorization_code]';
    await runOn(apply, send, grafana(invalidation, grants), { yes: true });
    const again = await planned(send, grafana(grants));
    expect([again.ending, again.stderr]).toEqual(['done', '']);
  });
});

test('two proxies whose names differ only in case are found separately', async () => {
  const { send, sandbox } = sandboxTransport({}, undefined, '2026.2');
  const both = `version: 1\nproviders:\n${wiki('Wiki')}\n${wiki('wiki')}\n`;
  expect((await runOn(apply, send, both)).stdout).toContain('2 created');
  expect((await planned(send, both)).stdout).toContain('No changes.');
  const ids = ['Wiki', 'wiki'].map((name) => otherClient(sandbox).pk('proxy', name));
  expect(new Set(ids).size).toBe(2);
  const one = `version: 1\nproviders:\n${wiki('WIKI')}\n`;
  expect((await planned(send, one)).stdout).toContain('+ provider.WIKI');
});

test('manifests that declare a provider of another type have another digest', async () => {
  const { send } = sandboxTransport({}, undefined, '2023.10');
  const digests = await Promise.all(
    ['oauth2', 'proxy'].map(async (type) => {
      const more =
        type === 'proxy' ? ['mode: forward_single', 'external_host: https://x'] : ['redirect_uris: []'];
      const { stdout } = await planned(send, `version: 1\nproviders:\n${provider(type, 'X', ...more)}\n`, {
        output: 'json',
      });
      return /"manifest_digest": "([^"]+)"/.exec(stdout)?.[1];
    }),
  );
  expect(new Set(digests).size).toBe(2);
});

test('a provider that the token may not view is an error at its reference', async () => {
  const { send } = sandboxTransport({}, undefined, '2026.2');
  const blind: Transport = async (request, signal) =>
    request.path.startsWith('/api/v3/providers/oauth2/')
      ? answered(403, { detail: 'No.' })
      : send(request, signal);
  const text = `${grafana(invalidation)}applications: [{ slug: a, name: A, provider: { name: Grafana } }]\n`;
  const { ending, stdout, stderr } = await planned(blind, text);
  expect(ending).not.toBe('done');
  expect(stdout + stderr).toContain('m.yaml:8:');
  expect(stdout + stderr).toContain('could not look up the provider by its name');
});

test('an export of a service without providers needs no permission to view flows', async () => {
  const token = {
    token: 'weak',
    username: 'weak',
    view_flows: 'none',
    view_certificates: 'none',
    view_property_mappings: 'none',
  } as const;
  const { send } = sandboxTransport({ tokens: [token], providers: [] }, 'weak', '2026.2');
  const { context, stderr } = capture({ url: 'https://id.example.com', transport: send });
  expect(await exportManifests({ output: 'yaml', type: ['provider'] }, context)).toBe('done');
  expect(stderr()).not.toContain('names of flows');
});

test('contract_only prevents undocumented creates, wherever it is set', async () => {
  const send: Transport = async () => answered(201, { pk: 1, name: 'x', slug: 'x' });
  const client = new Client(documentedOnly(send));
  for (const kind of [oauth2, proxy])
    await expect(client.create(kind, 'x', { name: 'x' })).rejects.toThrow('contract_only does not send');
  expect((await client.create(application, 'x', { slug: 'x' })).proof).toBe('created');
});

test('spaces around a name in a reference are trimmed, whether the key is name or slug', async () => {
  const { send } = sandboxTransport({}, undefined, '2023.10');
  const blank = grafana('signing_key: { name: " authentik Self-signed Certificate " }').replace(
    '{ slug: default-provider-authorization-implicit-consent }',
    '{ slug: " default-provider-authorization-implicit-consent " }',
  );
  await done(planned(send, blank));
});

test('a provider without a secret is exported without mention of a secret', async () => {
  const { send, sandbox } = sandboxTransport({}, undefined, '2023.10');
  await runOn(apply, send, grafana());
  otherClient(sandbox).change('oauth2', 'Grafana', { client_secret: '' });
  const { context, stdout } = capture({ url: 'https://id.example.com', transport: send });
  await exportManifests({ output: 'yaml' } as never, context); // each test passes options that the command accepts
  expect(stdout()).toContain('name: Grafana');
  expect(stdout()).not.toContain('client_secret');
});
