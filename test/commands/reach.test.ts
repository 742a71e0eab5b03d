import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { World } from '../support/update-world.ts';

const capabilities = ['update', 'delete'];
const env = { ROLLCALL_CAPABILITIES: capabilities.join(), SECRET: 'canary' };
const flow = { slug: 'f', name: 'F', title: 'F', designation: 'enrollment' };
const oauth = {
  type: 'oauth',
  slug: 's',
  name: 'S',
  provider_type: 'github',
  consumer_key: 'k',
  // oxlint-disable-next-line no-template-curly-in-string -- a reference
  consumer_secret: '${env:SECRET}',
};
const proxy = {
  type: 'proxy',
  name: 'p',
  external_host: 'https://p.example',
  internal_host: 'http://p',
  authorization_flow: { slug: 'default-provider-authorization-implicit-consent' },
  invalidation_flow: { slug: 'default-provider-invalidation-flow' },
};
const stages = {
  stages: [
    { type: 'captcha', name: 'c', public_key: 'k', private_key: '${env:SECRET}' },
    { type: 'user_write', name: 'w' },
  ],
  policies: [{ type: 'dummy', name: 'gate' }],
};
const gated = { stage: { name: 'c' }, order: 1, policies: [{ policy: { name: 'gate' }, order: 1 }] };
const writes = { stage: { name: 'w' }, order: 2 };

async function lines(world: World, manifest: JsonObject): Promise<string[]> {
  const { context, stdout, stderr } = world.run(JSON.stringify({ version: 1, ...manifest }), env);
  await plan(['m.yaml'], { output: 'text', allow: capabilities, failOn: ['opens'] }, context);
  const opens = stdout().match(/^(?:Opens|Gives) .*$/gm) ?? [];
  const isCounted = stderr().includes('--fail-on opens is given');
  expect(isCounted, stdout() + stderr()).toBe(opens.length > 0);
  return opens;
}

async function applied(world: World, manifest: JsonObject): Promise<void> {
  const { context, stdout, stderr } = world.run(JSON.stringify({ version: 1, ...manifest }), env);
  const ending = await apply(['m.yaml'], { output: 'text', yes: true, allow: capabilities }, context);
  expect(ending, stdout() + stderr()).toBe('done');
}

const withFlow = (more: JsonObject, moreStages: readonly JsonObject[] = []): JsonObject => ({
  ...stages,
  stages: [...stages.stages, ...moreStages],
  flows: [{ ...flow, ...more }],
});
const enrolling = {
  type: 'identification',
  name: 'i',
  user_fields: ['email'],
  enrollment_flow: { slug: 'default-source-enrollment' },
};
const withInvitation = (isOptional: boolean): JsonObject => ({
  stages: [{ type: 'invitation', name: 'i', continue_flow_without_invitation: isOptional }],
});
const withValidation = (not_configured_action: string): JsonObject => ({
  stages: [{ type: 'authenticator_validate', name: 'v', device_classes: ['totp'], not_configured_action }],
});
const withSource = (more: JsonObject): JsonObject => ({ sources: [{ ...oauth, ...more }] });
const withSaml = (verification_kp: JsonObject | null): JsonObject => ({
  sources: [
    {
      type: 'saml',
      slug: 's',
      name: 'S',
      sso_url: 'https://a.example/sso',
      pre_authentication_flow: { slug: 'default-source-pre-authentication' },
      binding_type: 'REDIRECT',
      issuer_override: 'i',
      verification_kp,
      signed_assertion: true,
    },
  ],
});
const withWriting = (more: JsonObject): JsonObject => ({
  groups: [{ name: 'g' }],
  stages: [{ type: 'user_write', name: 'w', ...more }],
});
const ldap = { type: 'ldap', slug: 's', name: 'S', server_uri: 'ldaps://a.example', base_dn: 'DC=a' };
const withLdap = (more: JsonObject): JsonObject => ({
  groups: [{ name: 'g' }],
  sources: [{ ...ldap, ...more }],
});
const withPlex = (more: JsonObject): JsonObject => ({
  // oxlint-disable-next-line no-template-curly-in-string -- a reference
  sources: [{ type: 'plex', slug: 's', name: 'S', client_id: 'c', plex_token: '${env:SECRET}', ...more }],
});
const withExpression = (expression: string): JsonObject => ({
  policies: [{ type: 'expression', name: 'e', expression }],
});
const withProxy = (more: JsonObject): JsonObject => ({ providers: [{ ...proxy, ...more }] });

describe('a plan reports each gain of access, and fails with --fail-on opens if there is one:', () => {
  const cases: [name: string, before: JsonObject, after: JsonObject, whom: string | undefined][] = [
    [
      'a source that matches users by e-mail address',
      withSource({ user_matching_mode: 'identifier' }),
      withSource({ user_matching_mode: 'email_link' }),
      'anyone whose account at the source has the e-mail address of an existing user',
    ],
    [
      'a source that matches users by username',
      withSource({ user_matching_mode: 'email_link' }),
      withSource({ user_matching_mode: 'username_link' }),
      'anyone whose account at the source has the username of an existing user',
    ],
    [
      'a source that no longer matches users',
      withSource({ user_matching_mode: 'email_link' }),
      withSource({ user_matching_mode: 'email_deny' }),
      undefined,
    ],
    [
      'a source that matches groups by name',
      withSource({ group_matching_mode: 'identifier' }),
      withSource({ group_matching_mode: 'name_link' }),
      'anyone in a group at the source that has the same name as an existing group',
    ],
    [
      'an enabled source',
      withSource({ enabled: false }),
      withSource({ enabled: true }),
      'everyone who can log in through this source',
    ],
    ['a source that is disabled', withSource({ enabled: true }), withSource({ enabled: false }), undefined],
    [
      'a source with the policy mode any',
      withSource({ policy_engine_mode: 'all' }),
      withSource({ policy_engine_mode: 'any' }),
      'users who pass any of its bindings',
    ],
    [
      'a flow without a requirement',
      withFlow({ authentication: 'require_superuser' }),
      withFlow({ authentication: 'none' }),
      'everyone',
    ],
    [
      'a flow for all users',
      withFlow({ authentication: 'require_superuser' }),
      withFlow({ authentication: 'require_authenticated' }),
      'users who are logged in',
    ],
    [
      'a flow for fewer users',
      withFlow({ authentication: 'require_authenticated' }),
      withFlow({ authentication: 'require_superuser' }),
      undefined,
    ],
    [
      'a flow that denied people can continue',
      withFlow({ denied_action: 'message' }),
      withFlow({ denied_action: 'continue' }),
      'people who are denied access',
    ],
    [
      'an enrolment without one of its stages',
      withFlow({ stages: [gated, writes] }),
      withFlow({ stages: [writes] }),
      'people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'an enrolment without the policy of a stage',
      withFlow({ stages: [gated, writes] }),
      withFlow({ stages: [{ ...gated, policies: [] }, writes] }),
      'people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'an enrolment whose stages change places',
      withFlow({ stages: [gated, writes] }),
      withFlow({ stages: [{ ...gated, order: 99 }, writes] }),
      'people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'an enrolment whose stage depends on a further policy',
      withFlow({ stages: [{ ...gated, policies: [] }, writes] }),
      withFlow({ stages: [gated, writes] }),
      'people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'an invitation that is no longer needed',
      withInvitation(false),
      withInvitation(true),
      'people without an invitation',
    ],
    ...[
      'return True',
      '# during the migration\n\nreturn True  # everybody',
      'return True\nreturn user.is_active',
      '"""Until May, # for all.\nreturn False"""\nreturn True',
      'return (True)',
      'return not(False)',
      'return 1',
      'return not False',
      'return True;',
      'return  True',
      'if True:\n    return True',
      "x = 'return False'\nreturn True",
      "ak_logger.info('#x')\nreturn True",
      'if user.is_active:\n  return True\nreturn True',
    ].map((expression): (typeof cases)[number] => [
      `a policy that lets everybody pass by ${JSON.stringify(expression)}`,
      withExpression('return user.is_active'),
      withExpression(expression),
      'people whom this policy rejected',
    ]),
    [
      'a policy that lets nobody pass',
      withExpression('return user.is_active'),
      withExpression('return False # all'),
      'people whom this policy stopped in a negated binding or at a deny stage',
    ],
    [
      'a policy that has the same result in other words',
      withExpression('return True'),
      withExpression('# everybody\nreturn True'),
      undefined,
    ],
    ...[
      'if user.is_active:\n  return True',
      'if user.is_active: return True',
      'if user.is_active:\n  return False\nreturn True',
      'if not user.is_active:\n  raise PolicyException()\nreturn True',
      'return (True\n  and user.is_active)',
      'return (True) and (user.is_active)',
      'return "True"',
      'user.is_active',
    ].map((expression): (typeof cases)[number] => [
      `a policy with the condition ${JSON.stringify(expression)}`,
      withExpression('return user.is_staff'),
      withExpression(expression),
      undefined,
    ]),
    [
      'a new dummy policy that lets everybody pass',
      withExpression('return True'),
      { policies: [{ type: 'dummy', name: 'd', result: true }] },
      undefined,
    ],
    [
      'a dummy policy that lets nobody pass',
      { policies: [{ type: 'dummy', name: 'd', result: true }] },
      { policies: [{ type: 'dummy', name: 'd', result: false }] },
      'people whom this policy stopped in a negated binding or at a deny stage',
    ],
    [
      'a source through which people may enrol',
      withSource({ enrollment_flow: null }),
      withSource({ enrollment_flow: { slug: 'default-source-enrollment' } }),
      'anyone with an account at the source, who may now enrol',
    ],
    [
      'a source through which people enrol in another flow',
      { ...withFlow({}), ...withSource({ enrollment_flow: { slug: 'f' } }) },
      { ...withFlow({}), ...withSource({ enrollment_flow: { slug: 'default-source-enrollment' } }) },
      'anyone with an account at the source, who may now enrol',
    ],
    [
      'a source through which nobody may enrol any more',
      withSource({ enrollment_flow: { slug: 'default-source-enrollment' } }),
      withSource({ enrollment_flow: null }),
      undefined,
    ],
    [
      'an enrolment with more stages',
      withFlow({ stages: [writes] }),
      withFlow({ stages: [gated, writes] }),
      undefined,
    ],
    [
      'another flow without one of its stages',
      withFlow({ designation: 'stage_configuration', stages: [gated, writes] }),
      withFlow({ designation: 'stage_configuration', stages: [writes] }),
      undefined,
    ],
    [
      'an enrolment without one of its stages that becomes another flow',
      withFlow({ stages: [gated, writes] }),
      withFlow({ designation: 'stage_configuration', stages: [writes] }),
      'people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'a flow without one of its stages that becomes an enrolment',
      withFlow({ designation: 'stage_configuration', stages: [gated, writes] }),
      withFlow({ stages: [writes] }),
      'people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'an enrolment of which a stage is deleted',
      withFlow({ stages: [gated, writes] }),
      { stages: [{ type: 'captcha', name: 'c', state: 'absent' }] },
      'users of the flow "f": people who could not enrol because of a stage that is removed, moved or has other policies',
    ],
    [
      'another flow of which a stage is deleted',
      withFlow({ designation: 'stage_configuration', stages: [gated, writes] }),
      { stages: [{ type: 'captcha', name: 'c', state: 'absent' }] },
      undefined,
    ],
    [
      'an enrolment that is deleted together with a stage',
      withFlow({ stages: [gated, writes] }),
      { flows: [{ slug: 'f', state: 'absent' }], stages: [{ type: 'captcha', name: 'c', state: 'absent' }] },
      undefined,
    ],
    [
      'a flow without its policies',
      withFlow({ policies: [{ policy: { name: 'gate' }, order: 1 }] }),
      withFlow({ policies: [] }),
      'everyone',
    ],
    ...(['entitlements', 'device_access_groups'] as const).flatMap((list): typeof cases => {
      const withBound = (...names: readonly string[]): JsonObject => ({
        ...(list === 'entitlements' && { applications: [{ slug: 'a', name: 'A' }] }),
        groups: [{ name: 'g' }, { name: 'h' }],
        [list]: [
          {
            name: 'e',
            ...(list === 'entitlements' && { app: { slug: 'a' } }),
            policies: names.map((name, order) => ({ group: { name }, order })),
          },
        ],
      });
      return [
        [`a record of ${list} that gets its first group`, withBound(), withBound('g'), 'the group "g" .*'],
        [
          `a record of ${list} that gets another group`,
          withBound('g'),
          withBound('g', 'h'),
          'the group "h" .*',
        ],
        [`a record of ${list} that loses its last group`, withBound('g'), withBound(), undefined],
      ];
    }),
    [
      'a login page through which people may enrol',
      { ...withFlow({}), stages: [{ type: 'identification', name: 'i', user_fields: ['email'] }] },
      {
        stages: [
          { type: 'identification', name: 'i', user_fields: ['email'], enrollment_flow: { slug: 'f' } },
        ],
      },
      'anyone, who may now enrol',
    ],
    [
      'a new login page through which people may enrol, in no flow',
      withFlow({ stages: [writes] }),
      withFlow({ stages: [writes] }, [enrolling]),
      undefined,
    ],
    [
      'a new login page through which people may enrol, in a flow',
      withFlow({ stages: [writes] }),
      withFlow({ stages: [{ stage: { name: 'i' }, order: 1 }, writes] }, [enrolling]),
      'anyone, who may now enrol',
    ],
    [
      'an enrolment that gets its first stage',
      withFlow({ stages: [] }),
      withFlow({ stages: [writes] }),
      'everyone who can now enrol through its stages',
    ],
    [
      'a stage that creates users',
      withWriting({ user_creation_mode: 'never_create' }),
      withWriting({ user_creation_mode: 'create_when_required' }),
      'people who had no account',
    ],
    [
      'a stage that creates users in more cases',
      withWriting({ user_creation_mode: 'create_when_required' }),
      withWriting({ user_creation_mode: 'always_create' }),
      undefined,
    ],
    [
      'a stage that creates active users',
      withWriting({ create_users_as_inactive: true }),
      withWriting({ create_users_as_inactive: false }),
      'people whose new accounts need no activation',
    ],
    [
      'a stage that creates no users',
      withWriting({ create_users_as_inactive: true, user_creation_mode: 'never_create' }),
      withWriting({ create_users_as_inactive: false, user_creation_mode: 'never_create' }),
      undefined,
    ],
    [
      'a stage that adds users to a group',
      withWriting({ create_users_group: null }),
      withWriting({ create_users_group: { name: 'g' } }),
      'everyone whom it adds to its `create_users_group`',
    ],
    [
      'a stage that adds users to no group',
      withWriting({ create_users_group: { name: 'g' } }),
      withWriting({ create_users_group: null }),
      undefined,
    ],
    [
      'a new stage that adds users to a group, in a flow',
      withFlow({ stages: [writes] }),
      {
        groups: [{ name: 'g' }],
        ...withFlow({ stages: [{ stage: { name: 'i' }, order: 1 }, writes] }, [
          { type: 'user_write', name: 'i', create_users_group: { name: 'g' } },
        ]),
      },
      'everyone whom it adds to its `create_users_group`',
    ],
    [
      'an LDAP source with a parent group',
      withLdap({ sync_parent_group: null }),
      withLdap({ sync_parent_group: { name: 'g' } }),
      'everyone in a group that it puts into its `sync_parent_group`',
    ],
    [
      'an LDAP source with a parent group that imports no groups',
      withLdap({ sync_parent_group: null, sync_groups: false }),
      withLdap({ sync_parent_group: { name: 'g' }, sync_groups: false }),
      undefined,
    ],
    [
      'an LDAP source that imports groups into a parent group',
      withLdap({ sync_parent_group: { name: 'g' }, sync_groups: false }),
      withLdap({ sync_parent_group: { name: 'g' }, sync_groups: true }),
      'everyone in a group that it puts into its `sync_parent_group`',
    ],
    [
      'an LDAP source with a parent group that imports groups no longer',
      withLdap({ sync_parent_group: null, sync_groups: true }),
      withLdap({ sync_parent_group: { name: 'g' }, sync_groups: false }),
      undefined,
    ],
    [
      'an LDAP source that imports groups',
      withLdap({ sync_groups: false }),
      withLdap({ sync_groups: true }),
      undefined,
    ],
    [
      'an LDAP source that imports users',
      withLdap({ sync_users: false }),
      withLdap({ sync_users: true }),
      'everyone whom it now imports',
    ],
    [
      'a Plex source that admits friends',
      withPlex({ allow_friends: false }),
      withPlex({ allow_friends: true }),
      'friends of the owner of its `plex_token`',
    ],
    [
      'a Plex source that admits another server',
      withPlex({ allowed_servers: ['a'] }),
      withPlex({ allowed_servers: ['a', 'b'] }),
      'the members of more Plex servers',
    ],
    [
      'a Plex source that admits no server',
      withPlex({ allowed_servers: ['a'] }),
      withPlex({ allowed_servers: [] }),
      undefined,
    ],
    [
      'a SAML source that needs no signature',
      withSaml({ name: 'authentik Self-signed Certificate' }),
      withSaml(null),
      'anyone who sends answers without a signature',
    ],
    [
      'a new invitation that is valid several times',
      withFlow({}),
      { invitations: [{ name: 'i', flow: { slug: 'f' }, single_use: false }] },
      undefined,
    ],
    [
      'an invitation that is valid several times',
      { ...withFlow({}), invitations: [{ name: 'i', flow: { slug: 'f' }, single_use: true }] },
      { ...withFlow({}), invitations: [{ name: 'i', flow: { slug: 'f' }, single_use: false }] },
      'everyone who gets its link, any number of times',
    ],
    [
      'a proxy with more open paths',
      withProxy({ skip_path_regex: '^/a' }),
      withProxy({ skip_path_regex: '^/a\n^/b' }),
      'everyone, at more paths and without a login',
    ],
    [
      'a proxy with fewer open paths',
      withProxy({ skip_path_regex: '^/a\n^/b' }),
      withProxy({ skip_path_regex: '^/b' }),
      undefined,
    ],
  ];

  test.each(cases)('%s', async (_, before, after, whom) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, '2025.12');
    await applied(world, before);
    expect(await lines(world, before)).toEqual([]);
    const opens = await lines(world, after);
    expect(opens).toEqual(whom === undefined ? [] : [expect.stringMatching(` to ${whom}\\.$`)]);
  });
});

const provider = (type: string, more: JsonObject): JsonObject => {
  const { external_host: _, internal_host: __, ...shared } = proxy;
  return { providers: [{ ...shared, type, ...more }] };
};
const byPattern = (url: string): JsonObject => ({ matching_mode: 'regex', url });
const first = /^Opens provider\.p to the first site that asks for a login,/;
const any = /^Opens provider\.p to any site that asks for a login\.$/;
const one = 'https://a.example/cb';
const several = byPattern('https://[a-z]+\\.a\\.example/cb');

test.each<[before: JsonObject[] | string[], after: (JsonObject | string)[], opens: RegExp | undefined]>([
  [[one], [], first],
  [[one], [one, byPattern('.*')], any],
  [[one], [byPattern('https?://.+')], any],
  [[one], ['https://.*', byPattern('.*')], any],
  [[one], [byPattern('(?i)https://.*')], any],
  [[one], [byPattern('\\A.*\\Z')], any],
  [
    [one],
    ['https://.*'],
    /^Opens provider\.p to any site that asks for a login, on releases before 2024\.8\.$/,
  ],
  [
    [one],
    [{ url: 'https://.*' }],
    /^Opens provider\.p to any site that asks for a login, on releases before 2024\.8\.$/,
  ],
  [[], [byPattern('.*')], any],
  [[byPattern('.*')], [], undefined],
  [[byPattern('.*')], [byPattern('https://.*')], undefined],
  [[], [one], undefined],
  [[one], [several], undefined],
])('redirect URIs that become %j and then %j', async (before, after, opens) => {
  const [was, is] = [before, after].map((uris) => provider('oauth2', { redirect_uris: uris }));
  const world = new World(undefined, '2023.10');
  await applied(world, was ?? {});
  const found = await lines(world, is ?? {});
  expect(found).toEqual(opens ? [expect.stringMatching(opens)] : []);
  expect(await lines(new World(undefined, '2023.10'), provider('oauth2', { redirect_uris: [] }))).toEqual([
    expect.stringMatching(first),
  ]);
});

test.each<
  [
    release: SandboxRelease,
    before: string[],
    after: JsonObject[] | string[],
    opens: RegExp | undefined,
    note: string,
  ]
>([
  ['2026.2', [one], [], first, 'no URL is left'],
  ['2026.2', ['https://.*'], [], first, 'no URL is left'],
  ['2026.2', [one], ['https://.*'], undefined, 'people are redirected to other URLs'],
  ['2026.5', [one], [], undefined, 'no URL is left'],
  ['2026.5', [], [byPattern('.*')], any, 'people, with their codes or tokens, can be sent to any site'],
])('on release %s, redirect URIs that become %j and then %j', async (release, before, after, opens, note) => {
  const [was, is] = [before, after].map((uris) => provider('oauth2', { redirect_uris: uris }));
  const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
  await applied(world, was ?? {});
  expect(await lines(world, is ?? {})).toEqual(opens ? [expect.stringMatching(opens)] : []);
  const { context, stdout } = world.run(JSON.stringify({ version: 1, ...is }), env);
  await plan(['m.yaml'], { output: 'text', allow: capabilities }, context);
  expect(stdout()).toContain(`note  ${note}`);
});

const saml = { acs_url: 'https://a.example/acs' };
const scim = { type: 'scim', name: 'p', url: 'https://a.example', token: '${env:SECRET}' };

test.each<[note: string, before: JsonObject, after: JsonObject]>([
  [
    'other accounts may log in through this source',
    withLdap({ user_object_filter: '(memberOf=a)' }),
    withLdap({ user_object_filter: '(objectClass=person)' }),
  ],
  [
    'an empty list admits nobody through a server, although the API schema of the service says the opposite',
    withPlex({ allowed_servers: ['a'] }),
    withPlex({ allowed_servers: [] }),
  ],
  ...[
    { before: { type: 'geoip', countries: ['DE'], asns: [1] }, after: { countries: ['FR'], asns: [2] } },
    { before: { type: 'reputation', check_ip: true, threshold: -5 }, after: { threshold: -500 } },
    { before: { type: 'password_expiry', days: 30 }, after: { days: 999 } },
  ].map(({ before, after }): [string, JsonObject, JsonObject] => [
    'other users may pass this policy',
    { policies: [{ name: 'p', ...before }] },
    { policies: [{ name: 'p', ...before, ...after }] },
  ]),
  [
    'the accounts that it creates get another type',
    withWriting({ user_type: 'external' }),
    withWriting({ user_type: 'internal' }),
  ],
  [
    'the application no longer proves with its secret who it is',
    provider('oauth2', { client_type: 'confidential', redirect_uris: [] }),
    provider('oauth2', { client_type: 'public', redirect_uris: [] }),
  ],
  ...['ldap', 'radius'].map((type): [string, JsonObject, JsonObject] => [
    'people may log in without a second factor',
    provider(type, { mfa_support: true }),
    provider(type, { mfa_support: false }),
  ]),
  [
    'requests with an `Authorization` header log in by that header',
    withProxy({ intercept_header_auth: false }),
    withProxy({ intercept_header_auth: true }),
  ],
  [
    'requests for a login need no signature',
    provider('saml', { ...saml, verification_kp: { name: 'authentik Self-signed Certificate' } }),
    provider('saml', { ...saml, verification_kp: null }),
  ],
  [
    'all users are provisioned, no longer only the members of certain groups',
    { groups: [{ name: 'g' }], providers: [{ ...scim, group_filters: [{ name: 'g' }] }] },
    { groups: [{ name: 'g' }], providers: [{ ...scim, group_filters: [] }] },
  ],
  [
    'only the members of certain groups are provisioned, no longer all users',
    { groups: [{ name: 'g' }], providers: [{ ...scim, group_filters: [] }] },
    { groups: [{ name: 'g' }], providers: [{ ...scim, group_filters: [{ name: 'g' }] }] },
  ],
  [
    'the members of a different set of groups are provisioned',
    {
      groups: [{ name: 'g' }, { name: 'h' }],
      providers: [{ ...scim, group_filters: [{ name: 'g' }, { name: 'h' }] }],
    },
    {
      groups: [{ name: 'g' }, { name: 'h' }],
      providers: [{ ...scim, group_filters: [{ name: 'h' }], exactly: ['group_filters'] }],
    },
  ],
  ['people without a device can no longer pass this stage', withValidation('skip'), withValidation('deny')],
  [
    'logins fail until the application uses its secret',
    provider('oauth2', { client_type: 'public', redirect_uris: [] }),
    provider('oauth2', { client_type: 'confidential', redirect_uris: [] }),
  ],
  [
    'people may have to append a code to their password',
    provider('ldap', { mfa_support: false }),
    provider('ldap', { mfa_support: true }),
  ],
  [
    'requests with an `Authorization` header no longer log in by that header',
    withProxy({ intercept_header_auth: true }),
    withProxy({ intercept_header_auth: false }),
  ],
  [
    'requests for a login need a signature by another key',
    provider('saml', { ...saml, verification_kp: null }),
    provider('saml', { ...saml, verification_kp: { name: 'authentik Self-signed Certificate' } }),
  ],
])('a plan has the note: %s', async (note, before, after) => {
  const world = new World(
    { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] },
    '2026.2',
  );
  await applied(world, before);
  const { context, stdout } = world.run(JSON.stringify({ version: 1, ...after }), env);
  await plan(['m.yaml'], { output: 'text', allow: capabilities }, context);
  expect(stdout().match(/(?<=note {2}).*/g)).toEqual([note]);
});

test('a plan of a blueprint has a note that the service makes its writes', async () => {
  const { context, stdout } = new World().run(
    JSON.stringify({ version: 1, blueprints: [{ name: 'b', content: 'version: 1\nentries: []\n' }] }),
  );
  await plan(['m.yaml'], { output: 'text' }, context);
  expect(stdout()).toContain('note  the service itself writes what an enabled blueprint declares');
});

test('a plan has a line for a new source and for a new proxy that give access', async () => {
  const world = new World({}, '2025.12');
  const [source] = await lines(world, withSource({ user_matching_mode: 'email_link', enabled: true }));
  expect(source).toBe(
    'Opens source.s to anyone whose account at the source has the e-mail address of an existing user.',
  );
  expect(await lines(world, withSource({ enrollment_flow: { slug: 'default-source-enrollment' } }))).toEqual([
    'Opens source.s to anyone with an account at the source, who may now enrol.',
  ]);
  expect(await lines(world, withProxy({ skip_path_regex: '^/a' }))).toHaveLength(1);
  expect(await lines(world, withFlow({ authentication: 'none', stages: [writes] }))).toEqual([
    'Opens flow.f to everyone who can now enrol through its stages.',
  ]);
  expect(await lines(world, withFlow({ authentication: 'none' }))).toEqual([]);
  expect(await lines(world, withFlow({ authentication: 'require_superuser', stages: [writes] }))).toEqual([]);
});

test('a plan has a line without the value for a hidden field that lets more people in', async () => {
  const world = new World({}, '2025.12');
  await applied(world, withSource({ enabled: false }));
  const text = JSON.stringify({ version: 1, ...withSource({ enabled: true }) });
  const files = {
    'm.yaml': text,
    'rollcall.yaml': 'version: 1\nhide: [source.enabled]\ncapabilities: [update]\n',
  };
  const { context, stdout } = world.run(text, { SECRET: 'canary' }, { files });
  await plan(['m.yaml'], { output: 'text', allow: ['update'], config: 'rollcall.yaml' }, context);
  expect(stdout()).toContain('Opens source.s to others, through its `enabled`.');
});

const withGroup = (more: JsonObject, ...usersOfGroup: readonly JsonObject[]): JsonObject => ({
  roles: [{ name: 'auditors' }, { name: 'editors' }],
  groups: [{ name: 'parent' }, { name: 'root', is_superuser: true }, { name: 'g', ...more }],
  users: usersOfGroup.map((user, nth) => ({ username: `u${nth}`, name: 'U', is_active: true, ...user })),
});
const member = { groups: [{ name: 'g' }] };
const root = { groups: [{ name: 'root' }] };
const off = (more: JsonObject): JsonObject => ({ ...more, is_active: false });

test.each<[condition: string, before: JsonObject, after: JsonObject, gains: readonly RegExp[]]>([
  [
    'an existing group gets a parent',
    withGroup({ parents: [] }),
    withGroup({ parents: [{ name: 'parent' }] }),
    [/^Gives the members of group.g access to what is open to "parent" \(.*\)\.$/],
  ],
  [
    'an existing group gets a parent of superusers',
    withGroup({ parents: [] }),
    withGroup({ parents: [{ name: 'root' }] }),
    [
      /^Gives the members of group.g access to what is open to "root" \(.*\) and a superuser's rights through "root" \(.*\) in `parents`\.$/,
    ],
  ],
  [
    'an existing group gets a role',
    withGroup({ roles: [] }),
    withGroup({ roles: [{ name: 'auditors' }] }),
    [/^Gives the members of group.g the rights of the role "auditors" \(.*\)\.$/],
  ],
  [
    'an existing group keeps a role and gets another',
    withGroup({ roles: [{ name: 'auditors' }] }),
    withGroup({ roles: [{ name: 'auditors' }, { name: 'editors' }] }),
    [/^Gives the members of group.g the rights of the role "editors" \(.*\)\.$/],
  ],
  [
    'an existing group becomes a group of superusers',
    withGroup({ is_superuser: false }),
    withGroup({ is_superuser: true }),
    [/^Gives the members of group.g a superuser's rights\.$/],
  ],
  [
    'a group loses its parent, its role and its flag',
    withGroup({ is_superuser: true, parents: [{ name: 'parent' }], roles: [{ name: 'auditors' }] }),
    withGroup({ is_superuser: false, parents: [], roles: [] }),
    [],
  ],
  [
    'a new group without members gets a parent and a role',
    { groups: [{ name: 'parent' }], roles: [{ name: 'auditors' }] },
    withGroup({ parents: [{ name: 'parent' }], roles: [{ name: 'auditors' }], is_superuser: true }),
    [],
  ],
  [
    'a new group with a new member gets a parent',
    { groups: [{ name: 'parent' }] },
    withGroup({ parents: [{ name: 'parent' }] }, member),
    [/^Gives the members of group.g access to what is open to "parent" \(.*\)\.$/],
  ],
  [
    'a new user joins a new group of superusers',
    { groups: [{ name: 'parent' }] },
    withGroup({ is_superuser: true }, member),
    [/^Gives user.u0 a superuser's rights through "g" in `groups`\.$/],
  ],
  [
    'users get a role and join a group of superusers',
    withGroup({}, {}, {}),
    withGroup({}, { roles: [{ name: 'auditors' }] }, { groups: [{ name: 'root' }] }),
    [
      /^Gives user.u0 the rights of the role "auditors" \(.*\)\.$/,
      /^Gives user.u1 a superuser's rights through "root" \(.*\) in `groups`\.$/,
    ],
  ],
  ['a user joins a group', withGroup({}, {}), withGroup({}, member), []],
  [
    'accounts with declared rights are active again',
    withGroup({ parents: [{ name: 'root' }] }, off(member), off({ roles: [{ name: 'auditors' }] }), off({})),
    withGroup({ parents: [{ name: 'root' }] }, member, { roles: [{ name: 'auditors' }] }, {}),
    [
      /^Gives user.u0 a superuser's rights through "g" \(.*\) in `groups`\.$/,
      /^Gives user.u1 the rights of the role "auditors" \(.*\)\.$/,
    ],
  ],
  [
    'accounts with undeclared rights are active again',
    withGroup({ parents: [{ name: 'root' }] }, off(member), off({ roles: [{ name: 'auditors' }] })),
    withGroup({ parents: [{ name: 'root' }] }, {}, {}),
    [/^Gives user.u0 a superuser's rights\.$/, /^Gives user.u1 rights, through its `roles`\.$/],
  ],
  ['a superuser is no longer active', withGroup({}, root), withGroup({}, off(root)), []],
  [
    'former superusers are active again',
    withGroup({}, off(root), off({ groups: [{ name: 'g' }, ...root.groups] })),
    withGroup({}, { groups: [] }, member),
    [/^Gives user.u1 perhaps a superuser's rights\.$/],
  ],
])('a plan reports who gains rights if %s', async (_, before, after, gains) => {
  const world = new World(
    { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] },
    '2026.2',
  );
  await applied(world, before);
  expect(await lines(world, after)).toEqual(gains.map((line) => expect.stringMatching(line)));
});

test('a plan reports rights of an account that the changed manifests make active again', async () => {
  const seed = { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] };
  const world = new World(seed, '2026.2');
  await applied(world, withGroup({}, root));
  const text = (user: JsonObject): string => JSON.stringify({ version: 1, ...withGroup({}, user) });
  const { context, stdout } = world.run(text(root), env, { past: { 'm.yaml': text(off(root)) } });
  await plan(['m.yaml'], { output: 'text', baseline: '.before' }, context);
  expect(stdout()).toContain("Gives user.u0 a superuser's rights through");
});

test('a plan compared with a baseline reports only the rights that the manifests add', async () => {
  const seed = { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] };
  const world = new World(seed, '2026.2');
  const before = withGroup(
    { parents: [{ name: 'parent' }], roles: [{ name: 'auditors' }] },
    { ...root, roles: [{ name: 'auditors' }] },
  );
  const after = withGroup(
    { parents: [{ name: 'parent' }, { name: 'root' }], roles: [{ name: 'auditors' }, { name: 'editors' }] },
    { ...root, roles: [{ name: 'auditors' }, { name: 'editors' }] },
  );
  await applied(world, before);
  const text = (manifest: JsonObject): string => JSON.stringify({ version: 1, ...manifest });
  const { context, stdout } = world.run(text(after), env, { past: { 'm.yaml': text(before) } });
  await plan(['m.yaml'], { output: 'text', baseline: '.before', allow: capabilities }, context);
  const gains = stdout().match(/^Gives .*/gm) ?? [];
  expect(gains).toHaveLength(2);
  for (const words of ['to "root"', 'through "root"', 'role "editors"']) expect(gains[0]).toContain(words);
  expect(gains[1]).toContain('role "editors"');
  expect(gains.join()).not.toMatch(/"(?:parent|auditors)"|user\.u0.*"root"/);
});

test.each<[string, readonly string[], Record<string, string>, string, string, boolean]>([
  ['a child replaces its parent', ['middle', 'parent'], {}, 'parent', 'child', false],
  ['a parent replaces its child', ['middle', 'parent'], {}, 'child', 'parent', true],
  ['an unrelated group replaces another', ['middle', 'parent'], {}, 'other', 'child', true],
  ['a group becomes a child in the same plan', ['middle'], { middle: 'parent' }, 'parent', 'child', true],
])(
  'a plan reports a bound group unless its members are in a group that was bound: %s',
  async (_, [child, middle], joins, bound, now, isOpened) => {
    const withAccess = (name: string, parents: Record<string, string>): JsonObject => ({
      groups: ['child', 'middle', 'parent', 'other'].map((each) => ({
        name: each,
        parents: parents[each] === undefined ? [] : [{ name: parents[each] }],
      })),
      applications: [{ slug: 'a', name: 'A', access: { groups: [{ name }] } }],
    });
    const world = new World({ groups: [] }, '2026.2');
    const parents = { ...(child && { child }), ...(middle && { middle }) };
    const before = withAccess(bound, parents);
    await applied(world, before);
    const text = (manifest: JsonObject): string => JSON.stringify({ version: 1, ...manifest });
    const after = text(withAccess(now, { ...parents, ...joins }));
    for (const past of [undefined, { 'm.yaml': text(before) }]) {
      const { context, stdout } = world.run(after, env, past && { past });
      const baseline = past && { baseline: '.before' };
      await plan(['m.yaml'], { output: 'text', allow: capabilities, ...baseline }, context);
      expect(stdout()).toContain('~ application.a');
      expect(stdout().includes(`Opens application.a to the group "${now}"`), stdout()).toBe(isOpened);
    }
    if (Object.keys(joins).length === 0) return;
    // Compared with the baseline, the group is a new child, although the service already has it as a child.
    await applied(world, { groups: withAccess(now, { ...parents, ...joins })['groups'] ?? [] });
    const { context, stdout } = world.run(after, env, { past: { 'm.yaml': text(before) } });
    await plan(['m.yaml'], { output: 'text', allow: capabilities, baseline: '.before' }, context);
    expect(stdout()).toContain(`Opens application.a to the group "${now}"`);
  },
);

describe.each<[string, (names: readonly string[]) => JsonObject]>([
  ['access', (names) => ({ access: { groups: names.map((name) => ({ name })) } })],
  ['policies', (names) => ({ policies: names.map((name, order) => ({ group: { name }, order })) })],
])('a plan that removes groups from `%s` of an application', (field, fieldOf) => {
  test.each<[string, string, readonly string[], string, boolean]>([
    ['but not members of a group whose ancestor stays bound', 'child', ['parent'], 'any', false],
    ['members of a parent whose child stays bound', 'parent', ['child'], 'any', true],
    ['members of a group that is not below another one', 'child', ['other'], 'any', true],
    ['but nobody if all of the bindings were needed', 'other', ['parent', 'child'], 'all', false],
    ['but nobody if the application is then open to everyone', 'other', [], 'any', false],
  ])('notes who loses access: %s', async (_, removed, kept, mode, isLost) => {
    const withAccess = (...names: readonly string[]): JsonObject => {
      const access = field === 'access' && names.length === 0 ? { access: 'everyone' } : fieldOf(names);
      return {
        groups: [
          { name: 'child', parents: [{ name: 'middle' }] },
          { name: 'middle', parents: [{ name: 'parent' }] },
          { name: 'parent' },
          { name: 'other' },
        ],
        applications: [{ slug: 'a', name: 'A', policy_engine_mode: mode, ...access }],
      };
    };
    const world = new World({ groups: [] }, '2026.2');
    await applied(world, withAccess(removed, ...kept));
    const { context, stdout } = world.run(JSON.stringify({ version: 1, ...withAccess(...kept) }), env);
    await plan(['m.yaml'], { output: 'text', allow: capabilities }, context);
    expect(stdout()).toContain('~ application.a');
    const notes = stdout().match(/is no longer open to .*(?= \()/g) ?? [];
    expect(notes).toEqual(isLost ? [`is no longer open to the group "${removed}"`] : []);
  });
});

test('a plan notes who loses access if the last binding of an entitlement is removed', async () => {
  const withPolicies = (...policies: readonly JsonObject[]): JsonObject => ({
    groups: [{ name: 'g' }],
    applications: [{ slug: 'a', name: 'A' }],
    entitlements: [{ name: 'e', app: { slug: 'a' }, policies }],
  });
  const world = new World({ groups: [] }, '2026.2');
  await applied(world, withPolicies({ group: { name: 'g' }, order: 0 }));
  const { context, stdout } = world.run(JSON.stringify({ version: 1, ...withPolicies() }), env);
  await plan(['m.yaml'], { output: 'text', allow: capabilities }, context);
  expect(stdout()).toContain('is no longer open to the group "g"');
});

test('a new entitlement without bindings is not open to everyone', async () => {
  const world = new World({ applications: [{ slug: 'a', name: 'A' }] }, '2026.2');
  const entitlement = { name: 'e', app: { slug: 'a' }, policies: [] };
  const { context, stdout } = world.run(JSON.stringify({ version: 1, entitlements: [entitlement] }), env);
  await plan(['m.yaml'], { output: 'text' }, context);
  expect(stdout()).toContain('+ entitlement.a/e');
  expect(stdout()).not.toContain('pen to everyone');
});
