import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import type { Config, ConfigEnvironment } from '../generated/config.ts';
import type { EnvironmentVariables } from './environment.ts';

/** Settings from the command line or the library. These settings override the environment, which overrides rollcall.yaml. */
export interface GivenSettings {
  /** A file to read instead of rollcall.yaml, or its parsed content. */
  readonly config?: string | ChosenConfig | undefined;
  readonly environment?: string | undefined;
  readonly variables?: JsonObject | undefined;
  readonly vars?: readonly string[] | undefined;
  readonly strict?: boolean | undefined;
  readonly capabilities?: readonly string[] | undefined;
  /** Whether only the documented operations are sent. */
  readonly contractOnly?: boolean | undefined;
  /** The names of permitted changes and of accepted risks. */
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

  readonly nameOf: SettingName;
}

export interface GivenHeader {
  readonly name: string;
  readonly value: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** The settings of one environment of rollcall.yaml. Paths are relative to the working directory. */
export type ChosenConfig = Readonly<Omit<Config, 'version' | 'environments'> & ConfigEnvironment> & {
  readonly environment?: string | undefined;
  readonly manifests: string[];
  /** The names of the variables that the chosen environment itself sets. */
  readonly ownVars?: readonly string[];
  /** The variables of each environment, by its name; undefined if an environment is chosen. */
  readonly choices?: Readonly<Record<string, Pick<ConfigEnvironment, 'vars' | 'vars_files'>>> | undefined;
  /** Whether the token file is outside the folder of rollcall.yaml after links are followed. */
  readonly hasTokenOutside?: boolean;
};

export interface SettingSources {
  readonly values: GivenSettings;
  readonly env: EnvironmentVariables;
  readonly config: ChosenConfig;
  readonly files: Pick<Files, 'read' | 'readStandardInput'>;
}

export const noConfig: ChosenConfig = { manifests: [] };

export type SettingName = (value: NamedValue) => string;

type NamedValue = Exclude<keyof GivenSettings, 'nameOf'> | 'target' | 'exclude' | 'shard';

type Bounds = readonly [least: number, most: number, usual?: number];

export type NumberName = 'timeoutSeconds' | 'waitSeconds' | 'concurrency';

/** Minimum, maximum and default of each number. `concurrency` is an upper limit: a slow service gets fewer requests at a time. */
export const bounds: Readonly<Record<NumberName, Required<Bounds>>> = {
  timeoutSeconds: [1, 3600, 60],
  waitSeconds: [0, 86_400, 60],
  concurrency: [1, 1000, 8],
};

/** Checks a number, or throws a UsageError that contains `name`. */
export function wholeNumber(name: string, input: string | number, [min, max]: Bounds): number {
  const value = typeof input === 'number' ? input : /^\d{1,9}$/.test(input) ? Number(input) : Number.NaN;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(
    `${name} cannot be ${typeof input === 'number' ? input : JSON.stringify(input)}`,
    `Use a whole number from ${min} to ${max}.`,
  );
}
