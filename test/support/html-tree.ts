import type { DefaultTreeAdapterTypes } from 'parse5';

export type HtmlNode = DefaultTreeAdapterTypes.Node;
export type HtmlElement = DefaultTreeAdapterTypes.Element;

export function childrenOf(node: HtmlNode): readonly HtmlNode[] {
  return 'childNodes' in node ? node.childNodes : [];
}

/** All text in a node and its descendants. */
export function textIn(node: HtmlNode): string {
  if ('value' in node) return node.value;
  return childrenOf(node)
    .map((child) => textIn(child))
    .join('');
}

/** A node and its descendants, in document order. */
export function* nodesIn(node: HtmlNode): Generator<HtmlNode> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesIn(child);
}

export function elementsIn(node: HtmlNode): HtmlElement[] {
  return [...nodesIn(node)].filter((inner): inner is HtmlElement => 'tagName' in inner);
}

/** The tree with a line for each element, comment and text. `shown` returns the line. */
export function outline(node: HtmlNode, shown: (node: HtmlNode) => string | undefined, depth = 0): string {
  const line = shown(node);
  if (line === undefined) return '';
  const inner = childrenOf(node).map((child) => outline(child, shown, depth + 1));
  return `${' '.repeat(depth)}${line}\n${inner.join('')}`;
}
