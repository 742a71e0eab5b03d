import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { validityRefusal } from '../kinds/provider.ts';
import { factsIn, uniqueCheck, type FieldRows } from './field-facts.ts';
import { digestOf } from './ids.ts';
import { rejected, type World } from './kind.ts';
import { typeLabelsOf } from './recorded.ts';
import type { Row } from './rows.ts';
import type { TableRow } from './table.ts';

const allTypesPath = '/providers/all/';

export function providerRow(world: World): TableRow {
  return {
    ordering: 'pk',
    searchTexts: ({ pk, fields }) => [
      fields['name'],
      world.at('/core/applications/').with('provider', pk)[0]?.fields['name'],
    ],
  };
}

const models = {
  oauth2: 'authentik_providers_oauth2.oauth2provider',
  proxy: 'authentik_providers_proxy.proxyprovider',
};

/** The service also lists, finds, changes and deletes proxy providers at the path of OAuth2 providers. */
export function oauth2Row(world: World, path: string): TableRow {
  const taken = uniqueCheck(
    () => world.at(allTypesPath),
    'client_id',
    'OAuth2/OpenID Provider with this Client ID already exists.',
  );
  const facts = factsIn(world, path);
  return {
    fields: { client_id: { checkFirst: taken }, ...validityFields(facts.fields) },
    includes: ({ fields }) => Object.values(models).includes(textOf(fields['meta_model_name'])),
    shown: ({ pk, fields }) => ({
      ...typeLabelsOf(models.oauth2),
      component: 'ak-provider-oauth2-form',
      ...(fields['client_secret'] === undefined && { client_secret: digestOf(`client_secret ${pk}`, 40) }),
    }),
    urls: (row, origin) => urlsOf(world.kind(allTypesPath).record(row), origin),
  };
}

/** The URLs of a provider. Without an application, the provider has no issuer, and no URLs that contain a slug. */
function urlsOf({ assigned_application_slug: slug = null }: JsonObject, origin: string): JsonObject {
  const base = slug === null ? undefined : `${origin}/application/o/${textOf(slug)}/`;
  return {
    issuer: base ?? null,
    authorize: `${origin}/application/o/authorize/`,
    token: `${origin}/application/o/token/`,
    user_info: `${origin}/application/o/userinfo/`,
    provider_info: base ? `${base}.well-known/openid-configuration` : null,
    logout: base ? `${base}end-session/` : null,
    jwks: base ? `${base}jwks/` : null,
  };
}

/** In a change of a proxy provider, only the fields in the request are checked. */
export function proxyRow(world: World, path: string): TableRow {
  return {
    fields: validityFields(factsIn(world, path).fields),
    refuse: ({ mode = 'proxy', internal_host: internal = '' }) =>
      mode === 'proxy' && internal === ''
        ? rejected('Internal host cannot be empty when forward auth is disabled.', 'internal_host')
        : undefined,
    stored: (values, { existing, pk }) => {
      const { external_host: host, property_mappings: mappings } = { ...existing?.fields, ...values };
      return {
        ...(!existing && { client_id: digestOf(`client ${pk}`, 40) }),
        ...values,
        property_mappings: withScopes(world, mappings),
        redirect_uris: callbackUris(textOf(host), world.rules.isFrom2025),
      };
    },
  };
}

const scopes = [
  'oauth2/scope-openid',
  'oauth2/scope-email',
  'oauth2/scope-profile',
  'oauth2/scope-entitlements',
  'proxy/scope-proxy',
];

function withScopes({ at }: World, given: JsonValue = []): JsonValue {
  const mappings = at('/propertymappings/all/');
  const added = scopes.flatMap((scope) => mappings.with('managed', `goauthentik.io/providers/${scope}`));
  return [...new Set([...(isJsonList(given) ? given : []), ...added.map(({ pk }) => pk)])];
}

function callbackUris(host: string, isFrom2025: boolean): JsonValue {
  const urls = [`${host.replace(/\/$/, '')}/outpost.goauthentik.io/callback`, host];
  return isFrom2025
    ? urls.map((url) => ({ matching_mode: 'strict', url: `${url}?X-authentik-auth-callback=true` }))
    : urls.map((url) => `${url}\\?X-authentik-auth-callback=true`).join('\n');
}

function validityProblem(value: string): string | undefined {
  return validityRefusal(value) && `${value} is not in the correct format of 'hours=3;minutes=1'.`;
}

function validityFields(fields: object): FieldRows {
  const names = Object.keys(fields).filter((name) => /_(?:validity|threshold)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, { checkLast: validityProblem }]));
}

export function baseProviderRecord(world: World, provider: Row): JsonObject {
  return {
    assigned_backchannel_application_slug: null,
    assigned_backchannel_application_name: null,
    ...world.kind(allTypesPath).record(provider),
    component: '',
    verbose_name: 'provider',
    verbose_name_plural: 'providers',
    meta_model_name: 'authentik_core.provider',
  };
}
