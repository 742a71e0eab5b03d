// The pages of the reference, docs/reference*.md: of each type what the facts of the service and its row say.
import { kinds } from '../dist/kinds/all.js';
import { factsByRelease } from '../dist/kinds/facts.js';
import { newestFacts } from '../dist/kinds/newest-facts.js';
import { newestRelease, oldestRelease } from '../dist/kinds/release.js';
import { definitionOf } from './manifest-schema.js';

/** @typedef {(typeof kinds)[number]} Kind */

/** The pages, each with the lists that it is about; the first has all others. */
const areas = new Map([
  ['people', { title: 'Applications, people and settings', lists: /** @type {string[]} */ ([]) }],
  [
    'providers',
    {
      title: 'Providers and outposts',
      lists: ['providers', 'rac_endpoints', 'outposts', 'service_connections'],
    },
  ],
  ['flows', { title: 'Flows', lists: ['flows', 'prompts', 'invitations'] }],
  ['stages', { title: 'Stages', lists: ['stages'] }],
  ['policies', { title: 'Policies', lists: ['policies'] }],
  ['mappings', { title: 'Property mappings', lists: ['property_mappings'] }],
  ['sources', { title: 'Sources', lists: ['sources'] }],
  ['events', { title: 'Events', lists: ['event_rules', 'transports'] }],
  ['devices', { title: 'Devices', lists: ['connectors', 'enrollment_tokens', 'device_access_groups'] }],
]);
/** The fields of every entry that can have them. */
const ofAll = new Set(['formerly', 'state', 'at_least', 'exactly']);
/** What a mark or a value says as well. */
const byMarks =
  /From release [\d.]+ on; those before ignore it\.|As `\$\{env:NAME\}` or `\$\{file:PATH\}` alone\.( It is sent, compared, and shown nowhere\.)?|^An? [\w ]+: its id, which is [^.]*\./g;
/** Of more values than these, the schema has the rest. */
const mostValues = 12;

/**
 * @param {any} manifest its schema
 * @returns {Map<string, string>} the texts of the pages, by the names of their files
 */
export function referencePages(manifest) {
  const pages = Array.from(areas, ([area, { title }]) => {
    const own = kinds.filter(({ list }) => areaOf(list) === area);
    const lists = [...new Set(own.map(({ list }) => list))];
    const parts = lists.map((list) =>
      listPart(
        list,
        own.filter((kind) => kind.list === list),
        manifest,
      ),
    );
    return /** @type {const} */ ([
      `docs/reference-${area}.md`,
      `# ${title}\n\nThe fields of [manifests](manifest.md), from the API of releases ${oldestRelease} to ${newestRelease}. [How to read this](reference.md).\n\n${parts.join('\n')}`,
    ]);
  });
  return new Map(pages);
}

/** @param {string} list */
function areaOf(list) {
  return [...areas].find(([, { lists }]) => lists.includes(list))?.[0] ?? 'people';
}

/** Where each list is, and its types. */
export function listTable() {
  const rows = [...new Set(kinds.map(({ list }) => list))].toSorted().map((list) => {
    const types = kinds.filter((kind) => kind.list === list).flatMap(({ variant }) => variant?.value ?? []);
    return `| [\`${list}\`](reference-${areaOf(list)}.md#${list}) | ${types.map((type) => `\`${type}\``).join(', ')} |`;
  });
  return ['| list | `type` |', '|---|---|', ...rows].join('\n');
}

/**
 * @param {string} list
 * @param {readonly Kind[]} own
 * @param {any} manifest
 */
function listPart(list, own, manifest) {
  const sections = own.map((kind) => kindPart(kind, manifest));
  return `## ${list}\n\n${sections.join('\n')}`;
}

/**
 * @param {Kind} kind
 * @param {any} manifest
 */
function kindPart(kind, manifest) {
  const { variant, words, identity, scope, fields, notDeclarable = {}, isEnterprise } = kind;
  const others = scope
    ? ` within its \`${scope}\`, with addresses such as \`${kind.type}.${scope.toUpperCase()}/NAME\``
    : kind.listing.isUnique
      ? ', which no other has'
      : ', which others may have in some release';
  const { properties, required: always, else: unlessAbsent } = manifest.definitions[definitionOf(kind)];
  const required = new Set([...always, ...(unlessAbsent?.required ?? [])]);
  const names = Object.keys(properties);
  const rows = names
    .filter((name) => !ofAll.has(name) && name !== variant?.field)
    .map((name) => fieldRow(kind, name, required.has(name), resolved(properties[name], manifest), manifest));
  const { releases, gone } = history(kind, new Set(Object.keys(fields)));
  const said = manifest.definitions[definitionOf(kind)].description.replace(
    / ?A field that is left out is not managed.*$/,
    '',
  );
  const lines = [
    `Named by \`${identity}\`${others}; looked up by \`GET ${kind.lookUp.path('NAME').replace(/&.*/, '')}\`. ${releases}${isEnterprise ? ' It takes a licence.' : ''}`,
    ...(gone.length > 0 ? [`Not in release ${newestRelease}, and not declared: ${gone.join(', ')}.`] : []),
  ];
  const never = Object.entries(notDeclarable).map(([name, why]) => `- \`${name}\`: ${why}`);
  const heading = variant ? `### ${kind.type.replaceAll('_', ' ')}: ${variant.value}` : '';
  return `${[
    ...(heading ? [heading] : []),
    ...(`${words.one}.`.toLowerCase() === said.toLowerCase() ? [] : [said]),
    lines.join(' '),
    `| field | value | |\n|---|---|---|\n${rows.join('\n')}`,
    ...(never.length > 0 ? [`Not declared:\n\n${never.join('\n')}`] : []),
  ].join('\n\n')}\n`;
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {boolean} isRequired
 * @param {any} value
 * @param {any} manifest
 */
function fieldRow(kind, name, isRequired, value, manifest) {
  const { isSecret, since } = kind.fields[name] ?? {};
  const isWriteOnly = newestFacts(kind.path.replace('/api/v3', '')).fields[name]?.writeOnly;
  const marks = [
    isRequired && '**Required.**',
    isSecret && '*Secret.*',
    isWriteOnly && '*Write-only.*',
    since !== undefined && `*Since ${since}.*`,
  ];
  const said = (value.description ?? '').replaceAll(byMarks, '').trim();
  return `| \`${name}\` | ${valueText(value, kind, name, manifest)} | ${[...marks, cell(said)].filter(Boolean).join(' ')} |`;
}

/**
 * What a field can hold.
 *
 * @param {any} value
 * @param {Kind} kind
 * @param {string} name
 * @param {any} manifest
 * @returns {string}
 */
function valueText(value, kind, name, manifest) {
  const { refersTo } = kind.fields[name] ?? {};
  const { type, enum: values, items, minimum, maximum, maxLength } = value;
  if (refersTo) {
    const key = Object.keys(refersTo.byName.keys ?? { name: '' })
      .map((one) => `\`${one}\``)
      .join(' or ');
    const link = `[${refersTo.list.replaceAll('_', ' ')}](reference-${areaOf(refersTo.list)}.md#${refersTo.list})`;
    return items ? `list of ${link}, each an id or a ${key}` : `one of ${link}: its id or ${key}`;
  }
  if (items) return listOf(valueText(resolved(items, manifest), kind, '', manifest));
  if (values) {
    const shown = values.slice(0, mostValues).map((/** @type {any} */ one) => `\`${cell(String(one))}\``);
    return shown.join(', ') + (values.length > mostValues ? ` and ${values.length - mostValues} more` : '');
  }
  const isWide = Math.abs(maximum ?? 0) >= 2 ** 31 - 1;
  const limits = [
    minimum !== undefined && minimum > -(2 ** 31) && `at least ${minimum}`,
    maximum !== undefined && !isWide && `at most ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ].filter(Boolean);
  return [wordsFor(type), ...limits].join(', ');
}

/**
 * The releases that have a type, and the fields that went.
 *
 * @param {Kind} kind
 * @param {ReadonlySet<string>} known
 */
function history({ path, formerPath, since }, known) {
  const own = factsByRelease(path.replace('/api/v3', ''));
  const all = new Map([
    ...(formerPath ? factsByRelease(formerPath.path.replace('/api/v3', '')) : []),
    ...own,
  ]);
  const first = since ?? [...all.keys()][0] ?? '';
  /** @type {Map<string, string>} */
  const last = new Map();
  for (const [line, { fields }] of all)
    for (const [name, { readOnly }] of Object.entries(fields)) if (!readOnly) last.set(name, line);
  const newest = newestFacts(path.replace('/api/v3', '')).fields;
  const gone = [...last].flatMap(([name, line]) =>
    known.has(name) || newest[name] || ['flow_set', 'promptstage_set'].includes(name)
      ? []
      : `\`${name}\` (until ${line})`,
  );
  return { releases: first === oldestRelease ? 'In every release.' : `From release ${first} on.`, gone };
}

/**
 * @param {any} value
 * @param {any} manifest
 * @returns {any}
 */
export function resolved({ $ref, anyOf, ...own }, manifest) {
  if ($ref !== undefined) {
    const [, ...steps] = $ref.split('/');
    const found = steps.reduce((/** @type {any} */ at, /** @type {string} */ step) => at[step], manifest);
    return { ...resolved(found, manifest), ...own };
  }
  return anyOf ? { ...resolved(anyOf[0], manifest), ...own } : own;
}

/** @param {string} text */
export function cell(text) {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/**
 * What people call the types of a value.
 *
 * @param {string | readonly string[]} [type]
 */
export function wordsFor(type = 'any') {
  const names = [type].flat().join(' or ');
  return names.replace('object', 'mapping');
}

/** @param {string} item the type of an item */
export function listOf(item) {
  return `list of ${item.replace(/\b(string|mapping|integer|number)\b/g, '$1s')}`;
}
