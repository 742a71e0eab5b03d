/**
 * Puts the schemas of what people write into a checkout of SchemaStore, as its CONTRIBUTING.md asks for them, with files that each
 * accepts and files that it does not; and prints the entries for its catalog.
 *
 *   node scripts/schemastore.js FOLDER
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
/** Those that the schema alone refuses. */
const broken =
  'attributes-as-list enum-typo groups list-as-mapping missing-slug-and-name missing-version name-is-a-number no-list provider-fraction providers slug-with-spaces unknown-field unknown-top-level-key user-field-in-application version-two';

const stored = [
  {
    name: 'rollcall',
    schema: 'schemas/config.schema.json',
    catalog: {
      name: 'rollcall.yaml',
      description: 'Where the manifests of rollcall are, and the services that they are for',
      fileMatch: ['rollcall.yaml'],
    },
    accepted: { environments: text('examples/environments/rollcall.yaml') },
    refused: {
      'missing-version': 'manifests: [manifests]\n',
      'environments-as-list': 'version: 1\nenvironments: [{ url: https://id.example.com }]\n',
      'token-in-file': 'version: 1\nenvironments: { live: { url: https://id.example.com, token: secret } }\n',
      'unknown-capability': 'version: 1\ncapabilities: [everything]\n',
    },
  },
  {
    name: 'rollcall-manifest',
    schema: 'schemas/manifest.schema.json',
    // Everybody calls these files as they like, so none is known by its name.
    catalog: {
      name: 'rollcall manifest',
      description: 'The users, groups and applications that authentik should have',
    },
    accepted: Object.fromEntries(
      [
        'bootstrap/applications',
        'bootstrap/groups',
        'bootstrap/providers',
        'manifests/applications',
        'manifests/users',
      ].map((path) => [path.replace('/', '-'), text(`examples/${path}.yaml`)]),
    ),
    refused: Object.fromEntries(
      broken.split(' ').map((name) => [name, text(`test/fixtures/broken/${name}.yaml`)]),
    ),
  },
];

/** The keywords that are about one type. */
const about = Object.entries({
  string: new Set(['pattern', 'format', 'minLength', 'maxLength']),
  object: new Set(['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']),
});

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/schemastore.js FOLDER');
  process.exitCode = 3;
} else {
  const entries = stored.map(({ name, schema, catalog, accepted, refused }) => {
    const url = `https://www.schemastore.org/${name}.json`;
    const { $schema, ...rest } = strict(JSON.parse(text(schema)));
    put(`src/schemas/json/${name}.json`, `${JSON.stringify({ $schema, $id: url, ...rest }, null, 2)}\n`);
    for (const [place, files] of /** @type {const} */ ([
      ['test', accepted],
      ['negative_test', refused],
    ]))
      for (const [file, content] of Object.entries(files))
        put(`src/${place}/${name}/${file}.yaml`, modelined(name, content));
    return { ...catalog, url };
  });
  console.log(JSON.stringify(entries, null, 2));
}

/**
 * @param {string} path
 * @param {string} content
 */
function put(path, content) {
  const whole = join(folder ?? '', path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
}

/**
 * With the first line that SchemaStore wants in each.
 *
 * @param {string} name
 * @param {string} content
 */
function modelined(name, content) {
  const line = `# yaml-language-server: $schema=../../schemas/json/${name}.json\n`;
  return line + content.replace(/^# yaml-language-server: .*\n/, '');
}

/**
 * The same, as the strict mode of Ajv wants it: one type in each place, and no property is required that is not named.
 *
 * @param {any} node
 * @returns {any}
 */
function strict(node) {
  if (Array.isArray(node)) return node.map(strict);
  if (typeof node !== 'object' || node === null) return node;
  /** @type {any} */
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, strict(value)]));
  if (Array.isArray(inner.anyOf)) inner.anyOf = inner.anyOf.flatMap(ofOneType);
  if (!Array.isArray(inner.required)) return inner;
  const required = Object.fromEntries(inner.required.map((/** @type {string} */ name) => [name, true]));
  return { ...inner, properties: { ...required, ...inner.properties } };
}

/**
 * @param {any} alternative
 * @returns {any[]}
 */
function ofOneType(alternative) {
  if (!Array.isArray(alternative.type)) return [alternative];
  return alternative.type.map((/** @type {string} */ type) => {
    const foreign = (/** @type {string} */ keyword) =>
      about.some(([other, keywords]) => other !== type && keywords.has(keyword));
    const kept = Object.entries(alternative).filter(([keyword]) => !foreign(keyword));
    return { ...Object.fromEntries(kept), type };
  });
}
