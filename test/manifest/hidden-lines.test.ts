import { describe, expect, test } from 'vitest';
import { type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { loadText } from '../support/desired.ts';

const hide = ['user.name', 'user.email', 'user.attributes', 'user.type', 'application.provider'];

function load(text: string): Promise<LoadedManifests> {
  return loadText(`version: 1\n${text}\n`, { hide });
}

describe('with hidden fields, no line of a manifest is quoted', () => {
  test.each([
    ['for a field that is not hidden', 'applications:\n  - slug: canary b\n    name: A\n'],
    ['for a hidden field', 'users:\n  - username: u\n    name: N\n    email: canary\n'],
    ['for a field in the line of a hidden one', 'users:\n  - { username: u, path: /x, name: canary }\n'],
    ['for an unknown field', 'users:\n  - username: u\n    name: N\n    emial: canary\n'],
    ['for an unknown list', 'users: []\nusres: [{ username: u, email: canary }]\n'],
    ['for defaults', 'users: []\ndefaults: { user: { path: 7, name: canary } }\n'],
    ['for an entry that is a string', 'users:\n  - canary\n'],
    ['for a list that is a string', 'users: canary\n'],
    ['for a string field that is a mapping', 'applications:\n  - slug: s\n    name: { email: canary }\n'],
    [
      'for a string field that is a list of mappings',
      'applications:\n  - slug: s\n    name: [{ email: canary }]\n',
    ],
    [
      'next to a secret in clear',
      'providers:\n  - { type: oauth2, name: P, client_secret: x }\nusers:\n  - username: u\n    name: N\n    emial: canary\n',
    ],
    ['with a comment', 'users:\n  - username: u\n    name: N\n    path: /x # canary\n'],
    [
      'for an unknown field in a second list',
      'users:\n  - { username: u, name: N }\napplications:\n  - { slug: s, name: A, email: canary }\n',
    ],
    [
      'for a key that is written twice',
      'users:\n  - { username: u, name: N, email: x,\n      path: /x, email: canary }\n',
    ],
  ])('%s', async (_, text) => {
    const { diagnostics } = await load(text);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(JSON.stringify(diagnostics)).not.toContain('canary');
    for (const { excerpt, range } of diagnostics) {
      expect(excerpt).toBeUndefined();
      expect(range?.end).toEqual(range?.start); // the end would reveal the length of the secret
    }
  });
});

test.each([
  ['email: *canary', 'there is no anchor (hidden)'],
  ['email: !canary x', 'this YAML syntax is not allowed here'],
  ['attributes: { canary: 1, canary: 2 }', 'the key (hidden) occurs more than once'],
  ['email: |canary', 'this is not valid YAML'],
  ['email: "${canary}"', 'this is not a reference: (hidden)'],
  ['email: "${canary"', 'a reference begins here, but its closing brace is missing'],
  ['email: [canary]', '`email` must be a string, not a list'],
  ['email: "canary\0"', 'this file contains a NUL'],
  ['\n---\ncanary', 'a second document starts here'],
])('a message about the hidden value of %j does not repeat it', async (field, summary) => {
  const { diagnostics } = await load(`users:\n  - username: u\n    name: N\n    ${field}\n`);
  expect(JSON.stringify(diagnostics)).not.toContain('canary');
  expect(diagnostics.map((diagnostic) => diagnostic.summary)).toContain(summary);
});

test('a YAML directive is not repeated in a message if fields are hidden', async () => {
  const { diagnostics } = await loadText('%canary x\n---\nversion: 1\nusers: []\n', { hide });
  expect(diagnostics).toMatchObject([
    { code: 'yaml-unsupported', summary: 'this YAML syntax is not allowed here' },
  ]);
});

test.each([
  '{ version: 1, applications: [{ slug: a b, name: A }], users: canary }',
  '{ version: 1, applications: [{ slug: a b, name: A }], usres: [{ email: canary }] }',
  '{ version: 1, applications: [{ slug: a b, name: A }, [canary]] }',
])('a line that may contain a hidden value is not quoted: %s', async (text) => {
  const { diagnostics } = await loadText(text, { hide });
  expect(diagnostics.map(({ code }) => code)).toContain('invalid-format');
  expect(JSON.stringify(diagnostics)).not.toContain('canary');
});

test('with hidden fields, the report of an unknown field lists possible fields but does not repeat the name', async () => {
  const text = 'users:\n  - username: u\n    name: N\n    emial: x\n    canary: x\n';
  const { diagnostics } = await load(text);
  expect(diagnostics.map(({ summary, detail }) => [summary, detail.slice(0, 20)])).toEqual([
    ['unknown field (hidden)', 'Did you mean `email`'],
    ['unknown field (hidden)', 'Known here: username'],
  ]);
});

test('a hidden value that resembles an allowed value gets no suggestion', async () => {
  const [fault] = (await load('users:\n  - { username: u, name: N, type: internl }\n')).diagnostics;
  expect(fault).toMatchObject({ code: 'invalid-value' });
  expect(fault?.detail).not.toContain('Did you mean');
  const [yes] = (await load('applications:\n  - { slug: s, name: A, provider: "7391" }\n')).diagnostics;
  expect(yes?.detail).not.toContain('quotes');
});

test('a message about two entries with the same hidden value does not repeat the value', async () => {
  const list =
    'applications:\n  - { slug: a, name: A, provider: 7391 }\n  - { slug: b, name: B, provider: 7391 }\n';
  expect((await load(list)).diagnostics.map(({ summary }) => summary)).toEqual([
    'provider (hidden) is already the main provider of `a`',
  ]);
});
