import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';

function kindAt(path: string): Kind {
  return kinds.find((kind) => kind.path === `/api/v3${path}`) ?? expect.fail(`no kind has the path ${path}`);
}

const friends = expect.any(String) as string;

const enrollment = { designation: 'enrollment' };

function stagesOf(...bound: [stage: string, order: number, policy?: string][]): JsonValue {
  return bound.map(([stage, order, policy]) => ({
    stage,
    order,
    policies: policy === undefined ? [] : [{ policy, order: 0 }],
  }));
}

const twoStages = stagesOf(['a', 0], ['b', 1]);

/** The last column has the other fields of the record. */
test.each<
  [path: string, field: string, before: JsonValue, now: JsonValue, others: JsonObject, gains: boolean]
>([
  ['/providers/proxy/', 'skip_path_regex', '/a', '/a\n/b', {}, true],
  ['/providers/proxy/', 'skip_path_regex', '/a', '/a\n \n', {}, false],
  ['/sources/ldap/', 'sync_groups', false, true, { sync_parent_group: 'g' }, true],
  ['/sources/ldap/', 'sync_groups', false, true, { sync_parent_group: null }, false],
  ['/sources/ldap/', 'sync_groups', true, true, { sync_parent_group: 'g' }, false],
  ['/sources/ldap/', 'sync_parent_group', null, 'g', { sync_groups: true }, true],
  ['/sources/ldap/', 'sync_parent_group', null, 'g', { sync_groups: false }, false],
  ['/sources/saml/', 'user_matching_mode', 'identifier', 'email_link', {}, true],
  ['/sources/saml/', 'user_matching_mode', 'email_link', 'email_link', {}, false],
  ['/sources/saml/', 'user_matching_mode', 'email_link', 'email_deny', {}, false],
  ['/sources/saml/', 'group_matching_mode', 'identifier', 'name_link', {}, true],
  ['/sources/saml/', 'group_matching_mode', 'name_link', 'name_link', {}, false],
  ['/sources/saml/', 'verification_kp', 'k', null, {}, true],
  ['/sources/saml/', 'verification_kp', null, null, {}, false],
  ['/sources/plex/', 'allowed_servers', ['a'], ['a', 'b'], {}, true],
  ['/sources/plex/', 'allowed_servers', ['a', 'b'], ['a'], {}, false],
  [
    '/stages/user_write/',
    'create_users_as_inactive',
    true,
    false,
    { user_creation_mode: 'create_when_required' },
    true,
  ],
  [
    '/stages/user_write/',
    'create_users_as_inactive',
    true,
    false,
    { user_creation_mode: 'never_create' },
    false,
  ],
  ['/stages/user_write/', 'user_creation_mode', 'never_create', 'always_create', {}, true],
  ['/stages/user_write/', 'user_creation_mode', 'never_create', 'never_create', {}, false],
  ['/stages/user_write/', 'user_creation_mode', 'always_create', 'create_when_required', {}, false],
  ['/stages/invitation/invitations/', 'single_use', true, false, {}, true],
  ['/stages/invitation/invitations/', 'single_use', false, false, {}, false],
  ['/sources/ldap/', 'sync_groups', true, false, { sync_parent_group: 'g' }, false],
  ['/sources/ldap/', 'sync_parent_group', 'g', null, { sync_groups: true }, false],
  ['/sources/plex/', 'allowed_servers', null, ['a'], {}, false],
  ['/sources/plex/', 'allowed_servers', ['a'], null, {}, false],
  ['/stages/identification/', 'enrollment_flow', null, 'f', {}, true],
  ['/stages/identification/', 'enrollment_flow', 'f', null, {}, false],
  ['/policies/expression/', 'expression', 'return True', 'return "x"', {}, false],
  ['/policies/expression/', 'expression', 'return False', 'return None # "x"', {}, false],
  [
    '/stages/user_write/',
    'create_users_as_inactive',
    true,
    true,
    { user_creation_mode: 'create_when_required' },
    false,
  ],
  ['/stages/user_write/', 'create_users_as_inactive', false, false, {}, false],
  ['/stages/user_write/', 'create_users_as_inactive', false, true, {}, false],
  ['/flows/instances/', 'denied_action', 'message', 'continue', {}, true],
  ['/flows/instances/', 'denied_action', 'continue', 'continue', {}, false],
  ['/flows/instances/', 'denied_action', 'continue', 'message', {}, false],
  ['/flows/instances/', 'authentication', 'require_superuser', 'none', {}, true],
  ['/flows/instances/', 'authentication', 'require_superuser', 'require_authenticated', {}, true],
  ['/flows/instances/', 'authentication', 'require_authenticated', 'require_superuser', {}, false],
  ['/flows/instances/', 'authentication', 'require_authenticated', 'require_unauthenticated', {}, true],
  ['/flows/instances/', 'authentication', 'none', 'require_superuser', {}, false],
  ['/flows/instances/', 'authentication', 'none', 'none', {}, false],
  ['/flows/instances/', 'stages', [], [], enrollment, false],
  ['/policies/expression/', 'expression', 'return False', 'return True', {}, true],
  ['/policies/expression/', 'expression', 'return False', 'return not False', {}, true],
  ['/policies/expression/', 'expression', 'return False', 'return not (False)', {}, true],
  ['/policies/expression/', 'expression', 'return True', 'return (True)', {}, false],
  ['/policies/expression/', 'expression', 'return True', 'return not x', {}, false],
  ['/policies/expression/', 'expression', 'return False', 'return True ;', {}, true],
  ['/policies/expression/', 'expression', 'return False', 'return True  # always', {}, true],
  ['/policies/expression/', 'expression', 'return False', 'if x:\n  return False\nreturn True', {}, false],
  ['/policies/expression/', 'expression', 'return False', 'return True\nreturn False', {}, true],
  ['/policies/expression/', 'expression', 'return False', 'x = "return"\nreturn True', {}, true],
  ['/policies/expression/', 'expression', 'return False', 'assert x\nreturn True', {}, false],
  ['/stages/user_write/', 'create_users_group', null, 'g', {}, true],
  ['/stages/user_write/', 'create_users_group', 'g', null, {}, false],
  ['/sources/saml/', 'enrollment_flow', null, 'f', {}, true],
  ['/sources/saml/', 'enrollment_flow', 'f', null, {}, false],
  ['/flows/instances/', 'stages', twoStages, stagesOf(['a', 0], ['b', 1]), enrollment, false],
  ['/flows/instances/', 'stages', twoStages, stagesOf(['a', 0], ['b', 9]), enrollment, false],
  ['/flows/instances/', 'stages', twoStages, stagesOf(['a', 2], ['b', 1]), enrollment, true],
  [
    '/flows/instances/',
    'stages',
    twoStages,
    stagesOf(['a', 2], ['b', 1]),
    { designation: 'recovery' },
    false,
  ],
  ['/flows/instances/', 'stages', twoStages, stagesOf(['a', 0]), enrollment, true],
  ['/flows/instances/', 'stages', twoStages, stagesOf(['a', 0], ['b', 1, 'p']), enrollment, true],
  ['/flows/instances/', 'stages', [], twoStages, enrollment, true],
  ['/flows/instances/', 'stages', [], twoStages, { ...enrollment, authentication: 'require_token' }, false],
])(
  'a change of %s %s from %j to %j, with %j, gives access: %j',
  (path, field, before, now, others, gains) => {
    const gain = kindAt(path).fields[field]?.accessGain?.({
      now,
      before,
      valuesOf: (other) => [others[other] ?? null],
    });
    expect(gain).toEqual(gains ? friends : undefined);
  },
);

test.each<[path: string, field: string, now: JsonValue, before: JsonValue, warning: string]>([
  ['/providers/proxy/', 'internal_host_ssl_validation', true, false, 'is checked'],
  ['/providers/proxy/', 'internal_host_ssl_validation', false, true, 'can impersonate'],
  ['/providers/proxy/', 'intercept_header_auth', false, true, 'no longer log in'],
  ['/providers/radius/', 'mfa_support', true, false, 'have to append a code'],
  ['/providers/radius/', 'mfa_support', false, true, 'without a second factor'],
  ['/providers/saml/', 'verification_kp', null, 'k', 'need no signature'],
  ['/providers/saml/', 'verification_kp', 'k', null, 'by another key'],
  ['/providers/scim/', 'group_filters', [], ['g'], 'all users are provisioned'],
  ['/providers/scim/', 'group_filters', ['g'], [], 'no longer all users'],
  ['/providers/scim/', 'group_filters', ['h'], ['g'], 'a different set of groups'],
  ['/providers/scim/', 'group_filters', 'g', ['g'], 'other users are provisioned'],
  ['/core/applications/', 'provider', null, 1, 'no longer go through a provider'],
  ['/core/applications/', 'provider', 1, null, 'now go through a provider'],
  ['/core/applications/', 'provider', 2, 1, 'go through another provider'],
  ['/core/applications/', 'policy_engine_mode', 'all', 'any', 'who pass every binding'],
  ['/core/applications/', 'policy_engine_mode', 'any', 'all', 'who pass any of its bindings'],
  ['/core/users/', 'is_active', true, false, 'can log in again'],
  ['/core/users/', 'is_active', false, true, 'can no longer log in'],
  ['/sources/saml/', 'enabled', false, true, 'people can no longer log in'],
  ['/sources/saml/', 'enabled', true, false, 'people can log in'],
  [
    '/sources/saml/',
    'user_matching_mode',
    'email_link',
    'identifier',
    'e-mail address of an existing user logs',
  ],
  [
    '/sources/saml/',
    'user_matching_mode',
    'username_link',
    'identifier',
    'the username of an existing user logs',
  ],
  ['/sources/saml/', 'user_matching_mode', 'email_deny', 'email_link', 'may be matched with other users'],
  ['/sources/plex/', 'allowed_servers', [], ['a'], 'admits nobody'],
  ['/sources/plex/', 'allowed_servers', ['a'], ['b'], 'the members of other Plex servers'],
])('a change of %s %s to %j from %j warns: %s', (path, field, now, before, warning) => {
  expect(kindAt(path).fields[field]?.changeWarning?.(now, before)).toContain(warning);
});

test.each<[path: string, field: string, others: JsonObject, isMissing: boolean]>([
  ['/providers/proxy/', 'internal_host', {}, true],
  ['/providers/proxy/', 'internal_host', { mode: 'forward_single' }, false],
  ['/sources/oauth/', 'enabled', { policies: [{ group: 'g', order: 0 }] }, true],
  ['/sources/oauth/', 'enabled', { policies: [] }, false],
  ['/sources/saml/', 'signed_assertion', { verification_kp: 'k' }, true],
  ['/sources/saml/', 'signed_assertion', { verification_kp: null }, false],
  ['/sources/saml/', 'signed_assertion', { verification_kp: 'k', signed_response: true }, false],
])('a new record of %s without %s, with %j, lacks it: %j', (path, field, others, isMissing) => {
  expect(kindAt(path).fields[field]?.ifMissing?.(undefined, others) !== undefined).toBe(isMissing);
});

test('an OAuth source shows its keys only if it does not read them from a URL', () => {
  const isAccepted = kindAt('/sources/oauth/').fields['oidc_jwks']?.isAccepted;
  expect(
    [{}, { oidc_jwks_url: '' }, { oidc_jwks_url: 'https://a/b' }].map((record) => isAccepted?.(record)),
  ).toEqual([true, true, false]);
});

test('tokens that the service makes itself are internal, and tokens of people are not', () => {
  const { isInternal } = kindAt('/core/tokens/');
  const tokens = [
    {},
    { intent: 'app_password' },
    { intent: 'recovery' },
    { managed: 'goauthentik.io/outpost/1' },
  ];
  expect(tokens.map((token) => isInternal?.(token))).toEqual([false, false, true, true]);
});

test.each([
  [{ name: 'authentik Embedded Outpost', providers: [] }, true],
  [{ name: 'authentik Embedded Outpost' }, true],
  [{ name: 'authentik Embedded Outpost', providers: [1] }, false],
  [{ name: 'mine', providers: [] }, false],
])('whether the outpost %j is internal: %j', (record, isInternal) => {
  expect(kindAt('/outposts/instances/').isInternal?.(record)).toBe(isInternal);
});

test.each([
  [{ name: 'authentik Embedded Outpost' }, { name: 'mine' }, true],
  [{ name: 'authentik Embedded Outpost' }, { name: 'authentik Embedded Outpost' }, false],
  [{ name: 'mine' }, { name: 'yours' }, false],
])('whether the service refuses to change the outpost %j to %j: %j', (record, declared, isRefused) => {
  const refusal = kindAt('/outposts/instances/').update.refusal?.(record, declared);
  expect(refusal !== undefined).toBe(isRefused);
});
