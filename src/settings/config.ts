import { posix } from 'node:path';
import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import type { Config, ConfigEnvironment } from '../generated/config.ts';
import { isJsonObject } from '../base/json.ts';
import { resolveFromFile, globFolder, isBelow } from '../base/path-rules.ts';
import { withoutQuotableLines, type SourceFile } from '../base/source.ts';
import { didYouMean } from '../base/suggestion.ts';
import { hideableFields, hiddenFieldProblem, type HiddenFieldNames } from '../kinds/hide.ts';
import { releaseProblem } from '../kinds/release.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { Places } from '../yaml/places.ts';
import { readText } from '../yaml/read-text.ts';
import { readBaseUrl } from './base-url.ts';
import { noTokenPlaces, tokenPlaces, type TokenPlaces } from './token.ts';
import { noConfig, type ChosenConfig } from './values.ts';
import { refuseReferences } from './variables.ts';

export interface ReadConfig {
  /** The chosen environment; undefined if the file is invalid. */
  readonly config?: ChosenConfig;
  /** The file that was read, even if invalid; undefined if there is none. */
  readonly filename?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** The places of tokens; some are missing if the file is invalid. */
  readonly tokens: TokenPlaces;
  /** The fields to hide; if the file is invalid and has a `hide`, all fields that can be hidden. */
  readonly hide: HiddenFieldNames;
}

const secretField = /^\s*(?:-\s+)?["']?\w*(?:token|secret|password|passphrase|api_?key)\w*["']?\s*:/i;

/** The word `hide` outside comments. */
const hideField = /^[^#\n]*\bhide\b/m;

const urlPassword = /:\/\/[^/\s]*@/;

export const defaultConfigFile = 'rollcall.yaml';

/** Reads the given file, or rollcall.yaml if it exists. Throws a UsageError if the file does not have the environment. */
export async function readConfig(
  filename: string | undefined,
  environment: string | undefined,
  files: Files,
  secretFiles: ReadonlySet<string>,
): Promise<ReadConfig> {
  const isThere =
    filename !== undefined || (await files.kindOf(defaultConfigFile).catch(() => '')) !== 'absent';
  if (!isThere) {
    if (environment !== undefined)
      throw new UsageError(
        `the environment ${JSON.stringify(environment)} is not known`,
        `Environments are defined in ${defaultConfigFile}, and this folder has no such file. Name another file with --config.`,
      );
    return { config: noConfig, diagnostics: [], tokens: noTokenPlaces, hide: [] };
  }
  const read = { filename: filename ?? defaultConfigFile };
  const text = await readText(read.filename, files, { secretFiles, linksOutside: 'refused' });
  if ('code' in text) return { ...read, diagnostics: [text], tokens: noTokenPlaces, hide: hideableFields() };
  const hides = hideField.test(text.text);
  // No line is quoted, because variables in this file may contain values of hidden fields.
  const file = hides ? withoutQuotableLines(text) : text;
  const parsed = parseYaml(file);
  const tokens = parsed.value === undefined ? noTokenPlaces : tokenPlaces(parsed.value, file.filename);
  const invalidConfig = (diagnostics: readonly Diagnostic[]): ReadConfig => ({
    ...read,
    diagnostics: diagnostics.map((diagnostic) => withoutToken(diagnostic)),
    tokens,
    hide: hides ? hideableFields() : [],
  });
  if (parsed.value === undefined) return invalidConfig(parsed.diagnostics);
  const { validate } = await import('../generated/config.ts');
  const faults = checkSchema(validate, parsed.value, parsed, file);
  const diagnostics = [...parsed.diagnostics, ...diagnosticsOf(faults)];
  if (diagnostics.length > 0) return invalidConfig(diagnostics);
  // The type Config is generated from the schema that the value satisfies.
  const config = parsed.value as unknown as Config;
  const problems = await configProblems(config, parsed.places, file, files);
  if (problems.length > 0) return invalidConfig(problems);
  const chosen = chooseEnvironment(config, environment, file.filename);
  const tokenFile = environment === undefined ? undefined : config.environments?.[environment]?.token_file;
  const hasTokenOutside = tokenFile !== undefined && !(await isInFolderOf(tokenFile, file.filename, files));
  return {
    ...read,
    config: { ...chosen, hasTokenOutside },
    diagnostics: [],
    tokens,
    hide: config.hide ?? [],
  };
}

export async function environmentNames(
  filename: string | undefined,
  files: Files,
): Promise<readonly string[]> {
  const file = await readText(filename ?? defaultConfigFile, files, { linksOutside: 'refused' });
  if ('code' in file) return [];
  const { value } = parseYaml(file);
  const environments = isJsonObject(value) ? value['environments'] : undefined;
  return isJsonObject(environments) ? Object.keys(environments) : [];
}

/** Reports problems that no schema can find. */
async function configProblems(
  config: Config,
  places: Places,
  file: SourceFile,
  files: Files,
): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  const report = (path: readonly (string | number)[], problem: Problem | undefined): void => {
    if (problem) diagnostics.push(diagnosticAt(file, places.valueSpan(path), problem));
  };
  for (const [index, name] of (config.hide ?? []).entries())
    report(['hide', index], hiddenFieldProblem(name));
  const parts: (readonly [path: readonly string[], part: ConfigEnvironment])[] = [
    [[], config],
    ...Object.entries(config.environments ?? {}).map(
      ([name, part]) => [['environments', name], part] as const,
    ),
  ];
  for (const [path, { release, vars = {}, url, ...lists }] of parts) {
    if (release !== undefined) report([...path, 'release'], releaseProblem(release));
    if (url !== undefined) report([...path, 'url'], urlProblem(url));
    diagnostics.push(...refuseReferences(vars, [...path, 'vars'], places, file));
    for (const list of ['manifests', 'vars_files'] as const)
      for (const [index, entry] of (lists[list] ?? []).entries())
        if (entry === standardInput || !(await isInFolderOf(entry, file.filename, files)))
          report([...path, list, index], outsideFolder);
  }
  return diagnostics;
}

function urlProblem(url: string): Problem | undefined {
  try {
    readBaseUrl(url, true);
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: 'invalid-format', summary: error.message, detail: error.hint };
  }
}

/** Hides the quoted line if it contains a token or password by mistake, and tells the user where a token belongs. */
function withoutToken(diagnostic: Diagnostic): Diagnostic {
  const { excerpt, ...rest } = diagnostic;
  if (excerpt === undefined) return diagnostic;
  if (!secretField.test(excerpt)) return urlPassword.test(excerpt) ? rest : diagnostic;
  if (diagnostic.code !== 'unknown-field') return rest;
  return {
    ...rest,
    detail: 'The token itself does not belong here: name its environment variable with token_env.',
  };
}

function chooseEnvironment(config: Config, environment: string | undefined, filename: string): ChosenConfig {
  const environments = config.environments ?? {};
  const names = Object.keys(environments);
  const chosen =
    environment === undefined
      ? {}
      : Object.hasOwn(environments, environment)
        ? environments[environment]
        : undefined;
  if (chosen === undefined)
    throw new UsageError(
      `the environment ${JSON.stringify(environment)} is not in ${filename}`,
      didYouMean(environment ?? '', names) ??
        (names.length > 0 ? `The environments are: ${names.join(', ')}.` : 'It has none.'),
    );
  const { version: _, environments: __, ...shared } = config;
  const merged = { ...shared, ...chosen };
  const { token_file: tokenFile, manifests = [], allow_files: files, allow_texts: texts, ...own } = merged;
  const fromWorkingDirectory = (path: string): string => resolveFromFile(filename, path);
  return {
    ...own,
    environment,
    vars: { ...config.vars, ...chosen.vars },
    ownVars: Object.keys(chosen.vars ?? {}),
    vars_files: [...(config.vars_files ?? []), ...(chosen.vars_files ?? [])].map(fromWorkingDirectory),
    manifests: manifests.map(fromWorkingDirectory),
    ...(tokenFile !== undefined && { token_file: fromWorkingDirectory(tokenFile) }),
    ...(files && { allow_files: files.map(fromWorkingDirectory) }),
    ...(texts && { allow_texts: texts.map(fromWorkingDirectory) }),
    ...(environment === undefined && { choices: environments }),
  };
}

/** Without this rule, a pull request that edits rollcall.yaml could make a pipeline quote any file of its machine in a message. */
const outsideFolder: Problem = {
  code: 'outside-project',
  summary: 'this path is not inside the folder of this file',
  detail: 'Move the file into that folder, or name it on the command line.',
};

/** Whether a path written in a file is inside the folder of that file after links are followed. */
export async function isInFolderOf(entry: string, filename: string, files: Files): Promise<boolean> {
  const folder = filename.replace(/[^/]*$/, '') || '.';
  const root =
    (await files.kindOf(folder)) === 'absent' ? posix.resolve(folder) : await files.realPath(folder);
  // A path that cannot be resolved, such as a link to itself or a pipe, counts as outside.
  return isPathBelow(resolveFromFile(filename, entry), entry, root, files).catch(() => false);
}

async function isPathBelow(fullPath: string, entry: string, root: string, files: Files): Promise<boolean> {
  const stem =
    (await files.kindOf(fullPath)) === 'absent' ? (globFolder(fullPath) ?? fullPath) || '.' : fullPath;
  if ((await files.kindOf(stem)) !== 'absent') return isBelow(await files.realPath(stem), root);
  // The search for manifests reports missing files; this function only compares the paths.
  return isBelow(posix.resolve(root, entry), root);
}
