import { cleanDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { unlessUsage, UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import type { OwnSecrets } from '../base/own-secrets.ts';
import { redactorOf } from '../base/redactor.ts';
import type { Capability } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import { capabilitiesOf } from './capabilities.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { readConfig, type ReadConfig } from './config.ts';
import { readHeaders } from './headers.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { closedFiles, ownSecrets, type KnownSecrets } from './own-secrets.ts';
import { readProxy } from './proxy.ts';
import { clientOf, readServiceSettings, type ServiceSettings } from './service-settings.ts';
import { noTokenPlaces, readToken } from './token.ts';
import { noConfig, type ChosenConfig, type NameOf, type Values } from './values.ts';
import { readVarsFiles } from './variables.ts';

/** All settings of a run. */
export interface Settings {
  /** What rollcall.yaml says for the chosen environment; none when it is faulty. */
  readonly config?: ChosenConfig;
  /** The file that it was read from, also when that is faulty: no manifest. */
  readonly configFile?: string;
  /** The files that the settings were read from: rollcall.yaml, and those of variables. */
  readonly files: readonly string[];
  /** The manifests to read: those that are named, or else those of rollcall.yaml. */
  readonly paths: readonly string[];
  /** None when a file that holds some is faulty: then it is not known which variables there are. */
  readonly variables?: JsonObject;
  readonly strict: boolean;
  /** The release of the service, where rollcall.yaml says it. */
  readonly release?: Release;
  /** How to reach the service, where that is known; see `Purpose`. */
  readonly service?: ServiceSettings;
  /** What manifests may refer to. */
  readonly policy: Pick<ChosenConfig, 'allowEnv' | 'allowFiles'> & {
    /** What is closed to them in any case, and blanked out. */
    readonly own: OwnSecrets;
  };
  /** The fields that no output shows; where rollcall.yaml is faulty, all that it may name. */
  readonly hide: Hide;
  /** What is turned on beyond the documented operations. */
  readonly capabilities: readonly Capability[];
  /** What is wrong with rollcall.yaml and the files of variables. */
  readonly diagnostics: readonly Diagnostic[];
  readonly nameOf: NameOf;
}

/** The paths of the manifests to read. Throws a UsageError where there is none, unless the settings are faulty: then that is told. */
export function manifestsOf({ paths, diagnostics }: Settings): readonly string[] {
  if (paths.length > 0 || diagnostics.length > 0) return paths;
  throw new UsageError(
    'no manifest is named',
    'Name files or folders of YAML, such as: manifests/. Or list them under `manifests` in rollcall.yaml.',
  );
}

/** What the settings are for. */
type Purpose =
  /** To reach the service. A UsageError is thrown where that can't be; only where rollcall.yaml is faulty, it is told by diagnostics. */
  | 'service'
  /** To check manifests. The token and the rest are read if they can be, to be kept out of what is shown. */
  | 'manifests'
  /** To list names, or to read what a manifest is not. No secret is read. */
  | 'names';

interface SettingsSources {
  readonly env: Environment;
  readonly files: Files;
}

/** Merges what is given, the environment and the files of settings. Throws a UsageError. */
export async function readSettings(
  values: Values,
  { env, files }: SettingsSources,
  purpose: Purpose,
  paths: readonly string[] = [],
): Promise<Settings> {
  const { vars = [], variables = {}, strict = false, nameOf } = values;
  refuseSharedInput(values, paths, env);
  const { config, filename, tokens, hide, diagnostics } = await configOf(values, env, files);
  const closed = await closedFiles(values, env, tokens, files);
  const varsFiles = { closed, areQuotable: hide.length === 0 };
  const ofConfig = await readVarsFiles(config?.varsFiles ?? [], files, { ...varsFiles, namedIn: filename });
  const ofFlags = await readVarsFiles(vars, files, varsFiles);
  const service =
    purpose === 'service' && config ? await readServiceSettings(values, env, config, files) : undefined;
  const known = service ?? (purpose === 'names' ? {} : await knownSecrets(values, env, config, files));
  const own = ownSecrets(values, env, tokens, closed, known);
  const { allowEnv, allowFiles } = config ?? {};
  const release = readRelease(config?.release ?? '');
  const redactor = redactorOf(own.texts);
  const faults = [ofConfig, ofFlags].flatMap((read) => (Array.isArray(read) ? read : []));
  return {
    ...(config && { config }),
    ...(filename !== undefined && { configFile: filename }),
    files: [...(filename === undefined ? [] : [filename]), ...(config?.varsFiles ?? []), ...vars],
    paths: paths.length > 0 ? paths : (config?.manifests ?? []),
    ...(config &&
      !Array.isArray(ofConfig) &&
      !Array.isArray(ofFlags) && {
        variables: { ...ofConfig.variables, ...config.vars, ...ofFlags.variables, ...variables },
      }),
    strict,
    capabilities: capabilitiesOf(values, env, config ?? noConfig),
    ...(release && { release }),
    ...(service && { service }),
    hide,
    policy: { own, ...(allowEnv && { allowEnv }), ...(allowFiles && { allowFiles }) },
    diagnostics: [...diagnostics, ...faults].map((diagnostic) => cleanDiagnostic(diagnostic, redactor)),
    nameOf,
  };
}

async function configOf(values: Values, env: Environment, files: Files): Promise<ReadConfig> {
  const { config, environment = nonEmpty(env['ROLLCALL_ENV']) } = values;
  if (typeof config === 'object')
    return { config, tokens: noTokenPlaces, diagnostics: [], hide: config.hide ?? [] };
  return readConfig(config, environment, files, await closedFiles(values, env, noTokenPlaces, files));
}

/** What can be known of the secrets that a run with the service would use; nothing is thrown for what cannot. */
async function knownSecrets(
  values: Values,
  env: Environment,
  config = noConfig,
  files: Files,
): Promise<KnownSecrets> {
  // Plain files only: on standard input may be a manifest, and a pipe may be empty.
  const plain: Pick<Files, 'read' | 'readStandardInput'> = {
    readStandardInput: async () => Promise.reject(new Error('it is not for the token')),
    read: async (path, maxBytes) => {
      if ((await files.kindOf(path)) !== 'file') throw new Error('it is no plain file');
      return files.read(path, maxBytes);
    },
  };
  const service = await unlessUsage(() => readServiceSettings(values, env, config, plain));
  if (service) return service;
  // One that cannot be known hides none of the others.
  const token = await unlessUsage(() => readToken(values, env, config, plain));
  const headers = await unlessUsage(async () => readHeaders(values.headers ?? [], values.nameOf));
  const proxy = await unlessUsage(async () =>
    ['https://any', 'http://any'].map((url) => readProxy(url, env, true)).find((found) => found),
  );
  return {
    ...(token && { token }),
    ...(headers && { headers }),
    ...(proxy && { proxy }),
    ...(await unlessUsage(() => clientOf(values, env, plain))),
  };
}

/** Throws a UsageError where standard input is to be read as two things: whichever comes first would get what is for the other. */
function refuseSharedInput(
  { config, vars = [], tokenFile }: Pick<Values, 'config' | 'vars' | 'tokenFile'>,
  paths: readonly string[],
  env: Environment,
): void {
  const uses = [
    { what: 'the token', path: tokenFile ?? nonEmpty(env['ROLLCALL_TOKEN_FILE']) },
    { what: 'the settings', path: config },
    ...vars.map((path) => ({ what: 'variables', path })),
    { what: 'a manifest', path: paths.find((path) => path === standardInput) },
  ].filter(({ path }) => path === standardInput);
  const [first, second] = uses;
  if (first === undefined || second === undefined) return;
  throw new UsageError(
    `standard input cannot hold both ${first.what} and ${second.what}`,
    'Name a file for one of the two.',
  );
}
