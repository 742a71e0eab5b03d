import { isJsonList, textOf } from '../../base/json.ts';
import { kindsFrom, type FieldRow, type FieldRows, type RowKind } from '../row.ts';
import { gainIfSetTo } from '../kind.ts';
import { likelyRefusedProblem } from '../release.ts';
import { requiredFieldCheck } from '../release-checks.ts';

/** For each matching mode: the people whom a source lets log in as an existing user. */
const linkedTo: Readonly<Record<string, string>> = {
  email_link: 'anyone whose account at the source has the e-mail address of an existing user',
  username_link: 'anyone whose account at the source has the username of an existing user',
};

const reach = {
  enabled: {
    ifMissing: (_, { policies = null }) =>
      isJsonList(policies) && policies.length > 0
        ? {
            code: 'missing-field',
            summary: 'a new source with `policies` needs `enabled`',
            detail:
              'The service enables a new source by default, before its policies are bound. Write `enabled: true`, and the source is enabled after its policies are bound.',
          }
        : undefined,
    changeWarning: (isEnabled) =>
      isEnabled === false
        ? 'people can no longer log in through this source'
        : 'people can log in through this source',
    accessGain: gainIfSetTo(true, 'everyone who can log in through this source'),
  },
  enrollment_flow: {
    accessGain: ({ now }) =>
      now === null ? undefined : 'anyone with an account at the source, who may now enrol',
  },
  user_matching_mode: {
    changeWarning: (mode) => {
      const linked = linkedTo[textOf(mode)];
      return linked === undefined
        ? 'users of the source may be matched with other users'
        : `${linked} logs in as that user`;
    },
    accessGain: ({ now: mode, before }) => (mode === before ? undefined : linkedTo[textOf(mode)]),
  },
} satisfies FieldRows;

const groupReach = {
  group_matching_mode: {
    accessGain: ({ now: mode, before }) =>
      mode === 'name_link' && before !== mode
        ? 'anyone in a group at the source that has the same name as an existing group'
        : undefined,
  },
} satisfies FieldRows;

const imported = {
  sync_users: { accessGain: gainIfSetTo(true, 'everyone whom it now imports') },
} satisfies FieldRows;

/** In every release, the members of a group are also members of its parents. */
const groupMembers = 'everyone in a group that it puts into its `sync_parent_group`';

/** A field that decides which accounts a source accepts. */
const accounts: FieldRow = { changeWarning: () => 'other accounts may log in through this source' };

const login = { kind: 'login source', flow: 'authentication_flow' } as const;

const shared = {
  list: 'sources',
  login,
  unique: true,
  // A source is enabled only after all of its policies are bound, so that nobody can log in through it earlier.
  withheld: ['enabled'],
  createdWith: { enabled: false },
  fields: reach,
} as const;

export const sources: readonly RowKind[] = kindsFrom(shared, {
  '/sources/kerberos/': {
    login: { ...login, backend: 'authentik.sources.kerberos.auth.KerberosBackend' },
    fields: { ...reach, ...groupReach, ...imported, realm: accounts },
  },
  '/sources/ldap/': {
    login: { ...login, backend: 'authentik.sources.ldap.auth.LDAPBackend' },
    fields: {
      ...reach,
      user_property_mappings: { earlier: { field: 'property_mappings' } },
      group_property_mappings: { earlier: { field: 'property_mappings_group' } },
      ...imported,
      sync_groups: {
        accessGain: ({ now, before, valuesOf }) =>
          now === true && before === false && valuesOf('sync_parent_group').some((group) => group !== null)
            ? groupMembers
            : undefined,
      },
      sync_parent_group: {
        fact: {
          field: 'is_superuser',
          grants: "gives everyone in a group that it imports a superuser's rights",
        },
        accessGain: ({ now, valuesOf }) =>
          now === null || valuesOf('sync_groups').includes(false) ? undefined : groupMembers,
      },
      server_uri: accounts,
      base_dn: accounts,
      additional_user_dn: accounts,
      user_object_filter: accounts,
    },
  },
  '/sources/oauth/': {
    // authentik 2023.10.7 and 2025.12.4 crashed on an update without `provider_type`. Types without built-in URLs also require the URLs.
    // If a PATCH omits `oidc_jwks_url`, the service sets it to the default of the type, and replaces the keys.
    update: {
      requiredInUpdates: [
        'provider_type',
        'authorization_url',
        'access_token_url',
        'profile_url',
        'oidc_jwks_url',
      ],
    },
    // The keys are declared in full, because the service would otherwise continue to trust undeclared keys.
    fields: {
      ...reach,
      ...groupReach,
      provider_type: accounts,
      access_token_url: accounts,
      profile_url: accounts,
      oidc_well_known_url: accounts,
      oidc_jwks_url: accounts,
      oidc_jwks: {
        whole: true,
        // The service reads the keys from the URL, and replaces others.
        isAccepted: ({ oidc_jwks_url: url = '' }) => url === '',
        checks: [
          (_, _release, others) =>
            (others?.()['oidc_jwks_url'] ?? '') === ''
              ? undefined
              : likelyRefusedProblem(
                  'the service reads the keys from `oidc_jwks_url`, and ignores these',
                  'Leave out one of the two fields.',
                ),
        ],
      },
    },
    otherPaths: ['source_types'],
  },
  '/sources/plex/': {
    fields: {
      ...reach,
      ...groupReach,
      plex_token: accounts,
      allow_friends: { accessGain: gainIfSetTo(true, 'friends of the owner of its `plex_token`') },
      allowed_servers: {
        changeWarning: (servers) =>
          isJsonList(servers) && servers.length === 0
            ? 'an empty list admits nobody through a server, although the API schema of the service says the opposite'
            : 'the members of other Plex servers may log in through this source',
        accessGain: ({ now, before }) =>
          isJsonList(now) && isJsonList(before) && now.some((server) => !before.includes(server))
            ? 'the members of more Plex servers'
            : undefined,
      },
    },
  },
  '/sources/saml/': {
    // If a PATCH contains a key, the service requires the fields that say what is signed.
    requires: {
      oneOf: ['signed_assertion', 'signed_response'],
      by: 'a `verification_kp`',
      ifGiven: 'verification_kp',
      from: '2025.10',
    },
    fields: {
      ...reach,
      ...groupReach,
      verification_kp: {
        accessGain: ({ now, before = null }) =>
          now === null && before !== null ? 'anyone who sends answers without a signature' : undefined,
      },
      signed_assertion: {},
      // authentik 2025.12.4 crashed on a create without these fields.
      binding_type: { ifMissing: requiredFieldCheck('a new SAML source needs a `binding_type`') },
      issuer_override: {
        earlier: { field: 'issuer' },
        ifMissing: requiredFieldCheck('a new SAML source needs an `issuer_override`'),
      },
    },
  },
  // A SCIM source only imports users, so nobody logs in through it.
  '/sources/scim/': { fields: { enabled: reach.enabled } },
  '/sources/telegram/': {},
});
