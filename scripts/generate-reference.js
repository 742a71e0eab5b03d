// Writes the manifest's schema, the pages of the reference, and the tables of docs/manifest.md, docs/commands.md, docs/diagnostics.md
// and docs/reference.md: from the rows of kinds, the facts, the schemas, the program itself and the codes.
// With --check it writes nothing, and fails when a page is not what it should be. Needs what `npm run build` makes.
import { readFileSync, writeFileSync } from 'node:fs';
import { program } from '../dist/commands/program.js';
import { diagnosticCodes } from '../dist/base/diagnostic-codes.js';
import { kinds } from '../dist/kinds/all.js';
import { newestFacts } from '../dist/kinds/newest-facts.js';
import { manifestSchema } from './manifest-schema.js';
import { cell, listOf, listTable, referencePages, resolved, wordsFor } from './reference-pages.js';

put('schemas/manifest.schema.json', `${jsonLines(manifestSchema(kinds, newestFacts))}\n`);
const manifest = readSchema('manifest');
const config = readSchema('config');
const { version, defaults } = manifest.properties;
fill('docs/manifest.md', {
  top: table({ version, defaults }, manifest.required, manifest),
  config: table(config.properties, config.required, config),
  environment: table(config.definitions.environment.properties, [], config),
});
fill('docs/commands.md', { commands: commandSections() });
fill('docs/diagnostics.md', { codes: codeTables() });
fill('docs/reference.md', { lists: listTable() });
for (const [name, text] of referencePages(manifest)) put(name, text);

/**
 * Writes parts of a page that is otherwise written by hand, each between `<!-- made by … -->` and `<!-- end -->`.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string>>} parts
 */
function fill(name, parts) {
  const text = readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const made = /(<!-- made by `npm run generate`: (\w+) -->\n)[^]*?(<!-- end -->)/g;
  put(
    name,
    text.replace(made, (_, start, part, end) => `${start}\n${parts[part]}\n\n${end}`),
  );
}

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
  if (items) return listOf(typeOf(items, schema));
  if (format) return format;
  return wordsFor(type);
}

/** @param {string} name */
function readSchema(name) {
  return JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
}

function commandSections() {
  const rollcall = program('', () => {});
  const commands = rollcall.createHelp().visibleCommands(rollcall);
  const shown = commands.filter((command) => command.name() !== 'help');
  return shown.flatMap(sections).join('\n\n');
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

function codeTables() {
  const tables = Object.entries(diagnosticCodes).map(([name, codes]) => {
    const rows = Object.entries(codes).map(
      ([code, words]) => `| \`${code}\` | ${cell(words).replace(' → ', ' | ')} |`,
    );
    return [`## ${name}\n`, '| code | what is wrong | what to do |', '|---|---|---|', ...rows].join('\n');
  });
  return tables.join('\n\n');
}
