import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import { validate } from '../generated/sandbox-seed.ts';
import type { SourceFile } from '../base/source.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { textOf } from '../base/json.ts';
import { uuid } from './ids.ts';
import { defaultRelease, rulesOf, type SandboxRelease } from './release.ts';
import { Sandbox } from './sandbox.ts';

/** How many entries of its lists a seed may have, which are parsed whole. */
const mostEntries = 100_000;

/** The token that every sandbox takes. It opens nothing but a sandbox. */
export const sandboxToken = 'sandbox-token';

type DefaultSeed = Required<
  Pick<
    SandboxSeed,
    'providers' | 'groups' | 'roles' | 'flows' | 'certificates' | 'property_mappings' | 'outposts'
  >
>;

/** What the sandbox holds where a seed does not say otherwise: flows, certificates, mappings and outposts as a fresh service has them. */
function defaultSeed(release: SandboxRelease): DefaultSeed {
  const { isLate } = rulesOf[release];
  return {
    flows: freshFlows
      .filter(([slug]) => isLate || slug !== lateFlow)
      .map(([slug, designation]) => ({ pk: uuid(`flow ${slug}`), slug, designation })),
    outposts: [
      {
        pk: uuid('embedded outpost'),
        name: 'authentik Embedded Outpost',
        managed: 'goauthentik.io/outposts/embedded',
      },
    ],
    certificates: [{ pk: uuid('certificate'), name: 'authentik Self-signed Certificate' }],
    property_mappings: freshScopes
      .filter(([scope]) => isLate || !lateScopes.has(scope))
      .map(([scope, name]) => ({
        pk: uuid(`scope ${scope}`),
        name: `authentik default OAuth Mapping: ${name}`,
        managed: `goauthentik.io/providers/${scope === 'proxy' ? 'proxy' : 'oauth2'}/scope-${scope}`,
      })),
    providers: Array.from({ length: 20 }, (_, index) => ({ pk: index + 1, name: `Provider ${index + 1}` })),
    groups: [
      { pk: '11111111-1111-4111-8111-111111111111', num_pk: 1, name: 'staff' },
      { pk: '22222222-2222-4222-8222-222222222222', num_pk: 2, name: 'contractors' },
    ],
    roles: [{ pk: '33333333-3333-4333-8333-333333333333', name: 'auditors' }],
  };
}

/** The flows of a fresh service, as read from running ones of 2023.10.7 and 2025.12.4. */
const freshFlows = [
  ['default-authentication-flow', 'authentication'],
  ['default-authenticator-static-setup', 'stage_configuration'],
  ['default-authenticator-totp-setup', 'stage_configuration'],
  ['default-authenticator-webauthn-setup', 'stage_configuration'],
  ['default-invalidation-flow', 'invalidation'],
  ['default-password-change', 'stage_configuration'],
  ['default-provider-authorization-explicit-consent', 'authorization'],
  ['default-provider-authorization-implicit-consent', 'authorization'],
  ['default-provider-invalidation-flow', 'invalidation'],
  ['default-source-authentication', 'authentication'],
  ['default-source-enrollment', 'enrollment'],
  ['default-source-pre-authentication', 'stage_configuration'],
  ['default-user-settings-flow', 'stage_configuration'],
  ['initial-setup', 'stage_configuration'],
] as const;
/** It came with 2024.10. */
const lateFlow = 'default-provider-invalidation-flow';

const freshScopes = [
  ['openid', "OpenID 'openid'"],
  ['email', "OpenID 'email'"],
  ['profile', "OpenID 'profile'"],
  ['proxy', 'Proxy outpost'],
  ['offline_access', "OpenID 'offline_access'"],
  ['entitlements', 'Application Entitlements'],
  ['authentik_api', 'authentik API access'],
] as const;
const lateScopes: ReadonlySet<string> = new Set(['offline_access', 'entitlements', 'authentik_api']);

/** A sandbox that holds what the seed says, and what the service would refuse of that; an empty seed gives the defaults. */
export function seedSandbox(
  seed: SandboxSeed,
  release: SandboxRelease = defaultRelease,
): { sandbox: Sandbox; refused: Sandbox['refused'] } {
  const tokens = [{ token: sandboxToken, username: 'sandbox' }, ...(seed.tokens ?? [])];
  const sandbox = new Sandbox({ ...defaultSeed(release), ...seed, tokens }, release);
  return { sandbox, refused: sandbox.refused };
}

/** Reads a seed file, or says at which place it is wrong. */
export function loadSeed(file: SourceFile, release?: SandboxRelease): Sandbox | Diagnostic[] {
  const parsed = parseYaml(file, mostEntries);
  if (parsed.value === undefined) return [...parsed.diagnostics];
  const faults = checkSchema(validate, parsed.value, parsed, file);
  const diagnostics = [...parsed.diagnostics, ...diagnosticsOf(faults)];
  if (diagnostics.length > 0) return diagnostics;
  // What satisfies the schema is a SandboxSeed: the type is generated from it.
  const { sandbox, refused } = seedSandbox(parsed.value as SandboxSeed, release);
  if (refused.length === 0) return sandbox;
  return refused.map(({ list, index, field, texts }) =>
    diagnosticAt(file, parsed.places.ofValue([list, index, field]), {
      code: 'invalid-value',
      summary: `the sandbox does not take this \`${field}\``,
      detail: texts.map((text) => textOf(text)).join(' '),
    }),
  );
}
