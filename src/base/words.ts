const wordsOfChunk = 1 << 14;

/** A list of whole numbers from 0 to 2 ** 32 - 1, in four bytes each. It grows without a copy: millions may be in it. */
export class Words {
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
