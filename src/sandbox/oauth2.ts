import { textOf, type JsonObject } from '../base/json.ts';
import { untaken } from './field-facts.ts';
import { digest } from './ids.ts';
import type { World, WrittenKind } from './kind.ts';
import { providerRecord, typedProviderKind } from './provider.ts';

/** The providers of OAuth2 and OpenID. What nobody sends as id and secret, the service makes, and shows. */
export function oauth2Kind(world: World): WrittenKind {
  const taken = untaken(
    () => world.at('/providers/all/'),
    'client_id',
    'OAuth2/OpenID Provider with this Client ID already exists.',
  );
  return typedProviderKind(world, {
    path: '/providers/oauth2/',
    component: 'ak-provider-oauth2-form',
    madeOfIt: ['ak-provider-proxy-form'],
    fields: {
      client_id: { first: taken, isMade: true },
      client_secret: { isMade: true },
      access_code_validity: { default: 'minutes=1' },
      access_token_validity: { default: 'hours=1' },
      refresh_token_validity: { default: 'days=30' },
      refresh_token_threshold: { default: 'seconds=0' },
      include_claims_in_id_token: { default: true },
      issuer_mode: { default: 'per_provider' },
    },
    keep: (values, { own, pk }) => ({
      stored: {
        ...(!own && { client_id: digest(`client ${pk}`, 40), client_secret: madeSecret(pk) }),
        ...values,
      },
    }),
    urls: (row, origin) => urlsOf(providerRecord(world, row), origin),
  });
}

/** Without an application, a provider has no issuer and none of the URLs that contain its slug. */
function urlsOf({ assigned_application_slug: slug = null }: JsonObject, origin: string): JsonObject {
  const own = slug === null ? undefined : `${origin}/application/o/${textOf(slug)}/`;
  return {
    issuer: own ?? null,
    authorize: `${origin}/application/o/authorize/`,
    token: `${origin}/application/o/token/`,
    user_info: `${origin}/application/o/userinfo/`,
    provider_info: own ? `${own}.well-known/openid-configuration` : null,
    logout: own ? `${own}end-session/` : null,
    jwks: own ? `${own}jwks/` : null,
  };
}

function madeSecret(pk: number | string): string {
  return digest(`one half of a secret ${pk}`, 64) + digest(`the other half ${pk}`, 64);
}
