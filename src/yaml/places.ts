import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair } from 'yaml';
import type { Span } from '../source.ts';

/** Where the values of a parsed file stand. A path names keys and indexes from the root. */
export interface Places {
  ofValue(path: readonly (string | number)[]): Span;
  /** The key itself, not its value. */
  ofKey(path: readonly (string | number)[], key: string): Span;
}

export const nowhere: Places = { ofValue: () => [0, 0], ofKey: () => [0, 0] };

export function placesIn(document: Document): Places {
  const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
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

function pairOf(node: unknown, key: string): Pair | undefined {
  return isMap(node) ? node.items.find((pair) => isScalar(pair.key) && pair.key.value === key) : undefined;
}

export function spanOf(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}
