import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { textOf } from '../../src/base/json.ts';
import { readRelease } from '../../src/kinds/release.ts';
import { checkByRelease, loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { desired, loadText } from '../support/desired.ts';

/** Values that only some releases accept. Each has its own resource. */
const resources = {
  'a slug of 50 characters': { slug: 'c'.repeat(50), name: 'A' },
  'a slug of 51 characters': { slug: 'a'.repeat(51), name: 'A' },
  'a slug of 300 characters': { slug: 'b'.repeat(300), name: 'A' },
  'a reserved slug': { slug: 'token', name: 'A' },
  'a reserved slug in upper case': { slug: 'Token', name: 'A' },
  'blank://blank': { slug: 'hidden', name: 'A', meta_launch_url: 'blank://blank' },
  'ssh://host': { slug: 'shell', name: 'A', meta_launch_url: 'ssh://host' },
  'a port of one digit': { slug: 'port', name: 'A', meta_launch_url: 'http://host:9/' },
  '%(id)s': { slug: 'old-template', name: 'A', meta_launch_url: 'https://host/%(id)s' },
  '%(pk)s': { slug: 'new-template', name: 'A', meta_launch_url: 'https://host/%(pk)s' },
  '%(uid)s': { slug: 'other-template', name: 'A', meta_launch_url: 'https://host/%(uid)s' },
  '%(username)s': { slug: 'any-template', name: 'A', meta_launch_url: 'https://host/%(username)s' },
  meta_icon: { slug: 'icon', name: 'A', meta_icon: 'fa://fa-book' },
  meta_hide: { slug: 'hides', name: 'A', meta_hide: true },
  requestable: { slug: 'requestable', name: 'A' },
  roles: { username: 'roled', name: 'A', roles: ['11111111-1111-4111-8111-111111111111'] },
  internal_service_account: { username: 'account', name: 'A', type: 'internal_service_account' },
};

type Name = keyof typeof resources;

/** The diagnostic for each value in short form, such as `error invalid-length`, or nothing. */
async function toldOf(release: string): Promise<Partial<Record<Name, string>>> {
  const entries = Object.entries(resources);
  const manifest = {
    version: 1,
    applications: entries.flatMap(([, entry]) => ('slug' in entry ? [entry] : [])),
    users: entries.flatMap(([, entry]) => ('username' in entry ? [entry] : [])),
  };
  const known = readRelease(release);
  const { diagnostics } = await loadText(JSON.stringify(manifest), { release: known });
  return Object.fromEntries(
    diagnostics.flatMap(({ address = '', severity, code }) => {
      const [name] =
        entries.find(([, entry]) => address.endsWith(`.${textOf(Object.values(entry)[0])}`)) ?? [];
      return name === undefined || code === 'similar-name' ? [] : [[name, `${severity} ${code}`] as const];
    }),
  );
}

const [error, warning] = ['error not-in-release', 'warning not-in-release'];
const superseded = 'warning superseded';
const tooLong = {
  'a slug of 51 characters': 'error invalid-length',
  'a slug of 300 characters': 'error invalid-length',
};
const always = { internal_service_account: 'warning likely-refused' };

test.each([
  [
    '2023.10',
    {
      ...tooLong,
      'ssh://host': error,
      'a port of one digit': error,
      '%(pk)s': warning,
      '%(uid)s': warning,
      meta_icon: error,
      meta_hide: error,
      roles: error,
    },
  ],
  [
    '2024.8.3',
    {
      ...tooLong,
      'ssh://host': error,
      '%(pk)s': warning,
      '%(uid)s': warning,
      meta_icon: error,
      meta_hide: error,
      roles: error,
    },
  ],
  [
    '2025.10',
    {
      ...tooLong,
      'a reserved slug': error,
      'ssh://host': error,
      '%(id)s': warning,
      '%(pk)s': warning,
      '%(uid)s': warning,
      meta_icon: error,
      meta_hide: error,
      roles: error,
    },
  ],
  [
    '2025.10.3',
    {
      ...tooLong,
      'a reserved slug': error,
      'ssh://host': error,
      '%(id)s': warning,
      meta_icon: error,
      meta_hide: error,
      roles: error,
    },
  ],
  ['2025.12', { 'a reserved slug': error, 'ssh://host': error, '%(id)s': warning, meta_hide: error }],
  ['2026.2', { 'a reserved slug': error, '%(id)s': warning, meta_hide: error }],
  ['2026.5', { 'a reserved slug': error, '%(id)s': warning, 'blank://blank': superseded }],
  [
    '2026.8.3',
    { 'a reserved slug': error, requestable: error, '%(id)s': warning, 'blank://blank': superseded },
  ],
  [
    'no known release',
    {
      ...tooLong,
      'a reserved slug': warning,
      'ssh://host': warning,
      'a port of one digit': warning,
      '%(id)s': warning,
      '%(pk)s': warning,
      '%(uid)s': warning,
      meta_icon: warning,
      meta_hide: warning,
      requestable: warning,
      roles: warning,
    },
  ],
] as const)('values that only some releases refuse are reported for %s', async (release, expected) => {
  expect(await toldOf(release)).toEqual({ ...always, ...expected });
});

test('values that a release of the service refuses are reported in the order of the manifest', async () => {
  const text = `version: 1
users: [{ username: roled, name: A, roles: [11111111-1111-4111-8111-111111111111] }]
applications: [{ slug: hides, name: A, meta_hide: true }]
`;
  const found = checkByRelease(await desired(text, {}, '2026.8'), readRelease('2024.2'), false, new Map());
  expect(found.map(({ address }) => address)).toEqual(['user.roled', 'application.hides']);
});

test.each([
  ['no known release', 'slug', 'a'.repeat(51), /since 2025\.12.*rollcall\.yaml/],
  ['2023.10', 'slug', 'a'.repeat(51), /since 2025\.12/],
  [
    'no known release',
    'meta_icon',
    'x',
    /releases before 2025\.12 ignore the field `meta_icon`.*rollcall\.yaml/,
  ],
  [
    '2023.10.7',
    'meta_icon',
    'x',
    /release 2023\.10\.7 ignores the field `meta_icon`.*before 2025\.12.*Leave out the field/,
  ],
  ['2025.12.4', 'slug', 'token', /release 2025\.12\.4 refuses this slug.*since 2025\.8/],
  ['no known release', 'meta_launch_url', 'ssh://host', /releases before 2026\.2 refuse this scheme/],
  ['2025.12', 'meta_launch_url', 'https://h/%(id)s', /leaves %\(id\)s .* unchanged.*%\(pk\)s/],
])(
  'for %s, the message for %s with the value %j names the affected releases',
  async (release, field, value, words) => {
    const known = readRelease(release);
    const { diagnostics } = await loadText(
      JSON.stringify({ version: 1, applications: [{ slug: 'x', name: 'X', [field]: value }] }),
      { release: known },
    );
    expect(diagnostics.map(({ summary, detail }) => `${summary} ${detail}`)).toEqual([
      expect.stringMatching(words),
    ]);
  },
);

test.each([
  ['2023.10', ['release 2023.10 refuses this type, like all releases before 2024.2']],
  ['2024.2', []],
])('an outpost of the type rac is validated for release %s', async (line, said) => {
  const release = readRelease(line);
  const outpost = { name: 'x', type: 'rac', config: {}, providers: [] };
  const { diagnostics } = await loadText(JSON.stringify({ version: 1, outposts: [outpost] }), { release });
  expect(diagnostics.map(({ summary }) => summary)).toEqual(said);
});

test('an entry of a kind that the release does not have is an error in plain words', async () => {
  const text = JSON.stringify({
    version: 1,
    initial_permissions: [{ name: 'x', role: '11111111-1111-4111-8111-111111111111', permissions: [] }],
  });
  const { diagnostics } = await loadText(text, { release: readRelease('2023.10.7') });
  expect(diagnostics.map(({ summary }) => summary)).toEqual([
    'release 2023.10.7 has no initial permissions, like all releases before 2025.12',
  ]);
});

test.each([
  [80, []],
  [81, ['not-in-release']],
])(
  'a name with %i characters of two code units each counts as that many characters',
  async (count, codes) => {
    const text = JSON.stringify({ version: 1, groups: [{ name: '\u{1f600}'.repeat(count) }] });
    const { diagnostics } = await loadText(text, { release: readRelease('2024.6') });
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  },
);

test.each([
  ['groups: [{ name: ops, parents: [1, 2] }]', '2025.10', '2025.12'],
  ['groups: [{ name: ops, parents: [1], at_least: [parents] }]', '2025.10', '2025.12'],
  [
    'providers: [{ type: scim, name: S, url: https://s.example.com/, token: "${env:T}", group_filters: [1, 2] }]',
    '2025.12',
    '2026.2',
  ],
])(
  'several ids, or one in part, in a field that held one id are an error before the release that changed it',
  async (entries, before, since) => {
    const text = `version: 1\n${entries.replaceAll(/[12](?=[,\]])/g, idOf)}\n`;
    const codesAt = async (release: string): Promise<string[]> => {
      const { diagnostics } = await loadText(text, {
        release: readRelease(release),
        env: { T: 'a-token-of-a-test' },
      });
      return diagnostics.map(({ code, summary }) => `${code} ${summary}`);
    };
    expect(await codesAt(before)).toEqual([
      expect.stringMatching(`^not-in-release .* allows only one id .*, like all releases before ${since}$`),
    ]);
    expect(await codesAt(since)).toEqual([]);
  },
);

test('one id in a field that held one id may be declared in full, and in part if the release is unknown', async () => {
  const group = (more: string): string =>
    `version: 1\ngroups: [{ name: ops, parents: [${idOf('1')}]${more} }]\n`;
  const all = group(', at_least: [parents], exactly: [parents]');
  for (const text of [group(''), all])
    expect((await loadText(text, { release: readRelease('2025.10') })).diagnostics).toEqual([]);
  expect((await loadText(group(', at_least: [parents]'), {})).diagnostics).toEqual([]);
});

test('until the release is known, only values that every release refuses are errors', async () => {
  const codesOf = async (fields: string): Promise<readonly string[]> => {
    const files = memoryFiles({ m: `version: 1\napplications: [{ name: X, ${fields} }]\n` });
    const { diagnostics } = await loadManifests(['m'], { files, release: 'asked later' });
    return diagnostics.map(({ code }) => code);
  };
  // Each release refuses one of these two values.
  expect(await codesOf('slug: token, meta_hide: true')).toEqual([]);
  expect(await codesOf('slug: token, meta_launch_url: "x://host"')).toEqual(['invalid-format']);
  // Some releases accept the slug, and no release accepts the URL, whose length is also wrong.
  const slug = 'a'.repeat(51);
  const url = `"https://host/${'a'.repeat(2500)}"`;
  for (const [before, between] of [
    ['', ', '],
    [`\n${' '.repeat(12)}`, ',\n '],
  ])
    expect(await codesOf(`${before}slug: ${slug}${between}meta_launch_url: ${url}`)).toEqual([
      'invalid-length',
    ]);
});

test('an accepted login without a proof of identity is not reported', async () => {
  const text = readFileSync('test/fixtures/broken/open-login.yaml', 'utf8');
  expect((await loadText(text, { allowsOpenLogin: true })).diagnostics).toEqual([]);
});

test.each([
  [253, []],
  [254, ['invalid-format']],
])('the host of a launch URL with %i characters', async (length, codes) => {
  const host = `${'a.'.repeat(126)}aa`.slice(-length).replace(/^\./, 'a');
  const manifest = `version: 1\napplications: [{ slug: x, name: X, meta_launch_url: "https://${host}/" }]\n`;
  expect(host).toHaveLength(length);
  expect((await loadText(manifest, {})).diagnostics.map(({ code }) => code)).toEqual(codes);
});

function idOf(digit: string): string {
  return `${digit.repeat(8)}-1111-4111-8111-111111111111`;
}

test('an entry that declares a record absent needs no field of the release', async () => {
  const entry = 'name: a, type: oauth2';
  const codesOf = async (fields: string): Promise<string[]> => {
    const text = `version: 1\nproviders: [{ ${fields} }]\n`;
    const { diagnostics } = await loadText(text, { release: readRelease('2026.5') });
    return diagnostics.map(({ code }) => code);
  };
  expect(await codesOf(`${entry}, state: absent`)).toEqual([]);
  expect(await codesOf(entry)).not.toEqual([]);
});

test('a field that only a new record needs is a warning while the record may exist', async () => {
  const text = 'version: 1\nproviders: [{ type: oauth2, name: P }]\n';
  const { diagnostics } = await loadText(text, { release: readRelease('2026.2') });
  expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    'warning missing-field',
    'warning not-in-release',
    'warning not-in-release',
  ]);
});
