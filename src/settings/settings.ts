import { cleanDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import { readConfig, type ChosenConfig } from './config.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { closedFiles, ownSecrets, type SecretFlags } from './own-secrets.ts';
import { noTokenPlaces, type TokenPlaces } from './token-places.ts';
import { refuseSharedInput } from './standard-input.ts';
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
  readonly tokens: TokenPlaces;
  /** The real paths of the files that are read as secrets, and as nothing else. */
  readonly closed: ReadonlySet<string>;
}

/** Merges flags, environment variables and files of settings. */
export async function readSettings(
  flags: ProjectFlags & SecretFlags,
  env: Environment,
  files: Files,
  paths: readonly string[] = [],
): Promise<Settings> {
  refuseSharedInput(flags, paths, env);
  const named = await closedFiles(flags, env, noTokenPlaces, files);
  const environment = flags.env ?? nonEmpty(env['ROLLCALL_ENV']);
  const { config, tokens, diagnostics } = await readConfig(flags.config, environment, files, named);
  const closed = await closedFiles(flags, env, tokens, files);
  const read = await readVariables(flags.vars ?? [], flags.var ?? [], files, closed);
  const redactor = new Redactor(ownSecrets(flags, env, tokens, closed).texts);
  const found = Array.isArray(read) ? [...diagnostics, ...read] : diagnostics;
  return {
    ...(config && { config }),
    ...(config && !Array.isArray(read) && { variables: { ...config.vars, ...read.variables } }),
    diagnostics: found.map((diagnostic) => cleanDiagnostic(diagnostic, redactor)),
    tokens,
    closed,
  };
}
