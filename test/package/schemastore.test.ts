import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/canary.ts';
import { root, run } from '../support/cli.ts';
import { schemaErrors } from '../support/schemas.ts';

let folder: string;
let catalog: { name: string; description: string; url: string; fileMatch?: string[] }[];
beforeAll(async () => {
  folder = temporaryFolder();
  const { stdout } = await run(process.execPath, [join(root, 'scripts/schemastore.js'), folder]);
  catalog = JSON.parse(stdout) as typeof catalog; // asserted below
});

/** A schema as it is put there. */
function schemaOf(name: string): AnySchemaObject {
  return JSON.parse(readFileSync(join(folder, `src/schemas/json/${name}.json`), 'utf8')) as AnySchemaObject; // compiled below
}

/** As SchemaStore's own check compiles it. */
function strictly(name: string): ValidateFunction {
  const ajv = new Ajv({ strict: true });
  addFormats.default(ajv);
  return ajv.compile(schemaOf(name));
}

function filesIn(path: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(path)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, text: readFileSync(join(path, name), 'utf8') }));
}

describe.each([
  ['rollcall', 'config'],
  ['rollcall-manifest', 'manifest'],
] as const)('what is put into SchemaStore as %s', (name, ours) => {
  test('has the draft and the id that it asks for, and no text that ends as it refuses', () => {
    const schema = schemaOf(name);
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: `https://www.schemastore.org/${name}.json`,
    });
    expect(JSON.stringify(schema)).not.toMatch(/"(?:description|title)":"[^"]*:"/);
  });

  test.each(['test', 'negative_test'])('is strict, and is right about each file of %s', (place) => {
    const validate = strictly(name);
    const files = filesIn(join(folder, 'src', place, name));
    expect(files).not.toEqual([]);
    for (const { name: file, text } of files) {
      expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=../../schemas/json/${name}.json`);
      expect({ file, valid: validate(parse(text)) }).toEqual({ file, valid: place === 'test' });
    }
  });

  test('takes and refuses what our own does', () => {
    const validate = strictly(name);
    const folders = [
      'test/fixtures/broken',
      'examples/manifests',
      'examples/bootstrap',
      'examples/environments',
    ];
    const documents = folders
      .flatMap((path) => filesIn(join(root, path)))
      .flatMap(({ text }) => parsed(text));
    const differing = documents.filter(
      (document) => validate(document) !== (schemaErrors(ours, document).length === 0),
    );
    expect(documents.length).toBeGreaterThan(80);
    expect(differing).toEqual([]);
  });
});

test('the entries for its catalog name each schema, in words that it does not refuse', () => {
  const names = readdirSync(join(folder, 'src/schemas/json'));
  expect(catalog.map(({ url }) => url)).toEqual(
    names.map((name) => `https://www.schemastore.org/${name}`).toReversed(),
  );
  for (const { name, description, fileMatch = [] } of catalog)
    for (const words of [name, description, ...fileMatch])
      expect(words).not.toMatch(/[,. \t-]$|schema|\n|\//i);
});

/** What stands in a file; where that is no YAML, no schema has anything to say of it. */
function parsed(text: string): unknown[] {
  try {
    return [parse(text, { logLevel: 'error' })];
  } catch {
    return [];
  }
}
