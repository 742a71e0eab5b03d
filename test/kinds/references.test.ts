import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/all.ts';
import { familyNamed } from '../../src/kinds/families.ts';
import { factsByRelease, factsOf, type FieldFacts, newestFacts } from '../../src/kinds/facts.ts';
import { writtenValue } from '../../src/kinds/fields.ts';
import { isInside, referenceNames, withRunIds } from '../../src/kinds/named.ts';
import { referenceOf, referredLists } from '../../src/kinds/references.ts';
import { newestRelease } from '../../src/kinds/release.ts';
import { isSecret } from '../../src/kinds/secrets.ts';
import { desired } from '../support/desired.ts';
import { factPaths } from '../support/fact-paths.ts';

interface Found {
  readonly release: string;
  readonly path: string;
  readonly name: string;
  readonly facts: FieldFacts;
  /** The type that the service shows for the record in `<name>_obj`. */
  readonly shownAs: string | undefined;
}

/** All fields that requests can contain, of all types in all releases. */
const fields: readonly Found[] = factPaths.flatMap((path) =>
  [...factsByRelease(path)].flatMap(([release, type]) =>
    Object.entries(type.fields).flatMap(([name, facts]): Found[] =>
      facts.readOnly || !type.can.includes('change')
        ? []
        : [{ release, path, name, facts, shownAs: type.fields[`${name}_obj`]?.of }],
    ),
  ),
);

/** Groups the names of fields by a verdict on each. */
function byWord(
  found: readonly Found[],
  keyOf: (one: Found) => string,
  wordOf: (one: Found) => string = ({ name }) => name,
): Record<string, string[]> {
  const sets = new Map<string, Set<string>>();
  for (const one of found) sets.set(keyOf(one), (sets.get(keyOf(one)) ?? new Set()).add(wordOf(one)));
  return Object.fromEntries(
    Array.from(sets, ([key, words]) => [key, [...words].toSorted((a, b) => (a < b ? -1 : 1))]),
  );
}

test('each field that contains an id is known to refer to a certain list or to none', () => {
  const holdsId = ({ path, name, facts }: Found): boolean => {
    const { format, type } = facts.items ?? facts;
    return (
      format === 'uuid' ||
      (type === 'integer' && (facts.items !== undefined || referenceOf(path, name, facts) !== undefined))
    );
  };
  const verdictOf = ({ path, name, facts }: Found): string => {
    const { list = 'none', by = 'pk' } = referenceOf(path, name, facts) ?? {};
    return by === 'pk' ? list : `${list} by ${by}`;
  };
  expect(byWord(fields.filter(holdsId), verdictOf)).toEqual({
    applications: ['app', 'default_application'],
    'bindables by bindable id': ['target'],
    certificates: [
      'certificate',
      'certificate_authorities',
      'challenge_key',
      'client_certificate',
      'client_certificates',
      'encryption_key',
      'encryption_kp',
      'peer_certificate',
      'signing_key',
      'signing_kp',
      'tls_authentication',
      'tls_verification',
      'verification_kp',
      'web_certificate',
      'webhook_ca',
    ],
    connectors: ['connector'],
    device_access_groups: ['device_group'],
    device_types: ['device_type_restrictions', 'webauthn_allowed_device_types'],
    flows: [
      'authentication_flow',
      'authorization_flow',
      'configure_flow',
      'enrollment_flow',
      'flow',
      'flow_authentication',
      'flow_device_code',
      'flow_invalidation',
      'flow_lockdown',
      'flow_recovery',
      'flow_request',
      'flow_unenrollment',
      'flow_user_settings',
      'flow_user_switch',
      'invalidation_flow',
      'override_authorization_flow',
      'override_invalidation_flow',
      'passwordless_flow',
      'pre_authentication_flow',
      'recovery_flow',
      'request_flow',
      'self_service_completion_flow',
      'target',
      'target_flow',
    ],
    groups: [
      'children',
      'create_users_group',
      'destination_group',
      'filter_group',
      'group',
      'group_filters',
      'groups',
      'parent',
      'parents',
      'reviewer_groups',
      'search_group',
      'sync_parent_group',
    ],
    none: ['asns', 'connector_uuid', 'uuid'],
    permissions: ['permissions'],
    policies: ['policy', 'validation_policies'],
    prompts: ['fields'],
    property_mappings: [
      'authn_context_class_ref_mapping',
      'group_property_mappings',
      'headers_mapping',
      'mapping',
      'name_id_mapping',
      'override_property_mappings',
      'property_mappings',
      'property_mappings_group',
      'user_property_mappings',
      'webhook_mapping',
      'webhook_mapping_body',
      'webhook_mapping_headers',
    ],
    providers: [
      'backchannel_providers',
      'jwt_federation_providers',
      'oidc_auth_providers',
      'provider',
      'providers',
    ],
    'request_rule_bindings by uuid': ['binding'],
    request_rules: ['rule'],
    roles: ['role', 'roles'],
    service_connections: ['service_connection'],
    sources: ['auth_oauth', 'jwks_sources', 'jwt_federation_sources', 'source', 'sources'],
    stages: ['captcha_stage', 'configuration_stages', 'password_stage', 'stage', 'webauthn_stage'],
    transports: ['notification_transports', 'transports'],
    users: ['user', 'users'],
    'users by uuid': ['reviewers'],
  });
});

test('if an answer shows a record next to its id, the type of the record fits the list to which the id refers', () => {
  const shown = fields.filter(({ shownAs }) => shownAs !== undefined);
  const listOf = ({ path, name, facts }: Found): string => referenceOf(path, name, facts)?.list ?? 'none';
  expect(byWord(shown, listOf, ({ shownAs = '' }) => shownAs)).toEqual({
    connectors: ['Connector'],
    device_access_groups: ['DeviceAccessGroup'],
    device_types: ['WebAuthnDeviceType'],
    flows: ['Flow'],
    groups: ['Group', 'GroupChild', 'PartialGroup', 'RelatedGroup', 'ReviewerGroup', 'UserGroup'],
    none: ['ContentType', 'DetailedCountryField'],
    permissions: ['Permission'],
    policies: ['Policy'],
    providers: ['Provider', 'RACProvider'],
    request_rules: ['RequestRule'],
    roles: ['Role'],
    service_connections: ['ServiceConnection'],
    stages: ['Stage'],
    users: ['GroupMember', 'PartialUser', 'ReviewerUser', 'User'],
  });
});

test.each(Object.entries(referredLists))(
  'records of %s can be listed at %s in the newest release',
  (_, path) => {
    expect(factsOf(newestRelease, path)?.can).toContain('list');
  },
);

test('each field that is write-only or has a name that suggests a secret is classified as secret or open', () => {
  const sounds = /secret|pass|token|key|credential|kube|keytab|cache|auth$|private|jwks/;
  const candidates = fields.filter(
    ({ name, facts: { type, format, items, writeOnly } }) =>
      writeOnly || (sounds.test(name) && !/boolean|integer/.test(type ?? '') && !items && format !== 'uuid'),
  );
  const verdictOf = ({ path, name, facts }: Found): string =>
    isSecret(path, name, facts) ? 'secret' : 'open';
  expect(
    byWord(candidates, verdictOf, ({ path, name }) =>
      /^(?:key|token|auth)$/.test(name) ? `${path} ${name}` : name,
    ),
  ).toEqual({
    open: [
      '/core/object_attributes/ key',
      'access_token_url',
      'access_token_validity',
      'admin_integration_key',
      'basic_auth_password_attribute',
      'certificate_data',
      'consumer_key',
      'default_token_duration',
      'field_key',
      'oidc_jwks',
      'oidc_jwks_url',
      'password_field',
      'public_key',
      'recovery_cache_timeout',
      'refresh_token_threshold',
      'refresh_token_validity',
      'request_token_url',
      'resident_key_requirement',
      'service_provider_config_cache_timeout',
      'token_expiry',
    ],
    secret: [
      '/endpoints/fleet/connectors/ token',
      '/providers/scim/ token',
      '/stages/authenticator/sms/ auth',
      'admin_secret_key',
      'auth_password',
      'bind_password',
      'bot_token',
      'client_secret',
      'consumer_secret',
      'credentials',
      'key_data',
      'kubeconfig',
      'password',
      'plex_token',
      'private_key',
      'shared_secret',
      'spnego_ccache',
      'spnego_keytab',
      'sync_ccache',
      'sync_keytab',
      'sync_password',
    ],
  });
});

test.each(kinds.map((kind) => [kind.path, kind] as const))(
  'the fields in the row of %s refer to the lists that referenceOf returns',
  (path, kind) => {
    const ownPath = path.replace('/api/v3', '');
    for (const [name, facts] of Object.entries(newestFacts(ownPath).fields)) {
      const row = kind.fields[name];
      if (row === undefined || facts.readOnly) continue;
      const { list = '', by } = referenceOf(ownPath, name, facts) ?? {};
      expect(row.refersTo?.list, name).toBe(by === 'pk' ? familyNamed(list)?.list : undefined);
    }
  },
);

test('only the record within which a name is unique counts as the parent', async () => {
  const [entitlement] = await desired(
    'version: 1\nentitlements: [{ name: e, app: { slug: wiki }, policies: [{ group: { name: staff }, order: 0 }] }]\n',
  );
  if (entitlement === undefined) throw new Error('nothing is declared');
  const isParent = (address: `${string}.${string}`): boolean => isInside(entitlement, { address });
  expect([isParent('application.wiki'), isParent('group.staff')]).toEqual([true, false]);
});

test.each([
  [{ name: 'staff' }, ['staff']],
  [{ name: '' }, []],
  [{ name: null }, []],
])('a reference to the record %j may contain %j', (record, names) => {
  expect(referenceNames({}, record)).toEqual(names);
});

test.each([
  ['of a record that exists', '7', [{ name: 'a', id: 7 }]],
  ['of a record that does not exist yet', null, [{ name: 'a' }]],
  ['that was looked up, if the record is not in this run', undefined, [{ name: 'a', id: 3 }]],
])('a name gets the id %s', async (_, pk, ids) => {
  const [application] = await desired(
    'version: 1\napplications: [{ slug: w, name: W, access: { users: [{ name: a }] } }]\n',
  );
  if (application === undefined) throw new Error('nothing is declared');
  const known = withRunIds(application, () => '3');
  expect(
    writtenValue(
      withRunIds(known, () => pk),
      'access.users',
    ),
  ).toEqual(ids);
});
