import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';

function kindAt(path: string): Kind {
  return kinds.find((kind) => kind.path === `/api/v3${path}`) ?? expect.fail(`no kind has the path ${path}`);
}

const friends = expect.any(String) as string;

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
