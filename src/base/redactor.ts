import { isJsonList, isJsonObject, type JsonValue } from './json.ts';
import { sensitive } from './sensitive.ts';

/** A text that contains a shorter secret is redacted as a whole: the secret cannot be told from other words. */
const shortestWord = 4;

/** Shorter secrets are not searched for in base64 or in lines of a manifest, where a few characters match by chance. */
const shortestUnmistakable = 8;

/** Finds whole secrets in texts: verbatim, as JSON and URLs write them, and in base64. */
export class Redactor {
  readonly #longWords: readonly string[];
  readonly #words: readonly string[];
  readonly #short: readonly string[];
  readonly #blank: string;

  constructor(secrets: readonly string[], blank: string = sensitive) {
    this.#blank = blank;
    const between = (least: number, end: number): string[] =>
      secrets.filter(({ length }) => length >= least && length < end);
    // Messages quote files line by line, so each line of a key is searched for by itself.
    const unmistakable = between(shortestUnmistakable, Infinity).flatMap((secret) => [
      secret,
      ...secret
        .split(/\r?\n/)
        .filter(({ length }) => length >= shortestUnmistakable && length < secret.length),
    ]);
    this.#longWords = unmistakable.flatMap((secret) => [...writtenForms(secret), inBase64(secret)]);
    const shortWords = between(shortestWord, shortestUnmistakable).flatMap(writtenForms);
    this.#words = [...this.#longWords, ...shortWords];
    this.#short = between(1, shortestWord).flatMap(writtenForms);
  }

  holds(text: string): boolean {
    return [this.#short, this.#words].some((all) => all.some((secret) => text.includes(secret)));
  }

  clean(text: string): string {
    return this.holds(text) ? replaced(text, this.#stretchesIn(text), () => this.#blank) : text;
  }

  /** A source line with secrets replaced by as many characters, so that columns stay right. */
  cover(line: string): string {
    return replaced(line, this.#stretchesIn(line, false), (length) =>
      this.#blank.slice(0, length).padEnd(length),
    );
  }

  /** A value with secrets removed from its texts, numbers and keys. Top-level keys in `kept` stay. */
  cleanJson(value: JsonValue, kept: ReadonlySet<string> = new Set()): JsonValue {
    if (typeof value === 'string') return this.clean(value);
    if (typeof value === 'number') return this.holds(String(value)) ? this.#blank : value;
    if (isJsonList(value)) return value.map((item) => this.cleanJson(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        kept.has(name) ? name : this.clean(name),
        this.cleanJson(inner),
      ]),
    );
  }

  #stretchesIn(text: string, withShort = true): readonly Stretch[] {
    if (withShort && this.#short.some((secret) => text.includes(secret)))
      return [{ start: 0, end: text.length }];
    const words = withShort ? this.#words : this.#longWords;
    const found: Stretch[] = [];
    for (const word of words)
      for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + 1))
        found.push({ start, end: start + word.length });
    return merged(found);
  }
}

/** A span of a text, in offsets; `end` is exclusive. */
interface Stretch {
  readonly start: number;
  end: number;
}

function replaced(text: string, stretches: readonly Stretch[], blank: (length: number) => string): string {
  let result = '';
  let at = 0;
  for (const { start, end } of stretches) {
    result += text.slice(at, start) + blank(end - start);
    at = end;
  }
  return at === 0 ? text : result + text.slice(at);
}

const redactors = new WeakMap<readonly string[], Redactor>();
let latest: { readonly secrets: readonly string[]; readonly redactor: Redactor } = {
  secrets: [],
  redactor: new Redactor([]),
};

/** The redactor for a list of secrets; reused for the same list and for equal secrets. */
export function redactorOf(secrets: readonly string[]): Redactor {
  const known = redactors.get(secrets);
  if (known) return known;
  const { length } = latest.secrets;
  if (secrets.length !== length || secrets.some((secret, index) => secret !== latest.secrets[index]))
    latest = { secrets: [...secrets], redactor: new Redactor(secrets) };
  redactors.set(secrets, latest.redactor);
  return latest.redactor;
}

/** A text verbatim, and as JSON, Python's JSON, and URLs write it. */
function writtenForms(text: string): string[] {
  const whole = Buffer.from(text).toString(); // half a character has no form in a URL
  const inJson = JSON.stringify(text).slice(1, -1);
  return [...new Set([text, inJson, inAscii(inJson), encodeURIComponent(whole)])];
}

/** JSON as Python writes it. */
function inAscii(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '');
}

function merged(stretches: Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const stretch of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && stretch.start <= last.end) last.end = Math.max(last.end, stretch.end);
    else result.push({ ...stretch });
  }
  return result;
}
