import type { Range } from '../base/source.ts';

/** What stands before the text of a record. */
const head = { units: 0, line: 1, column: 2, owner: 3 };
const headLength = Object.keys(head).length;

/** How far from where its hash leads a record is looked for. Texts can be made up whose hashes all lead to one place. */
const reach = 32;

/**
 * Texts, and where each was met first. There may be millions, so the records stand one after the other in a list of numbers, and
 * hashes lead to them: half of what a Map would take. Whole texts are compared, so no two are ever taken for one.
 */
export class FirstPlaces<Text extends string = string> {
  readonly #words = new Words();
  readonly #files: { readonly filename: string; readonly firstRecord: number }[] = [];
  #count = 0;
  /** The offset, plus one, of the record whose hash leads here; 0 where there is none. */
  #slots = new Uint32Array(1024);
  /** The records that found no slot within reach. */
  readonly #crowded = new Map<string, number>();

  has(text: Text): boolean {
    return this.find(text) !== undefined;
  }

  /** The offset of the record of a text, if it was met. */
  find(text: Text): number | undefined {
    const hash = hashOf(text);
    for (let step = 0; step < reach; step += 1) {
      const offset = this.#slots[(hash + step) % this.#slots.length] ?? 0;
      if (offset === 0) return undefined;
      if (this.#isOf(text, offset - 1)) return offset - 1;
    }
    return this.#crowded.get(text);
  }

  /** Remembers a text that was not met before, where it stands, and a number of the caller's. Returns the record's offset. */
  add(text: Text, { filename, start }: Range, owner = 0): number {
    const record = this.#words.length;
    if (this.#files.at(-1)?.filename !== filename) this.#files.push({ filename, firstRecord: record });
    this.#words.push(text.length, start.line, start.column, owner);
    for (let at = 0; at < text.length; at += 2) this.#words.push(unitsAt(text, at));
    this.#count += 1;
    if (this.#count * 2 <= this.#slots.length) this.#lead(record, text);
    else {
      this.#slots = new Uint32Array(this.#slots.length * 2);
      this.#crowded.clear();
      for (const known of this.#offsets()) this.#lead(known, this.textOf(known));
    }
    return record;
  }

  textOf(record: number): Text {
    const units: number[] = [];
    for (let index = record + headLength; index < this.#endOf(record); index += 1) {
      const two = this.#words.at(index);
      units.push(two >>> 16, two & 0xff_ff);
    }
    const text = String.fromCharCode(...units).slice(0, this.#words.at(record + head.units));
    return text as Text; // nothing else was added
  }

  placeOf(record: number): Range {
    const file = this.#files.findLast(({ firstRecord }) => firstRecord <= record);
    const start = { line: this.#words.at(record + head.line), column: this.#words.at(record + head.column) };
    return { filename: file?.filename ?? '', start, end: start };
  }

  ownerOf(record: number): number {
    return this.#words.at(record + head.owner);
  }

  /** The texts, in the order in which they were met. */
  *[Symbol.iterator](): Generator<Text> {
    for (const record of this.#offsets()) yield this.textOf(record);
  }

  *#offsets(): Generator<number> {
    for (let record = 0; record < this.#words.length; record = this.#endOf(record)) yield record;
  }

  #endOf(record: number): number {
    return record + headLength + Math.ceil(this.#words.at(record + head.units) / 2);
  }

  #isOf(text: string, record: number): boolean {
    if (this.#words.at(record + head.units) !== text.length) return false;
    for (let at = 0; at < text.length; at += 2)
      if (this.#words.at(record + headLength + at / 2) !== unitsAt(text, at)) return false;
    return true;
  }

  /** Lets the hash of a text lead to its record. */
  #lead(record: number, text: string): void {
    const hash = hashOf(text);
    for (let step = 0; step < reach; step += 1) {
      const slot = (hash + step) % this.#slots.length;
      if (this.#slots[slot] !== 0) continue;
      this.#slots[slot] = record + 1;
      return;
    }
    this.#crowded.set(text, record);
  }
}

/** Two UTF-16 code units of a text in one number; 0 for one behind its end. */
function unitsAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 16) | text.charCodeAt(at + 1)) >>> 0;
}

/** FNV-1a, of UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
}

const wordsOfChunk = 1 << 14;

/** A list of whole numbers from 0 to 2 ** 32 - 1, in four bytes each. It grows without a copy: millions may be in it. */
class Words {
  readonly #chunks: Uint32Array[] = [];
  length = 0;

  push(...words: readonly number[]): void {
    for (const word of words) {
      if (this.length % wordsOfChunk === 0) this.#chunks.push(new Uint32Array(wordsOfChunk));
      const chunk = this.#chunks.at(-1);
      if (chunk) chunk[this.length % wordsOfChunk] = word;
      this.length += 1;
    }
  }

  /** The number at an index below the length. */
  at(index: number): number {
    return this.#chunks[Math.floor(index / wordsOfChunk)]?.[index % wordsOfChunk] ?? 0;
  }
}
