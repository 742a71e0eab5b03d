import type { Clock, Random } from '../base/clock.ts';
import type { Files } from '../base/files.ts';
import type { Transport } from '../service/transport.ts';
import type { Environment } from '../settings/environment.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';

/** How a user stops a run. */
export interface Interruption {
  /** Aborts at the first Ctrl-C, SIGTERM or SIGHUP: nothing more is begun. */
  readonly signal: AbortSignal;
  /** Aborts at a Ctrl-C or SIGTERM after that: what is under way is given up. */
  readonly urgent: AbortSignal;
}

/** What it takes to talk to a service, and to say how it goes. */
export interface ServiceContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Progress, prompts and diagnostics. */
  readonly stderr: Output;
  readonly connect: (settings: ServiceSettings) => Promise<Connection>;
  /** From this call on, an interruption does not end the process, not the first two times. */
  readonly interruptible: () => Interruption;
  readonly toolVersion: string;
}

/** Everything that a command gets from outside. */
export interface Context extends ServiceContext {
  readonly env: Environment;
  readonly files: Files;
  /** Writes a report, in one step and through no link where it goes to a file. Rejects when it cannot be written. */
  readonly writeReport: (filename: string, text: string) => Promise<void>;
  /** Writes a whole file that only its owner can read, in one step and through no link. Rejects when it cannot be written. */
  readonly writePrivateFile: (filename: string, text: string) => Promise<void>;
  /** Writes a whole file and the folders on its way, unless something stands there: then false. Rejects when it cannot be written. */
  readonly createFile: (filename: string, text: string) => Promise<boolean>;
  /** Rejects when it cannot be written. */
  readonly appendFile: (filename: string, text: string) => Promise<void>;
  readonly stdout: Output & ResultStream;
  /** Asks a person; none without a terminal. Gives an empty answer when the signal aborts. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string>;
}

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Whether colours are wanted here. */
  readonly colours: boolean;
}

/** Where results go. */
export interface ResultStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Whether something was lost of what has been written so far. That a reader has stopped reading is no loss. */
  isLost(): Promise<boolean>;
}

export interface Connection {
  readonly send: Transport;
  readonly close: () => Promise<void>;
}
