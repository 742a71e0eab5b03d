import type { Path } from '../base/path-map.ts';
import { isMap, isScalar, isSeq, type Alias, type Node, type Pair, type YAMLMap } from 'yaml';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import type { Span } from '../base/source.ts';

export interface ParsedYaml {
  /** The value, with null where a value has a diagnostic; undefined if the text is not YAML. */
  readonly value: JsonValue | undefined;
  readonly places: Places;
  readonly diagnostics: readonly Diagnostic[];
}

/** The places of values in a parsed file, by paths of keys and indexes from the root. */
export interface Places {
  valueSpan(path: Path): Span;
  /** The span of the key, without the value. */
  keySpan(path: Path, key: string): Span;
}

export const noPlaces: Places = { valueSpan: () => [0, 0], keySpan: () => [0, 0] };

/** The node that each alias repeats. */
export type AliasTargets = Map<Alias, Node>;

/** The places of all values below a node. For a path that does not exist, the place of its deepest existing parent. */
export function placesIn(root: unknown, aliasTargets: ReadonlyMap<unknown, Node>): Places {
  const deepestNodeAt = (path: Path): unknown => {
    let node = root;
    for (const step of path) {
      const content = aliasTargets.get(node) ?? node;
      const next = typeof step === 'string' ? entryAt(content, step)?.value : itemAt(content, step);
      if (next === undefined || next === null) break;
      node = next;
    }
    return node;
  };
  return {
    valueSpan: (path) => nodeSpan(deepestNodeAt(path)),
    keySpan: (path, key) => {
      const node = deepestNodeAt(path);
      return nodeSpan(entryAt(aliasTargets.get(node) ?? node, key)?.key ?? node);
    },
  };
}

export function nodeSpan(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}

function itemAt(node: unknown, index: number): unknown {
  return isSeq(node) ? node.items[index] : undefined;
}

/** Look-ups in mappings with more entries than this use an index. */
const maxUnindexedEntries = 100;
const indexes = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

function entryAt(node: unknown, key: string): Pair | undefined {
  if (!isMap(node)) return undefined;
  if (node.items.length <= maxUnindexedEntries) return node.items.find((pair) => keyOf(pair) === key);
  // The first of two entries with the same key wins.
  const index = indexes.get(node) ?? new Map(node.items.toReversed().map((pair) => [keyOf(pair), pair]));
  indexes.set(node, index);
  return index.get(key);
}

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : undefined;
}
