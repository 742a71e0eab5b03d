import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import type { ConfigEnvironment } from '../generated/config.ts';
import type { Capability } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import type { Environment } from './environment.ts';

/** Settings from a command line or a program. They override the environment, which overrides rollcall.yaml. */
export interface Values {
  /** A file to read instead of rollcall.yaml, or its content if no file is to be read. */
  readonly config?: string | ChosenConfig | undefined;
  readonly environment?: string | undefined;
  readonly variables?: JsonObject | undefined;
  readonly vars?: readonly string[] | undefined;
  readonly strict?: boolean | undefined;
  /** Capabilities, in place of those of the environment and the file. */
  readonly capabilities?: readonly string[] | undefined;
  /** Whether only the documented operations are sent. */
  readonly contractOnly?: boolean | undefined;
  /** The permitted changes, and the accepted risks. */
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

  readonly nameOf: NameOf;
}

export interface GivenHeader {
  readonly name: string;
  readonly value: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** The settings of the chosen environment in rollcall.yaml. Paths are relative to the working directory. */
export interface ChosenConfig {
  readonly environment?: string | undefined;
  readonly manifests: readonly string[];
  readonly vars: JsonObject;
  /** Files of variables; later ones override earlier ones, and `vars` overrides all. */
  readonly varsFiles?: readonly string[] | undefined;
  /** The variables of every environment, by its name, if none is chosen. */
  readonly choices?: Readonly<Record<string, Pick<ConfigEnvironment, 'vars' | 'vars_files'>>> | undefined;
  readonly url?: string | undefined;
  readonly tokenEnv?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Whether the token's file is outside the folder of rollcall.yaml, links followed. */
  readonly hasTokenOutside?: boolean | undefined;
  readonly concurrency?: number | undefined;
  /** The release of the service, as checked by `releaseProblem`. */
  readonly release?: string | undefined;
  /** The environment variables that manifests may use; all by default. */
  readonly allowEnv?: readonly string[] | undefined;
  /** The files and folders that manifests may use; all by default. */
  readonly allowFiles?: readonly string[] | undefined;
  /** Like `allowFiles`, for files whose texts plans show. */
  readonly allowTexts?: readonly string[] | undefined;
  readonly hide?: Hide | undefined;
  readonly capabilities?: readonly Capability[] | undefined;
  /** Whether only the documented operations are sent. */
  readonly contractOnly?: boolean | undefined;
  readonly allow?: readonly Capability[] | undefined;
}

/** The sources of the service's settings: values override the environment, which overrides the file. */
export interface Sources {
  readonly values: Values;
  readonly env: Environment;
  readonly config: ChosenConfig;
  readonly files: Pick<Files, 'read' | 'readStandardInput'>;
}

export const noConfig: ChosenConfig = { manifests: [], vars: {} };

export type NameOf = (value: NamedValue) => string;

type NamedValue = Exclude<keyof Values, 'nameOf'> | 'target' | 'exclude' | 'shard';

type Bounds = readonly [least: number, most: number, usual?: number];

export type NumberName = 'timeoutSeconds' | 'waitSeconds' | 'concurrency';

/** The range and default of each number. The number of concurrent requests also depends on how the service copes. */
export const bounds: Readonly<Record<NumberName, Required<Bounds>>> = {
  timeoutSeconds: [1, 3600, 60],
  waitSeconds: [0, 86_400, 60],
  concurrency: [1, 1000, 8],
};

/** A whole number, typed or passed by a program. Throws a UsageError that names it. */
export function wholeNumber(name: string, given: string | number, [least, most]: Bounds): number {
  const value = typeof given === 'number' ? given : /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(
    `${name} cannot be ${typeof given === 'number' ? given : JSON.stringify(given)}`,
    `Use a whole number from ${least} to ${most}.`,
  );
}
