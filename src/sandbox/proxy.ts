import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import { digest } from './ids.ts';
import type { World, WrittenKind } from './kind.ts';
import { typedProviderKind } from './provider.ts';

/** The proxy providers: a change of one is checked by what is sent alone. */
export function proxyKind(world: World): WrittenKind {
  return typedProviderKind(world, {
    path: '/providers/proxy/',
    component: 'ak-provider-proxy-form',
    fields: {
      internal_host_ssl_validation: { default: true },
      intercept_header_auth: { default: true },
      access_token_validity: { default: 'hours=1' },
      refresh_token_validity: { default: 'days=30' },
    },
    keep: (values, { own, pk }) => {
      const { mode = 'proxy', internal_host: internal = '' } = values;
      if (mode === 'proxy' && internal === '')
        return {
          errors: { internal_host: ['Internal host cannot be empty when forward auth is disabled.'] },
        };
      const host = textOf(values['external_host'] ?? own?.fields['external_host'] ?? '');
      const first = { client_id: digest(`client ${pk}`, 40), outpost_set: [] };
      return {
        stored: {
          ...(!own && first),
          ...values,
          property_mappings: withScopes(
            world,
            values['property_mappings'] ?? own?.fields['property_mappings'],
          ),
          redirect_uris: callbacks(host, world.rules.isLate),
        },
      };
    },
  });
}

const scopes = [
  'oauth2/scope-openid',
  'oauth2/scope-email',
  'oauth2/scope-profile',
  'oauth2/scope-entitlements',
  'proxy/scope-proxy',
];

/** Mappings with those that a proxy cannot do without, which the service adds to it each time. */
function withScopes({ at }: World, given: JsonValue = []): JsonValue {
  const mappings = at('/propertymappings/all/');
  const added = scopes.flatMap((scope) => mappings.with('managed', `goauthentik.io/providers/${scope}`));
  return [...new Set([...(isJsonList(given) ? given : []), ...added.map(({ pk }) => pk)])];
}

/** Where people come back to. */
function callbacks(host: string, isLate: boolean): JsonValue {
  const urls = [`${host.replace(/\/$/, '')}/outpost.goauthentik.io/callback`, host];
  return isLate
    ? urls.map((url) => ({ matching_mode: 'strict', url: `${url}?X-authentik-auth-callback=true` }))
    : urls.map((url) => `${url}\\?X-authentik-auth-callback=true`).join('\n');
}
