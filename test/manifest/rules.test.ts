import { describe, expect, test } from 'vitest';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { loadText } from '../support/desired.ts';

interface Found {
  readonly code: string;
  readonly file: string | undefined;
  readonly detail: string;
}

/** The problems in several lists of applications or users. Each list is in its own file. */
async function foundIn(...lists: readonly string[]): Promise<Found[]> {
  const files = Object.fromEntries(
    lists.map((list, index) => [`m/${index + 1}.yaml`, `version: 1\n${list}\n`]),
  );
  const { diagnostics } = await loadManifests(['m'], { files: memoryFiles(files) });
  return diagnostics.map(({ code, range, detail }) => ({ code, file: range?.filename, detail }));
}

const fine = 'users: [{ username: somebody, name: Else }]';

test.each([
  ['applications: [{ slug: a, name: A, backchannel_providers: [2, 3, 2, 2] }]', [66, 69]],
  ['users: [{ username: a, name: A, groups: ["${var:id}", 11111111-1111-4111-8111-aaaaaaaaaaaa] }]', [55]],
  [
    `defaults: { application: { backchannel_providers: [2, 2] } }
applications: [{ slug: a, name: A }]`,
    [55],
  ],
  ['applications: [{ slug: a, name: A, provider: 2, backchannel_providers: [2, 1] }]', []],
])('each duplicate id in a list causes a warning at its place: %s', async (list, columns) => {
  const { diagnostics } = await loadText(`version: 1\n${list}\n`, {
    variables: { id: '11111111111141118111AAAAAAAAAAAA' },
  });
  expect(
    diagnostics.map(({ code, severity, range }) => [code, severity, range?.start.line, range?.start.column]),
  ).toEqual(columns.map((column) => ['repeated-id', 'warning', 2, column]));
});

describe('a rule over all entries', () => {
  test.each([
    [
      'duplicate-resource',
      'applications: [{ slug: wiki, name: A }]',
      'applications: [{ slug: wiki, name: B }]',
      'm/1.yaml:2:24',
    ],
    [
      'duplicate-resource',
      'applications: [{ slug: wiki, name: A, provider: 7 }]',
      'applications: [{ slug: wiki, name: A, provider: 7 }]',
      'm/1.yaml:2:24',
    ],
    [
      'duplicate-resource',
      'users: [{ username: alice, name: A }]',
      'users: [{ username: alice, name: A }]',
      'm/1.yaml:2:21',
    ],
    [
      'shared-provider',
      'applications: [{ slug: a, name: A, provider: 7 }]',
      'applications: [{ slug: b, name: B, provider: 7 }]',
      'm/1.yaml:2:46',
    ],
    [
      'shared-backchannel-provider',
      'applications: [{ slug: a, name: A, backchannel_providers: [6, 7] }]',
      'applications: [{ slug: b, name: B, backchannel_providers: [7, 8] }]',
      'm/1.yaml:2:59',
    ],
    [
      'similar-name',
      'applications: [{ slug: wiki, name: A }]',
      'applications: [{ slug: Wiki, name: B }]',
      'm/1.yaml:2:24',
    ],
    [
      'similar-name',
      'users: [{ username: alice, name: A }]',
      'users: [{ username: Alice, name: A }]',
      'm/1.yaml:2:21',
    ],
  ])('compares entries of two files: %s: %s and %s', async (code, one, other, firstPlace) => {
    const told = { code, detail: expect.stringContaining(firstPlace) as string };
    expect(await foundIn(one, other)).toEqual([{ ...told, file: 'm/2.yaml' }]);
    expect(await foundIn(one, fine, fine.replace('somebody', 'else'), other)).toEqual([
      { ...told, file: 'm/4.yaml' },
    ]);
    expect(await foundIn(one)).toEqual([]);
  });

  test('takes the defaults of each file into account', async () => {
    const file = (slug: string): string =>
      `defaults: { application: { provider: 7 } }\napplications: [{ slug: ${slug}, name: A }]`;
    expect(await foundIn(file('a'), file('b'))).toMatchObject([
      { code: 'shared-provider', file: 'm/2.yaml' },
    ]);
  });

  test('allows an application and a user with the same name', async () => {
    expect(
      await foundIn('applications: [{ slug: same, name: A }]', 'users: [{ username: same, name: A }]'),
    ).toEqual([]);
  });
});

describe('all mistakes of an entry are reported in one run', () => {
  test.each([
    [
      'with a wrong type',
      'users: [{ username: a, name: A, is_active: maybe, email: nope }]',
      ['wrong-type', 'invalid-format'],
    ],
    [
      'with an unknown field',
      'users: [{ username: a, name: A, emial: x, path: /x }]',
      ['unknown-field', 'invalid-format'],
    ],
    [
      'with an invalid name, and without an address',
      'applications: [{ slug: a b, name: A, meta_launch_url: "javascript:alert(1)" }]',
      ['invalid-format', 'invalid-format'],
    ],
    ['without a name', 'users: [{ name: A, email: nope }]', ['missing-field', 'invalid-format']],
    [
      'with a secret as the name',
      'users: [{ username: "${env:A}", name: A, email: nope }]',
      ['sensitive-name', 'invalid-format'],
    ],
    [
      'with missing fields, unless they are invalid or may be misspelt',
      'users: [{ username: a, path: 1 }, { username: b, name: 1 }, { username: c, nmae: C }]',
      ['likely-refused', 'wrong-type', 'wrong-type', 'unknown-field'],
    ],
    [
      'with a value of another entry, unless it is to be deleted',
      'brands: [{ domain: a, default: true }, { domain: b, default: true, state: absent }]',
      ['declared-of-absent'],
    ],
  ])('%s', async (_, manifest, codes) => {
    const files = memoryFiles({ 'a.yaml': `version: 1\n${manifest}\n` });
    const { diagnostics } = await loadManifests(['a.yaml'], {
      files,
      env: { A: 'canary' },
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(JSON.stringify(diagnostics)).not.toContain('canary');
    for (const { address } of diagnostics) expect([undefined, 'user.a']).toContain(address);
  });
});

test('a reference to an entry that a later file declares absent is reported at that entry', async () => {
  const found = await foundIn(
    'users: [{ username: a, name: A, groups: [{ name: g }] }]',
    'groups: [{ name: g, state: absent }]',
  );
  expect(found.map(({ code, file }) => [code, file])).toEqual([['names-absent', 'm/2.yaml']]);
  expect(found[0]?.detail).toContain('m/1.yaml');
});

test('an entry that is declared absent may not refer to a former name', async () => {
  const found = await foundIn(
    'applications: [{ slug: new, formerly: old, name: Wiki }]',
    'entitlements: [{ name: e, app: { slug: old }, state: absent }]',
  );
  expect(found.map(({ code, file }) => [code, file])).toEqual([['former-name', 'm/2.yaml']]);
});

test('an entry that is declared absent may refer to another one that is declared absent', async () => {
  const app = 'applications: [{ slug: wiki, state: absent }]';
  const entitlement = 'entitlements: [{ name: e, app: { slug: wiki }, state: absent }]';
  expect(await foundIn(app, entitlement)).toEqual([]);
  expect(await foundIn(entitlement, app)).toEqual([]);
});

test.each([
  ['applications: [{ slug: a, formerly: a, name: A }]', 'former-name', 'the resource already has this name'],
  ['stages: [{ name: a, type: constructor }]', 'invalid-value', '`type` must be one of'],
  ['defaults: { stage.deny: { state: absent } }\nstages: []', 'unknown-field', 'state'],
])('%s is refused with %s', async (text, code, words) => {
  const { diagnostics } = await loadText(`version: 1\n${text}\n`);
  expect(diagnostics).toMatchObject([{ code, summary: expect.stringContaining(words) as string }]);
});

test('strict runs report the warnings of all resources', async () => {
  const text = 'version: 1\nusers: [{ username: a, name: A }, { username: A, name: A }]\n';
  const codesOf = async (strict: boolean): Promise<string[]> =>
    (await loadText(text, { strict, isWarningReported: () => false })).diagnostics.map(({ code }) => code);
  expect([await codesOf(false), await codesOf(true)]).toEqual([[], ['similar-name']]);
});
