import { complaintsOf, gitEnded, gitLacks, giveUp, startGit, type GitSetting } from './git.ts';

/** Reads objects of a repository, one after the other, from one git that runs until it is closed. */
export class GitObjects {
  readonly #setting: GitSetting;
  #git: Batch | undefined;
  /** Rejects from the first object on that could not be read. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(setting: GitSetting) {
    this.#setting = setting;
  }

  /** At the most so many bytes of an object. Rejects when git does not give it; nothing more can be read then. */
  read(id: string, maxBytes: number): Promise<Uint8Array> {
    const bytes = this.#last.then(() => this.#read(id, maxBytes));
    bytes.catch(() => {}); // `close` rejects with it as well
    this.#last = bytes;
    return bytes;
  }

  /** Rejects with a UsageError where an object could not be read. */
  async close(): Promise<void> {
    this.#git?.close();
    await this.#last;
  }

  async #read(id: string, maxBytes: number): Promise<Uint8Array> {
    this.#git ??= new Batch(this.#setting);
    const size = await this.#git.sizeOf(id);
    if (size <= maxBytes) return (await this.#git.take(size + 1)).subarray(0, size); // a line end is behind it
    const start = await this.#git.take(maxBytes);
    // The rest may be as long as it likes. Another git is there sooner.
    this.#git.close();
    this.#git = undefined;
    return start;
  }
}

/** A `git cat-file --batch`. */
class Batch {
  readonly #git;
  readonly #complaint: () => string;
  /** The exit code, when all that it has said was read; null when it was killed. */
  readonly #closed: Promise<number | null>;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #patienceMs: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(setting: GitSetting) {
    this.#git = startGit(['cat-file', '--batch'], setting);
    this.#closed = new Promise((resolve) => {
      this.#git.once('error', () => resolve(null)).once('close', resolve);
    });
    this.#complaint = complaintsOf(this.#git);
    this.#chunks = this.#git.stdout[Symbol.asyncIterator]();
    this.#patienceMs = setting.patienceMs;
  }

  /** How many bytes an object has, which come next. */
  async sizeOf(id: string): Promise<number> {
    this.#git.stdin.write(`${id}\n`);
    while (!this.#rest.includes('\n')) this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    const end = this.#rest.indexOf('\n');
    const header = this.#rest.toString('utf8', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    const [, size] = /^[0-9a-f]+ \w+ (\d+)$/.exec(header) ?? [];
    if (size === undefined) throw gitLacks(header);
    return Number(size);
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  close(): void {
    giveUp(this.#git);
  }

  async #next(): Promise<Buffer> {
    const patience = setTimeout(() => this.close(), this.#patienceMs);
    const next = await this.#chunks.next().catch(() => undefined); // an output that was given up
    const isAtEnd = !next || next.done;
    const code = isAtEnd ? await this.#closed : undefined;
    clearTimeout(patience);
    if (!isAtEnd) return next.value;
    throw code === null ? gitEnded(this.#complaint(), this.#patienceMs) : gitLacks(this.#complaint());
  }
}
