import { isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { sameValue, type Kind } from '../kinds/kind.ts';
import { active, state } from '../kinds/lifecycle.ts';
import { sameJson } from '../kinds/values.ts';
import { literally } from '../manifest/reference-pieces.ts';
import { compose } from '../yaml/compose.ts';
import { yamlText } from './write-yaml.ts';

/** What a table makes of an entry of a manifest. */
export interface MergedEntry {
  readonly name: string;
  /** `left`: what stands there comes from elsewhere; `missing`: the table has not got it, and nothing says that it has left. */
  readonly kind: 'new' | 'gone' | 'back' | 'changed' | 'left' | 'missing';
  readonly fields: readonly string[];
}

/** A manifest with what a table says of it; or why it cannot be written into it. */
export type Merged =
  | {
      readonly kind: 'merged';
      readonly text: string;
      readonly entries: readonly MergedEntry[];
      readonly there: number;
    }
  | { readonly kind: 'refused'; readonly why: string };

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Writes the rows of a table into the text of a manifest. Only what differs is written: all other lines stay as they are, byte by byte.
 * Who is not in the table is declared as one who has left, where the kind has such.
 */
export function mergeTable(
  text: string,
  kind: Kind,
  rows: readonly { readonly name: string; readonly fields: JsonObject }[],
): Merged {
  const composed = compose(text, Infinity);
  const [document, second] = Array.isArray(composed) ? composed : [];
  const root = document?.contents;
  if (document === undefined || second !== undefined || document.errors.length > 0 || !isMap(root))
    return { kind: 'refused', why: 'it is no manifest that can be read' };
  const merge = new Merge(text, kind, defaultsIn(root, kind));
  const list = pairOf(root, kind.list);
  const there = list && isSeq(list.value) ? entriesIn(list.value, kind) : new Map<string, YAMLMap>();
  const listed = new Set(rows.map(({ name }) => name));
  for (const { name, fields } of rows) {
    const entry = there.get(name);
    if (entry) merge.update(name, entry, fields);
    else merge.add(name, fields);
  }
  for (const [name, entry] of there) if (!listed.has(name)) merge.leave(name, entry);
  merge.append(root, list);
  return { kind: 'merged', text: merge.text(), entries: merge.entries, there: activeIn(there) };
}

class Merge {
  readonly entries: MergedEntry[] = [];
  readonly #text: string;
  readonly #kind: Kind;
  readonly #defaults: JsonObject;
  readonly #edits: Edit[] = [];
  readonly #added: JsonObject[] = [];
  readonly #newline: string;

  constructor(text: string, kind: Kind, defaults: JsonObject) {
    this.#text = text;
    this.#kind = kind;
    this.#defaults = defaults;
    this.#newline = text.includes('\r\n') ? '\r\n' : '\n';
  }

  add(name: string, fields: JsonObject): void {
    const declared = Object.entries(fields).filter(([field, value]) => !this.#isDefault(field, value));
    this.#added.push(Object.fromEntries(declared));
    this.entries.push({ name, kind: 'new', fields: [] });
  }

  update(name: string, entry: YAMLMap, fields: JsonObject): void {
    const changed: string[] = [];
    const left: string[] = [];
    const wanted: JsonObject = { ...fields, ...(this.#isBack(entry, fields) && { [active]: true }) };
    for (const [field, value] of Object.entries(wanted)) {
      const pair = pairOf(entry, field);
      const inner = pair && isMap(pair.value) ? pair.value : undefined;
      const isKeyed = this.#kind.fields[field]?.inTable === 'columns' && isJsonObject(value);
      if (isReference(this.#text, pair)) left.push(field);
      else if (isKeyed && inner) {
        for (const [key, one] of Object.entries(value))
          if (this.#set(inner, key, one, (a, b) => sameJson(a, b))) changed.push(`${field}.${key}`);
      } else if (pair === undefined && this.#isDefault(field, value)) continue;
      else if (this.#set(entry, field, value, (a, b) => sameValue(this.#kind, field, a, b)))
        changed.push(field);
    }
    const isBack = changed.includes(active) && wanted[active] === true && fields[active] === undefined;
    if (changed.length > 0) this.entries.push({ name, kind: isBack ? 'back' : 'changed', fields: changed });
    if (left.length > 0) this.entries.push({ name, kind: 'left', fields: left });
  }

  leave(name: string, entry: YAMLMap): void {
    if (pairOf(entry, state) !== undefined) return;
    if (this.#kind.fields[active] === undefined) this.entries.push({ name, kind: 'missing', fields: [] });
    else if (isReference(this.#text, pairOf(entry, active)))
      this.entries.push({ name, kind: 'left', fields: [active] });
    else if (this.#set(entry, active, false, (a, b) => a === b))
      this.entries.push({ name, kind: 'gone', fields: [active] });
  }

  /** Writes what is new behind all that is there. */
  append(root: YAMLMap, list: Pair | undefined): void {
    if (this.#added.length === 0) return;
    const value = list?.value;
    const last = isSeq(value) ? value.items.at(-1) : undefined;
    if (isSeq(value) && value.flow && last !== undefined) {
      const end = endOf(this.#text, last);
      this.#edit(end, end, this.#added.map((fields) => `, ${inline(fields)}`).join(''));
    } else if (isSeq(value) && !value.flow && last !== undefined) {
      const start = startOf(last);
      const line = this.#text.lastIndexOf('\n', start) + 1;
      const indent = ' '.repeat(Math.max(0, this.#text.slice(line, start).search(/\S|$/)));
      const end = this.#endOfLine(endOf(this.#text, last));
      this.#edit(end, end, this.#blocks(indent));
    } else if (list !== undefined) {
      const key = endOf(this.#text, list.key);
      const end = !isNode(value) ? key + 1 : Math.max(key + 1, endOf(this.#text, value));
      this.#edit(key + 1, end, this.#blocks('  '));
    } else {
      const end = endOf(this.#text, root);
      const at = this.#endOfLine(end);
      this.#edit(at, at, `${this.#newline}${this.#kind.list}:${this.#blocks('  ')}`);
    }
  }

  text(): string {
    let text = this.#text;
    // From the end on; of several at one place, the last first.
    const edits = this.#edits.toReversed().toSorted((a, b) => b.start - a.start);
    for (const { start, end, text: put } of edits) text = text.slice(0, start) + put + text.slice(end);
    return text;
  }

  #blocks(indent: string): string {
    return this.#added
      .map((fields) => {
        const lines = Object.entries(fields).map(([field, value]) => `${field}: ${inline(value)}`);
        return `${this.#newline}${indent}- ${lines.join(`${this.#newline}${indent}  `)}`;
      })
      .join('');
  }

  /** Sets a key of a mapping, unless it means the same already. Whether anything was written. */
  #set(map: YAMLMap, key: string, value: JsonValue, same: (a: JsonValue, b: JsonValue) => boolean): boolean {
    const pair = pairOf(map, key);
    if (pair !== undefined) {
      if (isNode(pair.value) && same(value, jsonOf(pair.value))) return false;
      const start = this.#text.indexOf(':', endOf(this.#text, pair.key)) + 1;
      const end = isNode(pair.value) ? Math.max(start, endOf(this.#text, pair.value)) : start;
      this.#edit(start, end, ` ${inline(value)}`);
      return true;
    }
    const last = map.items.at(-1);
    const end =
      last === undefined ? startOf(map) + 1 : endOf(this.#text, isNode(last.value) ? last.value : last.key);
    const entry = `${key}: ${inline(value)}`;
    if (map.flow) this.#edit(end, end, last === undefined ? ` ${entry} ` : `, ${entry}`);
    else {
      const first = startOf(map.items[0]?.key);
      const column = first - (this.#text.lastIndexOf('\n', first - 1) + 1);
      const at = this.#endOfLine(end);
      this.#edit(at, at, `${this.#newline}${' '.repeat(column)}${entry}`);
    }
    return true;
  }

  #edit(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  /** Where the line ends that holds this, with what is said beside it. */
  #endOfLine(at: number): number {
    return at + this.#text.slice(at).search(/\r?\n|$/);
  }

  #isDefault(field: string, value: JsonValue): boolean {
    const known = this.#defaults[field];
    return known !== undefined && sameValue(this.#kind, field, value, known);
  }

  /** Whether one is in the table again who had left. */
  #isBack(entry: YAMLMap, fields: JsonObject): boolean {
    const pair = pairOf(entry, active);
    return (
      fields[active] === undefined && pair !== undefined && isScalar(pair.value) && pair.value.value === false
    );
  }
}

/** How many there are who have not left. */
function activeIn(there: ReadonlyMap<string, YAMLMap>): number {
  return [...there.values()].filter((entry) => entry.get(active) !== false).length;
}

function entriesIn(list: YAMLSeq, { identity, sort }: Kind): Map<string, YAMLMap> {
  const found = new Map<string, YAMLMap>();
  for (const item of list.items) {
    const name = isMap(item) ? item.get(identity) : undefined;
    const isOfSort = sort === undefined || (isMap(item) && item.get(sort.field) === sort.value);
    if (isMap(item) && typeof name === 'string' && isOfSort) found.set(name, item);
  }
  return found;
}

function defaultsIn(root: YAMLMap, { type }: Kind): JsonObject {
  const defaults = root.get('defaults');
  const own = isMap(defaults) ? defaults.get(type) : undefined;
  const json = isMap(own) ? jsonOf(own) : {};
  return isJsonObject(json) ? json : {};
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Whether a value comes from a variable, the environment or a file. */
function isReference(text: string, pair: Pair | undefined): boolean {
  if (pair === undefined || !isNode(pair.value)) return false;
  return /(?<!\$)\$\{/.test(text.slice(startOf(pair.value), endOf(text, pair.value)));
}

function rangeOf(node: unknown): readonly [start: number, end: number, nodeEnd: number] {
  if (!isNode(node) || !node.range) throw new Error('what was read stands nowhere');
  return node.range;
}

function startOf(node: unknown): number {
  return rangeOf(node)[0];
}

/** Where a value ends, without the blanks and ends of lines behind it. */
function endOf(text: string, node: unknown): number {
  const [start, end] = rangeOf(node);
  return start + text.slice(start, end).trimEnd().length;
}

function jsonOf(node: Node): JsonValue {
  // What YAML holds that is no JSON is refused where the manifest is read.
  return node.toJSON() as JsonValue;
}

/** A value in one line. */
function inline(value: JsonValue): string {
  const text = yamlText({ v: literally(value) }, () => true).trim();
  return text.slice('{ v: '.length, -' }'.length);
}
