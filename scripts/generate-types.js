// Writes src/generated/*.ts from the JSON Schemas of what rollcall reads, so that the fields are written once.
// With --check it writes nothing, and fails when a file is not what its schema says.
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const inputs = [
  { schema: 'manifest', type: 'Manifest' },
  { schema: 'sandbox-seed', type: 'SandboxSeed' },
];

for (const { schema, type } of inputs) {
  const schemaFile = new URL(`../schemas/${schema}.schema.json`, import.meta.url);
  const typesFile = new URL(`../src/generated/${schema}.ts`, import.meta.url);
  const generated = await typesOf(JSON.parse(await readFile(schemaFile, 'utf8')), schema, type);
  if (!process.argv.includes('--check')) {
    await writeFile(typesFile, generated);
  } else if ((await readFile(typesFile, 'utf8').catch(() => '')) !== generated) {
    console.error(`src/generated/${schema}.ts does not match its schema. Run: npm run generate`);
    process.exitCode = 1;
  }
}

/**
 * @param {Record<string, unknown>} schema
 * @param {string} name
 * @param {string} type
 */
async function typesOf(schema, name, type) {
  delete schema['anyOf']; // "at least one list" has no useful type
  const schemaText = JSON.stringify(schema)
    .replaceAll('"type":"object","additionalProperties":true', '"tsType":"JsonObject"')
    .replaceAll('"items":{"type":"object"}', '"items":{"tsType":"JsonObject"}');
  return compile(JSON.parse(schemaText), type, {
    bannerComment:
      `// Generated from schemas/${name}.schema.json by \`npm run generate\`. Do not edit.\n` +
      "import type { JsonObject } from '../json.ts';\n",
    style: { singleQuote: true, printWidth: 110 },
  });
}
