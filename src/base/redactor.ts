import { hasEscapes, originOf, viewsOf, type View } from './echo-views.ts';
import { isJsonList, isJsonObject, type JsonValue } from './json.ts';
import { sensitive } from './sensitive.ts';
import { TextWindows, type Stretch } from './text-windows.ts';

/** Pieces of a secret are blanked out from this length on. Shorter ones say little, and may be there by chance. */
const pieceLength = 12;

/** A text that holds a secret shorter than this is blanked out as a whole: the secret cannot be told from other words. */
const shortestWord = 4;

/**
 * Shorter secrets are not searched for in base64, nor in a line that somebody wrote: a few characters are there by chance.
 */
const shortestUnmistakable = 8;

/** A longer text with escapes takes too long to search, so the whole of it is blanked out. */
const longestEscaped = 64 * 1024;

/**
 * Finds secrets in texts, and pieces of them: as they are, escaped as in JSON, URLs, forms or HTML, and in base64, with whatever
 * stands before them there.
 */
export class Redactor {
  readonly #words: readonly TextWindows[];
  /** Secrets of four to seven characters. */
  readonly #shortWords: readonly TextWindows[];
  readonly #base64: readonly TextWindows[];
  readonly #short: readonly string[];
  readonly #blank: string;

  /** `blank` is what stands for the secrets in what is cleaned. */
  constructor(secrets: readonly string[], blank: string = sensitive) {
    this.#blank = blank;
    this.#short = secrets.filter(({ length }) => length > 0 && length < shortestWord);
    const words = secrets.filter(({ length }) => length >= shortestWord);
    const unmistakable = words.filter(({ length }) => length >= shortestUnmistakable);
    this.#words = windowsOf(unmistakable);
    this.#shortWords = windowsOf(words.filter(({ length }) => length < shortestUnmistakable));
    const encoded = unmistakable.flatMap((word) => inBase64(word));
    // Twelve characters give fifteen certain ones in base64: four windows, and one of them is known.
    this.#base64 = windowsOf(encoded, 4);
  }

  /** Whether a text holds a secret. */
  holds(text: string): boolean {
    return this.#stretchesIn(text).length > 0;
  }

  /** A text with the secrets blanked out. */
  clean(text: string): string {
    return replaced(text, this.#stretchesIn(text), () => this.#blank);
  }

  /** A line of a file, with as many characters as before, so that all others keep their column. */
  cover(line: string): string {
    return replaced(line, this.#stretchesIn(line, false), (length) =>
      this.#blank.slice(0, length).padEnd(length),
    );
  }

  /** A value without secrets in its texts, numbers and names. The names at its top that are in `kept` stay. */
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

  /** In order, and without overlaps. */
  #stretchesIn(text: string, withShort = true): readonly Stretch[] {
    const whole = [{ start: 0, end: text.length }];
    if (text.length > longestEscaped && hasEscapes(text)) return whole;
    const found: Stretch[] = [];
    for (const view of viewsOf(text)) {
      if (withShort && this.#short.some((secret) => view.text.includes(secret))) return whole;
      for (const stretch of this.#stretchesInView(view, withShort)) found.push(originOf(view, stretch));
    }
    return found.length < 2 ? found : merged(found);
  }

  #stretchesInView({ text }: View, withShort: boolean): readonly Stretch[] {
    const words = withShort ? [...this.#words, ...this.#shortWords] : this.#words;
    const found = words.flatMap((windows) => windows.stretchesIn(text));
    for (const windows of this.#base64) {
      let last: Stretch | undefined;
      for (const stretch of windows.stretchesIn(text)) {
        if (last && stretch.end <= last.end) continue;
        found.push((last = wholeBase64(text, stretch)));
      }
    }
    return found;
  }
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

/** The redactor of a list of secrets: the same one for the same list, and for one of the same secrets as the last. */
export function redactorOf(secrets: readonly string[]): Redactor {
  const known = redactors.get(secrets);
  if (known) return known;
  const { length } = latest.secrets;
  if (secrets.length !== length || secrets.some((secret, index) => secret !== latest.secrets[index]))
    latest = { secrets: [...secrets], redactor: new Redactor(secrets) };
  redactors.set(secrets, latest.redactor);
  return latest.redactor;
}

/** Long texts are found by their pieces, shorter ones as a whole. */
function windowsOf(texts: readonly string[], step?: number): TextWindows[] {
  return Array.from(new Set(texts.map(widthOf)), (width) => {
    const ofWidth = texts.filter((text) => widthOf(text) === width);
    return new TextWindows(width, ofWidth, step);
  });
}

function widthOf({ length }: string): number {
  return Math.min(length, pieceLength);
}

/** The characters of a text in base64 that do not depend on its neighbours, in both alphabets, for each possible offset. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const certain = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((before * 8) / 6), certain);
  });
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))])];
}

/** In base64 the ends of a secret share characters with their neighbours. */
function wholeBase64(text: string, { start, end }: Stretch): Stretch {
  const isBase64 = (at: number): boolean => /[\w+/=-]/.test(text.charAt(at));
  while (start > 0 && isBase64(start - 1)) start -= 1;
  while (end < text.length && isBase64(end)) end += 1;
  return { start, end };
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
