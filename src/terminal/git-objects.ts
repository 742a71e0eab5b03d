import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { UsageError } from '../base/errors.ts';
import { complaintsOf, gitEnded, giveUp, startGit, type GitSetting } from './git.ts';

/** Reads objects of a repository, one after the other, from one git that runs until it is closed. */
export class GitObjects {
  readonly #git: ChildProcessWithoutNullStreams;
  readonly #complaint: () => string;
  /** When all that it has said was read. */
  readonly #closed: Promise<void>;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #patienceMs: number;
  #rest: Buffer = Buffer.alloc(0);
  #last: Promise<unknown> = Promise.resolve();
  #fault: UsageError | undefined;

  constructor(setting: GitSetting) {
    this.#git = startGit(['cat-file', '--batch'], setting);
    this.#closed = new Promise((resolve) => {
      this.#git.once('error', () => resolve()).once('close', () => resolve());
    });
    this.#complaint = complaintsOf(this.#git);
    this.#chunks = this.#git.stdout[Symbol.asyncIterator]();
    this.#patienceMs = setting.patienceMs;
  }

  /** At the most so many bytes of an object. Rejects when git does not give it; nothing more can be read then. */
  read(id: string, maxBytes: number): Promise<Uint8Array> {
    const bytes = this.#last.then(() => this.#read(id, maxBytes));
    this.#last = bytes.catch((error: unknown) => {
      this.#fault ??= error as UsageError; // nothing else is thrown below
    });
    return bytes;
  }

  /** Rejects with a UsageError where an object could not be read. */
  async close(): Promise<void> {
    giveUp(this.#git);
    if (this.#fault) throw this.#fault;
  }

  async #read(id: string, maxBytes: number): Promise<Uint8Array> {
    if (this.#fault) throw this.#fault;
    this.#git.stdin.write(`${id}\n`);
    const header = await this.#line();
    const [, digits] = /^[0-9a-f]+ \w+ (\d+)$/.exec(header) ?? [];
    if (digits === undefined) {
      throw new UsageError(
        `git does not have what the revision holds: ${header}`,
        'The clone is damaged, or holds only a part. Clone the repository anew, in full.',
      );
    }
    const size = Number(digits);
    const kept = await this.#take(Math.min(size, maxBytes), true);
    await this.#take(size - kept.length + 1, false); // and the line end behind it
    return kept;
  }

  async #line(): Promise<string> {
    let end = this.#rest.indexOf('\n');
    while (end === -1) {
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
      end = this.#rest.indexOf('\n');
    }
    const line = this.#rest.toString('utf8', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  async #take(size: number, isKept: boolean): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      if (isKept) parts.push(part);
    }
    return Buffer.concat(parts);
  }

  async #next(): Promise<Buffer> {
    const patience = setTimeout(() => giveUp(this.#git), this.#patienceMs);
    const next = await this.#chunks.next().catch(() => undefined); // an output that was given up
    const isAtEnd = !next || next.done;
    if (isAtEnd) await this.#closed;
    clearTimeout(patience);
    if (isAtEnd) throw gitEnded(this.#complaint(), this.#patienceMs);
    return next.value;
  }
}
