import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { manifestSchema } from '../../scripts/generate/manifest-schema.ts';
import { referencePages } from '../../scripts/generate/reference-pages.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { allChildren, kinds } from '../../src/kinds/all.ts';
import { fieldsWith } from '../../src/kinds/kind.ts';
import { newestFacts } from '../../src/kinds/facts.ts';

const made = manifestSchema(kinds, newestFacts);

test('the schema of manifests is made from facts and rows', () => {
  expect(readJson('schemas/manifest.schema.json'), 'run: npm run generate').toEqual(made);
});

test.each([
  ['a limit', { maxLength: 7 }],
  ['a value', { enum: ['x'] }],
  ['null', { nullable: true }],
] as const)('a changed fact changes the schema: %s', (_, fact) => {
  const other = manifestSchema(kinds, (path) => {
    const facts = newestFacts(path);
    const { meta_publisher: publisher } = facts.fields;
    if (publisher === undefined) return facts;
    return { fields: { ...facts.fields, meta_publisher: { ...publisher, ...fact } } };
  });
  expect(other).not.toEqual(made);
});

test('each description for editors belongs to a part of the manifest', () => {
  const { lists, entries, fields, items } = readJson('scripts/manifest-words.json') as Record<
    string,
    Record<string, string>
  >; // the generator of the schema reads the same form
  const texts = textsIn(made);
  const unused = [lists, entries, fields, items].flatMap((words = {}) =>
    Object.entries(words).filter(([, text]) => !texts.some((whole) => whole.startsWith(text))),
  );
  expect(unused).toEqual([]);
});

test('the reference names the new name of a renamed field, and does not deny that it can be declared', () => {
  const text = [...referencePages(made).values()].join('\n');
  for (const kind of kinds)
    for (const [field, { field: former }] of fieldsWith(kind, 'earlier'))
      expect(text).toContain(`\`${field}\` (\`${former}\` until `);
  expect(text).not.toMatch(/cannot declare:[^\n]*`(?:issuer|filter_group|group|jwks_sources|parent)`/);
});

test('the reference lists the fields of bindings, and marks what a new record requires', () => {
  const [flows = '', stages = ''] = ['flows', 'stages'].map((page) =>
    referencePages(made).get(`docs/reference-${page}.md`),
  );
  for (const { model, fields, binds } of allChildren()) {
    const [, section = ''] = flows.split(`\n## ${model.plural}\n`);
    for (const field of [...Object.keys(fields), ...binds.map(({ idField }) => idField)])
      expect(section, model.plural).toContain(`\n| \`${field}\` |`);
  }
  expect(stages).toMatch(/### stage: authenticator_totp[^#]*\n\| `digits` \| [^|]* \| \*Required if new\.\*/);
  expect(flows).toMatch(/\n\| `designation` \| [^|]* \| \*Required if new\.\*/);
});

test.each(['provider_ldap', 'provider_radius'])(
  'the flow for logins is the authorization flow: %s',
  (name) => {
    const { definitions } = made as {
      definitions: Record<string, { properties: Record<string, JsonObject> }>;
    }; // as the generator makes it
    const { authentication_flow: unused, authorization_flow: used } = definitions[name]?.properties ?? {};
    expect(unused?.['description']).toContain('Not used');
    expect(used?.['description']).toContain('logs in with the name and the password');
  },
);

function readJson(name: string): JsonObject {
  const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  return JSON.parse(text) as JsonObject; // both begin with the same text
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (isJsonList(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
