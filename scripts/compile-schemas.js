// Makes src/generated/ of the JSON Schemas of what rollcall reads, so that the fields are written once: a function that checks
// a value, and the types of what people write by hand. `npm run build` begins with it, and `npm ci` does a build.
// The functions are compiled here, because to load a compiler of schemas, and to compile, takes longer than all else that a
// small run does.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import standalone from 'ajv/dist/standalone/index.js';

/** What people write: the name of their type, where somebody needs one, and a check that tells all that is wrong, and what the schema says of it. */
const written = { manifest: undefined, config: 'Config', 'sandbox-seed': 'SandboxSeed' };
/** What rollcall writes, and reads again: a check alone. */
const readAgain = ['plan', 'apply'];

/** Ajv copies all errors for each further one, which takes half a minute where a list has 100,000 wrong entries. */
const copying = /vErrors === null \? (\w+\.errors) : vErrors\.concat\(\1\)/g;
const joined =
  'function joined(all, more) { if (all === null) return more; for (const one of more) all.push(one); return all; }';

const folder = new URL('../src/generated/', import.meta.url);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, type] of Object.entries(written)) {
  const schema = withDiscriminators(withoutReferences(schemaOf(name)));
  put(
    name,
    validatorOf(schema, { allErrors: true, verbose: true }) +
      (type === undefined ? '' : typesOf(schema, type)),
  );
}
for (const name of readAgain) put(name, validatorOf(schemaOf(name), {}));

/** @param {string} name */
function schemaOf(name) {
  return JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
}

/**
 * @param {string} name
 * @param {string} code
 */
function put(name, code) {
  const origin = `Made from schemas/${name}.schema.json by \`npm run build\`.`;
  writeFileSync(new URL(`${name}.ts`, folder), `// @ts-nocheck: compiled code.\n// ${origin}\n${code}`);
}

/**
 * Takes away the alternative that lets a reference stand in place of a value: what is checked holds none any more.
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
 * Has what is one of several sorts checked as the one that its `type` says, so that all that is wrong is about that one.
 *
 * @param {any} node
 * @returns {any}
 */
function withDiscriminators(node) {
  if (Array.isArray(node)) return node.map(withDiscriminators);
  if (typeof node !== 'object' || node === null) return node;
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withDiscriminators(value)]),
  );
  return node.oneOf === undefined ? inner : { ...inner, discriminator: { propertyName: 'type' } };
}

/**
 * The types of a schema: an interface of each object that has a title.
 *
 * @param {any} schema
 * @param {string} title
 */
function typesOf(schema, title) {
  /** @type {Map<string, string>} */
  const interfaces = new Map();
  const { anyOf: _, ...typed } = schema; // "at least one list" has no useful type
  typeOf({ ...typed, title });
  const declared = Array.from(interfaces, ([name, body]) => `export interface ${name} ${body}\n`);
  return `import type { JsonObject } from '../base/json.ts';\n${declared.join('')}`;

  /** @param {any} node @returns {any} */
  function resolved(node) {
    if (node.$ref === undefined) return node;
    const steps = node.$ref.split('/').slice(1);
    return resolved(steps.reduce((/** @type {any} */ at, /** @type {string} */ step) => at[step], schema));
  }

  /** @param {any[]} nodes */
  function oneOf(nodes) {
    return `(${[...new Set(nodes.map(typeOf))].join(' | ')})`;
  }

  /** @param {any} given @returns {string} */
  function typeOf(given) {
    const node = resolved(given);
    if (node.const !== undefined) return JSON.stringify(node.const);
    if (node.enum !== undefined)
      return oneOf(node.enum.map((/** @type {any} */ value) => ({ const: value })));
    if (node.anyOf ?? node.oneOf) return oneOf(node.anyOf ?? node.oneOf);
    if (Array.isArray(node.type))
      return oneOf(node.type.map((/** @type {string} */ type) => ({ ...node, type })));
    switch (node.type) {
      case 'array':
        return `${typeOf(node.items)}[]`;
      case 'integer':
        return 'number';
      case 'object':
        return typeOfObject(node);
      default:
        return node.type ?? 'unknown';
    }
  }

  /** @param {any} node */
  function typeOfObject({ title: name, properties, required = [], additionalProperties = true }) {
    if (interfaces.has(name)) return name;
    if (properties === undefined)
      return additionalProperties === true
        ? 'JsonObject'
        : `{ [name: string]: ${typeOf(additionalProperties)} }`;
    if (name !== undefined) interfaces.set(name, ''); // in the order in which they are met
    const fields = Object.entries(properties).map(([key, field]) => {
      const description = field.description ?? resolved(field).description ?? '';
      return `  /** ${description} */\n  ${key}${required.includes(key) ? '' : '?'}: ${typeOf(field)};\n`;
    });
    const body = `{\n${fields.join('')}}`;
    if (name === undefined) return body;
    interfaces.set(name, body);
    return name;
  }
}

/**
 * The check of a schema, compiled.
 *
 * @param {object} schema
 * @param {import('ajv').Options} options
 */
function validatorOf(schema, options) {
  const ajv = new Ajv({
    allowUnionTypes: true,
    discriminator: true,
    strictRequired: false,
    code: { source: true, esm: true },
    ...options,
  });
  addFormats.default(ajv);
  const code = standalone.default(ajv, ajv.compile(schema));
  const body = code
    .replace('"use strict";export const validate = validate10;export default validate10;', '')
    .replace(copying, 'joined(vErrors, $1)');
  return [
    "import { createRequire } from 'node:module';",
    "import type { Validate } from '../base/json.ts';",
    'const require = createRequire(import.meta.url);',
    joined,
    body,
    'export const validate: Validate = validate10;\n',
  ].join('\n');
}
