import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, type JsonObject } from '../../src/base/json.ts';
import { kinds, lists } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { addressOf } from '../../src/kinds/resource.ts';
import { user } from '../../src/kinds/user.ts';
import { type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { manifestCheck } from '../../src/manifest/manifest-check.ts';
import type { Declaration } from '../../src/adopt/writable.ts';
import { writeManifest } from '../../src/adopt/write-manifest.ts';
import { anyRecords } from '../support/any-records.ts';
import { times } from '../support/effort.ts';
import { sentOf } from '../support/values.ts';
import { loadText } from '../support/desired.ts';

const check = await manifestCheck(lists);

const load = (text: string): Promise<LoadedManifests> => loadText(text, { env: {}, variables: {} });

/** Problems that only two resources together have. */
const aboutTwo: ReadonlySet<string> = new Set([
  'shared-provider',
  'shared-backchannel-provider',
  'former-name',
]);

test('a written manifest reads back as the declared records, except for values reported as unwritable', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (records) => {
      const { text, unwritable } = writeManifest(records, check, 'x.json');
      const { resources, diagnostics } = await load(text);
      const errors = diagnostics.filter(({ severity, code }) => severity === 'error' && !aboutTwo.has(code));
      expect(errors).toEqual([]);

      const expected = new Map<string, JsonObject>();
      for (const { address, kind, fields } of records) {
        const told = unwritable.filter((each) => each.address === address);
        if (told.some(({ isWhole, problem }) => isWhole && problem.code !== 'duplicate-resource')) continue;
        if (expected.has(address)) continue;
        const left = new Set(told.flatMap(({ isWhole, field }) => (isWhole ? [] : field)));
        expected.set(
          address,
          Object.fromEntries(
            Object.entries(fields).filter(([field]) => !left.has(field) && field !== kind.variant?.field),
          ),
        );
      }
      expect(new Map(resources.map((resource) => [resource.address, sentOf(resource)]))).toEqual(expected);
    }),
    { numRuns: times({ short: 4, full: 500 }) },
  );
});

const users = kinds.filter(({ type }) => type === user.type);
const applications = kinds.filter(({ type }) => type === application.type);

function all(of: readonly Declaration['kind'][], ...entries: JsonObject[]): Declaration[] {
  return of.flatMap((kind) =>
    entries.map((fields) => ({ address: addressOf(kind.type, textOf(fields[kind.identity])), kind, fields })),
  );
}

function nested(depth: number): JsonObject {
  return depth === 1 ? { a: 1 } : { a: nested(depth - 1) };
}

describe('a written manifest', () => {
  test('starts with the schema, sorts kinds, fields and entries, and escapes ${ as $${', () => {
    const { text, unwritable } = writeManifest(
      [
        ...all(
          users,
          { name: 'Bob', username: 'bob' },
          { attributes: { shell: '${HOME}', lines: 'a\nb\n' }, username: 'alice', groups: [] },
        ),
        ...all(applications, { provider: null, backchannel_providers: [2, 3], name: '007', slug: 'wiki' }),
      ],
      check,
      '../schemas/manifest.schema.json',
    );
    expect(unwritable).toEqual([]);
    expect(text).toBe(`# yaml-language-server: $schema=../schemas/manifest.schema.json
version: 1
applications:
  - slug: wiki
    name: "007"
    provider: null
    backchannel_providers:
      - 2
      - 3
users:
  - username: alice
    groups: []
    attributes:
      shell: $\${HOME}
      lines: |
        a
        b
  - username: bob
    name: Bob
`);
  });

  test('writes equal items of a list that contains no bindings', () => {
    const { text } = writeManifest(
      all(applications, { slug: 'wiki', name: 'Wiki', backchannel_providers: [2, 2] }),
      check,
    );
    expect(text).toContain('backchannel_providers:\n      - 2\n      - 2\n');
  });

  test('has the most common value of a field in the defaults if that makes the manifest shorter', () => {
    const of = (username: string, path: string): JsonObject => ({ username, path, type: 'external' });
    const { text } = writeManifest(all(users, of('a', 'staff'), of('b', 'staff'), of('c', 'robots')), check);
    expect(text).toBe(`version: 1
defaults:
  user:
    path: staff
    type: external
users:
  - username: a
  - username: b
  - username: c
    path: robots
`);
  });

  test.each<[why: string, entries: JsonObject[]]>([
    [
      'an entry does not declare it',
      ['a', 'b', 'c', 'd', 'e'].map((username) => ({ username, ...(username !== 'c' && { path: 'x' }) })),
    ],
    ['that would not be shorter', ['a', 'b', 'c'].map((username) => ({ username, path: 'x' }))],
    [
      'most entries have another value',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((username, index) => ({
        username,
        path: index < 4 ? 'x' : username,
      })),
    ],
    ['it is the name of the entry', ['a', 'b', 'c', 'd', 'e'].map((username) => ({ username, name: 'x' }))],
  ])('has no defaults for a field if %s', (_, entries) => {
    expect(writeManifest(all(users, ...entries), check).text).not.toContain('defaults:');
  });

  test('without records has empty lists', async () => {
    const { text } = writeManifest([], check);
    expect(text).toBe(
      'version: 1\ncertificates: []\nroles: []\ngroups: []\nproperty_mappings: []\nproviders: []\noutposts: []\napplications: []\nusers: []\n',
    );
    expect((await load(text)).diagnostics).toEqual([]);
  });
});

describe('a written value', () => {
  test.each<[name: string, kind: Kind, fields: JsonObject, field: string, code: string, isWhole?: 'whole']>([
    [
      'a slug too long for early releases',
      application,
      { slug: 'x'.repeat(51), name: 'x' },
      'slug',
      'invalid-length',
      'whole',
    ],
    ['an application without a name', application, { slug: 'x' }, 'name', 'missing-field', 'whole'],
    ['a NUL character', user, { username: 'x', name: 'a\0b' }, 'name', 'invalid-value'],
    [
      'half a surrogate pair',
      user,
      { username: 'x', attributes: { a: ['\ud800'] } },
      'attributes',
      'invalid-value',
    ],
    [
      'a forbidden attribute key',
      user,
      { username: 'x', attributes: { a: JSON.parse('{"__proto__":1}') as JsonObject } },
      'attributes',
      'yaml-unsupported',
    ],
    ['a YAML merge key', user, { username: 'x', attributes: { '<<': 1 } }, 'attributes', 'yaml-unsupported'],
    [
      'an attribute key with a reference',
      user,
      { username: 'x', attributes: { '${a}': 1 } },
      'attributes',
      'invalid-reference',
    ],
    [
      'a number that loses digits',
      user,
      { username: 'x', attributes: { a: 2 ** 53 } },
      'attributes',
      'invalid-value',
    ],
    [
      'an attribute nested too deep',
      user,
      { username: 'x', attributes: nested(62) },
      'attributes',
      'yaml-unsupported',
    ],
    [
      'a long text with a reference',
      user,
      { username: 'x', attributes: { a: `\${${'x'.repeat(1_000_000)}` } },
      'attributes',
      'invalid-reference',
    ],
    ['white space around a string', user, { username: 'x', name: ' x' }, 'name', 'invalid-value'],
    [
      'a date that does not exist',
      user,
      { username: 'x', last_login: '2024-02-31T10:00:00Z' },
      'last_login',
      'invalid-format',
    ],
    ['an empty path', user, { username: 'x', path: '' }, 'path', 'invalid-length'],
    ['an unknown field', user, { username: 'x', uid: 'x' }, 'uid', 'unknown-field'],
    ['an empty username', user, { username: '' }, 'username', 'invalid-length', 'whole'],
  ])('is reported if no manifest can contain it: %s', async (_, { type }, fields, field, code, isWhole) => {
    const { text, unwritable } = writeManifest(
      all(
        kinds.filter((kind) => kind.type === type),
        fields,
      ),
      check,
    );
    const name = textOf(fields[type === 'user' ? 'username' : 'slug']);
    expect(unwritable).toMatchObject([
      { address: `${type}.${name}`, field, isWhole: isWhole === 'whole', problem: { code } },
    ]);
    const { resources, diagnostics } = await load(text);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(resources).toHaveLength(isWhole ? 0 : 1);
  });

  test('is reported if it is the name of two records', () => {
    const { unwritable } = writeManifest(
      all(users, { username: 'x', name: 'one' }, { username: 'x' }),
      check,
    );
    expect(unwritable).toMatchObject([
      { address: 'user.x', field: 'username', isWhole: true, problem: { code: 'duplicate-resource' } },
    ]);
  });

  test.each<[name: string, fields: JsonObject]>([
    ['attributes nested just within the limit', { attributes: nested(61) }],
    ['a long string without a reference', { attributes: { a: `$$${'x'.repeat(1_000_000)}` } }],
    ['a value with only a warning', { type: 'internal_service_account', last_login: '2024-05-01T10:00:00z' }],
    [
      'attribute keys that look like numbers, null or YAML syntax',
      { attributes: { constructor: 1, null: 2, '1': 3, '': 4, '*': 5 } },
    ],
  ])('is not reported if a manifest can contain it: %s', async (_, fields) => {
    const { text, unwritable } = writeManifest(all(users, { username: 'x', ...fields }), check);
    expect(unwritable).toEqual([]);
    const [resource] = (await load(text)).resources;
    expect(resource && sentOf(resource)).toEqual({ username: 'x', ...fields });
  });
});
