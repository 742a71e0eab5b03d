import type { World } from '../run/world.ts';
import type * as writing from './write-file.ts';

type Writing = Pick<typeof writing, 'writeReport' | 'writePrivateFile' | 'createFile' | 'createPrivateFiles'>;

/** Everything that a command gets from outside. */
export interface Context extends World, Readonly<Writing> {
  /** Rejects if the file cannot be written. */
  readonly appendFile: (filename: string, text: string) => Promise<void>;
  readonly stdout: Output & ResultStream;
  /** Progress, prompts and diagnostics. */
  readonly stderr: Output;
  /** Asks the user; undefined without a terminal. Returns an empty answer when the signal aborts. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
}

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly colours: boolean;
  /** The width of the terminal in characters; undefined without a terminal. */
  readonly columns?: number | undefined;
}

export interface ResultStream extends Pick<Output, 'write' | 'isTerminal'> {
  /** Whether some output was lost. If the reader of a pipe stops reading, no output is lost. */
  isLost(): Promise<boolean>;
}
