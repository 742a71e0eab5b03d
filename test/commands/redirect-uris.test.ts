import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, type JsonValue } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { fieldOf, mergedValue } from '../../src/kinds/fields.ts';
import { readRelease } from '../../src/kinds/release.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { redirectGain, sameUris } from '../../src/kinds/redirect-uris.ts';
import { runOn } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { loadText } from '../support/desired.ts';
import { inFull } from '../support/effort.ts';

const login = 'https://wiki.example.com/login';
const logout = 'https://wiki.example.com/logout';

function manifest(uris: string, more = ''): string {
  return `version: 1
providers:
  - name: Wiki
    type: oauth2
    authorization_flow: { slug: default-provider-authorization-implicit-consent }
    invalidation_flow: { slug: default-provider-invalidation-flow }
    grant_types: [authorization_code]
    redirect_uris: ${uris}
${more}`;
}

const anyUrl = { matching_mode: 'regex', url: '.*' };
const declared = `[${login}, { url: ${logout}, redirect_uri_type: logout }]`;
const allowed = { config: 'rollcall.yaml', allow: ['update'], yes: true };
const setup = {
  files: { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' },
  env: { ROLLCALL_TOKEN: 't' },
};

/** A service that adds a key of a future release to each redirect URI. `sent` are the bodies that it received. */
function later(): { readonly send: Transport; readonly sent: JsonValue[] } {
  const { send } = sandboxTransport({}, undefined, '2026.5');
  const sent: JsonValue[] = [];
  return {
    sent,
    send: async (request: HttpRequest) => {
      if (request.method === 'PATCH') sent.push(parseJson(request.body ?? '') ?? null);
      const exchange = await send(request);
      if (exchange.kind !== 'answered' || !request.path.startsWith('/api/v3/providers/oauth2/'))
        return exchange;
      return {
        ...exchange,
        body: exchange.body.replaceAll(/"matching_mode":/g, '"lifetime":"a day","matching_mode":'),
      };
    },
  };
}

describe('redirect URIs of an OAuth2 provider', () => {
  test('with a type are created, and are then in sync', async () => {
    const { send } = later();
    expect(await runOn(apply, send, manifest(declared), allowed, setup)).toMatchObject({ ending: 'done' });
    const again = await runOn(plan, send, manifest(declared), allowed, setup);
    expect(again.stdout).toContain('No changes.');
  });

  test('are changed if another type is declared', async () => {
    const { send, sent } = later();
    await runOn(apply, send, manifest(`[${login}, ${logout}]`), allowed, setup);
    const changed = await runOn(apply, send, manifest(declared), allowed, setup);
    expect(changed.stdout).toContain('1 changed');
    expect(sent).toEqual([
      {
        redirect_uris: [
          { matching_mode: 'strict', url: login, lifetime: 'a day' },
          { matching_mode: 'strict', url: logout, redirect_uri_type: 'logout' },
        ],
      },
    ]);
  });

  test('keep undeclared keys when an entry is added', async () => {
    const { send, sent } = later();
    await runOn(apply, send, manifest(declared), allowed, setup);
    const more = manifest(`[${login}, ${logout}, https://wiki.example.com/other]`);
    expect((await runOn(plan, send, more, allowed, setup)).stdout).toContain('1 to change');
    await runOn(apply, send, more, allowed, setup);
    const [body] = sent;
    expect(isJsonObject(body) && body['redirect_uris']).toEqual([
      { matching_mode: 'strict', url: login, lifetime: 'a day' },
      { matching_mode: 'strict', url: logout, redirect_uri_type: 'logout', lifetime: 'a day' },
      { matching_mode: 'strict', url: 'https://wiki.example.com/other' },
    ]);
  });

  test('are exported with the type, and without keys that rollcall does not know', async () => {
    const { send } = later();
    await runOn(apply, send, manifest(declared), allowed, setup);
    const { context, stdout } = capture({ ...setup, url: 'http://127.0.0.1:9', transport: send });
    await exportManifests({ output: 'yaml', target: ['provider.*'] }, context);
    expect(stdout()).toContain(`- ${login}\n`);
    expect(stdout()).toMatch(/url: .*\/logout\n +redirect_uri_type: logout/);
    expect(stdout()).not.toContain('lifetime');
  });
});

test('redirect URIs of a release without modes are in sync and exported, with a mode for each', async () => {
  const { send } = sandboxTransport({}, undefined, '2023.10');
  const pattern = (url: string): string => `{ matching_mode: regex, url: '${url}' }`;
  const uris = `[${login}, 'https://a/(b', ${pattern('https://[a-z]+.x.example.com/')}, ${pattern('wiki/')}, ${pattern('https://b/')}]`;
  await runOn(apply, send, manifest(uris), allowed, setup);
  const again = await runOn(plan, send, manifest(uris), allowed, setup);
  expect(again.stdout).toContain('No changes.');
  const { context, stdout, stderr } = capture({ ...setup, url: 'http://127.0.0.1:9', transport: send });
  await exportManifests({ output: 'yaml', target: ['provider.*'] }, context);
  expect(stderr()).not.toContain('left out: ');
  expect(stdout().split(/redirect_uris:\n| +# client_secret/)[1]).toBe(`      - ${login}
      - https://a/(b
      - matching_mode: regex
        url: https://[a-z]+.x.example.com/
      - matching_mode: regex
        url: wiki/
      - https://b/
`);
});

test.each([
  ['2026.2', ['error not-in-release']],
  ['2026.5', []],
])('a redirect URI with a type is validated for release %s', async (line, found) => {
  const release = readRelease(line);
  const { diagnostics } = await loadText(manifest(declared), { release });
  const ofUris = diagnostics.filter(({ range }) => range?.start.line === 8);
  expect(ofUris.map(({ severity, code }) => `${severity} ${code}`)).toEqual(found);
});

test('a declared URI of no type stands for the observed URIs of all types', () => {
  const url = 'https://a.example/cb';
  const both = ['authorization', 'logout'].map((type) => ({
    matching_mode: 'strict',
    url,
    redirect_uri_type: type,
  }));
  const kind = kindOf('provider', 'oauth2provider');
  const provider = { kind, fields: { redirect_uris: fieldOf([url], { at: [0, 0] }) } };
  expect(mergedValue(provider, 'redirect_uris', both)).toEqual(both);
});

test.each([
  ['authorization', true],
  ['logout', false],
])('a declared URI with the type %s equals a URI of a release without types: %s', (type, expected) => {
  const url = 'https://a.example/cb';
  expect(sameUris([{ url, redirect_uri_type: type }], [{ matching_mode: 'strict', url }])).toBe(expected);
});

test.each<[name: string, uris: readonly JsonValue[], gain: string | undefined]>([
  ['only a URI for logouts', [{ url: logout, redirect_uri_type: 'logout' }], undefined],
  ['any URL for logouts', [login, { ...anyUrl, redirect_uri_type: 'logout' }], undefined],
  [
    'any URL for logins',
    [login, { ...anyUrl, redirect_uri_type: 'authorization' }],
    'any site that asks for a login',
  ],
  ['any URL', [login, anyUrl], 'any site that asks for a login'],
])('a provider that accepts %s gives this access', (_, uris, gain) => {
  expect(redirectGain({ now: uris, before: [login] })).toBe(gain);
});

test('a provider keeps the access that a pattern of an earlier release, which has no mode, gives', () => {
  expect(redirectGain({ now: [anyUrl], before: [{ url: '.*' }] })).toBeUndefined();
});

test.each<[pattern: string, isAny: boolean]>([
  ['.*', true],
  ['https://.*', true],
  ['(?i)https?://.+', true],
  ['https?.*', true],
  ['https[:]/{2}.*', true],
  ['https://a[.]example[.]com.*', true],
  ['https://a[.]example[.]com/.*', false],
  [String.raw`\A.*\Z`, true],
  ['https://.*/cb', true],
  ['^https?://[^/]+/callback$', true],
  [String.raw`https://[^/]+(:\d+)?/(oauth2?|oidc)/callback`, true],
  [String.raw`https://[\w.-]+/cb/\d+`, true],
  [String.raw`https://(?P<host>[^/]*)/cb\?x=1`, true],
  [String.raw`https://[a-z]+\.[a-z]+/cb`, true],
  [String.raw`https://a\.example/cb|https://.*/cb`, true],
  // `.*` and `[^/]` also match the end of another host.
  [String.raw`https://.*\.example\.com/cb`, true],
  [String.raw`https://[^/]+\.example\.com/.*`, true],
  [String.raw`https://a\.example\.com.*`, true],
  // A test of these nested repetitions would never end, and is ended only after two seconds.
  ...(inFull ? [['https://(.+)+(.+)+(.+)+(.+)+(.+)+!', true] satisfies [string, boolean]] : []),
  [String.raw`https://[a-z]+\.example\.com/.*`, false],
  [String.raw`https://[\w.-]+\.example\.com(:\d+)?/(a|b)`, false],
  [String.raw`https://(a|b)\.example\.com/.*`, false],
  [String.raw`https://example\.com/.*`, false],
  [String.raw`https://[a-z]+\.internal/cb`, false],
  [String.raw`http://localhost:\d+/.*`, false],
  [String.raw`http://192\.168\.\d+\.\d+/cb`, false],
  ['https://a.example.com/cb?x=1', false],
  ['myapp://.*', false],
  ['https://a.example.com/cb', false],
  ['https://(', false],
])('whether a redirect pattern matches any site: %s', (pattern, isAny) => {
  expect(redirectGain({ now: [{ matching_mode: 'regex', url: pattern }], before: [login] })).toBe(
    isAny ? 'any site that asks for a login' : undefined,
  );
});
