import { fstatSync, writeSync, type BigIntStats } from 'node:fs';
import { isatty } from 'node:tty';
import type { ResultStream } from './context.ts';

const ownDescriptor = 1;

/** Standard output of this process. If a part of the output cannot be written, that is reported at once. */
export class StandardOutput implements ResultStream {
  readonly isTerminal: boolean = leadsToTerminal(ownDescriptor);
  #ended: 'unread' | 'lost' | undefined;
  readonly #onLoss: (error: Error) => void;
  readonly #isFile = leadsToFile();

  /** `onLoss` is called once, when something could not be written. A reader that stops reading is no loss. */
  constructor(onLoss: (error: Error) => void) {
    this.#onLoss = onLoss;
    if (!this.#isFile) process.stdout.on('error', (error) => this.#end(error));
  }

  /** Nothing is written after a loss, so that nobody takes an output with a gap for a whole one. */
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

  /** Whether something was lost of what has been written so far. */
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

/** To a file Node writes once, and does not check how much was written. For pipes and terminals it goes on until all is. */
function leadsToFile(): boolean {
  const found = statsOf(ownDescriptor);
  return found !== undefined && (found.isFile() || (found.isCharacterDevice() && !isatty(ownDescriptor)));
}

/** What tells terminals apart takes long to load, and is not asked about files and pipes. */
export function leadsToTerminal(descriptor: number): boolean {
  return statsOf(descriptor)?.isCharacterDevice() === true && isatty(descriptor);
}

function statsOf(descriptor: number): BigIntStats | undefined {
  try {
    // With `bigint`, for else Node.js 20, where this is a pipe, follows no link to a package that is loaded afterwards.
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Standard error, which takes long to load. Where it cannot be written, there is nowhere left to say it. */
export function standardError(): NodeJS.WriteStream {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  return process.stderr;
}

function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(ownDescriptor, bytes, written);
}
