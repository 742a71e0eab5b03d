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
  ofValue(path: Path): Span;
  /** The key itself, not its value. */
  ofKey(path: Path, key: string): Span;
}

export const nowhere: Places = { ofValue: () => [0, 0], ofKey: () => [0, 0] };

export interface YamlNode {
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
  /** The entries of a mapping, or the items of a sequence. */
  readonly inside: readonly YamlNode[];
  /** For an entry of a mapping. */
  readonly key: Key | undefined;
}

/** The children of every scalar: one shared list. */
export const noNodes: readonly YamlNode[] = [];

export interface Key {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** The places of values. A path that goes further than the file gives the place of its last existing value. */
export function placesIn(root: YamlNode): Places {
  const nodeAt = (path: Path): YamlNode => {
    let node = root;
    for (const step of path) {
      const next = typeof step === 'string' ? entryOf(node, step) : itemOf(node, step);
      if (next === undefined) break;
      node = next;
    }
    return node;
  };
  return {
    ofValue: (path) => spanOf(nodeAt(path)),
    ofKey: (path, key) => {
      const node = nodeAt(path);
      const own = entryOf(node, key)?.key;
      if (own === undefined) return spanOf(node);
      return [own.keyStart, own.keyEnd];
    },
  };
}

function spanOf({ start, end }: YamlNode): Span {
  return [start, end];
}

function itemOf({ value, inside }: YamlNode, index: number): YamlNode | undefined {
  return isJsonList(value) ? inside[index] : undefined;
}

/** Larger mappings have an index. */
const few = 100;
const indexes = new WeakMap<YamlNode, ReadonlyMap<string | undefined, YamlNode>>();

function entryOf(node: YamlNode, key: string): YamlNode | undefined {
  if (isJsonList(node.value)) return undefined;
  if (node.inside.length <= few) return node.inside.find((entry) => entry.key?.key === key);
  // Of two entries with the same key, the first.
  const index =
    indexes.get(node) ?? new Map(node.inside.toReversed().map((entry) => [entry.key?.key, entry]));
  indexes.set(node, index);
  return index.get(key);
}
