import type { World } from '../run/world.ts';

/** Everything that a command gets from outside. */
export interface Context extends World {
  /** Writes a report, in one step and through no link where it goes to a file. Rejects when it cannot be written. */
  readonly writeReport: (filename: string, text: string) => Promise<void>;
  /** Writes a whole file that only its owner can read, in one step and through no link. Rejects when it cannot be written. */
  readonly writePrivateFile: (filename: string, text: string) => Promise<void>;
  /** Writes a whole file and its folders, unless something has this name: then false. Rejects when it cannot be written. */
  readonly createFile: (filename: string, text: string) => Promise<boolean>;
  /** Writes files that only their owner can read, all or none: gives the names that something has already. Rejects when one cannot be written. */
  readonly createPrivateFiles: (texts: ReadonlyMap<string, string>) => Promise<string[]>;
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
