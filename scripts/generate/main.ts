// Writes the schema of manifests, the reference pages, and the tables in docs/manifest.md, docs/commands.md and docs/reference.md. With --check, writes nothing and fails if a page would change.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { program } from '../../src/commands/program.ts';
import { kinds } from '../../src/kinds/all.ts';
import { newestFacts } from '../../src/kinds/facts.ts';
import { manifestSchema } from './manifest-schema.ts';
import {
  cell,
  listOf,
  listTable,
  referencePages,
  resolved,
  type SchemaNode,
  wordsFor,
} from './reference-pages.ts';

put('schemas/manifest.schema.json', `${jsonLines(manifestSchema(kinds, newestFacts))}\n`);
const manifest = readSchema('manifest');
const config = readSchema('config');
const { version = {}, defaults = {} } = manifest.properties ?? {};
fill('docs/manifest.md', {
  top: table({ version, defaults }, manifest.required, manifest),
  config: table(config.properties ?? {}, config.required, config),
  environment: table(config.definitions?.['environment']?.properties ?? {}, [], config),
});
fill('docs/commands.md', { commands: commandSections() });
fill('docs/reference.md', { lists: listTable() });
for (const [name, text] of referencePages(manifest)) put(name, text);

/** Writes the generated parts of a page, each between `<!-- made by … -->` and `<!-- end -->`. */
function fill(name: string, parts: Readonly<Record<string, string>>): void {
  const text = readFileSync(name, 'utf8');
  const made = /(<!-- made by `npm run generate`: (\w+) -->\n)[^]*?(<!-- end -->)/g;
  put(
    name,
    text.replace(made, (_, start: string, part: string, end: string) => `${start}\n${parts[part]}\n\n${end}`),
  );
}

function put(name: string, text: string): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(name, text);
  } else if (readFileSync(name, 'utf8') !== text) {
    console.error(`${name} is out of date. Run: npm run generate`);
    process.exitCode = 1;
  }
}

/** JSON in which a value that fits on a line stays on it. */
function jsonLines(value: unknown, indent = ''): string {
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

function table(
  properties: Readonly<Record<string, SchemaNode>>,
  required: readonly string[] = [],
  schema: SchemaNode = {},
): string {
  const rows = Object.entries(properties).map(([name, property]) => {
    const whole = resolved(property, schema);
    const must = required.includes(name) ? '**Required.** ' : '';
    return `| \`${name}\` | ${typeOf(whole, schema)} | ${must}${cell(whole.description ?? '')} |`;
  });
  return ['| field | type | what it is |', '|---|---|---|', ...rows].join('\n');
}

function typeOf(property: SchemaNode, schema: SchemaNode): string {
  const { type, enum: values, const: value, items, format } = resolved(property, schema);
  if (value !== undefined) return String(value);
  if (values) return values.map((one) => `\`${one}\``).join(', ');
  if (items) return listOf(typeOf(items, schema));
  if (format) return format;
  return wordsFor(type);
}

function readSchema(name: string): SchemaNode {
  return JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')) as SchemaNode; // a JSON Schema
}

function commandSections(): string {
  const rollcall = program('', () => {});
  const commands = rollcall.createHelp().visibleCommands(rollcall);
  const shown = commands.filter((command) => command.name() !== 'help');
  return shown.flatMap(sections).join('\n\n');
}

function sections(command: Command): string[] {
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
