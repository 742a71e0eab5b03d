import type { World } from '../run/world.ts';
import type * as writing from './write-file.ts';

/** What writes whole files, in one step. Each rejects when a file cannot be written. */
type Writing = Pick<typeof writing, 'writeReport' | 'writePrivateFile' | 'createFile' | 'createPrivateFiles'>;

/** Everything that a command gets from outside. */
export interface Context extends World, Readonly<Writing> {
  /** Rejects when it cannot be written. */
  readonly appendFile: (filename: string, text: string) => Promise<void>;
  readonly stdout: Output & ResultStream;
  /** Progress, prompts and diagnostics. */
  readonly stderr: Output;
  /** Asks a person; none without a terminal. Gives an empty answer when the signal aborts. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
}

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Whether colours are wanted here. */
  readonly colours: boolean;
  /** How many characters a line of the terminal has; none, where it is no terminal. */
  readonly columns?: number | undefined;
}

/** Where results go. */
export interface ResultStream extends Pick<Output, 'write' | 'isTerminal'> {
  /** Whether a part of the output was lost so far. A reader that stops reading is no loss. */
  isLost(): Promise<boolean>;
}
