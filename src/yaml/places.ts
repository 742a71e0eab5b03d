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

type Path = readonly (string | number)[];

/** Where the values of a parsed file stand. A path names keys and indexes from the root. */
export interface Places {
  ofValue(path: Path): Span;
  /** The key itself, not its value. */
  ofKey(path: Path, key: string): Span;
}

export const nowhere: Places = { ofValue: () => [0, 0], ofKey: () => [0, 0] };

/** How a reader of YAML keeps what it has read. */
interface Tree<Node> {
  readonly root: Node;
  /** What stands under a key or an index of a node. */
  readonly inside: (node: Node, step: string | number) => Node | undefined;
  readonly spanOf: (node: Node) => Span;
  readonly spanOfKey: (node: Node, key: string) => Span | undefined;
}

/** The places of values. A path that leads further than the file does gives the place of the last value on its way. */
export function placesIn<Node>({ root, inside, spanOf, spanOfKey }: Tree<Node>): Places {
  const nodeAt = (path: Path): Node => {
    let node = root;
    for (const step of path) {
      const next = inside(node, step);
      if (next === undefined) break;
      node = next;
    }
    return node;
  };
  return {
    ofValue: (path) => spanOf(nodeAt(path)),
    ofKey: (path, key) => {
      const node = nodeAt(path);
      return spanOfKey(node, key) ?? spanOf(node);
    },
  };
}
