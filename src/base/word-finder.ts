/** A part of a text; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  end: number;
}

/** Finds words in texts, also if characters are percent-encoded, whichever characters the encoder chose. */
export class WordFinder {
  readonly #words: ReadonlySet<string>;
  /** The lengths of words by their first characters, only if a search for each single word would take too long. */
  readonly #lengths: ReadonlyMap<number, ReadonlySet<number>> | undefined;

  constructor(words: Iterable<string>) {
    this.#words = new Set(words);
    const isIndexed =
      this.#words.size > maxSearches && [...this.#words].every(({ length }) => length >= startLength);
    this.#lengths = isIndexed ? lengthsByStart(this.#words) : undefined;
  }

  isIn(text: string): boolean {
    return this.#wordsIn(text).length > 0 || (isEscaped(text) && this.#wordsIn(decoded(text)).length > 0);
  }

  /** The parts of a text that consist of words, in order, without overlaps. */
  spansIn(text: string): readonly TextSpan[] {
    const spans = this.#spansOfWords(text);
    const inDecoded = isEscaped(text) ? this.#spansOfWords(decoded(text)) : [];
    if (inDecoded.length === 0) return mergeSpans(spans);
    const places = Array.from(text.matchAll(escapeOrUnit), ({ index }) => index);
    const placeOf = (offset: number): number => places[offset] ?? text.length;
    return mergeSpans([
      ...spans,
      ...inDecoded.map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end) })),
    ]);
  }

  #spansOfWords(text: string): TextSpan[] {
    const found: TextSpan[] = [];
    for (const word of this.#wordsIn(text))
      for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + 1))
        found.push({ start, end: start + word.length });
    return found;
  }

  #wordsIn(text: string): readonly string[] {
    if (this.#lengths === undefined) return [...this.#words].filter((word) => text.includes(word));
    const found = new Set<string>();
    for (let start = 0; start <= text.length - startLength; start += 1)
      for (const length of this.#lengths.get(startKey(text, start)) ?? []) {
        const word = text.slice(start, start + length);
        if (this.#words.has(word)) found.add(word);
      }
    return [...found];
  }
}

/** The native search is faster for up to this many words. */
const maxSearches = 64;

const startLength = 4;

function lengthsByStart(words: Iterable<string>): ReadonlyMap<number, ReadonlySet<number>> {
  const lengths = new Map<number, Set<number>>();
  for (const word of words) {
    const key = startKey(word, 0);
    const known = lengths.get(key) ?? new Set();
    lengths.set(key, known.add(word.length));
  }
  return lengths;
}

function startKey(text: string, at: number): number {
  let key = 0;
  for (let offset = 0; offset < startLength; offset += 1) key ^= text.charCodeAt(at + offset) << (8 * offset);
  return key;
}

function isEscaped(text: string): boolean {
  return text.includes('%') && /%[\da-f]{2}/i.test(text);
}

const escapeOrUnit = /%[\da-f]{2}|[\s\S]/gi;

/** Replaces each escape by one character with the value of the byte. */
function decoded(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)));
}

function mergeSpans(spans: TextSpan[]): readonly TextSpan[] {
  const result: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else result.push({ ...span });
  }
  return result;
}
