import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { loadManifests, type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { baselineWarning, compareWithBaseline, mayLeaveRecord } from '../../src/manifest/baseline.ts';
import { memoryFiles } from '../support/memory-files.ts';

type Texts = Readonly<Record<string, string>>;

/** Loads manifests. In former manifests, references that need secrets stay unresolved. */
async function loaded(texts: string | Texts, env?: Texts): Promise<LoadedManifests> {
  const files = typeof texts === 'string' ? { 'm.yaml': texts } : texts;
  return loadManifests(
    Object.keys(files).filter((name) => name.endsWith('.yaml')),
    {
      files: memoryFiles(files),
      secrets: env ? 'read' : 'assumed',
      variables: { team: 'ops', other: 'ops' },
      ...(env && { env }),
    },
  );
}

/** The comparison of each entry: a word, or the former and present values of each field. */
async function since(before: string | Texts, now: string | Texts, env: Texts = {}): Promise<unknown> {
  const { alterations, noLongerDeclared } = compareWithBaseline(await loaded(before), await loaded(now, env));
  const entries = Array.from(alterations, ([address, alteration]): [string, unknown] => [
    address,
    alteration.kind === 'altered' ? (alteration.fields ?? 'altered') : alteration.kind,
  ]);
  const gone = noLongerDeclared.map(({ address, source }): [string, string] => [
    address,
    source ? `gone from ${source.file}:${source.line}:${source.column}` : 'gone',
  ]);
  return Object.fromEntries([...entries, ...gone]);
}

function user(fields: string): string {
  return `version: 1\nusers: [{ username: u, name: U, ${fields} }]\n`;
}

function app(fields: string): string {
  return `version: 1\napplications: [{ slug: a, name: A, ${fields} }]\n`;
}

describe('an entry compared with its baseline', () => {
  test('counts as added, altered, unchanged, or no longer declared', async () => {
    const before =
      'version: 1\nusers:\n  - { username: one, name: 1st }\n  - { username: two, name: 2nd }\n  - { username: gone, name: G }\n';
    const now =
      'version: 1\napplications: [{ slug: new, name: New }]\nusers:\n  - { username: two, name: 2nd }\n  - { username: one, name: First }\n';
    expect(await since(before, now)).toEqual({
      'application.new': 'added',
      'user.one': [{ field: 'name', before: '1st', now: 'First' }],
      'user.two': 'same',
      'user.gone': 'gone from m.yaml:5:5',
    });
  });

  test('is listed in the order of a plan if it was removed', async () => {
    const before = await loaded({
      'a.yaml': 'version: 1\nusers: [{ username: b }, { username: a }]\n',
      'b.yaml': app('group: G'),
    });
    const { noLongerDeclared } = compareWithBaseline(before, await loaded('version: 1\nusers: []\n', {}));
    const addresses = noLongerDeclared.map(({ address }) => address);
    expect(addresses).toEqual(['application.a', 'user.a', 'user.b']);
  });

  test('counts as unchanged in another file, in another order, or written differently', async () => {
    const before = { 'a.yaml': user('email: u@example.com, attributes: { a: 1, b: [2] }') };
    const now = {
      'b.yaml':
        "version: 1\nusers:\n  - attributes:\n      b: [2]\n      a: 1\n    name: 'U'\n    email: u@example.com\n    username: u\n",
    };
    expect(await since(before, now)).toEqual({ 'user.u': 'same' });
  });

  test.each<[string, string, JsonValue]>([
    ['', 'path: x', [{ field: 'path', now: 'x' }]],
    ['path: x', '', [{ field: 'path', before: 'x' }]],
    ['is_active: true', 'is_active: false', [{ field: 'is_active', before: true, now: false }]],
    [
      'attributes: { a: 1 }',
      'attributes: { a: 1, b: 2 }',
      [{ field: 'attributes', before: { a: 1 }, now: { a: 1, b: 2 } }],
    ],
    ['path: "${var:team}"', 'path: "${var:other}"', 'same'],
    ['last_login: 2026-01-01T01:00:00+01:00', 'last_login: 2026-01-01T00:00:00Z', 'same'],
    ['groups: [0f4d7a51-5f64-4a61-9d1c-4f8d3e4b2a10]', 'groups: [0F4D7A515F644A619D1C4F8D3E4B2A10]', 'same'],
  ])('counts as altered only if a field has another meaning: %s → %s', async (before, now, expected) => {
    expect(await since(user(before), user(now))).toEqual({ 'user.u': expected });
  });

  test('counts as altered if it is renamed, and its former name is not missing', async () => {
    const now = 'version: 1\nusers: [{ username: v, formerly: u, name: U }]\n';
    expect(await since('version: 1\nusers: [{ username: u, name: U }]\n', now)).toEqual({
      'user.v': [
        { field: 'username', before: 'u', now: 'v' },
        { field: 'formerly', now: 'u' },
      ],
    });
  });

  test('counts as the same if it refers to a record that is renamed', async () => {
    const of = (group: string, reference: string): string =>
      `version: 1\ngroups: [{ ${group} }]\nusers: [{ username: u, name: U, groups: [{ name: ${reference} }] }]\n`;
    const changes = await since(of('name: a', 'a'), of('name: b, formerly: a', 'b'));
    expect(changes).toMatchObject({ 'user.u': 'same' });
  });

  test('counts as altered if a binding declares fewer fields than before', async () => {
    const bound = (more: string): string => app(`policies: [{ group: { name: g }, order: 0${more} }]`);
    const changes = await since(bound(', timeout: 9'), bound(''));
    expect(changes).toMatchObject({ 'application.a': [{ field: 'policies' }] });
    expect(await since(bound(', negate: false'), bound(''))).toEqual({ 'application.a': 'same' });
  });

  test('counts as altered if a field was null and is now left out', async () => {
    expect(await since(app('provider: null'), app(''))).toEqual({
      'application.a': [{ field: 'provider', before: null }],
    });
  });

  test('counts as altered if the defaults of its file are altered', async () => {
    const text = (path: string): string =>
      `version: 1\ndefaults: { user: { path: ${path} } }\nusers: [{ username: u }, { username: v, path: own }]\n`;
    expect(await since(text('a'), text('b'))).toEqual({
      'user.u': [{ field: 'path', before: 'a', now: 'b' }],
      'user.v': 'same',
    });
  });

  test('counts as altered or removed if the entry of the baseline is invalid', async () => {
    const before = 'version: 1\nusers: [{ username: u, email: [1] }, { username: v, nonsense: 1 }]\n';
    expect(await since(before, user('email: u@example.com'))).toEqual({
      'user.u': 'altered',
      'user.v': 'gone',
    });
  });
});

describe('a sensitive value compared with its baseline', () => {
  const env = { SECRET: 'canary-one', OTHER: 'canary-two' };
  const hidden = '(sensitive)';

  test.each<[string, string, JsonValue]>([
    ['a ${env:SECRET}', 'a ${env:SECRET}', 'same'],
    ['a ${env:SECRET}', 'a ${env:OTHER}', [{ field: 'name', before: hidden, now: hidden }]],
    ['a ${env:SECRET}', 'b ${env:SECRET}', [{ field: 'name', before: hidden, now: hidden }]],
    ['a ${env:SECRET}', 'plain', [{ field: 'name', before: hidden, now: 'plain' }]],
    ['plain', '${env:SECRET}', [{ field: 'name', before: hidden, now: hidden }]],
    ['(sensitive)', '${env:SECRET}', [{ field: 'name', before: hidden, now: hidden }]],
  ])('is compared by its source, and never shown: %s → %s', async (before, now, expected) => {
    const text = (name: string): string => `version: 1\nusers: [{ username: u, name: '${name}' }]\n`;
    expect(await since(text(before), text(now), env)).toEqual({ 'user.u': expected });
  });

  test('is masked alone in the entry of a manifest, and with all other attributes in the entry of a baseline', async () => {
    expect(
      await since(
        user("attributes: { key: '${env:SECRET}', n: 1 }"),
        user("attributes: { key: '${env:SECRET}', n: 2 }"),
        env,
      ),
    ).toEqual({
      'user.u': [{ field: 'attributes', before: hidden, now: { key: hidden, n: 2 } }],
    });
  });

  test('is masked everywhere if it was literal before', async () => {
    const before = user('email: canary-one@example.com, attributes: { key: canary-one }');
    const now = user("email: u@example.com, attributes: { key: '${env:SECRET}' }");
    expect(await since(before, now, env)).toEqual({
      'user.u': [
        { field: 'email', before: '(sensitive)@example.com', now: 'u@example.com' },
        { field: 'attributes', before: hidden, now: { key: hidden } },
      ],
    });
  });

  test('is masked if its reference stands only in the baseline', async () => {
    const before = await loaded(user("email: '${env:SECRET}', path: canary-one/x"), env);
    const now = await loaded(user('path: y'), {});
    const altered = compareWithBaseline(before, now).alterations.get('user.u');
    expect(altered).toEqual({
      kind: 'altered',
      fields: [
        { field: 'path', before: '(sensitive)/x', now: 'y' },
        { field: 'email', before: hidden },
      ],
    });
  });

  test('counts as a different value if its file is in another folder', async () => {
    const text = app("meta_publisher: '${file:key}'");
    const secrets = { 'a/key': 'canary-one', 'b/key': 'canary-one' };
    const inFolder = (folder: string): Texts => ({ ...secrets, [`${folder}/m.yaml`]: text });
    expect(await since(inFolder('a'), inFolder('a'), {})).toEqual({ 'application.a': 'same' });
    expect(await since(inFolder('a'), inFolder('b'), {})).toEqual({
      'application.a': [{ field: 'meta_publisher', before: hidden, now: hidden }],
    });
    const elsewhere = {
      ...secrets,
      'a/key': 'canary-one',
      'b/m.yaml': app("meta_publisher: '${file:../a/key}'"),
    };
    expect(await since(inFolder('a'), elsewhere, {})).toEqual({ 'application.a': 'same' });
    const rooted = (folder: string): Texts => ({
      '/k': 'canary-one',
      [`${folder}/m.yaml`]: app("meta_publisher: '${file:/k}'"),
    });
    expect(await since(rooted('a'), rooted('b'), {})).toEqual({ 'application.a': 'same' });
  });
});

describe('manifests of a baseline', () => {
  test('cause a warning with the first problem if they are invalid', async () => {
    const before = await loaded({
      'a.yaml': '{',
      'b.yaml': user('email: [1], x: 1, y: 2'),
    });
    const [warning, ...others] = baselineWarning('.before', before);
    expect(others).toEqual([]);
    expect(warning).toMatchObject({
      severity: 'warning',
      code: 'broken-before',
      summary: 'the manifests of .before are invalid, so old entries may be reported as new',
    });
    expect(warning?.detail).toMatch(
      /^a\.yaml:1:\d+: .*\nb\.yaml:2:\d+: .*\nb\.yaml:2:\d+: .*\n… and 1 more\.$/,
    );
  });

  test('cause a different warning if none exist in the baseline', async () => {
    const absent = await loadManifests(['nowhere', '*.yml'], { files: memoryFiles({}) });
    expect(baselineWarning('.before/m', absent).map(({ summary }) => summary)).toEqual([
      '.before/m contains none of these manifests, so all entries count as new',
    ]);
  });

  test('cause no warning if only some are missing, or if they have only warnings', async () => {
    const files = memoryFiles({ 'm.yaml': user('path: p') });
    const some = await loadManifests(['m.yaml', 'nowhere'], { files });
    const warned = await loaded(user('type: internal_service_account'));
    for (const before of [some, warned]) {
      expect(before.diagnostics).not.toEqual([]);
      expect(baselineWarning('.before', before)).toEqual([]);
    }
  });
});

test.each([
  ['is declared no more', {}, true],
  ['was declared absent', { state: 'absent' }, false],
  ['was declared absent, and is an inactive account', { state: 'absent', active: false }, false],
  ['was declared absent, and is an active account', { state: 'absent', active: true }, true],
] as const)('whether a record may be left that %s: %j %j', (_, entry, expected) => {
  expect(mayLeaveRecord({ address: 'user.u', ...entry })).toBe(expected);
});
