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
import { nodeSpan, type AliasTargets } from './places.ts';
import {
  keyProblem,
  maxValueDepth,
  notJsonProblem,
  numberProblem,
  textProblem,
  tooDeepProblem,
  unsupportedProblem,
} from './refused-values.ts';

/** If the aliases of a file repeat more values than this, the file is an attack or a mistake. */
const maxAliasedValues = 10_000;
const maxProblems = 1000;

/** Converts YAML nodes to plain JSON. A node that cannot be read is reported and becomes null. */
export class NodeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly aliasTargets: AliasTargets = new Map();
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

  report(span: Span, problem: Problem): null {
    // An alias is read at each use, but its problems are reported once.
    if (this.diagnostics.length >= maxProblems) return null;
    const place = `${problem.code} ${span.join()}`;
    if (!this.#reported.has(place)) this.diagnostics.push(diagnosticAt(this.#file, span, problem));
    this.#reported.add(place);
    return null;
  }

  read(node: unknown, depth: number): JsonValue {
    if (this.#insideAliases > 0 && ++this.#aliasedValues > maxAliasedValues) return null;
    if (isAlias(node)) return this.#readAlias(node, depth);
    // A value that an alias repeats does not define its anchors again.
    if (isNode(node) && node.anchor !== undefined && this.#insideAliases === 0)
      this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(node);
    if (!isSeq(node) && !isMap(node)) return null;
    if (depth >= maxValueDepth) return this.report(nodeSpan(node), tooDeepProblem);
    this.#openAliases.add(node);
    const value = isMap(node)
      ? this.#readMap(node, depth)
      : node.items.map((item) => this.read(item, depth + 1));
    this.#openAliases.delete(node);
    return value;
  }

  #readAlias(node: Alias, depth: number): JsonValue {
    const target = this.aliasTargets.get(node) ?? this.#anchors.get(node.source);
    if (target === undefined) {
      const anchor = quoteOrHide(this.#file, nodeSpan(node), `&${node.source}`);
      return this.report(nodeSpan(node), {
        code: 'yaml-syntax',
        summary: `there is no anchor ${anchor}`,
        detail: 'Define an anchor before its aliases.',
      });
    }
    if (this.#openAliases.has(target)) return this.report(nodeSpan(node), selfContaining);
    this.aliasTargets.set(node, target);
    this.#insideAliases += 1;
    const value = this.read(target, depth + 1);
    this.#insideAliases -= 1;
    if (this.#insideAliases === 0 && this.#aliasedValues > maxAliasedValues && !this.#areTooManyReported) {
      this.#areTooManyReported = true;
      this.report(nodeSpan(node), tooManyAliased);
    }
    return value;
  }

  #readScalar(node: Scalar): JsonValue {
    const { value } = node;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'string' && typeof value !== 'number')
      return this.report(nodeSpan(node), notJsonProblem);
    const refused = typeof value === 'string' ? textProblem(value) : numberProblem(value);
    return refused ? this.report(nodeSpan(node), refused) : value;
  }

  #readMap(map: YAMLMap, depth: number): JsonValue {
    const value: Record<string, JsonValue> = {};
    const repeated = new Set<string>();
    for (const pair of map.items) {
      const key = this.#readKey(pair.key);
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
      value[key] = this.read(pair.value, depth + 1);
    }
    return value;
  }

  #readKey(node: unknown): string | undefined {
    const key = isScalar(node) ? node.value : undefined;
    const refused = typeof key === 'string' ? keyProblem(key) : isMap(node) ? template : keyNotString;
    if (refused) this.report(nodeSpan(node), refused);
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
const template = unsupportedProblem(
  'a key must be a string, and {{ … }} is not a template in a manifest',
  'Render the file first, or write ${var:NAME}.',
);
const keyNotString = unsupportedProblem('a key must be a string', 'Quote the key.');
