import { federationFields, urlProblem, providerFields, validityField } from './provider.ts';
import { redirectGain, redirectNote, redirectUriForms, redirectProblems, sameUris } from './redirect-uris.ts';
import { releaseProblemFor } from './release.ts';
import { type FieldRows, kindFrom, type RowKind } from './row.ts';

const newSecret = 'logins fail until the application has the new value';

const fields = {
  ...providerFields,
  ...federationFields,
  property_mappings: { default: [] },
  client_type: {
    default: 'confidential',
    changeWarning: (type) =>
      type === 'confidential'
        ? 'logins fail until the application uses its secret'
        : 'the application no longer proves with its secret who it is',
  },
  client_id: {
    changeWarning: () => newSecret,
    singleOwner: {
      code: 'duplicate-resource',
      summary: (id, owner) => `\`${owner}\` already has the client id ${id}`,
      detail: 'The client ids of providers are unique.',
    },
  },
  client_secret: { changeWarning: () => newSecret },
  redirect_uris: {
    written: { items: { type: ['string', 'object'], required: ['url'] } },
    same: sameUris,
    form: redirectUriForms,
    changeWarning: redirectNote,
    accessGain: redirectGain,
    checks: [redirectProblems],
    ifMissing: (release) =>
      releaseProblemFor(
        { from: '2024.8' },
        release,
        'require `redirect_uris`',
        'Write the URLs to which people return after the login: `redirect_uris: [https://grafana.example.com/login/generic_oauth]`, or `[]` if nobody logs in through the provider.',
      ),
  },
  signing_key: {
    default: null,
    changeWarning: () => 'tokens are signed with another key',
  },
  encryption_key: { default: null },
  access_code_validity: { ...validityField, default: 'minutes=1' },
  access_token_validity: { ...validityField, default: 'hours=1' },
  refresh_token_validity: { ...validityField, default: 'days=30' },
  refresh_token_threshold: { ...validityField, default: 'seconds=0' },
  include_claims_in_id_token: { default: true },
  sub_mode: {
    default: 'hashed_user_id',
    changeWarning: () => 'the application sees other user ids, and may not recognize its users',
  },
  issuer_mode: { default: 'per_provider' },
  logout_uri: { default: '', checks: [urlProblem] },
  logout_method: { default: 'backchannel' },
  grant_types: {
    isOptionalBefore: true,
    default: [],
    ordered: false,
    changeWarning: () => 'other ways to log in are allowed or refused',
    isNeededLater: true,
    ifMissing: (release) => {
      const problem = releaseProblemFor(
        { from: '2026.5' },
        release,
        'refuse logins through a provider that has no `grant_types`',
        'Most applications need `grant_types: [authorization_code, refresh_token]`. Earlier releases ignore the field.',
      );
      return problem && { ...problem, severity: 'warning' };
    },
  },
} satisfies FieldRows;

export const oauth2: RowKind = kindFrom({
  path: '/providers/oauth2/',
  list: 'providers',
  // The list of OAuth2 providers also contains proxy providers.
  isBase: true,
  unique: true,
  credentials: {
    fields: ({ client_type }) => ['client_id', ...(client_type === 'public' ? [] : ['client_secret'])],
    urls: {
      path: 'setup_urls/',
      // The names that OpenID Connect Discovery uses.
      names: {
        issuer: 'issuer',
        provider_info: 'discovery_url',
        authorize: 'authorization_endpoint',
        token: 'token_endpoint',
        user_info: 'userinfo_endpoint',
        logout: 'end_session_endpoint',
        jwks: 'jwks_uri',
      },
    },
  },
  fields,
  notDeclarable: {
    backchannel_logout_uri: 'Write `logout_uri`, the name of this field since release 2025.10.',
  },
});
