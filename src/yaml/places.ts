import type { Diagnostic } from '../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../base/json.ts';
import type { Span } from '../base/source.ts';

export interface ParsedYaml {
  /** Undefined if the text is not YAML. A value with a diagnostic is null. */
  readonly value: JsonValue | undefined;
  readonly places: Places;
  readonly diagnostics: readonly Diagnostic[];
}

type Path = readonly (string | number)[];

/** The places of values in a parsed file. A path consists of keys and indexes from the root. */
export interface Places {
  valueSpan(path: Path): Span;
  /** The span of the key, without the value. */
  keySpan(path: Path, key: string): Span;
}

export const noPlaces: Places = { valueSpan: () => [0, 0], keySpan: () => [0, 0] };

export interface YamlNode {
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
  readonly children: readonly YamlNode[];
  /** The key, if this node is an entry of a mapping. */
  readonly key: NodeKey | undefined;
}

export const noChildren: readonly YamlNode[] = [];

export interface NodeKey {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** The places of all values below a root. For a path that does not exist, the place of its deepest existing parent. */
export function placesIn(root: YamlNode): Places {
  const deepestNodeAt = (path: Path): YamlNode => {
    let node = root;
    for (const step of path) {
      const next = typeof step === 'string' ? entryAt(node, step) : itemAt(node, step);
      if (next === undefined) break;
      node = next;
    }
    return node;
  };
  return {
    valueSpan: (path) => nodeSpan(deepestNodeAt(path)),
    keySpan: (path, key) => {
      const node = deepestNodeAt(path);
      const firstOwn = entryAt(node, key)?.key;
      if (firstOwn === undefined) return nodeSpan(node);
      return [firstOwn.keyStart, firstOwn.keyEnd];
    },
  };
}

function nodeSpan({ start, end }: YamlNode): Span {
  return [start, end];
}

function itemAt({ value, children }: YamlNode, index: number): YamlNode | undefined {
  return isJsonList(value) ? children[index] : undefined;
}

/** Lookups in mappings with more entries use an index. */
const maxUnindexedEntries = 100;
const indexes = new WeakMap<YamlNode, ReadonlyMap<string | undefined, YamlNode>>();

function entryAt(node: YamlNode, key: string): YamlNode | undefined {
  if (isJsonList(node.value)) return undefined;
  if (node.children.length <= maxUnindexedEntries)
    return node.children.find((entry) => entry.key?.key === key);
  // The first of two entries with the same key wins.
  const index =
    indexes.get(node) ?? new Map(node.children.toReversed().map((entry) => [entry.key?.key, entry]));
  indexes.set(node, index);
  return index.get(key);
}
