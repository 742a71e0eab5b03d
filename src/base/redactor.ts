import { isJsonList, isJsonObject, type JsonValue } from './json.ts';
import { memoizePerKey } from './memoize.ts';
import { shortestOwnSecret } from './own-secrets.ts';
import { sensitive } from './sensitive.ts';
import { WordFinder, type TextSpan } from './word-finder.ts';

/** A string that contains a shorter secret is redacted completely, because such a secret looks like an ordinary word. */
const minWordLength = 4;

/** Shorter secrets are not looked for in base64 or in lines of a manifest, where they would match by chance. */
const minBase64Length = 8;

/** Finds complete secrets in strings, in plain form and encoded as JSON, URL or base64. */
export class Redactor {
  readonly #longForms: WordFinder;
  readonly #distinctForms: WordFinder;
  readonly #shortForms: WordFinder;

  constructor(secrets: readonly string[]) {
    const withLength = (min: number, end: number): string[] =>
      secrets.filter(({ length }) => length >= min && length < end);
    // Messages quote single lines of files, so each line of a private key is looked for separately.
    const longSecrets = withLength(minBase64Length, Infinity).flatMap((secret) => [
      secret,
      ...secret.split(/\r?\n/).filter(({ length }) => length >= minBase64Length && length < secret.length),
    ]);
    const longForms = longSecrets.flatMap((secret) => [...encodedForms(secret), ...base64Forms(secret)]);
    const wordForms = withLength(minWordLength, minBase64Length).flatMap(encodedForms);
    this.#longForms = new WordFinder(longForms);
    this.#distinctForms =
      wordForms.length === 0 ? this.#longForms : new WordFinder([...longForms, ...wordForms]);
    this.#shortForms = new WordFinder(withLength(1, minWordLength).flatMap(encodedForms));
  }

  containsSecret(text: string): boolean {
    return this.#shortForms.isIn(text) || this.#distinctForms.isIn(text);
  }

  redact(text: string): string {
    return this.#shortForms.isIn(text)
      ? sensitive
      : replaceSpans(text, this.#distinctForms.spansIn(text), () => sensitive);
  }

  /** Redacts an id, in which short secrets would match by chance. */
  redactId(id: string): string {
    return replaceSpans(id, this.#longForms.spansIn(id), () => sensitive);
  }

  /** Replaces secrets by placeholders of the same length, so that columns stay correct. */
  maskLine(line: string): string {
    return replaceSpans(line, this.#longForms.spansIn(line), (length) =>
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
}

function replaceSpans(
  text: string,
  spans: readonly TextSpan[],
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

/** The redactor of secrets that may occur anywhere. Shorter secrets would occur in other texts by chance. */
export const redactorOfLong: (secrets: readonly string[]) => Redactor = memoizePerKey(
  (secrets: readonly string[]) => new Redactor(secrets.filter(({ length }) => length >= shortestOwnSecret)),
);

/** The forms in which a string may appear: as it is, in JSON, in Python's JSON (ASCII only) and PHP's, and each of these in a URL. */
function encodedForms(text: string): string[] {
  const asJson = JSON.stringify(text).slice(1, -1);
  const inJson = [asJson, asciiJson(asJson), asJson.replaceAll('/', String.raw`\/`)];
  const forms = [text, ...inJson].flatMap((form) => [form, form.replaceAll(' ', '+')]);
  return [...new Set(forms.flatMap((form) => [form, bytesOf(form)]))];
}

function asciiJson(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The bytes of a text, as one character each, as they are found in a decoded URL. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The forms in base64 and base64url, without padding. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}
