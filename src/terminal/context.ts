import type { RunEnvironment } from '../run/world.ts';
import type * as writing from './write-file.ts';

type Writing = Pick<typeof writing, 'writeReport' | 'writePrivateFile' | 'createFile' | 'createPrivateFiles'>;

/** The surroundings of a command: files, clock, network and terminal. */
export interface Context extends RunEnvironment, Readonly<Writing> {
  readonly appendFile: (filename: string, text: string) => Promise<void>;
  readonly stdout: Output & ResultStream;
  readonly stderr: Output;
  /** Asks the user; undefined if there is no terminal. Returns an empty answer when the signal aborts. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
}

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly colours: boolean;
  /** The width of the terminal in characters; undefined if there is no terminal. */
  readonly columns?: number | undefined;
}

export interface ResultStream extends Pick<Output, 'write' | 'isTerminal'> {
  /** Whether output was lost. Output that the reader of a pipe did not read does not count as lost. */
  isLost(): Promise<boolean>;
}
