import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Alias,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import type { DiagnosticCode } from '../base/diagnostic-codes.ts';
import type { JsonValue } from '../base/json.ts';
import { quote, type SourceFile, type Span } from '../base/source.ts';
import { keyRefusal, maxDepth, numberRefusal, textRefusal, tooDeep } from './refused-values.ts';

/** How many values aliases may repeat in one file. More is an attack or a mistake. */
const maxAliasedValues = 10_000;
/** More problems of one file would cost time and memory, and hardly anybody reads them. */
const maxProblems = 1000;

/** Reads YAML nodes as plain JSON. What it cannot read is null, and a diagnostic. */
export class NodeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: SourceFile;
  /** The node that each alias stands for. */
  readonly targets: Map<Alias, Node> = new Map();
  readonly #open = new Set<unknown>();
  readonly #reported = new Set<string>();
  readonly #anchors = new Map<string, Node>();
  #aliasedValues = 0;
  #insideAliases = 0;
  #tooManySaid = false;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  report(span: Span, code: DiagnosticCode, summary: string, detail: string): null {
    // The value of an alias is read at each use of the alias. Its problems are reported once.
    if (this.diagnostics.length >= maxProblems) return null;
    const place = `${code} ${span.join()}`;
    if (!this.#reported.has(place))
      this.diagnostics.push(diagnosticAt(this.#file, span, { code, summary, detail }));
    this.#reported.add(place);
    return null;
  }

  #unsupported(node: unknown, summary: string, detail: string): null {
    return this.report(spanOf(node), 'yaml-unsupported', summary, detail);
  }

  #refused(node: unknown, { code, summary, detail = '' }: Problem): null {
    return this.report(spanOf(node), code, summary, detail);
  }

  read(node: unknown, depth: number): JsonValue {
    if (this.#insideAliases > 0 && ++this.#aliasedValues > maxAliasedValues) return null;
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (isNode(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(node);
    if (!isSeq(node) && !isMap(node)) return null;
    if (depth >= maxDepth) return this.#refused(node, tooDeep);
    this.#open.add(node);
    const value = isSeq(node)
      ? node.items.map((item) => this.read(item, depth + 1))
      : this.#readMap(node, depth);
    this.#open.delete(node);
    return value;
  }

  #readAlias(node: Alias, depth: number): JsonValue {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      const detail = 'An anchor must stand before the alias that uses it.';
      const anchor = quote(this.#file, spanOf(node), `&${node.source}`);
      return this.report(spanOf(node), 'yaml-syntax', `there is no anchor ${anchor}`, detail);
    }
    if (this.#open.has(target)) {
      const detail = 'It would contain itself without end.';
      return this.#unsupported(node, 'this alias is inside the value that it repeats', detail);
    }
    this.targets.set(node, target);
    this.#insideAliases += 1;
    const value = this.read(target, depth + 1);
    this.#insideAliases -= 1;
    if (this.#insideAliases === 0 && this.#aliasedValues > maxAliasedValues && !this.#tooManySaid) {
      this.#tooManySaid = true;
      const detail = `Aliases may repeat ${maxAliasedValues} values in one file.`;
      this.#unsupported(node, 'the aliases expand to too many values', detail);
    }
    return value;
  }

  #readScalar(node: Scalar): JsonValue {
    const { value } = node;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'string' && typeof value !== 'number') {
      const detail = 'Quote it if it is meant as text.';
      return this.report(spanOf(node), 'invalid-value', 'this is not a JSON value', detail);
    }
    const refused = typeof value === 'string' ? textRefusal(value) : numberRefusal(value);
    return refused ? this.#refused(node, refused) : value;
  }

  #readMap(map: YAMLMap, depth: number): JsonValue {
    const object: Record<string, JsonValue> = {};
    const repeated = new Set<string>();
    for (const pair of map.items) {
      const key = this.#readKey(pair, map);
      if (key === undefined) continue;
      if (Object.hasOwn(object, key) && !repeated.has(key)) {
        repeated.add(key);
        const name = quote(this.#file, spanOf(pair.key), JSON.stringify(key));
        const summary = `the key ${name} stands here more than once`;
        const detail = 'Keep one; YAML would keep only the last.';
        this.report(spanOf(pair.key), 'yaml-duplicate-key', summary, detail);
      }
      object[key] = this.read(pair.value, depth + 1);
    }
    return object;
  }

  #readKey(pair: Pair, map: YAMLMap): string | undefined {
    const node = pair.key === null ? map : pair.key;
    const key = isScalar(pair.key) ? pair.key.value : undefined;
    if (typeof key !== 'string') {
      this.#unsupported(node, 'a key must be a string', 'Quote the key.');
      return undefined;
    }
    const refused = keyRefusal(key);
    if (refused) this.#refused(node, refused);
    return refused ? undefined : key;
  }
}

export function spanOf(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}
