import type { Diagnostic } from '../diagnostic.ts';
import type { Files } from '../files.ts';
import type { JsonObject } from '../json.ts';
import { readConfig, type ChosenConfig } from './config.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { readVariables } from './variables.ts';

/** The flags that every command understands which reads manifests, as they were typed. */
export interface ProjectFlags {
  readonly config?: string;
  readonly env?: string;
  readonly var?: readonly string[];
  readonly vars?: readonly string[];
  readonly strict?: boolean;
}

/** What to read, and with which variables. */
export interface Settings {
  /** The manifests that rollcall.yaml names. */
  readonly manifests: readonly string[];
  readonly variables: JsonObject;
  /** What rollcall.yaml says of the service. */
  readonly config: ChosenConfig;
}

/** Flags, environment variables and rollcall.yaml, made one; or what is wrong with a file of them. */
export async function readSettings(
  flags: ProjectFlags,
  env: Environment,
  files: Files,
): Promise<Settings | Diagnostic[]> {
  const config = await readConfig(flags.config, flags.env ?? nonEmpty(env['ROLLCALL_ENV']), files);
  if (Array.isArray(config)) return config;
  const read = await readVariables(flags.vars ?? [], flags.var ?? [], files);
  if (Array.isArray(read)) return read;
  return { manifests: config.manifests, variables: { ...config.vars, ...read.variables }, config };
}
