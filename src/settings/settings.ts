import { redactDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { undefinedOnUsageError, UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { shortestOwnSecret, type OwnSecrets } from '../base/own-secrets.ts';
import { redactorOf } from '../base/redactor.ts';
import type { AllowedOperations, Risk } from '../kinds/capability.ts';
import type { HiddenFieldNames } from '../kinds/hide.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { acceptedRisks, readCapabilities } from './capabilities.ts';
import { readConfig, type ReadConfig } from './config.ts';
import { nonEmpty, environmentValue, type EnvironmentVariables } from './environment.ts';
import { readClientCertificate } from './certificates.ts';
import { readHeaders } from './headers.ts';
import { readProxy } from './proxy.ts';
import { readServiceSettings, secretsOf, type ServiceSettings } from './service-settings.ts';
import { noTokenPlaces, readToken, type TokenPlaces } from './token.ts';
import {
  noConfig,
  type ChosenConfig,
  type SettingName,
  type SettingSources,
  type GivenSettings,
} from './values.ts';
import { readVarsFiles } from './variables.ts';

export interface Settings extends AllowedOperations {
  /** The chosen environment of rollcall.yaml; undefined if the file is invalid. */
  readonly config?: ChosenConfig | undefined;
  /** The file that `config` comes from, even if the file is invalid. */
  readonly configFile?: string | undefined;
  /** All files with settings: rollcall.yaml and files of variables. */
  readonly files: readonly string[];
  /** The paths of manifests: from the command line or, if no paths are given there, from rollcall.yaml. */
  readonly paths: readonly string[];
  /** The variables, which are unknown if a file that defines variables is invalid. */
  readonly variables?: JsonObject | undefined;
  /** The names of the variables that were set one by one, by --var. */
  readonly givenVariables: readonly string[];
  readonly strict: boolean;
  /** The release of the service, if rollcall.yaml has it. */
  readonly release?: Release | undefined;
  /** The settings that are needed only by runs that send requests. */
  readonly service?: ServiceSettings | undefined;
  readonly acceptedRisks?: readonly Risk[];
  readonly policy: {
    readonly allowEnv: ChosenConfig['allow_env'];
    readonly allowFiles: ChosenConfig['allow_files'];
    readonly allowTexts: ChosenConfig['allow_texts'];
    /** The files and variables that contain rollcall's own secrets. Manifests may never read these files and variables. */
    readonly ownSecrets: OwnSecrets;
  };
  /** Fields that no output shows; if rollcall.yaml is invalid and has a `hide`, all fields that can be hidden. */
  readonly hide: HiddenFieldNames;
  readonly diagnostics: readonly Diagnostic[];
  readonly nameOf: SettingName;
}

/** Returns the paths of manifests, or throws a UsageError if there are none and the settings have no problems to report. */
export function manifestPaths({ paths, diagnostics }: Settings): readonly string[] {
  if (paths.length > 0 || diagnostics.length > 0) return paths;
  throw new UsageError(
    'no manifest is named',
    'Name files or folders of YAML, such as: manifests/. Or list them under `manifests` in rollcall.yaml.',
  );
}

type Purpose =
  /** For runs that send requests. An unusable setting causes a UsageError, an invalid rollcall.yaml causes diagnostics. */
  | 'service'
  /** For checks of manifests. The token and other secrets are read if possible, so that they can be redacted. */
  | 'manifests'
  /** For commands that list names or manifests, and need no secret. */
  | 'names';

/** Merges flags, environment variables and configuration files. */
export async function readSettings(
  values: GivenSettings,
  { env, files }: { readonly env: EnvironmentVariables; readonly files: Files },
  purpose: Purpose,
  paths: readonly string[] = [],
): Promise<Settings> {
  const { vars = [], variables = {}, strict = false, nameOf } = values;
  refuseSharedStandardInput(values, paths, env);
  const { config, filename, tokens, hide, diagnostics } = await resolveConfig(values, env, files);
  const secretFiles = await secretFilePaths(values, env, tokens, files);
  const varsFiles = { secretFiles, areQuotable: hide.length === 0 };
  const configVariables = await readVarsFiles(config?.vars_files ?? [], files, {
    ...varsFiles,
    namedIn: filename,
  });
  const flagVariables = await readVarsFiles(vars, files, varsFiles);
  const sources = { values, env, config: config ?? noConfig };
  const service =
    purpose === 'service' && config ? await readServiceSettings({ ...sources, files }) : undefined;
  const known = service ? [service] : purpose === 'names' ? [] : await readableServiceSecrets(sources, files);
  const own = ownSecrets(values, env, tokens, secretFiles, known);
  const redactor = redactorOf(own.texts);
  const faults = [...configVariables.diagnostics, ...flagVariables.diagnostics];
  return {
    config,
    configFile: filename,
    files: [...(filename === undefined ? [] : [filename]), ...(config?.vars_files ?? []), ...vars],
    paths: paths.length > 0 ? paths : (config?.manifests ?? []),
    variables:
      config && faults.length === 0
        ? { ...configVariables.variables, ...config.vars, ...flagVariables.variables, ...variables }
        : undefined,
    givenVariables: Object.keys(variables),
    strict,
    ...readCapabilities(sources),
    acceptedRisks: acceptedRisks(values),
    release: readRelease(config?.release ?? ''),
    service,
    hide,
    policy: {
      ownSecrets: own,
      allowEnv: config?.allow_env,
      allowFiles: config?.allow_files,
      allowTexts: config?.allow_texts,
    },
    diagnostics: [...diagnostics, ...faults].map((diagnostic) => redactDiagnostic(diagnostic, redactor)),
    nameOf,
  };
}

async function resolveConfig(
  values: GivenSettings,
  env: EnvironmentVariables,
  files: Files,
): Promise<ReadConfig> {
  const { config, environment = nonEmpty(env['ROLLCALL_ENV']) } = values;
  if (typeof config === 'object')
    return { config, tokens: noTokenPlaces, diagnostics: [], hide: config.hide ?? [] };
  return readConfig(config, environment, files, await secretFilePaths(values, env, noTokenPlaces, files));
}

/** The real paths of files that contain rollcall's own secrets. */
async function secretFilePaths(
  { tokenFile, clientCert, clientKey, caFile }: GivenSettings,
  env: EnvironmentVariables,
  tokens: TokenPlaces,
  files: Files,
): Promise<ReadonlySet<string>> {
  const tokenSources = nonEmpty(env['ROLLCALL_TOKEN_FILE']);
  const paths = new Set<string>();
  for (const path of [tokenFile, tokenSources, clientCert, clientKey, caFile, ...tokens.files]) {
    if (path === undefined || path === standardInput) continue;
    // A file that does not exist cannot be read by a manifest either.
    const realPath = await files.realPath(path).catch(() => undefined);
    if (realPath !== undefined) paths.add(realPath);
  }
  return paths;
}

/** Reads as many of the run's secrets as possible, for redaction, and never throws. */
async function readableServiceSecrets(
  given: Omit<SettingSources, 'files'>,
  files: Files,
): Promise<readonly Partial<ServiceSettings>[]> {
  const { values, env } = given;
  // Only regular files are read: standard input may be a manifest, and reading a pipe empties the pipe.
  const plain: SettingSources['files'] = {
    readStandardInput: async () => Promise.reject(new Error('it is not for the token')),
    read: async (path, maxBytes) => {
      if ((await files.kindOf(path)) !== 'file') throw new Error('it is no plain file');
      return files.read(path, maxBytes);
    },
  };
  const readings: (() => Promise<Partial<ServiceSettings>>)[] = [
    async () => ({ token: await readToken({ ...given, files: plain }) }),
    async () => ({ headers: readHeaders(values.headers ?? [], values.nameOf) }),
    async () => ({ proxy: readProxy('https://any', env, true) }),
    async () => ({ proxy: readProxy('http://any', env, true) }),
    async () => ({ client: await readClientCertificate({ ...given, files: plain }) }),
  ];
  // The other secrets must be redacted even if one cannot be read.
  return Promise.all(readings.map(async (reading) => (await undefinedOnUsageError(reading)) ?? {}));
}

function ownSecrets(
  { headers = [] }: GivenSettings,
  env: EnvironmentVariables,
  tokens: TokenPlaces,
  files: ReadonlySet<string>,
  known: readonly Partial<ServiceSettings>[],
): OwnSecrets {
  const valuesIn = (variables: readonly string[]): string[] =>
    variables.map((name) => environmentValue(env, name)?.trim() ?? '');
  const variableValues = valuesIn(['ROLLCALL_TOKEN', ...tokens.variables]);
  return {
    variables: [...tokens.variables, ...headers.flatMap(({ variables = {} }) => Object.keys(variables))],
    files,
    texts: longSecrets([
      ...variableValues,
      ...valuesIn(['ROLLCALL_CLIENT_KEY_PASSPHRASE']),
      ...known.flatMap(secretsOf),
    ]),
    tokens: longSecrets([...variableValues, ...known.flatMap(({ token }) => token?.reveal() ?? [])]),
  };
}

function longSecrets(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter(({ length }) => length >= shortestOwnSecret);
}

function refuseSharedStandardInput(
  { config, vars = [], tokenFile }: Pick<GivenSettings, 'config' | 'vars' | 'tokenFile'>,
  paths: readonly string[],
  env: EnvironmentVariables,
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
    `standard input cannot contain both ${first.what} and ${second.what}`,
    'Name a file for one of the two.',
  );
}
