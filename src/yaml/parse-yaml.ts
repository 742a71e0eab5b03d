import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { diagnosticAt, type Diagnostic, type DiagnosticCode } from '../diagnostic.ts';
import type { JsonValue } from '../json.ts';
import type { SourceFile, Span } from '../source.ts';
import { compose, maxDepth } from './compose.ts';
import { syntaxProblem } from './syntax-problem.ts';

export interface ParsedYaml {
  /** Undefined when the text is not YAML at all. What a diagnostic is about is null in it. */
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

/** Aliases may repeat this many values in one file; more is an attack or a mistake. */
const maxAliasedValues = 10_000;
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses YAML 1.2 (core schema) into plain JSON, and says what is in the way of it. */
export function parseYaml(file: SourceFile): ParsedYaml {
  const documents = compose(file.text);
  if ('tooDeepAt' in documents) {
    const span: Span = [documents.tooDeepAt, documents.tooDeepAt + 1];
    return unreadable(diagnosticAt(file, span, { code: 'yaml-unsupported', ...tooDeep }));
  }
  const [document, second] = documents;
  if (document === undefined) return { value: null, places: nowhere, diagnostics: [] };
  const [fault] = document.errors;
  // The parser goes on after its first error, and what it says then is mostly noise.
  if (fault !== undefined) return unreadable(syntaxProblem(fault, file));
  const reader = new NodeReader(file);
  const value = reader.read(document.contents, 0);
  reportDirectives(document, file, reader);
  if (second !== undefined) {
    const detail = 'One file holds one document. Put the other into a file of its own.';
    reader.report(markerBefore(second, file), 'yaml-unsupported', 'a second document starts here', detail);
  }
  return { value, places: placesIn(document), diagnostics: reader.diagnostics };
}

const tooDeep = { summary: 'this is nested too deeply', detail: `Values may be nested ${maxDepth} deep.` };

const nowhere: Places = { ofValue: () => [0, 0], ofKey: () => [0, 0] };

function unreadable(diagnostic: Diagnostic): ParsedYaml {
  return { value: undefined, places: nowhere, diagnostics: [diagnostic] };
}

function reportDirectives(document: Document.Parsed, file: SourceFile, reader: NodeReader): void {
  for (const warning of document.warnings) {
    const tag = /^Unresolved tag: (.*)$/.exec(warning.message)?.[1];
    const summary =
      tag === undefined ? (warning.message.split('\n', 1)[0] ?? '') : `the tag ${tag} has no meaning here`;
    reader.report(warning.pos, 'yaml-unsupported', summary, 'Use plain YAML 1.2 values.');
  }
  const { version, explicit } = document.directives.yaml;
  if (explicit && version !== '1.2') {
    const at = Math.max(0, file.text.indexOf('%YAML'));
    const detail = 'Remove the line: manifests are YAML 1.2, in which `yes`, `no` and `on` are texts.';
    reader.report([at, at + 9], 'yaml-unsupported', `YAML ${version} is not supported`, detail);
  }
}

/** The `---` that begins a document. */
function markerBefore(document: Document.Parsed, file: SourceFile): Span {
  const from = file.text.lastIndexOf('---', document.range[0]);
  return from === -1 ? [document.range[0], document.range[0] + 1] : [from, from + 3];
}

class NodeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: SourceFile;
  readonly #anchors = new Map<string, Node>();
  #aliasedValues = 0;
  #insideAliases = 0;
  #tooManySaid = false;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  report(span: Span, code: DiagnosticCode, summary: string, detail: string): null {
    this.diagnostics.push(diagnosticAt(this.#file, span, { code, summary, detail }));
    return null;
  }

  read(node: unknown, depth: number): JsonValue {
    if (this.#insideAliases > 0 && ++this.#aliasedValues > maxAliasedValues) return null;
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#readScalar(node);
    if (depth >= maxDepth && (isSeq(node) || isMap(node))) {
      return this.report(spanOf(node), 'yaml-unsupported', tooDeep.summary, tooDeep.detail);
    }
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isMap(node)) return this.#readMap(node, depth);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) {
        const detail = 'An anchor must stand before the alias that uses it.';
        return this.report(spanOf(node), 'yaml-syntax', `nothing is anchored as &${node.source}`, detail);
      }
      this.#insideAliases += 1;
      const value = this.read(target, depth + 1);
      this.#insideAliases -= 1;
      if (this.#insideAliases === 0 && this.#aliasedValues > maxAliasedValues && !this.#tooManySaid) {
        this.#tooManySaid = true;
        const detail = `Aliases may repeat ${maxAliasedValues} values in one file.`;
        this.report(spanOf(node), 'yaml-unsupported', 'the aliases expand to too many values', detail);
      }
      return value;
    }
    return null;
  }

  #readScalar(node: Scalar): JsonValue {
    const { value } = node;
    if (typeof value === 'string' && /[\0\p{Cs}]/u.test(value)) {
      const detail = 'The service cannot store a NUL or half of a surrogate pair.';
      return this.report(spanOf(node), 'invalid-value', 'this text holds what is not a character', detail);
    }
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Number.isFinite(value)) {
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
      const detail = 'Quote it if it is meant as text.';
      return this.report(
        spanOf(node),
        'invalid-value',
        'this number is too large to be kept exactly',
        detail,
      );
    }
    return this.report(
      spanOf(node),
      'invalid-value',
      'this is not a JSON value',
      'Quote it if it is meant as text.',
    );
  }

  #readMap(map: YAMLMap, depth: number): JsonValue {
    const object: Record<string, JsonValue> = {};
    for (const pair of map.items) {
      const key = this.#readKey(pair, map);
      if (key === undefined) continue;
      if (Object.hasOwn(object, key)) {
        const detail = 'Remove one of the two; YAML keeps only one.';
        this.report(
          spanOf(pair.key),
          'yaml-duplicate-key',
          `the key ${JSON.stringify(key)} stands here twice`,
          detail,
        );
      }
      object[key] = this.read(pair.value, depth + 1);
    }
    return object;
  }

  #readKey(pair: Pair, map: YAMLMap): string | undefined {
    const span = pair.key === null ? spanOf(map) : spanOf(pair.key);
    const key = isScalar(pair.key) ? pair.key.value : undefined;
    if (typeof key !== 'string') {
      this.report(span, 'yaml-unsupported', 'a key must be a string', 'Quote the key.');
      return undefined;
    }
    if (key === '<<') {
      const detail = 'Write the fields out, or put what entries share under defaults.';
      this.report(span, 'yaml-unsupported', 'merge keys are not supported', detail);
      return undefined;
    }
    if (refusedKeys.has(key)) {
      this.report(
        span,
        'yaml-unsupported',
        `the key ${JSON.stringify(key)} is refused`,
        'Choose another name.',
      );
      return undefined;
    }
    return key;
  }
}

function placesIn(document: Document): Places {
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

function spanOf(node: unknown): Span {
  const range = (node as Partial<Node> | null)?.range; // every parsed node has a range
  return range ? [range[0], range[1]] : [0, 0];
}
