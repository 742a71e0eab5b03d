import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Config } from '../generated/config.ts';
import { validate } from '../generated/config.ts';
import { isJsonObject } from '../base/json.ts';
import { beside } from '../base/path-rules.ts';
import { unquotable, type SourceFile } from '../base/source.ts';
import { didYouMean } from '../base/suggestion.ts';
import { hideable, hideProblem, type Hide } from '../kinds/hide.ts';
import { releaseProblem } from '../kinds/release.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { Places } from '../yaml/places.ts';
import { readText } from '../yaml/read-text.ts';
import { readBaseUrl } from './base-url.ts';
import { liesInside, refuseOutside, type PathList } from './project-folder.ts';
import { noTokenPlaces, tokenPlaces, type TokenPlaces } from './token.ts';
import { noConfig, type ChosenConfig } from './values.ts';
import { refuseReferences } from './variables.ts';

/** What was read of rollcall.yaml. */
export interface ReadConfig {
  /** None when the file is faulty. */
  readonly config?: ChosenConfig;
  /** The file that was read, whether it is faulty or not; none where there is none. */
  readonly filename?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Also of a faulty file, as far as it can be read. */
  readonly tokens: TokenPlaces;
  /** Of a faulty file, all that it may want to be hidden. */
  readonly hide: Hide;
}

const secretKey = /^\s*(?:-\s+)?["']?\w*(?:token|secret|password|passphrase|api_?key)\w*["']?\s*:/i;

/** Outside of a comment. */
const mentionsHide = /^[^#\n]*\bhide\b/m;

/** A URL with a password. */
const credentials = /:\/\/[^/\s]*@/;

export const defaultConfigFile = 'rollcall.yaml';

/**
 * Reads the configuration: the file that is named, or rollcall.yaml where the command runs, if there is one.
 * Throws a UsageError when the environment is not in it.
 */
export async function readConfig(
  filename: string | undefined,
  environment: string | undefined,
  files: Files,
  closed: ReadonlySet<string>,
): Promise<ReadConfig> {
  if (filename === undefined && (await isAbsent(defaultConfigFile, files))) {
    if (environment !== undefined) {
      throw new UsageError(
        `the environment ${JSON.stringify(environment)} is not known`,
        `Environments are in ${defaultConfigFile}, and there is none here. --config names another file.`,
      );
    }
    return { config: noConfig, diagnostics: [], tokens: noTokenPlaces, hide: [] };
  }
  const read = { filename: filename ?? defaultConfigFile };
  const text = await readText(read.filename, files, { closed, outside: 'refused' });
  if ('code' in text) return { ...read, diagnostics: [text], tokens: noTokenPlaces, hide: hideable };
  const hides = mentionsHide.test(text.text);
  // Variables, which stand here as well, may be the values of what is to be hidden.
  const file = hides ? unquotable(text) : text;
  const faulty = { ...read, hide: hides ? hideable : [] };
  const parsed = await parseYaml(file);
  const misread = parsed.diagnostics.map((diagnostic) => withoutToken(diagnostic));
  if (parsed.value === undefined) return { ...faulty, diagnostics: misread, tokens: noTokenPlaces };
  const tokens = tokenPlaces(parsed.value, file.filename);
  const faults = checkSchema(validate, parsed.value, parsed, file);
  const diagnostics = [...misread, ...diagnosticsOf(faults).map((fault) => withoutToken(fault))];
  if (diagnostics.length > 0) return { ...faulty, diagnostics, tokens };
  // What satisfies the schema is a Config: the type is generated from it.
  const config = parsed.value as unknown as Config;
  const wrong = [...wrongValues(config, parsed.places, file)];
  for (const list of pathLists(config))
    wrong.push(...(await refuseOutside(list, parsed.places, file, files)));
  if (wrong.length > 0)
    return { ...faulty, diagnostics: wrong.map((diagnostic) => withoutToken(diagnostic)), tokens };
  const { hide = [] } = config;
  const chosen = choose(config, environment, file.filename);
  const tokenFile = environment === undefined ? undefined : config.environments?.[environment]?.token_file;
  const isOutside = tokenFile !== undefined && !(await liesInside(tokenFile, file.filename, files));
  return {
    ...read,
    config: isOutside ? { ...chosen, hasTokenOutside: true } : chosen,
    diagnostics: [],
    tokens,
    hide,
  };
}

/** Why something cannot be looked at is told where it is read. */
async function isAbsent(path: string, files: Pick<Files, 'kindOf'>): Promise<boolean> {
  return (await files.kindOf(path).catch(() => 'other')) === 'absent';
}

function pathLists(config: Config): PathList[] {
  const parts = [
    { path: [], part: config },
    ...Object.entries(config.environments ?? {}).map(([name, part]) => ({
      path: ['environments', name],
      part,
    })),
  ];
  return parts.flatMap(({ path, part }) =>
    (['manifests', 'vars_files'] as const).map((list) => ({
      path: [...path, list],
      written: part[list] ?? [],
    })),
  );
}

/** The environments that a file of settings has; none when there is no such file, or when it is faulty. */
export async function environmentNames(
  filename: string | undefined,
  files: Files,
): Promise<readonly string[]> {
  const file = await readText(filename ?? defaultConfigFile, files, { outside: 'refused' });
  if ('code' in file) return [];
  const { value } = await parseYaml(file);
  const environments = isJsonObject(value) ? value['environments'] : undefined;
  return isJsonObject(environments) ? Object.keys(environments) : [];
}

/** What no schema can say. */
function* wrongValues(config: Config, places: Places, file: SourceFile): Iterable<Diagnostic> {
  yield* refuseReferences(config.vars ?? {}, ['vars'], places, file);
  yield* wrongRelease(config, [], places, file);
  for (const [index, name] of (config.hide ?? []).entries()) {
    const problem = hideProblem(name);
    if (problem) yield diagnosticAt(file, places.ofValue(['hide', index]), problem);
  }
  for (const [name, { url, vars, ...rest }] of Object.entries(config.environments ?? {})) {
    const path = ['environments', name];
    yield* wrongRelease(rest, path, places, file);
    yield* refuseReferences(vars ?? {}, [...path, 'vars'], places, file);
    try {
      if (url !== undefined) readBaseUrl(url, true);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const problem = { code: 'invalid-format', summary: error.message, detail: error.hint } as const;
      yield diagnosticAt(file, places.ofValue([...path, 'url']), problem);
    }
  }
}

function* wrongRelease(
  { release }: Pick<Config, 'release'>,
  path: readonly string[],
  places: Places,
  file: SourceFile,
): Iterable<Diagnostic> {
  const problem = release === undefined ? undefined : releaseProblem(release);
  if (problem) yield diagnosticAt(file, places.ofValue([...path, 'release']), problem);
}

/** A token or a password that was written into the file by mistake is not shown; of a token it is told where it belongs. */
function withoutToken(diagnostic: Diagnostic): Diagnostic {
  const { excerpt, ...rest } = diagnostic;
  if (excerpt === undefined) return diagnostic;
  if (!secretKey.test(excerpt)) return credentials.test(excerpt) ? rest : diagnostic;
  if (diagnostic.code !== 'unknown-field') return rest;
  return {
    ...rest,
    detail: 'The token itself does not belong here: name its environment variable with token_env.',
  };
}

function choose(config: Config, environment: string | undefined, filename: string): ChosenConfig {
  const environments = config.environments ?? {};
  const names = Object.keys(environments);
  const chosen =
    environment === undefined
      ? {}
      : Object.hasOwn(environments, environment)
        ? environments[environment]
        : undefined;
  if (chosen === undefined) {
    throw new UsageError(
      `the environment ${JSON.stringify(environment)} is not in ${filename}`,
      didYouMean(environment ?? '', names) ??
        (names.length > 0 ? `There are: ${names.join(', ')}.` : 'It has none.'),
    );
  }
  const { url, token_env: tokenEnv, token_file: tokenFile } = chosen;
  const concurrency = chosen.concurrency ?? config.concurrency;
  const capabilities = chosen.capabilities ?? config.capabilities;
  const release = chosen.release ?? config.release;
  const varsFiles = [...(config.vars_files ?? []), ...(chosen.vars_files ?? [])];
  return {
    environment,
    manifests: (chosen.manifests ?? config.manifests ?? []).map((path) => beside(filename, path)),
    vars: { ...config.vars, ...chosen.vars },
    ...(varsFiles.length > 0 && { varsFiles: varsFiles.map((path) => beside(filename, path)) }),
    ...(environment === undefined && { choices: environments }),
    ...(url !== undefined && { url }),
    ...(tokenEnv !== undefined && { tokenEnv }),
    ...(tokenFile !== undefined && { tokenFile: beside(filename, tokenFile) }),
    ...(concurrency !== undefined && { concurrency }),
    ...(capabilities && { capabilities }),
    ...(chosen.allow && { allow: chosen.allow }),
    ...(release !== undefined && { release }),
    ...(config.hide && { hide: config.hide }),
    ...(config.allow_env && { allowEnv: config.allow_env }),
    ...(config.allow_files && { allowFiles: config.allow_files.map((path) => beside(filename, path)) }),
  };
}
