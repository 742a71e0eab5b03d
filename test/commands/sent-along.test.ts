import { describe, expect, test } from 'vitest';
import { exportManifests } from '../../src/commands/export.ts';
import type { Transport } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { certificates } from '../support/pem.ts';
import { done, runOn as run } from '../support/manifest-run.ts';

const setup = {
  files: {
    'rollcall.yaml': 'version: 1\ncapabilities: [update]\n',
    'one.pem': certificates.one,
    'two.pem': certificates.two,
  },
  env: { K: 'a-key-of-a-test' },
};
const allowed = { config: 'rollcall.yaml', allow: ['update', 'way-in'] };
const seed = { is_fresh: true, is_licensed: true, tokens: [{ token: 'chief', superuser: true }] };
const flows =
  'authorization_flow: { slug: default-provider-authorization-implicit-consent }, invalidation_flow: { slug: default-provider-invalidation-flow }';
const keys = `certificates:
  - { name: one, certificate_data: '\${text:one.pem}' }
  - { name: two, certificate_data: '\${text:two.pem}' }
`;
const entry = (list: string, fields: string): string => `${list}: [{ ${fields} }]\n`;
const saml = (more: string): string =>
  `${keys}${entry('providers', `type: saml, name: S, acs_url: 'https://s.example.com/', ${flows}, sign_assertion: true, ${more}`)}`;
const wsfed = (more: string): string =>
  `${keys}${entry('providers', `type: wsfed, name: W, reply_url: 'https://w.example.com/', wtrealm: w, ${flows}, sign_assertion: true, ${more}`)}`;
const samlSource = (more: string): string =>
  `${keys}${entry('sources', `type: saml, slug: s, name: S, sso_url: 'https://a.example/sso', pre_authentication_flow: { slug: default-source-pre-authentication }, binding_type: REDIRECT, issuer_override: i, signed_response: true, ${more}`)}`;
const proxy = (more: string): string =>
  entry(
    'providers',
    `type: proxy, name: P, mode: forward_single, external_host: 'https://p.example.com', ${flows}, basic_auth_user_attribute: u, basic_auth_password_attribute: p, ${more}`,
  );
const factor = (more: string): string =>
  `stages: [{ type: authenticator_static, name: codes }, { type: authenticator_validate, name: V, device_classes: [static], configuration_stages: [{ name: codes }], ${more} }]\n`;
const redirect = (more: string): string =>
  entry(
    'stages',
    `type: redirect, name: R, target_flow: { slug: default-invalidation-flow }, target_static: 'https://r.example.com/', ${more}`,
  );
const entra = (name: string): string =>
  entry(
    'sources',
    `type: oauth, slug: e, name: ${name}, enabled: true, provider_type: entraid, consumer_key: k, consumer_secret: '\${env:K}', authorization_url: 'https://e.example.com/a', access_token_url: 'https://e.example.com/t', profile_url: 'https://e.example.com/p', oidc_jwks_url: 'https://e.example.com/k'`,
  );
const token = (more: string): string =>
  `${entry('users', 'username: alice, name: Alice')}${entry('tokens', `identifier: ci, ${more}`)}`;

test.each<[string, SandboxRelease, string, string]>([
  [
    'the key of a SAML provider',
    '2025.12',
    saml('signing_kp: { name: one }'),
    saml('signing_kp: { name: two }'),
  ],
  [
    'the key of a SAML provider that signs only answers',
    '2025.12',
    saml('sign_response: true, signing_kp: { name: one }').replace(
      'sign_assertion: true',
      'sign_assertion: false',
    ),
    saml('sign_response: true, signing_kp: { name: two }').replace(
      'sign_assertion: true',
      'sign_assertion: false',
    ),
  ],
  ['the name of a source with its own keys', '2026.2', entra('One'), entra('Two')],
  [
    'the key of a WS-Federation provider',
    '2026.8',
    wsfed('signing_kp: { name: one }'),
    wsfed('signing_kp: { name: two }'),
  ],
  [
    'the key of a SAML source',
    '2025.12',
    samlSource('verification_kp: { name: one }'),
    samlSource('verification_kp: { name: two }'),
  ],
  [
    'basic authentication of a proxy',
    '2025.12',
    proxy('basic_auth_enabled: false'),
    proxy('basic_auth_enabled: true'),
  ],
  [
    'the action of a validation stage',
    '2025.12',
    factor('not_configured_action: skip'),
    factor('not_configured_action: configure'),
  ],
  [
    'the result of a binding',
    '2023.10',
    entry('applications', 'slug: a, name: A, policies: [{ group: { name: authentik Admins }, order: 0 }]'),
    entry(
      'applications',
      'slug: a, name: A, policies: [{ group: { name: authentik Admins }, order: 0, negate: true }]',
    ),
  ],
  ['the mode of a redirect stage', '2025.12', redirect('mode: static'), redirect('mode: flow')],
  [
    'the interval of a lifecycle rule',
    '2026.8',
    entry(
      'lifecycle_rules',
      'name: L, content_type: authentik_core.group, interval: days=30, reviewers: [11111111-1111-4111-8111-111111111111]',
    ),
    entry(
      'lifecycle_rules',
      'name: L, content_type: authentik_core.group, interval: days=60, reviewers: [11111111-1111-4111-8111-111111111111]',
    ),
  ],
  [
    'the reviewers of a request rule',
    '2026.8',
    entry('request_rules', 'name: R, request_flow: { slug: default-authentication-flow }, min_reviewers: 1'),
    entry('request_rules', 'name: R, request_flow: { slug: default-authentication-flow }, min_reviewers: 2'),
  ],
  [
    'the countries of a policy, which the service sorts',
    '2025.12',
    entry('policies', 'type: geoip, name: G, countries: [DE, AT]'),
    entry('policies', 'type: geoip, name: G, countries: [FR, AT, DE]'),
  ],
  [
    'the default brand',
    '2026.2',
    entry('brands', 'domain: a.example.com, default: false').replace(
      ']',
      ', { domain: authentik-default, default: true }]',
    ),
    entry('brands', 'domain: a.example.com, default: true').replace(
      ']',
      ', { domain: authentik-default, default: false }]',
    ),
  ],
])('a change of %s is accepted, and then nothing differs', async (_, release, before, after) => {
  const { send } = sandboxTransport(seed, 'chief', release);
  for (const text of [before, after]) {
    const whole = `version: 1\n${text}`;
    await done(run(apply, send, whole, allowed, setup));
    const { stdout } = await done(run(plan, send, whole, { ...allowed, detailedExitcode: true }, setup));
    expect(stdout).toContain('No changes.');
  }
});

test('a certificate is replaced together with its key, which the service does not show', async () => {
  const service = sandboxTransport(seed, 'chief', '2025.12');
  const pair = (name: string): string =>
    `version: 1\n${entry('certificates', `name: pair, certificate_data: '\${text:${name}.pem}', key_data: '\${env:K}'`)}`;
  await done(run(apply, service.send, pair('one'), allowed, setup));
  await done(run(apply, service.send, pair('two'), allowed, setup));
  const { body = '' } = service.requests.find(({ method }) => method === 'PATCH') ?? {};
  expect(JSON.parse(body)).toEqual({
    certificate_data: certificates.two.trimEnd(),
    key_data: 'a-key-of-a-test',
  });
});

test('a required field whose value the service does not show is not sent', async () => {
  const service = sandboxTransport(seed, 'chief', '2025.12');
  const blueprint = (enabled: boolean): string =>
    `version: 1\n${entry('blueprints', `name: b, content: 'version: 1', enabled: ${enabled}`)}`;
  await done(run(apply, service.send, blueprint(true), allowed, setup));
  const sent: unknown[] = [];
  const hiding: Transport = async (request, signal) => {
    if (request.method === 'PATCH') sent.push(JSON.parse(request.body ?? ''));
    const answer = await service.send(request, signal);
    return answer.kind === 'answered'
      ? { ...answer, body: answer.body.replaceAll(/"path":"[^"]*"/g, '"path":null') }
      : answer;
  };
  await done(run(apply, hiding, blueprint(false), allowed, setup));
  expect(sent).toEqual([{ enabled: false, content: 'version: 1' }]);
});

describe('a token of another user', () => {
  const text = token('user: { name: alice }, intent: app_password, description: old');
  const held = (service: ReturnType<typeof sandboxTransport>) =>
    service.list('/core/tokens/').find(({ identifier }) => identifier === 'ci');

  test.each<SandboxRelease>(['2023.10', '2025.12'])(
    'keeps its user and its intent if another field changes, on %s',
    async (release) => {
      const service = sandboxTransport(seed, 'chief', release);
      await done(run(apply, service.send, `version: 1\n${text}`, allowed, setup));
      const before = held(service);
      await done(
        run(
          apply,
          service.send,
          'version: 1\ntokens: [{ identifier: ci, description: new }]\n',
          allowed,
          setup,
        ),
      );
      expect(held(service)).toMatchObject({
        user: before?.['user'],
        intent: 'app_password',
        description: 'new',
      });
    },
  );

  test('is not given to a third user', async () => {
    const service = sandboxTransport(seed, 'chief', '2025.12');
    await done(run(apply, service.send, `version: 1\n${text}`, allowed, setup));
    const other = `version: 1\n${text.replace('name: Alice }', 'name: Alice }, { username: bob, name: Bob }').replace('{ name: alice }', '{ name: bob }')}`;
    const { ending, stdout } = await run(plan, service.send, other, allowed, setup);
    expect([ending, stdout]).toEqual([
      'incomplete',
      expect.stringContaining(
        'rollcall, like the service since 2024.6, does not give a token to another user',
      ),
    ]);
  });
});

test('an export leaves out tokens of the service itself, and keys that the service reads from a URL', async () => {
  const service = sandboxTransport(seed, 'chief', '2025.12');
  const shown: Transport = async (request, signal) => {
    const answer = await service.send(request, signal);
    return answer.kind === 'answered'
      ? {
          ...answer,
          body: answer.body
            .replaceAll('"intent":"api"', '"intent":"recovery"')
            .replaceAll('"oidc_jwks":{}', '"oidc_jwks":{"keys":[{"kid":"one"}]}'),
        }
      : answer;
  };
  const source = entry(
    'sources',
    'type: oauth, slug: o, name: O, enabled: true, provider_type: openidconnect, consumer_key: k, consumer_secret: "${env:K}", authorization_url: "https://o.example.com/a", access_token_url: "https://o.example.com/t", profile_url: "https://o.example.com/p", oidc_jwks_url: "https://o.example.com/k"',
  );
  const text = `version: 1\n${token('user: { name: alice }')}${source}`;
  await done(run(apply, service.send, text, allowed, setup));
  const { context, stdout, stderr } = capture({ url: 'https://id.example.com', transport: shown });
  expect(await exportManifests({ output: 'yaml', target: ['token.*', 'source.o'] }, context)).toBe('done');
  expect(stdout()).toContain('slug: o');
  expect(stdout() + stderr()).not.toMatch(/oidc_jwks:|identifier: ci|is left out/);
});

test.each([
  ['tokens: [{ identifier: t, intent: recovery }]', '`intent` must be one of: api, app_password'],
  [
    "tokens: [{ identifier: t, intent: api, expires: '2030-01-01T00:00:00Z' }]",
    'warning: token.t: the service sets its own expiry for a token with the intent `api`',
  ],
  ["tokens: [{ identifier: t, intent: api, expiring: false, expires: '2030-01-01T00:00:00Z' }]", undefined],
  ["tokens: [{ identifier: t, expires: '2030-01-01T00:00:00Z' }]", undefined],
  ["tokens: [{ identifier: t, intent: app_password, expires: '2030-01-01T00:00:00Z' }]", undefined],
  [
    'entitlements: [{ name: e, app: { slug: a }, policies: [{ policy: { name: p }, order: 0 }] }]',
    'the service refuses a policy here',
  ],
  ['entitlements: [{ name: e, app: { slug: a }, policies: [{ group: { name: g }, order: 0 }] }]', undefined],
  [
    'brands: [{ domain: a, default: true }, { domain: b, default: true }]',
    '`a` is already the default brand',
  ],
  [
    'brands: [{ domain: a, default: true }, { domain: b, default: false }, { domain: c, default: false }]',
    undefined,
  ],
  [
    saml('sls_binding: redirect, logout_method: backchannel'),
    'the service refuses this logout method for the binding `redirect`',
  ],
  [saml('sls_binding: post, logout_method: backchannel'), undefined],
  [
    saml('signing_kp: { name: one }').replace('sign_assertion: true, ', ''),
    'a `signing_kp` needs `sign_assertion` or `sign_response`',
  ],
  [saml('signing_kp: null').replace('sign_assertion: true, ', ''), undefined],
  [
    wsfed('signing_kp: { name: one }').replace('sign_assertion: true, ', ''),
    'a `signing_kp` needs `sign_assertion`',
  ],
  [
    samlSource('verification_kp: { name: one }').replace('signed_response: true, ', ''),
    'a `verification_kp` needs `signed_assertion` or `signed_response`',
  ],
  [
    factor('not_configured_action: configure').replace('configuration_stages: [{ name: codes }], ', ''),
    'the action `configure` needs `configuration_stages`',
  ],
  [
    proxy('basic_auth_enabled: true').replace('basic_auth_user_attribute: u, ', ''),
    '`basic_auth_enabled` needs `basic_auth_user_attribute`',
  ],
  [
    proxy('exactly: [property_mappings]'),
    '`property_mappings` is always declared in part, because the service adds its own items',
  ],
  [
    entry(
      'sources',
      'type: oauth, slug: o, name: O, provider_type: openidconnect, consumer_key: k, consumer_secret: "${env:K}", oidc_jwks_url: "https://o.example.com/", oidc_jwks: { keys: [] }',
    ),
    'warning: source.o: the service reads the keys from `oidc_jwks_url`, and ignores these',
  ],
])('validate reports what the service refuses: %s', async (text, expected) => {
  const { send } = sandboxTransport({});
  const { ending, stdout, stderr } = await run(validate, send, `version: 1\n${text}\n`, {}, setup);
  if (expected === undefined)
    expect([ending, stdout + stderr]).toEqual(['done', expect.not.stringContaining('[likely-refused]')]);
  else expect(stdout + stderr).toContain(expected);
});
