// Writes docs/manifest.md and the reference from the schemas of what rollcall reads, docs/commands.md from the program itself, and
// docs/diagnostics.md from the codes.
// With --check it writes nothing, and fails when a page is not what it should be. Needs what `npm run build` makes.
import { readFileSync, writeFileSync } from 'node:fs';
import { program } from '../dist/commands/program.js';
import { diagnosticCodes } from '../dist/base/diagnostic-codes.js';
import { kinds } from '../dist/kinds/all.js';
import { newestFacts } from '../dist/kinds/newest-facts.js';
import { manifestSchema } from './manifest-schema.js';
import { referencePages, resolved } from './reference-pages.js';
import { newestRelease, oldestRelease } from '../dist/kinds/release.js';

put('schemas/manifest.schema.json', `${jsonLines(manifestSchema(kinds, newestFacts))}\n`);
put('docs/manifest.md', manifestPage());
for (const [name, text] of referencePages(readSchema('manifest'))) put(name, text);
put('docs/commands.md', commandsPage());
put('docs/diagnostics.md', diagnosticsPage());

/**
 * @param {string} name
 * @param {string} text
 */
function put(name, text) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is not what the program and the schemas say. Run: npm run generate`);
    process.exitCode = 1;
  }
}

/**
 * JSON with a line for what fits into one.
 *
 * @param {unknown} value
 * @returns {string}
 */
function jsonLines(value, indent = '') {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 130) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Object.entries(value).map(
    ([key, one]) =>
      `${inner}${Array.isArray(value) ? '' : `${JSON.stringify(key)}: `}${jsonLines(one, inner)}`,
  );
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function manifestPage() {
  const manifest = readSchema('manifest');
  const config = readSchema('config');
  const { version, defaults } = manifest.properties;
  return `# Manifests

A manifest is a YAML file that declares what the service should have: users and groups, applications and providers, flows, and all other configuration of authentik, from release ${oldestRelease} to ${newestRelease}.

\`\`\`yaml
# yaml-language-server: $schema=node_modules/rollcall/schemas/manifest.schema.json
version: 1
defaults:
  user: { path: staff }
applications:
  - slug: handbook
    name: Handbook
    meta_launch_url: https://handbook.example.com/
users:
  - username: carol
    name: Carol Example
    email: carol@example.com
\`\`\`

${table({ version, defaults }, manifest.required, manifest)}

The [reference](reference.md) has all lists, and the fields of each type. At least one list is there. No other field is, anywhere: an unknown one is an
error, with the known one that is nearest. Blanks at the beginning and the end of a text are dropped, as the service does. A reference such as
\`\${var:NAME}\` may stand for any value: see [variables, secrets and environments](references.md). The whole as JSON Schema: \`rollcall schema manifest\`.

## Defaults

Each list has defaults, by the word for one of its entries: \`defaults.user\`, \`defaults.provider\`. They take every field but those that an entry needs, and
hold for the entries of their own file; where a list has several types, for those whose type has the field, and a field that two of them hold otherwise
has no default. An entry's own value replaces the default whole: lists and attributes are not merged.

## rollcall.yaml

\`rollcall.yaml\` says where the manifests are, and the services that they are for.

${table(config.properties, config.required, config)}

An environment:

${table(config.definitions.environment.properties, [], config)}
`;
}

/**
 * @param {Readonly<Record<string, any>>} properties
 * @param {readonly string[]} required
 * @param {any} schema
 */
function table(properties, required, schema) {
  const rows = Object.entries(properties).map(([name, property]) => {
    const whole = resolved(property, schema);
    const must = required.includes(name) ? '**Required.** ' : '';
    return `| \`${name}\` | ${typeOf(whole, schema)} | ${must}${cell(whole.description ?? '')} |`;
  });
  return ['| field | type | what it is |', '|---|---|---|', ...rows].join('\n');
}

/**
 * @param {any} property
 * @param {any} schema
 * @returns {string}
 */
function typeOf(property, schema) {
  const { type, enum: values, const: value, items, format } = resolved(property, schema);
  if (value !== undefined) return String(value);
  if (values) return values.map((/** @type {string} */ one) => `\`${one}\``).join(', ');
  if (items) return `list of ${typeOf(items, schema)}`;
  if (format) return format;
  const words = new Map([
    ['object', 'mapping'],
    ['string', 'text'],
  ]);
  return [type ?? 'any']
    .flat()
    .map((name) => words.get(name) ?? name)
    .join(' or ');
}

/** @param {string} name */
function readSchema(name) {
  return JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
}

function commandsPage() {
  const rollcall = program('', () => {});
  const commands = rollcall.createHelp().visibleCommands(rollcall);
  const shown = commands.filter((command) => command.name() !== 'help');
  return `# Commands

${cell(rollcall.description())}

A flag beats an environment variable, which beats \`rollcall.yaml\`; a variable that leads to another service than the chosen
[environment](references.md#rollcallyaml) is refused. Results go to stdout; progress, prompts, logs and errors to stderr.
How each ends: [exit codes](exit-codes.md). \`rollcall COMMAND --help\` has the same, those that
are used most first.

${shown.flatMap(sections).join('\n\n')}

## Environment variables

| variable | what it is for |
|---|---|
| \`ROLLCALL_TOKEN\` | the access token; there is no flag for it |
| \`ROLLCALL_TOKEN_FILE\` | the file that holds it, in place of the above |
| \`ROLLCALL_CAPABILITIES\` | what \`--capability\` says, with commas between several |
| \`ROLLCALL_URL\`, \`ROLLCALL_ENV\`, \`ROLLCALL_CONCURRENCY\` | what \`--url\`, \`--env\` and \`--concurrency\` say |
| \`ROLLCALL_LOG\` | \`debug\`: log each request as a line, as \`-v\` does; \`json\`: as JSON |
| \`ROLLCALL_SANDBOX\` | set by \`rollcall sandbox -- COMMAND\`: the URL at which the sandbox stands for every environment |
| \`ROLLCALL_CLIENT_KEY_PASSPHRASE\` | opens the key of \`--client-key\` |
| \`HTTP_PROXY\`, \`HTTPS_PROXY\`, \`NO_PROXY\`, \`NODE_EXTRA_CA_CERTS\` | see [proxies, certificates and timeouts](promises.md#network) |
| \`NO_COLOR\`, \`FORCE_COLOR\` | colours |
`;
}

/**
 * @param {import('commander').Command} command
 * @returns {string[]}
 */
function sections(command) {
  if (command.commands.length > 0) return command.commands.flatMap(sections);
  const names = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const parts = command.registeredArguments.map((argument) => [
    argument.variadic ? `${argument.name()}…` : argument.name(),
    argument.description,
  ]);
  const options = command.options.map(({ flags, description, argChoices, defaultValue }) => [
    flags,
    [description, argChoices?.join(', '), defaultValue && `default: ${defaultValue}`]
      .filter(Boolean)
      .join('; '),
  ]);
  return [
    `## rollcall ${names}`,
    cell(command.description()),
    [
      '| argument or option | what it is |',
      '|---|---|',
      ...[...parts, ...options].map(([name, text]) => `| \`${name}\` | ${cell(text ?? '')} |`),
    ].join('\n'),
  ];
}

function diagnosticsPage() {
  const tables = Object.entries(diagnosticCodes).map(([name, codes]) => {
    const rows = Object.entries(codes).map(
      ([code, words]) => `| \`${code}\` | ${cell(words).replace(' → ', ' | ')} |`,
    );
    return [`## ${name}\n`, '| code | what is wrong | what to do |', '|---|---|---|', ...rows].join('\n');
  });
  return `# Diagnostics

Every problem has a code, of a closed list; the words around them may change. Each shows \`file:line:column\`, the line, and what to do. One cause is shown once, with how often it
is met; JSON and JUnit have a diagnostic for every place. With \`-o json\`, lines and columns count from 1, an end is exclusive, and a column is a UTF-16 code unit. With
\`--strict\`, warnings are errors.

${tables.join('\n\n')}
`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\\\|').replaceAll('<', '&lt;');
}
