// Makes the reference pages, docs/reference-*.md, from the API schema and the rows of the kinds.
import { allChildren, kinds } from '../../src/kinds/all.ts';
import type { Children } from '../../src/kinds/children.ts';
import { fieldsWith, needsSuperuserToLookUp, type FieldOfKind, type Kind } from '../../src/kinds/kind.ts';
import { factsByRelease, newestFacts } from '../../src/kinds/facts.ts';
import { newestRelease, oldestRelease } from '../../src/kinds/release.ts';
import { definitionOf } from './manifest-schema.ts';

/** A part of a JSON Schema. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly anyOf?: readonly SchemaNode[];
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: string | number;
  readonly enum?: readonly (string | number | null)[];
  readonly format?: string;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly else?: SchemaNode;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** The pages with their lists. The first page has all other lists. */
const areas = new Map<string, { readonly title: string; readonly lists: readonly string[] }>([
  ['people', { title: 'Applications, people and settings', lists: [] }],
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
/** Instructions, which most entries can have. */
const instructions = new Set(['formerly', 'state', 'at_least', 'exactly']);
/** Sentences that the table already expresses. */
const byMarks =
  / ?From release [\d.]+ on; earlier releases ignore this field\.| ?The value must (?:be|come from) [^.]*\. It is (sent and compared, but )?never shown\.|^An? [\w ]+: its id, which is [^.]*\./g;
/** The number of values to list. The schema has all of them. */
const mostValues = 12;

export function referencePages(manifest: SchemaNode): Map<string, string> {
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
    if (area === 'flows') parts.push(...allChildren().map((bindings) => bindingPart(bindings, manifest)));
    return [
      `docs/reference-${area}.md`,
      `# ${title}\n\nThe fields of [manifests](manifest.md), from the API of releases ${oldestRelease} to ${newestRelease}. [How to read this](reference.md).\n\n${parts.join('\n')}`,
    ] as const;
  });
  return new Map(pages);
}

function areaOf(list: string): string {
  return [...areas].find(([, { lists }]) => lists.includes(list))?.[0] ?? 'people';
}

/** The page and the types of each list. */
export function listTable(): string {
  const rows = [...new Set(kinds.map(({ list }) => list))].toSorted().map((list) => {
    const types = kinds.filter((kind) => kind.list === list).flatMap(({ variant }) => variant?.value ?? []);
    return `| [\`${list}\`](reference-${areaOf(list)}.md#${list}) | ${types.map((type) => `\`${type}\``).join(', ')} |`;
  });
  return ['| list | `type` |', '|---|---|', ...rows].join('\n');
}

function listPart(list: string, own: readonly Kind[], manifest: SchemaNode): string {
  const sections = own.map((kind) => kindPart(kind, manifest));
  return `## ${list}\n\n${sections.join('\n')}`;
}

function kindPart(kind: Kind, manifest: SchemaNode): string {
  const { variant, words, identity, scope, notDeclarable = {}, isEnterprise } = kind;
  const others = scope
    ? ` within its \`${scope}\`, with addresses such as \`${kind.type}.${scope.toUpperCase()}/NAME\``
    : kind.listing.isUnique
      ? ', which is unique'
      : ', which is not unique in every release';
  const { properties = {}, description = '', ...entry } = manifest.definitions?.[definitionOf(kind)] ?? {};
  const required = new Set([...(entry.required ?? []), ...(entry.else?.required ?? [])]);
  const rows = Object.entries(properties)
    .filter(([name]) => !instructions.has(name) && name !== variant?.field)
    .map(([name, value]) => fieldRow(kind, name, required.has(name), resolved(value, manifest), manifest));
  const { releases, renamed, gone } = history(kind);
  const said = description.replace(/ ?A field that is left out is not managed.*$/, '');
  const lines = [
    `${kind.single === undefined ? `Identified by \`${identity}\`${others}` : 'There is one record, whose entry has no name'}; looked up by \`GET ${kind.lookUp.path('NAME').replace(/&.*/, '')}\`${needsSuperuserToLookUp(kind) ? ", with a superuser's token" : ''}. ${releases}${isEnterprise ? ' Requires an enterprise licence.' : ''}`,
    ...(renamed.length > 0
      ? [`Declare renamed fields under the new name, for every release: ${renamed.join(', ')}.`]
      : []),
    ...(gone.length > 0
      ? [`Fields that earlier releases had and manifests cannot declare: ${gone.join(', ')}.`]
      : []),
  ];
  const never = Object.entries(notDeclarable).map(([name, why]) => `- \`${name}\`: ${why}`);
  const heading = variant ? `### ${kind.type.replaceAll('_', ' ')}: ${variant.value}` : '';
  return `${[
    ...(heading ? [heading] : []),
    ...(`${words.one}.`.toLowerCase() === said.toLowerCase() ? [] : [said]),
    lines.join(' '),
    `| field | value | |\n|---|---|---|\n${rows.join('\n')}`,
    ...(never.length > 0 ? [`Fields that manifests cannot declare:\n\n${never.join('\n')}`] : []),
  ].join('\n\n')}\n`;
}

/** The fields of the bindings of a list such as the `stages` of flows. */
function bindingPart(bindings: Children, manifest: SchemaNode): string {
  const { properties = {}, required = [] } = manifest.definitions?.[bindings.model.name] ?? {};
  const rows = Object.entries(properties).map(([name, property]) => {
    const value = resolved(property, manifest);
    const { refersTo } = bindings.binds.find(({ idField }) => idField === name) ?? {};
    const children = name === bindings.inside?.field ? bindings.inside.children : undefined;
    const field = { ...(refersTo && { refersTo }), ...(children && { children }) };
    const said = refersTo ? '' : cell(property.description ?? value.description ?? '');
    return `| \`${name}\` | ${valueText(value, manifest, field)} | ${required.includes(name) ? '**Required.** ' : ''}${said} |`;
  });
  return `## ${bindingsTitle(bindings)}\n\n| field | value | |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function bindingsTitle({ model: { plural } }: Children): string {
  return plural.replaceAll('_', ' ');
}

function fieldRow(kind: Kind, name: string, isRequired: boolean, value: SchemaNode, manifest: SchemaNode) {
  const { isSecret, since, isRequired: isNeeded } = kind.fields[name] ?? {};
  const isWriteOnly = newestFacts(kind.path.replace('/api/v3', '')).fields[name]?.writeOnly;
  const marks = [
    isRequired ? '**Required.**' : isNeeded && kind.single === undefined && '*Required if new.*',
    isSecret && '*Secret.*',
    isWriteOnly && '*Write-only.*',
    since !== undefined && `*Since ${since}.*`,
  ];
  const said = (value.description ?? '').replaceAll(byMarks, '').trim();
  return `| \`${name}\` | ${valueText(value, manifest, kind.fields[name])} | ${[...marks, cell(said)].filter(Boolean).join(' ')} |`;
}

/** What a field can hold. */
function valueText(
  value: SchemaNode,
  manifest: SchemaNode,
  { refersTo, children }: FieldOfKind = {},
): string {
  if (children)
    return `list of [bindings](reference-flows.md#${bindingsTitle(children).replaceAll(' ', '-')})`;
  const { type, enum: values, items, minimum, maximum, maxLength } = value;
  if (refersTo) {
    const key = Object.keys(refersTo.keys ?? { name: '' })
      .map((one) => `\`${one}\``)
      .join(' or ');
    const link = `[${refersTo.list.replaceAll('_', ' ')}](reference-${areaOf(refersTo.list)}.md#${refersTo.list})`;
    return items ? `list of ${link}, each an id or a ${key}` : `one of ${link}: its id or ${key}`;
  }
  if (items) return listOf(valueText(resolved(items, manifest), manifest));
  if (values) {
    const shown = [...new Set(values.map(String))].slice(0, mostValues).map((one) => `\`${cell(one)}\``);
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

/** The first release that has a type, its renamed fields, and the fields that the newest release no longer has. */
function history(kind: Kind) {
  const { path, formerPath, since } = kind;
  const own = factsByRelease(path.replace('/api/v3', ''));
  const all = new Map([
    ...(formerPath ? factsByRelease(formerPath.path.replace('/api/v3', '')) : []),
    ...own,
  ]);
  const first = since ?? [...all.keys()][0] ?? '';
  const last = new Map<string, string>();
  for (const [line, { fields }] of all)
    for (const [name, { readOnly }] of Object.entries(fields)) if (!readOnly) last.set(name, line);
  const newest = newestFacts(path.replace('/api/v3', '')).fields;
  const former = fieldsWith(kind, 'earlier');
  const renamed = former.map(
    ([name, earlier]) => `\`${name}\` (\`${earlier.field}\` until ${last.get(earlier.field)})`,
  );
  const known = new Set([
    ...Object.keys({ ...kind.fields, ...kind.notDeclarable }),
    ...former.map(([, earlier]) => earlier.field),
  ]);
  const gone = [...last].flatMap(([name, line]) =>
    known.has(name) || newest[name] || ['flow_set', 'promptstage_set'].includes(name)
      ? []
      : `\`${name}\` (until ${line})`,
  );
  return {
    releases: first === oldestRelease ? 'In every release.' : `From release ${first} on.`,
    renamed,
    gone,
  };
}

/** Replaces references to definitions. */
export function resolved({ $ref, anyOf, ...own }: SchemaNode, manifest: SchemaNode): SchemaNode {
  if ($ref !== undefined) {
    const [, ...steps] = $ref.split('/');
    const found = steps.reduce<unknown>((at, step) => Object(at)[step], manifest);
    return { ...resolved(found as SchemaNode, manifest), ...own }; // a reference leads to a part of the schema
  }
  return anyOf?.[0] ? { ...resolved(anyOf[0], manifest), ...own } : own;
}

export function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** What people call the types of a value. */
export function wordsFor(type: string | readonly string[] = 'any'): string {
  const names = [type].flat().join(' or ');
  return names.replace('object', 'mapping');
}

export function listOf(item: string): string {
  return `list of ${item.replace(/\b(string|mapping|integer|number)\b/g, '$1s')}`;
}
