import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import type { Span } from '../base/source.ts';

/** What a text of YAML came to. */
export interface ParsedYaml {
  /** Undefined if the text is not YAML at all. A value that has a diagnostic is null in it. */
  readonly value: JsonValue | undefined;
  readonly places: Places;
  readonly diagnostics: readonly Diagnostic[];
}

/** Where the values of a parsed file stand. A path names keys and indexes from the root. */
export interface Places {
  ofValue(path: readonly (string | number)[]): Span;
  /** The key itself, not its value. */
  ofKey(path: readonly (string | number)[], key: string): Span;
}

export const nowhere: Places = { ofValue: () => [0, 0], ofKey: () => [0, 0] };

/** `targets` says what each alias stands for. */
export function placesIn(document: Document, targets: ReadonlyMap<Alias, Node>): Places {
  const resolved = (node: unknown): unknown => (isAlias(node) ? targets.get(node) : node);
  const nodeAt = (path: readonly (string | number)[]): unknown => {
    let node: unknown = document.contents;
    for (const step of path) {
      const inside = resolved(node);
      const next =
        typeof step === 'number'
          ? isSeq(inside)
            ? inside.items[step]
            : undefined
          : pairOf(inside, step)?.value;
      if (next === undefined || next === null) break;
      node = next;
    }
    return node;
  };
  return {
    ofValue: (path) => spanOf(nodeAt(path)),
    ofKey: (path, key) => {
      const node = nodeAt(path);
      return spanOf(pairOf(resolved(node), key)?.key ?? node);
    },
  };
}

const indexes = new WeakMap<YAMLMap, Map<unknown, Pair>>();

function pairOf(node: unknown, key: string): Pair | undefined {
  if (!isMap(node)) return undefined;
  let index = indexes.get(node);
  if (index === undefined) {
    index = new Map(
      node.items.toReversed().map((pair) => [isScalar(pair.key) ? pair.key.value : undefined, pair]),
    );
    indexes.set(node, index);
  }
  return index.get(key);
}

export function spanOf(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}
