/** A stretch of a text, in offsets; `end` is exclusive. */
export interface Stretch {
  start: number;
  end: number;
}

const base = 0x01000193;

/** The length of a gram, which is a part of a window. Most texts hold none of the known grams. */
const gramLength = 4;
const mostGrams = 2 ** 22;

/**
 * Finds all that a text has in common with some known texts, from a width on (Rabin and Karp). Only one of every so many grams
 * of the text is looked up, because each window holds at least one of them. Most texts have none, and are done quickly.
 */
export class TextWindows {
  readonly #width: number;
  /** The factor of the first character of a window in its hash. */
  readonly #power: number;
  readonly #known: string;
  /** Where windows begin in the known text, chained by hash. These are arrays of numbers, as there may be millions of windows. */
  readonly #starts: Int32Array;
  readonly #next: Int32Array;
  readonly #heads: Int32Array;
  /** Which grams the windows have, by hash. */
  readonly #grams: Uint8Array;

  /** The width is four at the least. Of each known text, the window at every `step`-th place is known, and the last one. */
  constructor(width: number, known: readonly string[], step = 1) {
    this.#width = width;
    let power = 1;
    for (let count = 1; count < width; count += 1) power = Math.imul(power, base);
    this.#power = power;
    const texts = known.filter(({ length }) => length >= width);
    this.#known = texts.join('');
    const most = texts.reduce((sum, { length }) => sum + Math.ceil((length - width) / step) + 1, 0);
    this.#starts = new Int32Array(most);
    this.#next = new Int32Array(most);
    this.#heads = new Int32Array(powerOfTwo(2 * most)).fill(-1);
    this.#grams = new Uint8Array(Math.min(powerOfTwo(256 * this.#known.length), mostGrams));
    let count = 0;
    let from = 0;
    for (const { length } of texts) {
      const last = from + length - width;
      for (let at = from; at < last; at += step) count = this.#add(at, count);
      count = this.#add(last, count);
      from += length;
    }
  }

  /** Adds each window once, so that the chains stay short for a text that repeats itself. */
  #add(at: number, count: number): number {
    const hash = this.#hashOf(this.#known, at);
    if (this.#holds(this.#known, at, hash)) return count;
    const slot = this.#slotOf(hash);
    this.#starts[count] = at;
    this.#next[count] = this.#heads[slot] ?? -1;
    this.#heads[slot] = count;
    for (let gram = at; gram <= at + this.#width - gramLength; gram += 1)
      this.#grams[gramAt(this.#known, gram) & (this.#grams.length - 1)] = 1;
    return count + 1;
  }

  /** The stretches of a text that consist of known windows, in order and apart. */
  stretchesIn(text: string): Stretch[] {
    const width = this.#width;
    const found: Stretch[] = [];
    if (!this.#mayHold(text)) return found;
    let current: Stretch | undefined;
    let hash = this.#hashOf(text, 0);
    for (let at = 0, end = width; ; at += 1, end += 1) {
      if (this.#holds(text, at, hash)) {
        if (current && at <= current.end) current.end = end;
        else found.push((current = { start: at, end }));
      }
      if (end >= text.length) return found;
      const rest = hash - Math.imul(text.charCodeAt(at), this.#power);
      hash = (Math.imul(rest, base) + text.charCodeAt(end)) | 0;
    }
  }

  /** Each window of a text covers a whole gram that begins at a multiple of this step. */
  #mayHold(text: string): boolean {
    const grams = this.#grams;
    const step = this.#width - gramLength + 1;
    if (text.length < this.#width) return false;
    for (let at = 0; at + gramLength <= text.length; at += step)
      if (grams[gramAt(text, at) & (grams.length - 1)] === 1) return true;
    return false;
  }

  #hashOf(text: string, from: number): number {
    let hash = 0;
    for (let at = from; at < from + this.#width; at += 1)
      hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
    return hash;
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#heads.length - 1);
  }

  #holds(text: string, at: number, hash: number): boolean {
    let entry = this.#heads[this.#slotOf(hash)] ?? -1;
    for (; entry !== -1; entry = this.#next[entry] ?? -1)
      if (this.#isSame(text, at, this.#starts[entry] ?? 0)) return true;
    return false;
  }

  #isSame(text: string, at: number, start: number): boolean {
    for (let offset = 0; offset < this.#width; offset += 1)
      if (text.charCodeAt(at + offset) !== this.#known.charCodeAt(start + offset)) return false;
    return true;
  }
}

/** The least power of two that is larger. */
function powerOfTwo(size: number): number {
  return 2 ** Math.ceil(Math.log2(size + 1));
}

function gramAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 0x1f_1f + text.charCodeAt(at + 1);
  const second = text.charCodeAt(at + 2) * 0x1f_1f + text.charCodeAt(at + 3);
  const hash = Math.imul(first, base) ^ Math.imul(second, 0x5bd1_e995);
  return hash ^ (hash >>> 15);
}
