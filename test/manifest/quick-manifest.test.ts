import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { validate } from '../../src/generated/manifest.ts';
import { satisfies } from '../../src/generated/quick-manifest.ts';
import { sourceFile } from '../../src/base/source.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../../src/base/json.ts';
import { parseAnyYaml } from '../../src/yaml/parse-any-yaml.ts';
import { root } from '../support/cli.ts';
import { someOf } from '../support/effort.ts';

const others: readonly JsonValue[] = [
  null,
  true,
  0,
  1,
  1.5,
  -1,
  '',
  ' ',
  '\n',
  'a',
  'proxy',
  'oauth2',
  'absent',
  'https://a.example',
  '00000000-0000-0000-0000-000000000000',
  'a'.repeat(151),
  '😀'.repeat(400),
  'a'.repeat(501),
  [],
  [''],
  [1],
  [{ name: 'a' }],
  {},
  { name: 'a' },
  { name: '' },
  { name: 'a', slug: 'a' },
  { slug: 'a' },
  { managed: 'a' },
  { type: 'proxy', name: 'a', external_host: 'a' },
];

/** The names of all fields that the schema knows. */
const names = new Set(
  [...readFileSync(join(root, 'schemas/manifest.schema.json'), 'utf8').matchAll(/"(\w+)": \{/g)].map(
    ([, name = '']) => name,
  ),
);

/** A value, and all that differ from it in one place; in each object each of these fields is added. */
function* alike(value: JsonValue, added: Iterable<string> = ['unknown']): Generator<JsonValue> {
  yield value;
  yield* others;
  if (isJsonList(value))
    for (const [index, item] of value.entries())
      for (const other of alike(item, added)) yield value.with(index, other);
  if (!isJsonObject(value)) return;
  for (const name of added) for (const other of others) yield { ...value, [name]: other };
  for (const [key, item] of Object.entries(value)) {
    const { [key]: _, ...rest } = value;
    yield rest;
    for (const other of alike(item, added)) yield { ...rest, [key]: other };
  }
}

const manifests = globSync(['examples/**/*.yaml', 'test/fixtures/broken/*.yaml', 'docs/**/*.yaml'], {
  cwd: root,
});

test.each(someOf(manifests, 40))('what quickly passes is valid, and what is valid passes: %s', (filename) => {
  const { value } = parseAnyYaml(sourceFile(filename, readFileSync(join(root, filename), 'utf8')));
  expect(value === undefined ? [] : disputed(alike(value))).toEqual([]);
});

test('so it is with every field of every entry', () => {
  const provider = { name: 'a', redirect_uris: [{ url: 'a' }], property_mappings: [{ name: 'a' }] };
  const found = disputed(
    alike(
      {
        version: 1,
        defaults: { group: {}, provider: {}, outpost: {}, application: {}, user: {} },
        groups: [{ name: 'a' }],
        providers: [
          { ...provider, type: 'oauth2' },
          { name: 'a', property_mappings: [], type: 'proxy', external_host: 'a' },
        ],
        outposts: [{ name: 'a', providers: [] }],
        applications: [{ slug: 'a', name: 'a', access: { groups: [{ name: 'a' }] } }],
        users: [{ username: 'a' }],
      },
      names,
    ),
  );
  expect(found).toEqual([]);
});

/** Those on which the two checks do not agree. What is long in units alone may be left to the other one. */
function disputed(values: Iterable<JsonValue>): JsonValue[] {
  return [...values].filter((value) => {
    const isQuick = satisfies(value);
    const isLeft = !isQuick && JSON.stringify(value).includes('😀'.repeat(400));
    return isQuick !== validate(value) && !isLeft;
  });
}
