import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import type { ConfigEnvironment } from '../generated/config.ts';
import type { Capability } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import type { Environment } from './environment.ts';

/** What a command line or a program says. It beats the environment, which beats rollcall.yaml. */
export interface Values {
  /** A file in place of rollcall.yaml; or, where none is to be read, what it would say. */
  readonly config?: string | ChosenConfig | undefined;
  /** The environment of rollcall.yaml. */
  readonly environment?: string | undefined;
  readonly variables?: JsonObject | undefined;
  /** Files of variables. */
  readonly vars?: readonly string[] | undefined;
  /** Whether a warning is an error. */
  readonly strict?: boolean | undefined;
  /** What is turned on beyond reading and creating, in place of what the environment and the file say. */
  readonly capabilities?: readonly string[] | undefined;
  /** Whether nothing is sent but the documented operations. */
  readonly contractOnly?: boolean | undefined;
  /** What may be done beside creating what is missing. */
  readonly allow?: readonly string[] | undefined;

  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly waitSeconds?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly insecureHttp?: boolean | undefined;
  readonly caFile?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly headers?: readonly GivenHeader[] | undefined;

  /** How the one who gives the values calls one of them, for messages: `--client-key`. */
  readonly nameOf: NameOf;
}

/** A header as it is given. */
export interface GivenHeader {
  readonly name: string;
  readonly value: string;
  /** The variables of the environment that are in the value, and what they hold. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What rollcall.yaml says for the chosen environment. Paths are as the working directory sees them. */
export interface ChosenConfig {
  /** The name of the environment. */
  readonly environment?: string | undefined;
  readonly manifests: readonly string[];
  readonly vars: JsonObject;
  /** Files of variables, each beaten by those after it; `vars` beats them all. */
  readonly varsFiles?: readonly string[] | undefined;
  /** What the environments say of variables, by name; where none is chosen. */
  readonly choices?: Readonly<Record<string, Pick<ConfigEnvironment, 'vars' | 'vars_files'>>> | undefined;
  readonly url?: string | undefined;
  readonly tokenEnv?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Whether that lies beyond the folder of rollcall.yaml, links followed. */
  readonly hasTokenOutside?: boolean | undefined;
  readonly concurrency?: number | undefined;
  /** The release of the service, as `releaseProblem` lets it through. */
  readonly release?: string | undefined;
  /** The environment variables that manifests may refer to; all by default. */
  readonly allowEnv?: readonly string[] | undefined;
  /** The files that manifests may refer to, and folders of such; all by default. */
  readonly allowFiles?: readonly string[] | undefined;
  /** The fields that no output shows. */
  readonly hide?: Hide | undefined;
  /** What is turned on beyond reading and creating. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Whether nothing is sent but the documented operations. */
  readonly contractOnly?: boolean | undefined;
  /** What may be done beside creating what is missing. */
  readonly allow?: readonly Capability[] | undefined;
}

/** What the settings of the service are read from: what is given beats the environment, which beats the file. */
export interface Sources {
  readonly values: Values;
  readonly env: Environment;
  readonly config: ChosenConfig;
  readonly files: Pick<Files, 'read' | 'readStandardInput'>;
}

/** What a file of settings says that says nothing. */
export const noConfig: ChosenConfig = { manifests: [], vars: {} };

export type NameOf = (value: NamedValue) => string;

type NamedValue = Exclude<keyof Values, 'nameOf'> | 'target' | 'exclude' | 'shard';

type Bounds = readonly [least: number, most: number, usual?: number];

export type NumberName = 'timeoutSeconds' | 'waitSeconds' | 'concurrency';

/** What each number can be, and what it is where nobody says it. How many requests are really under way follows from what the service bears. */
export const bounds: Readonly<Record<NumberName, Required<Bounds>>> = {
  timeoutSeconds: [1, 3600, 60],
  waitSeconds: [0, 86_400, 60],
  concurrency: [1, 1000, 8],
};

/** A whole number as it was typed, or as a program gives it. Throws a UsageError that names it. */
export function wholeNumber(name: string, given: string | number, [least, most]: Bounds): number {
  const value = typeof given === 'number' ? given : /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(
    `${name} cannot be ${typeof given === 'number' ? given : JSON.stringify(given)}`,
    `It takes a whole number from ${least} to ${most}.`,
  );
}
