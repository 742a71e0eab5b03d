import { fstatSync, writeSync, type BigIntStats } from 'node:fs';
import { isatty } from 'node:tty';
import type { ResultStream } from './context.ts';

const ownDescriptor = 1;

/** The standard output of this process. A failed write is reported immediately. */
export class StandardOutput implements ResultStream {
  readonly isTerminal: boolean = isTerminalDescriptor(ownDescriptor);
  #ended: 'unread' | 'lost' | undefined;
  readonly #onLoss: (error: Error) => void;
  readonly #isFile = isFileDescriptor();

  /** `onLoss` is called at the first failed write only. If the reader closes a pipe, that does not count as a failed write. */
  constructor(onLoss: (error: Error) => void) {
    this.#onLoss = onLoss;
    if (!this.#isFile) process.stdout.on('error', (error) => this.#end(error));
  }

  /** After a loss nothing more is written, so that output with a gap is not mistaken for complete output. */
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
    if (!this.#isFile && !this.#ended)
      await new Promise<void>((resolve) => {
        process.stdout.write('', (error) => {
          if (error) this.#end(error);
          resolve();
        });
      });
    return this.#ended === 'lost';
  }

  #end(error: NodeJS.ErrnoException): void {
    if (this.#ended) return;
    this.#ended = error.code === 'EPIPE' ? 'unread' : 'lost';
    if (this.#ended === 'lost') this.#onLoss(error);
  }
}

/** Whether the output is a file. Node may write only a part of the output to a file without reporting an error. */
function isFileDescriptor(): boolean {
  const found = statsOf(ownDescriptor);
  return found !== undefined && (found.isFile() || (found.isCharacterDevice() && !isatty(ownDescriptor)));
}

/** Whether a descriptor is a terminal. Node's `isatty` takes long to load, so it is not called for files and pipes. */
export function isTerminalDescriptor(descriptor: number): boolean {
  return statsOf(descriptor)?.isCharacterDevice() === true && isatty(descriptor);
}

function statsOf(descriptor: number): BigIntStats | undefined {
  try {
    // After fstat of a pipe without `bigint`, Node.js 20 cannot load symbolically linked packages.
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return undefined;
  }
}

/**
 * Standard error, which is loaded at its first use because loading takes long. Failed writes are ignored, because they cannot
 * be reported.
 */
export function standardError(): NodeJS.WriteStream {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  return process.stderr;
}

function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(ownDescriptor, bytes, written);
}
