import { isJsonList, isJsonObject, type JsonValue } from './json.ts';
import { sensitive } from './sensitive.ts';

/** Pieces of a secret are blanked out from this length on. Shorter ones say little, and may be there by chance. */
const pieceLength = 12;

/** A text that holds a secret shorter than this is blanked out as a whole: the secret cannot be distinguished from other words. */
const shortestWord = 4;

/**
 * Shorter secrets are not searched for in base64, nor in a line that somebody wrote: a few characters are there by chance.
 */
const shortestUnmistakable = 8;

/** Finds secrets in texts, and pieces of them: as they are, as JSON, URLs and forms write them, and in base64. */
export class Redactor {
  readonly #words: Pieces;
  /** Secrets of four to seven characters. */
  readonly #shortWords: Pieces;
  readonly #base64: Pieces;
  readonly #short: readonly string[];
  readonly #blank: string;

  /** `blank` is what stands for the secrets in what is cleaned. */
  constructor(secrets: readonly string[], blank: string = sensitive) {
    this.#blank = blank;
    const between = (least: number, end: number): string[] =>
      secrets.filter(({ length }) => length >= least && length < end);
    const unmistakable = between(shortestUnmistakable, Infinity);
    this.#words = new Pieces(unmistakable.flatMap(writtenForms));
    this.#shortWords = new Pieces(between(shortestWord, shortestUnmistakable).flatMap(writtenForms));
    this.#base64 = new Pieces(unmistakable.flatMap(base64Forms));
    this.#short = between(1, shortestWord).flatMap(writtenForms);
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
    if (withShort && this.#short.some((secret) => text.includes(secret)))
      return [{ start: 0, end: text.length }];
    const words = withShort ? [this.#words, this.#shortWords] : [this.#words];
    const found = words.flatMap((pieces) => pieces.stretchesIn(text));
    if (this.#base64.stretchesIn(text).length > 0) {
      // The ends of a secret share characters with their neighbours there, so the whole of it is blanked out.
      for (const { 0: run, index } of text.matchAll(/[\w+/=%-]+/g))
        if (this.#base64.stretchesIn(run).length > 0) found.push({ start: index, end: index + run.length });
    }
    return merged(found);
  }
}

/** A stretch of a text, in offsets; `end` is exclusive. */
interface Stretch {
  readonly start: number;
  end: number;
}

/** The length of a gram, which is a part of a piece. Most texts hold none of the known grams. */
const gramLength = shortestWord;

/** Finds the pieces of known texts in other texts: of long ones each of twelve characters, shorter ones as a whole. */
class Pieces {
  readonly #byLength = new Map<number, { readonly pieces: Set<string>; readonly grams: Set<number> }>();

  /** The known texts are as long as a gram at the least. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const length = Math.min(text.length, pieceLength);
      const { pieces, grams } = this.#byLength.get(length) ?? { pieces: new Set(), grams: new Set() };
      this.#byLength.set(length, { pieces, grams });
      for (let at = 0; at + length <= text.length; at += 1) pieces.add(text.slice(at, at + length));
      for (let at = 0; at + gramLength <= text.length; at += 1) grams.add(gramAt(text, at));
    }
  }

  /** Of each length in order and apart. A piece covers a whole gram that begins at a multiple of the step: only there it is looked for. */
  stretchesIn(text: string): Stretch[] {
    const found: Stretch[] = [];
    for (const [length, { pieces, grams }] of this.#byLength) {
      const step = length - gramLength + 1;
      for (let at = 0; at + gramLength <= text.length; at += step) {
        if (!grams.has(gramAt(text, at))) continue;
        for (let start = Math.max(0, at - step + 1); start <= at; start += 1) {
          const end = start + length;
          if (!pieces.has(text.slice(start, end))) continue;
          const last = found.at(-1);
          if (last && last.start <= start && start <= last.end) last.end = Math.max(end, last.end);
          else found.push({ start, end });
        }
      }
    }
    return found;
  }
}

/** Four characters as a number, which takes less time than to slice them. */
function gramAt(text: string, at: number): number {
  let gram = 0;
  for (let offset = 0; offset < gramLength; offset += 1)
    gram = (Math.imul(gram, 0x0100_0193) + text.charCodeAt(at + offset)) | 0;
  return gram;
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

/** A text as it is, and as JSON, URLs and forms write it. */
function writtenForms(text: string): string[] {
  const whole = Buffer.from(text).toString(); // half a character has no form in a URL
  const inJson = JSON.stringify(text).slice(1, -1);
  const inUrl = [
    encodeURIComponent(whole),
    encodeURI(whole),
    new URLSearchParams({ '': text }).toString().slice(1),
  ];
  const inLowerCase = inUrl.map((form) => form.replaceAll(/%../g, (escape) => escape.toLowerCase()));
  return [...new Set([text, inJson, inAscii(inJson), ...inUrl, ...inLowerCase])];
}

/** JSON as Python writes it. */
function inAscii(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The characters of a text in base64 that do not depend on its neighbours, in both alphabets, for each possible offset. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const certain = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((before * 8) / 6), certain);
  });
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))])];
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
