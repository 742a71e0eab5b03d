import { describe, expect, test } from 'vitest';
import { desired } from '../support/desired.ts';
import { sentOf, shownOf } from '../support/values.ts';

const everyDefault = `
version: 1
defaults:
  application:
    provider: 7
    group: Tools
    open_in_new_tab: true
    backchannel_providers: [1, 2]
    meta_description: for everyone
  user:
    is_active: true
    groups: [11111111-1111-4111-8111-111111111111]
    email: all@example.com
    attributes: { department: all }
`;

const application = 'applications:\n  - slug: wiki\n    name: Wiki\n';
const user = 'users:\n  - username: alice\n    name: Alice\n';
const entries: Readonly<Record<string, string>> = { application, user };

describe('a default in a manifest', () => {
  test('fills in fields that an entry leaves out', async () => {
    const [wiki] = await desired(everyDefault + application);
    expect(wiki && sentOf(wiki)).toEqual({
      slug: 'wiki',
      name: 'Wiki',
      provider: 7,
      group: 'Tools',
      open_in_new_tab: true,
      backchannel_providers: [1, 2],
      meta_description: 'for everyone',
    });
    expect(wiki && shownOf(wiki)).toEqual(wiki && sentOf(wiki));
  });

  test.each([
    ['application', 'provider', 'null', null],
    ['application', 'provider', '~', null],
    ['application', 'provider', '', null],
    ['application', 'provider', '8', 8],
    ['application', 'group', '""', ''],
    ['application', 'open_in_new_tab', 'false', false],
    ['application', 'backchannel_providers', '[]', []],
    ['application', 'meta_description', '" "', ''],
    ['user', 'is_active', 'false', false],
    ['user', 'groups', '[]', []],
    ['user', 'email', '""', ''],
    ['user', 'attributes', '{}', {}],
  ])('for the type %s is overridden by any value of the entry: %s: %s', async (type, field, text, said) => {
    const [resource] = await desired(`${everyDefault}${entries[type]}    ${field}: ${text}\n`);
    expect(resource && sentOf(resource)).toMatchObject({ [field]: said });
    expect(resource && shownOf(resource)).toMatchObject({ [field]: said });
  });

  test('applies to one kind only', async () => {
    const [wiki, alice] = await desired(everyDefault + application + user);
    expect(wiki && Object.keys(sentOf(wiki))).toEqual(expect.arrayContaining(['slug', 'group']));
    expect(wiki && sentOf(wiki)).not.toHaveProperty('email');
    expect(alice && sentOf(alice)).toHaveProperty('email');
    expect(alice && sentOf(alice)).not.toHaveProperty('group');
  });

  test('for a list with several types applies to those types that have the field', async () => {
    const [a, b] = await desired(`version: 1
defaults:
  provider: { authorization_flow: { slug: in }, invalidation_flow: { slug: out }, sub_mode: user_email, mode: forward_domain }
providers:
  - { name: a, type: oauth2, redirect_uris: [], grant_types: [] }
  - { name: b, type: proxy, external_host: 'https://b.example.com', cookie_domain: example.com }
`);
    expect(a && sentOf(a)).toMatchObject({ sub_mode: 'user_email' });
    expect(a && sentOf(a)).not.toHaveProperty('mode');
    expect(b && sentOf(b)).toMatchObject({ mode: 'forward_domain' });
    expect(b && sentOf(b)).not.toHaveProperty('sub_mode');
  });

  test('may be null', async () => {
    const [wiki] = await desired(`version: 1\ndefaults: { application: { provider: null } }\n${application}`);
    expect(wiki && sentOf(wiki)).toEqual({ slug: 'wiki', name: 'Wiki', provider: null });
  });
});
