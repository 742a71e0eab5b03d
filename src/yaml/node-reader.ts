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
import { quoteOrHide, type SourceFile, type Span } from '../base/source.ts';
import { noChildren, type NodeKey, type YamlNode } from './places.ts';
import {
  keyRefusal,
  maxValueDepth,
  notJsonProblem,
  numberRefusal,
  textRefusal,
  tooDeepProblem,
  unsupportedProblem,
} from './refused-values.ts';

/** The maximum number of values that the aliases of a file may repeat. More are an attack or a mistake. */
const maxAliasedValues = 10_000;
/** More problems would cost time and memory, and few people would read them. */
const maxProblems = 1000;

type NodeContent = Pick<YamlNode, 'value' | 'children'>;

const emptyContent: NodeContent = { value: null, children: noChildren };

/** Converts YAML nodes to plain JSON. A node that cannot be read becomes null, with a diagnostic. */
export class NodeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: SourceFile;
  readonly #openAliases = new Set<unknown>();
  readonly #reported = new Set<string>();
  readonly #anchors = new Map<string, Node>();
  #aliasedValues = 0;
  #insideAliases = 0;
  #areTooManyReported = false;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  report(span: Span, problem: Problem): NodeContent {
    // An alias is read at each use, but its problems are reported once.
    if (this.diagnostics.length >= maxProblems) return emptyContent;
    const place = `${problem.code} ${span.join()}`;
    if (!this.#reported.has(place)) this.diagnostics.push(diagnosticAt(this.#file, span, problem));
    this.#reported.add(place);
    return emptyContent;
  }

  /** `place` says where to report a missing node. */
  read(node: unknown, depth: number, key?: NodeKey, place: unknown = node): YamlNode {
    const [start, end] = nodeSpan(node ?? place);
    const { value, children } = this.#readContent(node, depth);
    return { value, start, end, children, key };
  }

  #readContent(node: unknown, depth: number): NodeContent {
    if (this.#insideAliases > 0 && ++this.#aliasedValues > maxAliasedValues) return emptyContent;
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (isNode(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(node);
    if (!isSeq(node) && !isMap(node)) return emptyContent;
    if (depth >= maxValueDepth) return this.report(nodeSpan(node), tooDeepProblem);
    this.#openAliases.add(node);
    const content = isMap(node) ? this.#readMap(node, depth) : this.#readItems(node.items, depth);
    this.#openAliases.delete(node);
    return content;
  }

  #readItems(items: readonly unknown[], depth: number): NodeContent {
    const children = items.map((item) => this.read(item, depth + 1));
    return { value: children.map(({ value }) => value), children };
  }

  #readAlias(node: Alias, depth: number): NodeContent {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      const anchor = quoteOrHide(this.#file, nodeSpan(node), `&${node.source}`);
      return this.report(nodeSpan(node), {
        code: 'yaml-syntax',
        summary: `there is no anchor ${anchor}`,
        detail: 'Define an anchor before its aliases.',
      });
    }
    if (this.#openAliases.has(target)) return this.report(nodeSpan(node), selfContaining);
    this.#insideAliases += 1;
    const content = this.#readContent(target, depth + 1);
    this.#insideAliases -= 1;
    if (this.#insideAliases === 0 && this.#aliasedValues > maxAliasedValues && !this.#areTooManyReported) {
      this.#areTooManyReported = true;
      this.report(nodeSpan(node), tooManyAliased);
    }
    return content;
  }

  #readScalar(node: Scalar): NodeContent {
    const { value } = node;
    if (typeof value === 'boolean' || value === null) return { value, children: noChildren };
    if (typeof value !== 'string' && typeof value !== 'number')
      return this.report(nodeSpan(node), notJsonProblem);
    const refused = typeof value === 'string' ? textRefusal(value) : numberRefusal(value);
    return refused ? this.report(nodeSpan(node), refused) : { value, children: noChildren };
  }

  #readMap(map: YAMLMap, depth: number): NodeContent {
    const value: Record<string, JsonValue> = {};
    const children: YamlNode[] = [];
    const repeated = new Set<string>();
    for (const pair of map.items) {
      const key = this.#readKey(pair.key, map);
      if (key === undefined) continue;
      if (Object.hasOwn(value, key) && !repeated.has(key)) {
        repeated.add(key);
        const name = quoteOrHide(this.#file, nodeSpan(pair.key), JSON.stringify(key));
        this.report(nodeSpan(pair.key), {
          code: 'yaml-duplicate-key',
          summary: `the key ${name} occurs more than once`,
          detail: 'Remove all but one of them: YAML would use only the last.',
        });
      }
      const [keyStart, keyEnd] = nodeSpan(pair.key);
      const node = this.read(pair.value, depth + 1, { key, keyStart, keyEnd }, map);
      children.push(node);
      value[key] = node.value;
    }
    return { value, children };
  }

  #readKey(node: unknown, map: YAMLMap): string | undefined {
    const key = isScalar(node) ? node.value : undefined;
    const refused = typeof key === 'string' ? keyRefusal(key) : keyNotString;
    if (refused) this.report(nodeSpan(node ?? map), refused);
    return refused || typeof key !== 'string' ? undefined : key;
  }
}

const selfContaining = unsupportedProblem(
  'this alias is inside the value that it repeats',
  'The value would contain itself endlessly.',
);
const tooManyAliased = unsupportedProblem(
  'the aliases expand to too many values',
  `Aliases may repeat ${maxAliasedValues} values in one file.`,
);
const keyNotString = unsupportedProblem('a key must be a string', 'Quote the key.');

function nodeSpan(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}
