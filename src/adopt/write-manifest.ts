import type { Address, Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { kindAt, kinds } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { addressOf, byAddress } from '../kinds/resource.ts';
import { yamlText } from './write-yaml.ts';
import { literally } from '../manifest/reference-pieces.ts';
import { besides, sharedValues } from './shared-values.ts';
import { writable, type Declaration, type Unwritable } from './writable.ts';

interface WrittenManifest {
  readonly text: string;
  /** What the text does not say, since no manifest can. */
  readonly unwritable: readonly Unwritable[];
}

/**
 * The manifest of records, as a person writes it: sorted by name, with what most of them share as defaults. Reading it gives the
 * same fields, but for those that no manifest can hold. `schema` is where editors find the schema.
 */
export function writeManifest(declarations: readonly Declaration[], schema?: string): WrittenManifest {
  const unwritable: Unwritable[] = [];
  const known = new Set<Address>();
  const lists = kinds.map((kind) => ({ kind, entries: [] as JsonObject[] }));
  for (const { address, declaration } of inOrder(declarations)) {
    const { kind } = declaration;
    if (known.has(address)) {
      unwritable.push({ address, field: kind.identity, isWhole: true, problem: twice });
      continue;
    }
    known.add(address);
    const found = writable(declaration);
    unwritable.push(...found.unwritable);
    if (found.fields) lists.find((list) => list.kind === kind)?.entries.push(found.fields);
  }
  return { text: manifestText(lists, schema), unwritable };
}

const twice: Problem = {
  code: 'duplicate-resource',
  summary: 'there is another one of this name',
  detail: 'A manifest declares each once.',
};

function inOrder(
  declarations: readonly Declaration[],
): { readonly address: Address; readonly declaration: Declaration }[] {
  const named = declarations.map((declaration) => {
    const { kind, fields } = declaration;
    return { address: addressOf(kind.type, textOf(fields[kind.identity])), declaration };
  });
  return named.toSorted(byAddress);
}

interface List {
  readonly kind: Kind;
  readonly entries: readonly JsonObject[];
}

function manifestText(lists: readonly List[], schema: string | undefined): string {
  const shared = lists.map((list) => ({ ...list, defaults: sharedValues(list.kind, list.entries) }));
  const defaults = shared.filter((list) => Object.keys(list.defaults).length > 0);
  const head = {
    version: 1,
    ...(defaults.length > 0 && {
      defaults: Object.fromEntries(defaults.map((list) => [list.kind.type, list.defaults])),
    }),
  };
  const parts = [schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`, written(head)];
  const filled = shared.filter(({ entries }) => entries.length > 0);
  for (const { kind, entries, defaults: ofKind } of filled) {
    parts.push(`${kind.list}:\n`);
    // One entry at a time: the tree of all of them would take far more memory than their text.
    for (const entry of entries) {
      const alone = written({ [kind.list]: [besides(entry, ofKind)] });
      parts.push(alone.slice(alone.indexOf('\n') + 1));
    }
  }
  // Without an entry, the lists stay: a manifest has one at the least.
  if (filled.length === 0) parts.push(...kinds.map(({ list }) => written({ [list]: [] })));
  return parts.join('');
}

function written(mapping: JsonObject): string {
  return yamlText(meantLiterally(mapping), isNamed);
}

/** Whether a mapping stands in place of an id: `{ name: … }`. */
function isNamed(path: readonly (string | number)[]): boolean {
  const [, , field] = path;
  return field !== undefined && kindAt(path)?.fields[field]?.findId !== undefined;
}

function meantLiterally<Value extends JsonValue>(value: Value): Value;
function meantLiterally(value: JsonValue): JsonValue {
  if (typeof value === 'string') return literally(value);
  if (isJsonList(value)) return value.map((item) => meantLiterally(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, meantLiterally(inner)]));
}
