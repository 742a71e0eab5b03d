import type { Address, Problem } from '../base/diagnostic.ts';
import { filterKeys, type JsonObject, type JsonValue, type Validate } from '../base/json.ts';
import { declarableFields } from '../kinds/access.ts';
import { defaultLists, kindAt, lists } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { byAddress } from '../kinds/resource.ts';
import { yamlText } from './write-yaml.ts';
import { escapeReferences } from '../manifest/reference-pieces.ts';
import { canBeDefault, writableDeclaration, type Declaration, type UnwritableField } from './writable.ts';

interface WrittenManifest {
  readonly text: string;
  readonly unwritable: readonly UnwritableField[];
}

/** Writes a manifest as a person would: sorted by name, with common values as defaults. */
export function writeManifest(
  declarations: readonly Declaration[],
  check: Validate,
  schema?: string,
): WrittenManifest {
  const unwritable: UnwritableField[] = [];
  const known = new Set<Address>();
  const all = lists.map((list): List & { entries: Entry[] } => ({ list, kind: kindAt([list]), entries: [] }));
  for (const declaration of declarations.toSorted(byAddress)) {
    const { address, kind } = declaration;
    if (known.has(address)) {
      unwritable.push({ address, field: kind.identity, isWhole: true, problem: twice });
      continue;
    }
    known.add(address);
    const found = writableDeclaration(declaration, check);
    unwritable.push(...found.unwritable);
    if (!found.fields) continue;
    const { variables = {} } = declaration;
    all.find(({ list }) => list === kind.list)?.entries.push({ fields: found.fields, variables });
  }
  return { text: manifestText(all, schema, check), unwritable };
}

const twice: Problem = {
  code: 'duplicate-resource',
  summary: 'another record has this name',
  detail: 'A manifest can declare a name only once.',
};

interface List {
  readonly list: string;
  /** The kind of the first entry; all entries have the same type. */
  readonly kind: Kind | undefined;
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly fields: JsonObject;
  readonly variables: Readonly<Record<string, string>>;
}

export function schemaComment(schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n`;
}

function manifestText(all: readonly List[], schema: string | undefined, check: Validate): string {
  const shared = all.map((list) => ({ ...list, defaults: sharedValues(list, check) }));
  const defaults = shared.filter((list) => Object.keys(list.defaults).length > 0);

  const head = {
    version: 1,
    ...(defaults.length > 0 && {
      defaults: Object.fromEntries(defaults.map(({ kind, defaults: ofType }) => [kind?.type ?? '', ofType])),
    }),
  };
  const parts = [schema === undefined ? '' : schemaComment(schema), yamlValueOf(head)];
  const filled = shared.filter(({ entries }) => entries.length > 0);
  for (const { list, entries, defaults: ofType } of filled) {
    parts.push(`${list}:\n`);
    // Entries are written one by one, because the YAML tree of all entries takes far more memory than the text.
    for (const entry of entries) {
      const alone = yamlValueOf({ [list]: [fieldsBesideDefaults(entry.fields, ofType)] });
      parts.push(alone.slice(alone.indexOf('\n') + 1));
      // Secrets are written as comments, so that the manifest can be planned without their values.
      for (const [field, variable] of Object.entries(entry.variables))
        parts.push(`    # ${field}: \${env:${variable}}\n`);
    }
  }
  // A manifest needs at least one list, even if that list is empty.
  if (filled.length === 0) parts.push(...defaultLists.map((list) => yamlValueOf({ [list]: [] })));
  return parts.join('');
}

/** The number of lines that precede the defaults of a kind. */
const headLines = 2;

/** Only fields that every entry declares can become defaults, because defaults also apply to entries without the field. */
function sharedValues({ kind, entries }: List, check: Validate): JsonObject {
  const shared: Record<string, JsonValue> = {};
  let saved = -headLines;
  for (const field of kind ? declarableFields(kind) : []) {
    if (!entries.every((entry) => Object.hasOwn(entry.fields, field))) continue;
    const max = mostFrequent(entries.map((entry) => entry.fields[field] ?? null));
    if (kind === undefined || max === undefined || !canBeDefault(kind, field, max.value, check)) continue;
    shared[field] = max.value;
    saved += (max.count - 1) * linesOf({ [field]: max.value });
  }
  return saved > 0 ? shared : {};
}

function fieldsBesideDefaults(entry: JsonObject, defaults: JsonObject): JsonObject {
  return filterKeys(
    entry,
    (field) =>
      !Object.hasOwn(defaults, field) ||
      JSON.stringify(entry[field] ?? null) !== JSON.stringify(defaults[field] ?? null),
  );
}

/** The value that more than half of the items have. */
function mostFrequent(values: readonly JsonValue[]): { value: JsonValue; count: number } | undefined {
  const counts = new Map<string, { value: JsonValue; count: number }>();
  for (const value of values) {
    const text = JSON.stringify(value);
    const counted = counts.get(text) ?? { value, count: 0 };
    counted.count += 1;
    counts.set(text, counted);
  }
  return [...counts.values()].find(({ count }) => count > 1 && count * 2 > values.length);
}

function linesOf(fields: JsonObject): number {
  return yamlText(fields).split('\n').length - 1;
}

function yamlValueOf(mapping: JsonObject): string {
  return yamlText(escapeReferences(mapping), isNamed);
}

/** Whether the mapping at a path is a name instead of an id: `{ name: … }`. */
function isNamed(path: readonly (string | number)[]): boolean {
  const [, , field] = path;
  const kind = kindAt(path);
  if (field === undefined) return false;
  const { refersTo, children } = kind?.fields[field] ?? {};
  const isBlock = children?.inside !== undefined && path.length === 4;
  const isInside = field === kind?.access?.field || (children !== undefined && !isBlock);
  return (path.length > 3 && isInside) || refersTo !== undefined;
}
