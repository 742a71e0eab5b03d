import type { JsonValue } from '../base/json.ts';
import { noNodes, placesIn, type Key, type Places, type YamlNode } from './places.ts';

/** The value of a plain text, and its places. */
interface PlainYaml {
  readonly value: JsonValue;
  readonly places: Places;
}

/**
 * Reads plain YAML many times faster than the parser: block mappings and sequences of scalars and collections in one line, without
 * escapes, anchors or tags. For anything else, and for every mistake, it returns undefined, and the parser reads the text. A test holds that
 * both give the same values and places.
 */
export function readPlainYaml(text: string): PlainYaml | undefined {
  try {
    const root = new PlainReader(text).document();
    return { value: root.value, places: placesIn(root) };
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class NotPlain extends Error {}

/** With a key, or an empty one. */
interface Line extends Key {
  readonly start: number;
  indent: number;
  /** Whether an item of a sequence begins here. */
  dash: boolean;
  readonly scalar: string | undefined;
  readonly scalarStart: number;
  /** The offset after its line break. */
  readonly end: number;
}

/** Larger texts are left to the parser, which has limits of its own. */
const maxLines = 400_000;
const maxLineLength = 2000;
const maxDepth = 16;
const maxKeys = 100;

const beyondAscii = String.raw`\u00a1-\u1fff\u3000-\ud7ff`;
const doubleQuoted = `"[ !#-[\\]-~${beyondAscii}]*"`;
const singleQuoted = `'[ -&(-~${beyondAscii}]*'`;
/** A text without quotes: it holds neither `: ` nor ` #`, and no blank ends it. */
const inside = `[ !"$-9;-~${beyondAscii}]*`;
const unquoted = `[\\w/$(${beyondAscii}]${inside}(?:(?::(?=[^ \\n])|(?<! )#)${inside})*(?<! )`;
const scalar = `(${doubleQuoted}|${singleQuoted}|${unquoted}|[[{][^\\n]*[\\]}])`;
const entryLine = new RegExp(`( *)(- )?([A-Za-z_][\\w-]{0,63}):(?:( +)${scalar})?(?:\\n|$)`, 'y');
const itemLine = new RegExp(`( *)- ${scalar}(?:\\n|$)`, 'y');
const [flowKey, nothing] = [/[A-Za-z_][\w-]{0,63}(?=: )/y, /(?:)/y];
const flowScalar = new RegExp(
  `(?:${doubleQuoted}|${singleQuoted}|[\\w/][\\w ./@+%-]*(?<! ))(?= *[,\\]}])`,
  'y',
);
const passedOver = /(?:(?:#[ -~]*)?\n)*/y;

const constants = new Map<string, JsonValue>([
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const otherKeys = new Set([...constants.keys(), '__proto__']);

class PlainReader {
  readonly #text: string;
  #at = 0;
  #lines = 0;
  /** The end of the last line that was taken. */
  #end = 0;
  /** The next to be taken; none at the end of the text. */
  #line: Line | undefined;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('---\n')) this.#at = 4;
    this.#line = this.#read();
  }

  document(): YamlNode {
    const root = this.#collection(1, undefined);
    if (this.#line) throw new NotPlain();
    return root;
  }

  /** A mapping or a sequence, to its end. `parent` is the line of the entry or item that it is the value of. */
  #collection(depth: number, parent: Line | undefined): YamlNode {
    const first = this.#line;
    if (first === undefined || depth > maxDepth) throw new NotPlain();
    const { indent } = first;
    const start = first.dash ? first.start + indent : first.keyStart;
    const nodes: YamlNode[] = [];
    const value = first.dash ? this.#items(indent, depth, nodes) : this.#entries(indent, depth, nodes);
    // A deeper line here would continue a scalar, or is a mistake.
    if (this.#line && this.#line.indent > indent) throw new NotPlain();
    return { value, start, end: this.#end, inside: nodes, key: parent };
  }

  #items(indent: number, depth: number, nodes: YamlNode[]): JsonValue {
    const value: JsonValue[] = [];
    for (let line = this.#line; line?.dash && line.indent === indent; line = this.#line) {
      let node: YamlNode;
      if (line.key === '') node = this.#scalar(line, line.scalar ?? '', depth);
      else {
        // After the dash stands the first entry of a mapping.
        line.dash = false;
        line.indent += 2;
        node = this.#collection(depth + 1, undefined);
      }
      nodes.push(node);
      value.push(node.value);
    }
    return value;
  }

  #entries(indent: number, depth: number, nodes: YamlNode[]): JsonValue {
    const value: Record<string, JsonValue> = {};
    for (
      let line = this.#line;
      line && !line.dash && line.key !== '' && line.indent === indent;
      line = this.#line
    ) {
      const { key, scalar: text } = line;
      if (otherKeys.has(key) || Object.hasOwn(value, key) || nodes.length === maxKeys) throw new NotPlain();
      const node = text === undefined ? this.#below(line, depth) : this.#scalar(line, text, depth);
      nodes.push(node);
      value[key] = node.value;
    }
    return value;
  }

  /** What stands in the lines below a key. */
  #below(line: Line, depth: number): YamlNode {
    this.#take(line);
    const next = this.#line;
    if (!next || next.indent < line.indent || (next.indent === line.indent && !next.dash))
      throw new NotPlain();
    return this.#collection(depth + 1, line);
  }

  #scalar(line: Line, text: string, depth: number): YamlNode {
    this.#take(line);
    const start = line.scalarStart;
    const end = start + text.length;
    if (/^[[{]/.test(text)) {
      const node = new FlowReader(this.#text, start).collection(depth + 1, line);
      if (node.end !== end) throw new NotPlain();
      return node;
    }
    return { value: valueOf(text), start, end, inside: noNodes, key: line };
  }

  #take({ end }: Line): void {
    this.#end = end;
    this.#line = this.#read();
  }

  /** The next line that is neither empty nor a comment. */
  #read(): Line | undefined {
    const text = this.#text;
    passedOver.lastIndex = this.#at;
    passedOver.test(text);
    const start = passedOver.lastIndex;
    if (start === text.length) return undefined;
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    this.#lines += 1;
    if (end - start > maxLineLength || this.#lines > maxLines) throw new NotPlain();
    this.#at = end;
    entryLine.lastIndex = start;
    const entry = entryLine.exec(text);
    if (entry) {
      const [, blanks = '', dash = '', key = '', gap = '', value] = entry;
      const indent = blanks.length;
      const keyStart = start + indent + dash.length;
      const scalarStart = keyStart + key.length + 1 + gap.length;
      return { start, indent, dash: dash !== '', key, keyStart, scalar: value, scalarStart, end };
    }
    itemLine.lastIndex = start;
    const item = itemLine.exec(text);
    if (!item) throw new NotPlain();
    const [, blanks = '', value] = item;
    const indent = blanks.length;
    const scalarStart = start + indent + 2;
    return { start, indent, dash: true, key: '', keyStart: 0, scalar: value, scalarStart, end };
  }
}

/** Reads a collection that stands in one line, such as `{ name: staff }`. */
class FlowReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  collection(depth: number, own: Key | undefined): YamlNode {
    if (depth > maxDepth) throw new NotPlain();
    const start = this.#at;
    const isList = this.#takes('[');
    const list: JsonValue[] = [];
    const map: Record<string, JsonValue> = {};
    const nodes: YamlNode[] = [];
    const close = isList ? ']' : '}';
    this.#at = start + 1;
    if (!this.#takes(close)) {
      do {
        const { text: key, start: keyStart } = this.#match(isList ? nothing : flowKey);
        if (otherKeys.has(key) || Object.hasOwn(map, key) || nodes.length === maxKeys) throw new NotPlain();
        if (!isList) this.#at += 1;
        const node = this.#value(depth, isList ? undefined : { key, keyStart });
        nodes.push(node);
        if (isList) list.push(node.value);
        else map[key] = node.value;
      } while (this.#takes(','));
      if (!this.#takes(close)) throw new NotPlain();
    }
    return { value: isList ? list : map, start, end: this.#at, inside: nodes, key: own };
  }

  #value(depth: number, key: Key | undefined): YamlNode {
    this.#passBlanks();
    if (/[[{]/.test(this.#text.charAt(this.#at))) return this.collection(depth + 1, key);
    const { text, start } = this.#match(flowScalar);
    return { value: valueOf(text), start, end: this.#at, inside: noNodes, key };
  }

  #match(pattern: RegExp): { readonly text: string; readonly start: number } {
    this.#passBlanks();
    const start = this.#at;
    pattern.lastIndex = start;
    if (!pattern.test(this.#text)) throw new NotPlain();
    this.#at = pattern.lastIndex;
    return { text: this.#text.slice(start, this.#at), start };
  }

  #takes(char: string): boolean {
    this.#passBlanks();
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #passBlanks(): void {
    while (this.#text[this.#at] === ' ') this.#at += 1;
  }
}

function valueOf(text: string): JsonValue {
  if (text.startsWith('"') || text.startsWith("'")) return text.slice(1, -1);
  if (/^\d/.test(text)) {
    if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
    if (/^(?:[\d.]+(?:[eE][-+]?\d+)?|0[ox][\da-fA-F]+)$/.test(text)) throw new NotPlain(); // perhaps a number
    return text;
  }
  const constant = constants.get(text);
  return constant === undefined ? text : constant;
}
