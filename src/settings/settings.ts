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

/** What rollcall.yaml and the files of variables say, and what is wrong with them. */
export interface Settings {
  /** What rollcall.yaml says for the chosen environment; none when it is faulty. */
  readonly config?: ChosenConfig;
  /** None when a file that holds some is faulty: then it is not known which variables there are. */
  readonly variables?: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** Flags, environment variables and files of settings, made one. */
export async function readSettings(flags: ProjectFlags, env: Environment, files: Files): Promise<Settings> {
  const config = await readConfig(flags.config, flags.env ?? nonEmpty(env['ROLLCALL_ENV']), files);
  const read = await readVariables(flags.vars ?? [], flags.var ?? [], files);
  const diagnostics = [config, read].flatMap((part) => (Array.isArray(part) ? part : []));
  if (Array.isArray(config)) return { diagnostics };
  if (Array.isArray(read)) return { config, diagnostics };
  return { config, variables: { ...config.vars, ...read.variables }, diagnostics };
}
