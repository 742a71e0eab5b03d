import type { Diagnostic } from '../base/diagnostic.ts';
import type { Clock, Random } from '../base/clock.ts';
import type { Files } from '../base/files.ts';
import type { Connection } from '../service/transport.ts';
import type { EnvironmentVariables } from '../settings/environment.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { RunEvent } from './events.ts';
import type { Halt } from './result.ts';

export interface RunEnvironment {
  readonly env: EnvironmentVariables;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly connect: (settings: ServiceSettings) => Promise<Connection>;
  /** After this call, the first two interruptions do not end the process. */
  readonly interruptible: () => Interruption;
  readonly toolVersion: string;
}

export interface Job extends RunEnvironment {
  readonly emit: (event: RunEvent) => void;
  /** Returns the diagnostics for a halt. The same diagnostics are used for resources that are not planned. */
  readonly haltWords: (halt: Halt) => readonly Diagnostic[];
  readonly emitsRequests?: boolean;
}

export interface Interruption {
  /** Aborts at the first Ctrl-C, SIGTERM or SIGHUP, so that nothing more is started. */
  readonly signal: AbortSignal;
  /** Aborts at a second Ctrl-C or SIGTERM, so that requests under way are abandoned. */
  readonly urgent: AbortSignal;
}
