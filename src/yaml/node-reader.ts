import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Alias,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { quote, type SourceFile, type Span } from '../base/source.ts';
import { noNodes, type Key, type YamlNode } from './places.ts';
import {
  keyRefusal,
  maxDepth,
  notJson,
  numberRefusal,
  textRefusal,
  tooDeep,
  unsupported,
} from './refused-values.ts';

/** How many values aliases may repeat in one file. More is an attack or a mistake. */
const maxAliasedValues = 10_000;
/** More problems of one file would cost time and memory, and few people would read them. */
const maxProblems = 1000;

type Content = Pick<YamlNode, 'value' | 'inside'>;

const nothing: Content = { value: null, inside: noNodes };

/** Reads YAML nodes as plain JSON. An unreadable node becomes null and a diagnostic. */
export class NodeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: SourceFile;
  readonly #open = new Set<unknown>();
  readonly #reported = new Set<string>();
  readonly #anchors = new Map<string, Node>();
  #aliasedValues = 0;
  #insideAliases = 0;
  #tooManySaid = false;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  report(span: Span, problem: Problem): Content {
    // An alias is read at each use; its problems are reported once.
    if (this.diagnostics.length >= maxProblems) return nothing;
    const place = `${problem.code} ${span.join()}`;
    if (!this.#reported.has(place)) this.diagnostics.push(diagnosticAt(this.#file, span, problem));
    this.#reported.add(place);
    return nothing;
  }

  /** Reads a node and everything inside it. `place` is the position of a missing node. */
  read(node: unknown, depth: number, key?: Key, place: unknown = node): YamlNode {
    const [start, end] = spanOf(node ?? place);
    const { value, inside } = this.#contentOf(node, depth);
    return { value, start, end, inside, key };
  }

  #contentOf(node: unknown, depth: number): Content {
    if (this.#insideAliases > 0 && ++this.#aliasedValues > maxAliasedValues) return nothing;
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (isNode(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(node);
    if (!isSeq(node) && !isMap(node)) return nothing;
    if (depth >= maxDepth) return this.report(spanOf(node), tooDeep);
    this.#open.add(node);
    const content = isMap(node) ? this.#readMap(node, depth) : this.#readItems(node.items, depth);
    this.#open.delete(node);
    return content;
  }

  #readItems(items: readonly unknown[], depth: number): Content {
    const inside = items.map((item) => this.read(item, depth + 1));
    return { value: inside.map(({ value }) => value), inside };
  }

  #readAlias(node: Alias, depth: number): Content {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      const anchor = quote(this.#file, spanOf(node), `&${node.source}`);
      return this.report(spanOf(node), {
        code: 'yaml-syntax',
        summary: `there is no anchor ${anchor}`,
        detail: 'Define an anchor before its aliases.',
      });
    }
    if (this.#open.has(target)) return this.report(spanOf(node), endless);
    this.#insideAliases += 1;
    const content = this.#contentOf(target, depth + 1);
    this.#insideAliases -= 1;
    if (this.#insideAliases === 0 && this.#aliasedValues > maxAliasedValues && !this.#tooManySaid) {
      this.#tooManySaid = true;
      this.report(spanOf(node), tooManyAliased);
    }
    return content;
  }

  #readScalar(node: Scalar): Content {
    const { value } = node;
    if (typeof value === 'boolean' || value === null) return { value, inside: noNodes };
    if (typeof value !== 'string' && typeof value !== 'number') return this.report(spanOf(node), notJson);
    const refused = typeof value === 'string' ? textRefusal(value) : numberRefusal(value);
    return refused ? this.report(spanOf(node), refused) : { value, inside: noNodes };
  }

  #readMap(map: YAMLMap, depth: number): Content {
    const value: Record<string, JsonValue> = {};
    const inside: YamlNode[] = [];
    const repeated = new Set<string>();
    for (const pair of map.items) {
      const key = this.#readKey(pair.key, map);
      if (key === undefined) continue;
      if (Object.hasOwn(value, key) && !repeated.has(key)) {
        repeated.add(key);
        const name = quote(this.#file, spanOf(pair.key), JSON.stringify(key));
        this.report(spanOf(pair.key), {
          code: 'yaml-duplicate-key',
          summary: `the key ${name} occurs more than once`,
          detail: 'Keep one; YAML would use only the last.',
        });
      }
      const [keyStart, keyEnd] = spanOf(pair.key);
      const node = this.read(pair.value, depth + 1, { key, keyStart, keyEnd }, map);
      inside.push(node);
      value[key] = node.value;
    }
    return { value, inside };
  }

  #readKey(node: unknown, map: YAMLMap): string | undefined {
    const key = isScalar(node) ? node.value : undefined;
    const refused = typeof key === 'string' ? keyRefusal(key) : noKey;
    if (refused) this.report(spanOf(node ?? map), refused);
    return refused || typeof key !== 'string' ? undefined : key;
  }
}

const endless = unsupported(
  'this alias is inside the value that it repeats',
  'It would contain itself without end.',
);
const tooManyAliased = unsupported(
  'the aliases expand to too many values',
  `Aliases may repeat ${maxAliasedValues} values in one file.`,
);
const noKey = unsupported('a key must be a string', 'Quote the key.');

function spanOf(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}
