import { isJsonList, isJsonObject, type JsonValue } from './json.ts';
import { memoizePerKey } from './memoize.ts';
import { sensitive } from './sensitive.ts';

/** A string that contains a shorter secret is redacted completely, because such a secret looks like an ordinary word. */
const minWordLength = 4;

/** Shorter secrets are not looked for in base64 or in lines of a manifest, where they would match by chance. */
const minBase64Length = 8;

/** Finds complete secrets in strings, in plain form and encoded as JSON, URL or base64. */
export class Redactor {
  readonly #longForms: readonly string[];
  readonly #distinctForms: readonly string[];
  readonly #shortForms: readonly string[];

  constructor(secrets: readonly string[]) {
    const withLength = (min: number, end: number): string[] =>
      secrets.filter(({ length }) => length >= min && length < end);
    // Messages quote single lines of files, so each line of a private key is looked for separately.
    const longForms = withLength(minBase64Length, Infinity).flatMap((secret) => [
      secret,
      ...secret.split(/\r?\n/).filter(({ length }) => length >= minBase64Length && length < secret.length),
    ]);
    this.#longForms = longForms.flatMap((secret) => [...encodedForms(secret), unpaddedBase64(secret)]);
    const wordForms = withLength(minWordLength, minBase64Length).flatMap(encodedForms);
    this.#distinctForms = [...this.#longForms, ...wordForms];
    this.#shortForms = withLength(1, minWordLength).flatMap(encodedForms);
  }

  containsSecret(text: string): boolean {
    return [this.#shortForms, this.#distinctForms].some((all) => all.some((secret) => text.includes(secret)));
  }

  redact(text: string): string {
    return this.containsSecret(text) ? replaceSpans(text, this.#secretSpans(text), () => sensitive) : text;
  }

  /** Replaces secrets by placeholders of the same length, so that columns stay correct. */
  maskLine(line: string): string {
    return replaceSpans(line, this.#secretSpans(line, false), (length) =>
      sensitive.slice(0, length).padEnd(length),
    );
  }

  /** Redacts strings, numbers and keys, except the top-level keys in `kept`. */
  redactJson(value: JsonValue, kept: ReadonlySet<string> = new Set()): JsonValue {
    if (typeof value === 'string') return this.redact(value);
    if (typeof value === 'number') return this.containsSecret(String(value)) ? sensitive : value;
    if (isJsonList(value)) return value.map((item) => this.redactJson(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        kept.has(name) ? name : this.redact(name),
        this.redactJson(inner),
      ]),
    );
  }

  #secretSpans(text: string, withShort = true): readonly SecretSpan[] {
    if (withShort && this.#shortForms.some((secret) => text.includes(secret)))
      return [{ start: 0, end: text.length }];
    const words = withShort ? this.#distinctForms : this.#longForms;
    const found: SecretSpan[] = [];
    for (const word of words)
      for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + 1))
        found.push({ start, end: start + word.length });
    return mergeSpans(found);
  }
}

/** Offsets in a string; `end` is exclusive. */
interface SecretSpan {
  readonly start: number;
  end: number;
}

function replaceSpans(
  text: string,
  spans: readonly SecretSpan[],
  replacement: (length: number) => string,
): string {
  let result = '';
  let offset = 0;
  for (const { start, end } of spans) {
    result += text.slice(offset, start) + replacement(end - start);
    offset = end;
  }
  return offset === 0 ? text : result + text.slice(offset);
}

export const redactorOf: (secrets: readonly string[]) => Redactor = memoizePerKey(
  (secrets: readonly string[]) => new Redactor(secrets),
);

/** The forms in which a string may appear: as it is, in JSON, in Python's JSON (ASCII only), and in a URL. */
function encodedForms(text: string): string[] {
  const whole = Buffer.from(text).toString(); // encodeURIComponent throws for a lone surrogate
  const asJson = JSON.stringify(text).slice(1, -1);
  return [...new Set([text, asJson, asciiJson(asJson), encodeURIComponent(whole)])];
}

function asciiJson(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function unpaddedBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '');
}

function mergeSpans(spans: SecretSpan[]): SecretSpan[] {
  const result: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else result.push({ ...span });
  }
  return result;
}
