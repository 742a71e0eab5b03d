import { cleanDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { unlessUsage, UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { shortestOwnSecret, type OwnSecrets } from '../base/own-secrets.ts';
import { redactorOf } from '../base/redactor.ts';
import type { Reach, Risk } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { acceptedBy, reachOf } from './capabilities.ts';
import { readConfig, type ReadConfig } from './config.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import { readClientCertificate } from './certificates.ts';
import { readHeaders } from './headers.ts';
import { readProxy } from './proxy.ts';
import { readServiceSettings, secretsOf, type ServiceSettings } from './service-settings.ts';
import { noTokenPlaces, readToken, type TokenPlaces } from './token.ts';
import { noConfig, type ChosenConfig, type NameOf, type Sources, type Values } from './values.ts';
import { readVarsFiles } from './variables.ts';

export interface Settings extends Reach {
  /** The chosen environment of rollcall.yaml; undefined if the file is invalid. */
  readonly config?: ChosenConfig | undefined;
  /** The file that it was read from, even if invalid. It is not a manifest. */
  readonly configFile?: string | undefined;
  /** All files that settings were read from: rollcall.yaml and files of variables. */
  readonly files: readonly string[];
  /** The manifests to read: the given paths, or else those of rollcall.yaml. */
  readonly paths: readonly string[];
  /** Undefined if a file that defines variables is invalid, as the set of variables is then unknown. */
  readonly variables?: JsonObject | undefined;
  readonly strict: boolean;
  /** The release of the service, if rollcall.yaml has it. */
  readonly release?: Release | undefined;
  /** How to reach the service, if known; see `Purpose`. */
  readonly service?: ServiceSettings | undefined;
  readonly accepts?: readonly Risk[];
  /** What manifests may refer to. */
  readonly policy: Pick<ChosenConfig, 'allowEnv' | 'allowFiles' | 'allowTexts'> & {
    /** Files and variables that manifests may never read, and that are redacted. */
    readonly own: OwnSecrets;
  };
  /** The fields that no output shows; if rollcall.yaml is invalid, every field that it may name. */
  readonly hide: Hide;
  /** The problems of rollcall.yaml and the files of variables. */
  readonly diagnostics: readonly Diagnostic[];
  readonly nameOf: NameOf;
}

/**
 * The paths of the manifests. Throws a UsageError if there are none and the settings are valid; problems of the settings are
 * reported instead.
 */
export function manifestsOf({ paths, diagnostics }: Settings): readonly string[] {
  if (paths.length > 0 || diagnostics.length > 0) return paths;
  throw new UsageError(
    'no manifest is named',
    'Name files or folders of YAML, such as: manifests/. Or list them under `manifests` in rollcall.yaml.',
  );
}

/** What the settings are for. */
type Purpose =
  /** To reach the service. An unusable setting throws a UsageError; an invalid rollcall.yaml gives diagnostics instead. */
  | 'service'
  /** To check manifests. The token and other secrets are read if possible, so that they can be redacted. */
  | 'manifests'
  /** To list names, or to find out which files are manifests. No secret is read. */
  | 'names';

/** Merges flags, the environment and configuration files. Throws a UsageError. */
export async function readSettings(
  values: Values,
  { env, files }: { readonly env: Environment; readonly files: Files },
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
  const sources = { values, env, config: config ?? noConfig };
  const service =
    purpose === 'service' && config ? await readServiceSettings({ ...sources, files }) : undefined;
  const known = service ? [service] : purpose === 'names' ? [] : await partsOfService(sources, files);
  const own = ownSecrets(values, env, tokens, closed, known);
  const redactor = redactorOf(own.texts);
  const faults = [...ofConfig.diagnostics, ...ofFlags.diagnostics];
  return {
    config,
    configFile: filename,
    files: [...(filename === undefined ? [] : [filename]), ...(config?.varsFiles ?? []), ...vars],
    paths: paths.length > 0 ? paths : (config?.manifests ?? []),
    variables:
      config && faults.length === 0
        ? { ...ofConfig.variables, ...config.vars, ...ofFlags.variables, ...variables }
        : undefined,
    strict,
    ...reachOf(sources),
    accepts: acceptedBy(values),
    release: readRelease(config?.release ?? ''),
    service,
    hide,
    policy: {
      own,
      allowEnv: config?.allowEnv,
      allowFiles: config?.allowFiles,
      allowTexts: config?.allowTexts,
    },
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

/** The real paths of the files that hold rollcall's own secrets. */
async function closedFiles(
  { tokenFile, clientCert, clientKey, caFile }: Values,
  env: Environment,
  tokens: TokenPlaces,
  files: Files,
): Promise<ReadonlySet<string>> {
  const ofToken = nonEmpty(env['ROLLCALL_TOKEN_FILE']);
  const closed = new Set<string>();
  for (const path of [tokenFile, ofToken, clientCert, clientKey, caFile, ...tokens.files]) {
    if (path === undefined || path === standardInput) continue;
    // A file that does not exist cannot be read by another name either.
    const realPath = await files.realPath(path).catch(() => undefined);
    if (realPath !== undefined) closed.add(realPath);
  }
  return closed;
}

/** The secrets that a run with the service would use, as far as they can be read. Never throws. */
async function partsOfService(
  given: Omit<Sources, 'files'>,
  files: Files,
): Promise<readonly Partial<ServiceSettings>[]> {
  const { values, env } = given;
  // Only regular files: standard input may be a manifest, and reading a pipe empties it.
  const plain: Sources['files'] = {
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
  // A secret that cannot be read does not stop the others from being redacted.
  return Promise.all(readings.map(async (reading) => (await unlessUsage(reading)) ?? {}));
}

function ownSecrets(
  { headers = [] }: Values,
  env: Environment,
  tokens: TokenPlaces,
  files: ReadonlySet<string>,
  known: readonly Partial<ServiceSettings>[],
): OwnSecrets {
  const heldIn = (variables: readonly string[]): string[] =>
    variables.map((name) => valueOf(env, name)?.trim() ?? '');
  const held = heldIn(['ROLLCALL_TOKEN', ...tokens.variables]);
  return {
    variables: [...tokens.variables, ...headers.flatMap(({ variables = {} }) => Object.keys(variables))],
    files,
    texts: longOf([...held, ...heldIn(['ROLLCALL_CLIENT_KEY_PASSPHRASE']), ...known.flatMap(secretsOf)]),
    tokens: longOf([...held, ...known.flatMap(({ token }) => token?.reveal() ?? [])]),
  };
}

function longOf(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter(({ length }) => length >= shortestOwnSecret);
}

/** Throws a UsageError if standard input is to be read for two purposes. */
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
