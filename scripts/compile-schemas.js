// Makes src/generated/ from the JSON Schemas of all files that rollcall reads: functions that check a value, and types for files
// that people write. Compiling the schemas at run time would take most of the time of a small command.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import standalone from 'ajv/dist/standalone/index.js';

/** The files that people write, besides manifests, with the names of their types. Their checks report all errors. */
const written = { config: 'Config', 'sandbox-seed': 'SandboxSeed' };
/** The files that rollcall writes and reads again. They need only a check. */
const readAgain = ['plan', 'apply'];

/** Ajv copies all errors whenever it adds an error, which takes half a minute for a list with 100,000 invalid entries. */
const copying = /vErrors === null \? (\w+\.errors) : vErrors\.concat\(\1\)/g;
/** Arguments that no check uses. */
const placed = /,parentData:\w+,parentDataProperty:[^,{}]+,rootData\}/g;
const adding =
  /const (err\d+) = (\{instancePath.*?\});if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/g;
/** The schema of a check. Few checks use their schemas at run time. */
const literal = /const (schema\d+) = \{[^;]*?\};(?=const |function |export )/g;
const joined =
  'function joined(all, more) { if (all === null) return more; for (const one of more) all.push(one); return all; }';

const folder = new URL('../src/generated/', import.meta.url);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, type] of Object.entries(written)) {
  const schema = withoutReferences(schemaOf(name));
  const ajv = ajvWith({ allErrors: true, verbose: true }).addSchema(schema, name);
  put(name, checksOf(ajv, { validate: name }) + typesOf(schema, type));
}
for (const name of readAgain)
  put(name, checksOf(ajvWith({}).addSchema(schemaOf(name), name), { validate: name }));
compileManifest(withoutReferences(schemaOf('manifest')));

/** @param {string} name */
function schemaOf(name) {
  return JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
}

/**
 * @param {string} name
 * @param {string} code
 * @param {string} [schema]
 */
function put(name, code, schema = name) {
  const origin = `Made from schemas/${schema}.schema.json by \`npm run build\`.`;
  writeFileSync(new URL(`${name}.ts`, folder), `// @ts-nocheck: compiled code.\n// ${origin}\n${code}`);
}

/**
 * Removes the alternative of a reference such as `${env:NAME}`, because references are resolved before the check.
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
 * Makes a module for each list of a manifest: a check for each distinct value, and the fields of each type of entry.
 * src/manifest/manifest-check.ts checks an entry field by field. With code for each field of each type, a list with thirty types would
 * take longer to load than Node.js takes to start.
 *
 * @param {any} schema
 */
function compileManifest({ properties, definitions }) {
  const { version, defaults: _, ...lists } = properties;
  /** @type {Map<string, string>} */
  const names = new Map();
  const entries = new Map(
    Object.entries(definitions).map(
      ([name, { required = [], else: unlessAbsent, properties: fields = {} }]) => {
        const values = Object.entries(fields).map(([field, value]) => `${field}: ${nameOfValue(value)}`);
        const demanded = JSON.stringify(unlessAbsent?.required ?? []);
        return [
          name,
          `{ required: ${JSON.stringify(required)}, unlessAbsent: ${demanded}, fields: { ${values.join(', ')} } }`,
        ];
      },
    ),
  );
  const ofVersion = nameOfValue(version);
  const ajv = ajvWith({ allErrors: true, messages: false, inlineRefs: false, loopEnum: Infinity });
  const values = Array.from(names, ([value, name]) => [name, JSON.parse(value)]);
  ajv.addSchema({ definitions: { ...bare(definitions), ...Object.fromEntries(values) } }, 'manifest');
  const listOf = Object.entries(lists).map(([list, { items }]) => {
    /** @type {string[]} */
    const types = (items.oneOf ?? [items]).map((/** @type {any} */ { $ref }) => $ref.split('/').at(-1));
    const tags = new Map(types.map((type) => [type, definitions[type].properties.type?.const ?? '']));
    const [first = ''] = types;
    const family = items.oneOf ? first.slice(0, -1 - tags.get(first).length) : first;
    const tables = types.map((type) => `  '${tags.get(type)}': ${entries.get(type)},\n`).join('');
    const defaults = Object.entries(definitions[`${family}_defaults`].properties).map(
      ([field, { $ref }]) => `${field}: '${tags.get($ref.split('/')[2])}'`,
    );
    const used = [...names.values()].filter((name) => new RegExp(`\\b${name}\\b`).test(tables));
    put(
      `check-${list}`,
      [
        checksOf(ajv, Object.fromEntries(used.map((name) => [name, `manifest#/definitions/${name}`]))),
        `export const entries: ListCheck['entries'] = {\n${tables}};`,
        `export const defaults: ListCheck['defaults'] = { ${defaults.join(', ')} };\n`,
      ].join('\n'),
      'manifest',
    );
    return [family, list];
  });
  const loaders = Object.keys(lists).map((list) => `  ${list}: () => import('./check-${list}.ts'),\n`);
  put(
    'manifest',
    [
      checksOf(ajv, { version: `manifest#/definitions/${ofVersion}` }),
      `export const lists: Readonly<Record<string, () => Promise<ListCheck>>> = {\n${loaders.join('')}};`,
      `export const listOf: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(listOf))};\n`,
    ].join('\n'),
  );

  /**
   * The name of the check of a value. Equal values have the same check.
   *
   * @param {any} value
   */
  function nameOfValue(value) {
    if (value.$ref) {
      const [, , ...steps] = value.$ref.split('/');
      return nameOfValue(
        steps.reduce((/** @type {any} */ at, /** @type {string} */ step) => at[step], definitions),
      );
    }
    const text = JSON.stringify(bare(value));
    const name = names.get(text) ?? `value${names.size}`;
    names.set(text, name);
    return name;
  }
}

/**
 * A schema without titles and descriptions.
 *
 * @param {any} node
 * @returns {any}
 */
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(
    ([key, value]) => !/^(?:title|description)$/.test(key) || typeof value !== 'string',
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]));
}

/**
 * The types of a schema, with an interface for each object that has a title.
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
    if (name !== undefined) interfaces.set(name, ''); // keeps the order of first use
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

/** @param {import('ajv').Options} options */
function ajvWith(options) {
  const ajv = new Ajv({
    allowUnionTypes: true,
    strictRequired: false,
    code: { source: true, esm: true },
    ...options,
  });
  return addFormats.default(ajv);
}

/**
 * Compiles the checks of some schemas, by the names of the exported functions.
 *
 * @param {import('ajv').Ajv} ajv
 * @param {Record<string, string>} schemas
 */
function checksOf(ajv, schemas) {
  const code = standalone
    .default(ajv, schemas)
    .replace('"use strict";', '')
    .replace(copying, 'joined(vErrors, $1)')
    .replace(placed, '}')
    .replace(adding, 'vErrors = joined(vErrors, [$2]);errors++;')
    .replace(literal, (all, name, _, text) => (text.split(new RegExp(`${name}\\b`)).length > 2 ? all : ''))
    .replace(/export const (\w+) =/g, 'export const $1: Validate =');
  return [
    "import { createRequire } from 'node:module';",
    "import type { ListCheck, Validate } from '../base/json.ts';",
    'const require = createRequire(import.meta.url);',
    joined,
    `${code}\n`,
  ].join('\n');
}
