// Writes src/generated/*.ts from the JSON Schemas of what rollcall reads, so that the fields are written once: for each a
// type, and a function that checks it as it holds when every reference has been resolved. The function is compiled here,
// because loading a compiler of schemas, and compiling, would take longer than everything else that a small run does.
// With --check it writes nothing, and fails when a file is not what its schema says.
import { readFile, writeFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import standalone from 'ajv/dist/standalone/index.js';
import { compile } from 'json-schema-to-typescript';

const inputs = [
  { schema: 'manifest', type: 'Manifest' },
  { schema: 'config', type: 'Config' },
  { schema: 'sandbox-seed', type: 'SandboxSeed' },
];

for (const { schema: name, type } of inputs) {
  const schemaFile = new URL(`../schemas/${name}.schema.json`, import.meta.url);
  const schema = withoutReferences(JSON.parse(await readFile(schemaFile, 'utf8')));
  await put(`${name}.ts`, await typesOf(schema, name, type));
  await put(`validate-${name}.ts`, validatorOf(schema, name));
}

/**
 * Writes a generated file; or says that it is not what it should be.
 *
 * @param {string} name
 * @param {string} generated
 */
async function put(name, generated) {
  const file = new URL(`../src/generated/${name}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    await writeFile(file, generated);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== generated) {
    console.error(`src/generated/${name} does not match its schema. Run: npm run generate`);
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
      "import type { JsonObject } from '../base/json.ts';\n",
    style: { singleQuote: true, printWidth: 110 },
  });
}

/**
 * The compiled check of a schema, as a module of its own.
 *
 * @param {object} schema
 * @param {string} name
 */
function validatorOf(schema, name) {
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    strictRequired: false,
    verbose: true,
    code: { source: true, esm: true },
  });
  addFormats.default(ajv);
  const code = standalone.default(ajv, ajv.compile(schema));
  const body = code.replace('"use strict";export const validate = validate10;export default validate10;', '');
  return [
    '// @ts-nocheck: compiled code.\n',
    `// Generated from schemas/${name}.schema.json by \`npm run generate\`. Do not edit.\n`,
    "import type { Validate } from '../base/validate.ts';\n",
    "import { createRequire } from 'node:module';\n",
    'const require = createRequire(import.meta.url);\n',
    `${body}\nexport const validate: Validate = validate10;\n`,
  ].join('');
}
