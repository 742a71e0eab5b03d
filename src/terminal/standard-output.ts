import { fstatSync, writeSync, type BigIntStats } from 'node:fs';
import { isatty } from 'node:tty';
import type { ResultStream } from './context.ts';

const ownDescriptor = 1;

/** Standard output of this process. Reports at once if output cannot be written. */
export class StandardOutput implements ResultStream {
  readonly isTerminal: boolean = isTerminalDescriptor(ownDescriptor);
  #ended: 'unread' | 'lost' | undefined;
  readonly #onLoss: (error: Error) => void;
  readonly #isFile = isFileDescriptor();

  /** `onLoss` is called once, at the first failed write. If the reader of a pipe stops reading, no output is lost. */
  constructor(onLoss: (error: Error) => void) {
    this.#onLoss = onLoss;
    if (!this.#isFile) process.stdout.on('error', (error) => this.#end(error));
  }

  /** Nothing is written after a loss, so that an output with a gap is not mistaken for a complete one. */
  write(text: string): void {
    if (this.#ended) return;
    if (!this.#isFile) {
      process.stdout.write(text);
      return;
    }
    try {
      writeWhole(text);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async isLost(): Promise<boolean> {
    if (!this.#isFile && !this.#ended) {
      await new Promise<void>((resolve) => {
        process.stdout.write('', (error) => {
          if (error) this.#end(error);
          resolve();
        });
      });
    }
    return this.#ended === 'lost';
  }

  #end(error: NodeJS.ErrnoException): void {
    if (this.#ended) return;
    this.#ended = error.code === 'EPIPE' ? 'unread' : 'lost';
    if (this.#ended === 'lost') this.#onLoss(error);
  }
}

/** To a file, Node writes once and does not check how much was written. To pipes and terminals it writes everything. */
function isFileDescriptor(): boolean {
  const found = statsOf(ownDescriptor);
  return found !== undefined && (found.isFile() || (found.isCharacterDevice() && !isatty(ownDescriptor)));
}

/** Node's test for terminals takes long to load, so it is skipped for files and pipes. */
export function isTerminalDescriptor(descriptor: number): boolean {
  return statsOf(descriptor)?.isCharacterDevice() === true && isatty(descriptor);
}

function statsOf(descriptor: number): BigIntStats | undefined {
  try {
    // With `bigint`: otherwise Node.js 20, if this is a pipe, follows no link to a package loaded later.
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Standard error, which takes long to load. A failed write cannot be reported anywhere. */
export function standardError(): NodeJS.WriteStream {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  return process.stderr;
}

function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(ownDescriptor, bytes, written);
}
