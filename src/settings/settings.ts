import { cleanDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { unlessUsage, UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { shortestOwnSecret, type OwnSecrets } from '../base/own-secrets.ts';
import { redactorOf } from '../base/redactor.ts';
import type { Reach } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { reachOf } from './capabilities.ts';
import { readConfig, type ReadConfig } from './config.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import { readClientCertificate } from './certificates.ts';
import { readHeaders } from './headers.ts';
import { readProxy } from './proxy.ts';
import { readServiceSettings, secretsOf, type ServiceSettings } from './service-settings.ts';
import { noTokenPlaces, readToken, type TokenPlaces } from './token.ts';
import { noConfig, type ChosenConfig, type NameOf, type Sources, type Values } from './values.ts';
import { readVarsFiles } from './variables.ts';

/** All settings of a run. */
export interface Settings extends Reach {
  /** What rollcall.yaml says for the chosen environment; none when it is faulty. */
  readonly config?: ChosenConfig | undefined;
  /** The file that it was read from, also when that is faulty: no manifest. */
  readonly configFile?: string | undefined;
  /** The files that the settings were read from: rollcall.yaml, and those of variables. */
  readonly files: readonly string[];
  /** The manifests to read: those that are named, or else those of rollcall.yaml. */
  readonly paths: readonly string[];
  /** None when a file that holds some is faulty: then it is not known which variables there are. */
  readonly variables?: JsonObject | undefined;
  readonly strict: boolean;
  /** The release of the service, where rollcall.yaml says it. */
  readonly release?: Release | undefined;
  /** How to reach the service, where that is known; see `Purpose`. */
  readonly service?: ServiceSettings | undefined;
  /** What manifests may refer to. */
  readonly policy: Pick<ChosenConfig, 'allowEnv' | 'allowFiles'> & {
    /** What is closed to them in any case, and blanked out. */
    readonly own: OwnSecrets;
  };
  /** The fields that no output shows; where rollcall.yaml is faulty, all that it may name. */
  readonly hide: Hide;
  /** What is wrong with rollcall.yaml and the files of variables. */
  readonly diagnostics: readonly Diagnostic[];
  readonly nameOf: NameOf;
}

/** The paths of the manifests to read. Throws a UsageError where there is none, unless the settings are faulty: then that is reported. */
export function manifestsOf({ paths, diagnostics }: Settings): readonly string[] {
  if (paths.length > 0 || diagnostics.length > 0) return paths;
  throw new UsageError(
    'no manifest is named',
    'Name files or folders of YAML, such as: manifests/. Or list them under `manifests` in rollcall.yaml.',
  );
}

/** What the settings are for. */
type Purpose =
  /** To reach the service. A UsageError is thrown where that can't be; but where rollcall.yaml is faulty, there are diagnostics instead. */
  | 'service'
  /** To check manifests. The token and the rest are read if they can be, to be kept out of what is shown. */
  | 'manifests'
  /** To list names, or to read what a manifest is not. No secret is read. */
  | 'names';

/** Merges what is given, the environment and the files of settings. Throws a UsageError. */
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
    release: readRelease(config?.release ?? ''),
    service,
    hide,
    policy: { own, allowEnv: config?.allowEnv, allowFiles: config?.allowFiles },
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

/** The real paths of the files that hold what rollcall keeps secret. */
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
    // What is not there cannot be read as anything else either.
    const realPath = await files.realPath(path).catch(() => undefined);
    if (realPath !== undefined) closed.add(realPath);
  }
  return closed;
}

/** What can be known of the secrets that a run with the service would use; nothing is thrown for what cannot. */
async function partsOfService(
  given: Omit<Sources, 'files'>,
  files: Files,
): Promise<readonly Partial<ServiceSettings>[]> {
  const { values, env } = given;
  // Plain files only: on standard input may be a manifest, and a pipe may be empty.
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
  // One that cannot be known hides none of the others.
  return Promise.all(readings.map(async (reading) => (await unlessUsage(reading)) ?? {}));
}

/** All that rollcall keeps secret, as far as it is known. */
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
