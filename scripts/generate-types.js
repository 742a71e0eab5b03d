// Writes src/generated/*.ts from the JSON Schemas of what rollcall reads, so that the fields are written once:
// a type each, and the schema as it holds when every reference has been resolved.
// With --check it writes nothing, and fails when a file is not what its schema says.
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const inputs = [
  { schema: 'manifest', type: 'Manifest' },
  { schema: 'config', type: 'Config' },
  { schema: 'sandbox-seed', type: 'SandboxSeed' },
];

for (const { schema: name, type } of inputs) {
  const schemaFile = new URL(`../schemas/${name}.schema.json`, import.meta.url);
  const generatedFile = new URL(`../src/generated/${name}.ts`, import.meta.url);
  const schema = withoutReferences(JSON.parse(await readFile(schemaFile, 'utf8')));
  const generated = (await typesOf(schema, name, type)) + schemaConstant(schema);
  if (!process.argv.includes('--check')) {
    await writeFile(generatedFile, generated);
  } else if ((await readFile(generatedFile, 'utf8').catch(() => '')) !== generated) {
    console.error(`src/generated/${name}.ts does not match its schema. Run: npm run generate`);
    process.exitCode = 1;
  }
}

/**
 * Takes away the alternative that lets a reference stand in place of a value.
 *
 * @param {any} node
 * @returns {any}
 */
function withoutReferences(node) {
  if (Array.isArray(node)) return node.map(withoutReferences);
  if (typeof node !== 'object' || node === null) return node;
  const { anyOf, reference: _, ...rest } = node;
  const kept = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, withoutReferences(value)]),
  );
  if (anyOf === undefined) return kept;
  const alternatives = anyOf.filter((/** @type {any} */ { $ref }) => $ref !== '#/definitions/reference');
  if (alternatives.length === anyOf.length) return { ...kept, anyOf: withoutReferences(anyOf) };
  return { ...kept, ...withoutReferences(alternatives[0]) };
}

/**
 * @param {any} schema
 * @param {string} name
 * @param {string} type
 */
async function typesOf(schema, name, type) {
  const { anyOf: _, ...typed } = schema; // "at least one list" has no useful type
  const schemaText = JSON.stringify(typed)
    .replaceAll('"type":"object","additionalProperties":true', '"tsType":"JsonObject"')
    .replaceAll('"items":{"type":"object"}', '"items":{"tsType":"JsonObject"}');
  return compile(JSON.parse(schemaText), type, {
    bannerComment:
      `// Generated from schemas/${name}.schema.json by \`npm run generate\`. Do not edit.\n` +
      "import type { JsonObject } from '../json.ts';\n",
    style: { singleQuote: true, printWidth: 110 },
  });
}

/** @param {object} schema */
function schemaConstant(schema) {
  return `\nexport const schema: JsonObject = ${JSON.stringify(schema)};\n`;
}
