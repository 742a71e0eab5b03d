import { loadText } from '../support/desired.ts';
import { describe, expect, test } from 'vitest';
import { validate as validateConfig } from '../../src/generated/config.ts';
import { lists } from '../../src/kinds/all.ts';
import { manifestCheck } from '../../src/manifest/manifest-check.ts';
import { sourceFile, withoutQuotableLines } from '../../src/base/source.ts';
import type { Validate } from '../../src/base/json.ts';
import { checkSchema, diagnosticsOf } from '../../src/yaml/check-schema.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';

const validateManifest = await manifestCheck(lists);

/** The problems that the schema finds in a text: code, line and column, and advice. */
async function told(text: string, validate: Validate = validateManifest): Promise<string[]> {
  const file = sourceFile('a.yaml', text);
  const parsed = parseYaml(file);
  expect(parsed.diagnostics).toEqual([]);
  return diagnosticsOf(checkSchema(validate, parsed.value ?? null, parsed, file)).map(
    ({ code, detail, range }) => `${code} ${range?.start.line}:${range?.start.column} ${detail}`,
  );
}

test('the type of a default inside the defaults of its list gets its own key', async () => {
  const text =
    'version: 1\ndefaults: { provider: { oauth2: { client_type: public } } }\nusers: [{ username: a, name: A }]\n';
  expect(await told(text)).toEqual(['unknown-field 2:25 Write `provider.oauth2` beside `provider`.']);
});

test('the first 1,000 problems of a file are reported, and that there are more', async () => {
  const entries = (count: number): string => `version: 1\nusers:\n${'  - 1\n'.repeat(count)}`;
  const problems = await told(entries(1001));
  expect(problems).toHaveLength(1001);
  expect(problems.at(-1)).toMatch(/^too-many-problems 1003:/);
  expect((await told(entries(1000))).join()).not.toContain('too-many');
});

test.each([
  'applications: [{ slug: a, name: A, policy_engine_mode: alll }]',
  'users: [{ username: a, name: A, groups: [canary] }]',
  'applications: [{ slug: a, name: A, open_in_new_tab: canary }]',
  'applications: [{ slug: a, name: A, canary: x }]',
  'applications: [{ slug: canary/a, name: A }]',
  'applications: [{ slug: a, name: A, provider: canary }]',
])('a value that must not be quoted is in no message: %s', (text) => {
  const file = withoutQuotableLines(sourceFile('a.yaml', `version: 1\n${text}\n`));
  const parsed = parseYaml(file);
  const found = diagnosticsOf(checkSchema(validateManifest, parsed.value ?? null, parsed, file));
  expect(found).toHaveLength(1);
  expect(JSON.stringify(found)).not.toMatch(/canary|Did you mean|without quotes|must not contain/);
});

describe('a value of the wrong type is reported with the right form', () => {
  const texts = 'In YAML 1.2, words such as yes and off are strings.';

  test.each([
    ...['yes', 'Yes', 'on', '"true"', 'y'].map((word) => [word, `Write true, without quotes. ${texts}`]),
    ...['no', 'NO', 'off', '"false"', 'n'].map((word) => [word, `Write false, without quotes. ${texts}`]),
  ])('for open_in_new_tab: %s', async (word = '', hint = '') => {
    const text = `version: 1\napplications:\n  - slug: a\n    name: A\n    open_in_new_tab: ${word}\n`;
    expect(await told(text)).toEqual([`wrong-type 5:22 ${hint}`]);
  });

  test('for a number that is not an id, a text has no hint about ids', async () => {
    const text =
      'version: 1\nstages: [{ type: email, name: a, timeout: soon }]\nflows: [{ slug: f, name: F, title: F, designation: recovery, stages: [{ stage: { name: a }, order: x }] }]\n';
    const found = await told(text);
    expect(found).toEqual([expect.stringMatching(/^wrong-type 3:/), expect.stringMatching(/^wrong-type 2:/)]);
    expect(found.join('')).not.toContain('The ids of this field');
  });

  test.each([
    ['name: 12', 'Quote it.'],
    ['name: true', 'Quote it.'],
    ['provider: "12"', 'Remove the quotes.'],
    [
      'provider: grafana',
      "The ids of this field are numbers. A name is written as `{ name: grafana }`. The URL of the provider's page in the admin interface (Applications > Providers) ends with the id. GET /api/v3/providers/all/?search=NAME returns the id as `pk`.",
    ],
    ['backchannel_providers: 1', 'Write it as [1], or put each entry on its own line, after `- `.'],
    [
      'backchannel_providers: scim',
      'Write it as [{ name: scim }], or put each entry on its own line, after `- `.',
    ],
    ['backchannel_providers: { a: 1 }', 'Write [ before the {, and ] after the }.'],
    ['access: null', 'It must be `everyone`, or a mapping with `groups:` and `users:`.'],
  ])('for %s', async (field, hint) => {
    const [name = ''] = field.split(':', 1);
    const entry = name === 'name' ? ['slug: a', field] : ['slug: a', 'name: A', field];
    const text = `version: 1\napplications:\n  - ${entry.join('\n    ')}\n`;
    const place = `${entry.length + 2}:${name.length + 7}`;
    expect(await told(text)).toEqual([`wrong-type ${place} ${hint}`]);
  });

  test('for a mapping over several lines', async () => {
    const text = `version: 1\napplications:\n  slug: a\n`;
    expect(await told(text)).toEqual(['wrong-type 3:3 Begin each entry with `- `.']);
  });
});

test('the example of a list quotes no value of a reference', async () => {
  const text = 'version: 1\napplications:\n  - { slug: a, name: A, backchannel_providers: "${env:A}" }\n';
  const { diagnostics } = await loadText(text, { env: { A: 'canary' } });
  expect(diagnostics).toMatchObject([{ detail: expect.stringContaining('Write it as [{ name: … }],') }]);
});

test.each([
  ['[]', 'wrong-type', '`access` must be `everyone`, or a mapping with `groups:` and `users:`, not a list'],
  ['[engineering]', 'wrong-type', 'a mapping with `groups:` and `users:`, not a list'],
  ['engineering', 'invalid-format', '`access` must be `everyone`, or a mapping with `groups:` and `users:`'],
  ['5', 'wrong-type', 'a mapping with `groups:` and `users:`, not an integer'],
])('a wrong value of access is reported with the possible forms: %s', async (access, code, summary) => {
  const file = sourceFile('a.yaml', `version: 1\napplications: [{ slug: a, name: A, access: ${access} }]\n`);
  const parsed = parseYaml(file);
  const [found] = diagnosticsOf(checkSchema(validateManifest, parsed.value ?? null, parsed, file));
  expect(found?.code).toBe(code);
  expect(found?.summary).toContain(summary);
  expect(found?.detail).toContain('Write `everyone`, or `{ groups: [{ name: … }] }`');
});

describe('a value whose form does not fit its field', () => {
  test('is reported with the right form if a name is in place of an id', async () => {
    expect(await told('version: 1\nusers:\n  - { username: a, groups: [admins] }\n')).toEqual([
      expect.stringMatching(
        /^invalid-format 3:29 .* A name is written as `\{ name: admins \}`\. The URL .* ends with the id\. GET \S+name=NAME returns the id as `pk`\.$/,
      ),
    ]);
  });

  test.each([
    ['users: [{ username: a, groups: [{ slug: staff }] }]', /^unknown-field .* Write `\{ name: … \}`\.$/],
    ['applications: [{ slug: a, name: A, policies: [p] }]', /`\{ policy: \{ name: p \}, order: 10 \}`\.$/],
    [
      'applications: [{ slug: a, name: A, meta_launch_url: a.example.com }]',
      / Begin the URL with https:\/\/\. /,
    ],
    ['applications: [{ slug: a, name: A, meta_launch_url: somewhere }]', /^(?!.*Begin the URL)/],
    [
      'flows: [{ slug: f, name: F, title: F, designation: recovery, stages: [s] }]',
      /`\{ stage: \{ name: s \}, order: 10 \}`\.$/,
    ],
  ])('is reported once, with the form of a reference or a URL: %s', async (entry, words) => {
    expect(await told(`version: 1\n${entry}\n`)).toEqual([expect.stringMatching(words)]);
  });

  test.each([
    ['name:', 'wrong-type 3 It must be a string.'],
    ['name: # a comment', 'wrong-type 3 It must be a string. A # begins a comment unless it is quoted.'],
    ["attributes: 'a:1'", 'wrong-type 3 Put a space after the colon.'],
  ])('is reported with the cause: %s', async (field, said) => {
    const [found = '', ...others] = await told(`version: 1\nusers:\n  - { username: a, ${field}\n    }\n`);
    expect([found.replace(/(?<=\d):\d+/, ''), others]).toEqual([said, []]);
  });

  test('is named by its field if it is an item of a list', () => {
    const file = sourceFile('a.yaml', 'version: 1\nusers: [{ username: a, groups: [admins] }]\n');
    const parsed = parseYaml(file);
    const [found] = diagnosticsOf(checkSchema(validateManifest, parsed.value ?? null, parsed, file));
    expect(found?.summary).toContain('an entry of `groups`');
  });

  test('is reported with the right form if a mapping is written as JSON text', async () => {
    const text = `version: 1\nusers:\n  - { username: a, attributes: '{"a": 1}' }\n`;
    expect(await told(text)).toEqual(['wrong-type 3:32 Remove the quotes.']);
  });
});

test.each([
  ['policy', 'policies'],
  ['tenants', 'brands'],
  ['application', 'applications'],
  ['stage', 'stages'],
  ['prompts_', 'prompts'],
])('for the unknown list `%s`, the message suggests `%s`', async (written, list) => {
  expect(await told(`version: 1\nusers: []\n${written}: []\n`)).toEqual([
    `unknown-field 3:1 Did you mean \`${list}\`?`,
  ]);
});

test.each([
  ['scim_providers: []', 'Write an entry of providers with `type: scim`.'],
  ['provider_scim: []', 'Write an entry of providers with `type: scim`.'],
  ['scim_provider: []', 'Write an entry of providers with `type: scim`.'],
  ['users: [{ username: a, groups: [{ PK: 1 }] }]', 'Write only the id.'],
  [
    'applications: [{ slug: a, name: A, policies: [{ group: { name: g }, order: 0, nam: x }] }]',
    'Known here: policy, group, user, order, negate, enabled, timeout, failure_result.',
  ],
  ['groups: [{ name: g, user: [] }]', 'Membership is declared on the user: add the group'],
  ['providers: [{ name: p, type: google }]', 'Did you mean `google_workspace`?'],
])('%s is an error with the advice: %s', async (text, advice) => {
  expect(await told(`version: 1\n${text}\n`)).toEqual([expect.stringContaining(` ${advice}`)]);
});

test('a message about an invalid value shows at most 30 of the accepted values', async () => {
  const file = sourceFile(
    'a.yaml',
    'version: 1\npolicies: [{ type: geoip, name: a, countries: [Germany] }]\n',
  );
  const parsed = parseYaml(file);
  const [found] = diagnosticsOf(checkSchema(validateManifest, parsed.value ?? null, parsed, file));
  expect(found?.summary).toMatch(/must be one of: (?:\w+, ){30}… \(\d{3} values\)$/);
});

describe('an unknown field', () => {
  const entries = {
    applications: (field: string) => `version: 1\napplications:\n  - { slug: a, name: A, ${field}: x }\n`,
    users: (field: string) => `version: 1\nusers:\n  - { username: a, name: A, ${field}: x }\n`,
    groups: (field: string) => `version: 1\ngroups:\n  - { name: a, ${field}: x }\n`,
    providers: (field: string) =>
      `version: 1\nproviders:\n  - { type: oauth2, name: a, authorization_flow: { slug: a }, invalidation_flow: { slug: a }, redirect_uris: [], ${field}: x }\n`,
  } as const;

  test.each([
    ['applications', 'back_channel_providers', 'Did you mean `backchannel_providers`?'],
    ['applications', 'openInNewTab', 'Did you mean `open_in_new_tab`?'],
    ['users', 'mail', 'Did you mean `email`?'],
    ['users', 'is-active', 'Did you mean `is_active`?'],
    ['groups', 'parent', 'This field is now `parents`.'],
    ['applications', 'icon', 'Did you mean `meta_icon`?'],
    ['applications', 'url', 'Did you mean `meta_launch_url`?'],
    ['applications', 'description', 'Did you mean `meta_description`?'],
    ['providers', 'jwks_sources', 'This field is now `jwt_federation_sources`.'],
    ['providers', 'allowed_redirect_uris', 'Did you mean `redirect_uris`?'],
    ['users', 'expression', 'Known here: username, '],
    ['users', 'avatar', 'Known here: username, '],
    ['applications', 'meta', 'Known here: slug, '],
    ['applications', 'client_id', 'It is a field of providers with `type: oauth2`.'],
    ['providers', 'external_host', 'It is a field of providers with `type: proxy`.'],
    ['applications', 'email', 'It is a field of users.'],
    ['applications', 'groups', '`group` is the label'],
    ['applications', 'meta_hide', 'blank://blank'],
    ['users', 'password', '`rollcall help users`'],
    ['users', 'passwords', '`rollcall help users`'],
    ['users', 'permissions', 'rollcall sets no permissions'],
    ['users', 'is_superuser', 'to `groups`'],
    ['groups', 'members', 'add the group to the `groups` of each user'],
    ['users', 'constructor', 'Known here: username, '],
  ] as const)('in %s gets a suggestion: %s', async (list, written, why) => {
    expect(await told(entries[list](written))).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['event_rules', '{ name: r, group: x }', 'This field is now `destination_group`.'],
    ['providers', '{ type: ldap, name: l, bind_flow: x }', 'Write `authorization_flow`'],
    ['providers', '{ type: ldap, name: l, search_group: x }', '`search_full_directory`'],
    ['providers', '{ type: scim, name: s, filter_group: x }', 'This field is now `group_filters`.'],
    ['sources', '{ type: ldap, slug: l, property_mappings: x }', 'now `user_property_mappings`.'],
    ['flows', '{ slug: f, stage_bindings: x }', 'Declare the bindings as `stages`.'],
    ['stages', '{ type: authenticator_webauthn, name: w, prevent_duplicate_devices: x }', 'until 2026.5'],
    ['brands', '{ domain: d, event_retention: x }', 'a field of `settings`'],
    ['property_mappings', '{ type: saml, name: m }', 'Did you mean `provider_saml`?'],
    ['property_mappings', '{ type: scope, name: m }', 'Did you mean `provider_scope`?'],
    ['policies', '{ type: expiry, name: p }', 'Did you mean `password_expiry`?'],
    ['sources', '{ type: azuread, slug: a }', 'Write `type: oauth`, with a `provider_type`.'],
    ['sources', '{ type: webhook, slug: a }', 'Records of other types must be created in the service'],
    [
      'flows',
      '{ slug: f, name: F, title: F, designation: recovery, stages: [{ name: i, order: 1 }] }',
      'Write `stage: { name: … }` in place of the name.',
    ],
    ['tokens', '{ identifier: t, user: { username: al } }', 'Write `{ name: … }`, with the username.'],
    [
      'applications',
      '{ slug: a, name: A, access: { users: [{ username: al }] } }',
      'Write `{ name: … }`, with the username.',
    ],
    ['users', '{ username: a, groups: [{ username: staff }] }', 'Write `{ name: … }`.'],
    ['users', '{ username: a, roles: [{ slug: staff }] }', 'Write `{ name: … }`.'],
    [
      'applications',
      '{ slug: a, name: A, policies: [{ user: { username: al }, order: 0 }] }',
      'Write `{ name: … }`, with the username.',
    ],
    [
      'applications',
      '{ slug: a, name: A, policies: [{ policy: { username: p }, order: 0 }] }',
      'Write `{ name: … }`.',
    ],
    ['brands', '{ domain: d, flow_recovery: { name: r } }', 'Write `{ slug: … }`.'],
  ])(
    'or type of an earlier release or another tool gets its present name: %s %s',
    async (list, entry, hint) => {
      expect((await told(`version: 1\n${list}: [${entry}]\n`)).join('\n')).toContain(hint);
    },
  );

  test.each(['scim_providers', 'scim_provider', 'provider_scim'])(
    'with the name of a type (%s) gets advice that mentions the list and the type',
    async (list) => {
      const [message] = await told(`version: 1\n${list}: []\nusers: []\n`);
      expect(message).toMatch(/Write an entry of providers with `type: scim`\.$/);
    },
  );

  test('that is similar to a required field is not also reported as a missing field', async () => {
    expect(await told('version: 1\nusers:\n  - { user_name: a, name: A }\n')).toHaveLength(1);
  });

  test('in defaults also gets the most similar name as a suggestion', async () => {
    const text = 'version: 1\ndefaults: { application: { gruop: x } }\napplications: []\n';
    expect(await told(text)).toEqual([expect.stringContaining('Did you mean `group`?')]);
  });

  test('is not quoted if it may contain a secret', async () => {
    const text =
      'version: 1\nusers:\n  - username: a\n    passwd: canary\n    x: y\n  - { username: b, z: 1, client_secret: canary }\n';
    const file = sourceFile('a.yaml', text);
    const parsed = parseYaml(file);
    const found = diagnosticsOf(checkSchema(validateManifest, parsed.value ?? null, parsed, file));
    expect(found.map(({ excerpt }) => excerpt)).toEqual([undefined, '    x: y', undefined, undefined]);
  });
});

test.each(['a~1b', 'a/b', 'a~0b', '~', '~01', '/~'])(
  'a mistake is found below a key with characters that JSON Pointers escape: %s',
  async (name) => {
    const text = `version: 1\nenvironments:\n  x: { concurrency: 1 }\n  "${name}":\n    concurrency: 0\n`;
    expect(await told(text, validateConfig)).toEqual([expect.stringMatching(/^invalid-value 5:18 /)]);
  },
);

describe('a slug with a forbidden character', () => {
  const summaries = async (text: string, data: string): Promise<string[]> => {
    const file = sourceFile('a.yaml', text);
    const parsed = parseYaml(file);
    const value = { version: 1, applications: [{ slug: data, name: 'A' }] };
    return diagnosticsOf(checkSchema(validateManifest, value, parsed, file)).map(({ summary }) => summary);
  };

  test.each(['my wiki', 'wiki.example', 'wikí', 'wiki🙂x', 'a/b'])(
    'is reported with that character: %s',
    async (slug) => {
      const character = /[^-\w]/u.exec(slug)?.[0];
      const text = `version: 1\napplications:\n  - slug: ${slug}\n    name: A\n`;
      expect(await summaries(text, slug)).toEqual([`\`slug\` must not contain ${JSON.stringify(character)}`]);
    },
  );

  test('is reported without that character if the slug comes from a reference', async () => {
    const text = 'version: 1\napplications:\n  - slug: ${env:SLUG}\n    name: A\n';
    expect(await summaries(text, 'can ary')).toEqual(['`slug` does not have the required format']);
  });
});
