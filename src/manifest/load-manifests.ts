import { byPlace, diagnosticFor, type Diagnostic } from '../diagnostic.ts';
import type { Files } from '../files.ts';
import type { Manifest } from '../generated/manifest.ts';
import { validate } from '../generated/validate-manifest.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../json.ts';
import type { Resource } from '../resource.ts';
import type { SourceFile } from '../source.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { readText } from '../yaml/read-text.ts';
import { desiredResources, type Declared } from './desired.ts';
import { findManifests } from './find-manifests.ts';
import { resolveReferences } from './references.ts';
import { checkRules } from './rules.ts';
import { secretFiles, type SecretSources } from './secret-reference.ts';
import { trimManifest } from './trim.ts';

export interface LoadedManifests {
  /** What the valid entries declare, in the order of the files. Complete only when no diagnostic is an error. */
  readonly resources: readonly Resource[];
  /** Every problem of every file, by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files that were found, in order. */
  readonly filenames: readonly string[];
}

export interface LoadOptions {
  readonly files: Files;
  /** What `${var:NAME}` stands for. Without it nothing is known of variables, and none is complained of. */
  readonly variables?: Readonly<Record<string, JsonValue>>;
  /** What `${env:NAME}` stands for. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further variables that no manifest may refer to. */
  readonly withheld?: readonly string[];
  /** Whether a warning is an error. */
  readonly strict?: boolean;
}

/** More than this is no roll that one run should call. */
const maxResources = 200_000;

/** The manifest stage: paths → files → YAML → references → schema → desired resources → rules over all of them. */
export async function loadManifests(
  paths: readonly string[],
  options: LoadOptions,
): Promise<LoadedManifests> {
  const { files, strict = false } = options;
  const found = await findManifests(paths, files);
  const diagnostics = [...found.diagnostics];
  const named: Resource[] = [];
  const resources: Resource[] = [];
  let declared = 0;
  const filesOf = secretFiles(files);
  for (const filename of found.filenames) {
    const file = await readText(filename, files);
    if ('code' in file) {
      diagnostics.push(file);
      continue;
    }
    const looksLike = countEntries(file.text, maxResources - declared);
    const understood =
      declared + looksLike > maxResources ? 'too many' : await understand(file, options, filesOf(filename));
    declared += understood === 'too many' ? looksLike : understood.entries;
    if (understood === 'too many' || declared > maxResources) {
      diagnostics.push(tooMany(file));
      break;
    }
    for (const resource of understood.named) named.push(resource);
    for (const resource of understood.whole) resources.push(resource);
    for (const diagnostic of understood.diagnostics) diagnostics.push(diagnostic);
  }
  for (const diagnostic of checkRules(named, resources)) diagnostics.push(diagnostic);
  const sorted = once(diagnostics).toSorted(byPlace);
  return {
    resources,
    diagnostics: strict ? sorted.map((diagnostic) => asError(diagnostic)) : sorted,
    filenames: found.filenames,
  };
}

interface Understood extends Declared {
  readonly diagnostics: readonly Diagnostic[];
  /** How many entries stand in the lists, valid or not. */
  readonly entries: number;
}

async function understand(
  file: SourceFile,
  { variables, env = {}, withheld = [] }: LoadOptions,
  readFile: SecretSources['readFile'],
): Promise<Understood> {
  const nothing = { named: [], whole: [], entries: 0 };
  const parsed = await parseYaml(file, countNames(file.text));
  if (parsed.value === undefined) return { ...nothing, diagnostics: parsed.diagnostics };
  if (parsed.value === null && parsed.diagnostics.length === 0)
    return { ...nothing, diagnostics: [emptyFile(file)] };
  const entries = entriesIn(parsed.value);
  if (entries > maxResources) return { ...nothing, entries, diagnostics: [] };
  const resolved = await resolveReferences(
    parsed.value,
    { env, withheld, readFile, ...(variables && { variables }) },
    parsed.places,
    file,
  );
  const diagnostics = [...parsed.diagnostics, ...resolved.diagnostics];
  const manifest = trimManifest(resolved.value);
  const faults = checkSchema(validate, manifest, { places: parsed.places, diagnostics }, file);
  const unresolved = new Set(resolved.unresolved.map((path) => path.join('/')));
  const told = diagnosticsOf(faults.filter(({ path }) => !unresolved.has(path.join('/'))));
  for (const diagnostic of told) diagnostics.push(diagnostic);
  if (!isJsonObject(manifest)) return { ...nothing, diagnostics };
  const brokenPaths = [...faults.map(({ path }) => path), ...resolved.unresolved];
  const declared = desiredResources({
    // What satisfies the schema is a Manifest; entries that do not are left out by `broken`.
    manifest: manifest as unknown as Manifest,
    shown: resolved.shown === resolved.value ? manifest : trimManifest(resolved.shown),
    secrets: resolved.secrets,
    references: resolved.references,
    broken: new Set(brokenPaths.map((path) => path.slice(0, 3).join('/'))),
    places: parsed.places,
    file,
  });
  return { ...declared, diagnostics, entries };
}

function entriesIn(manifest: JsonValue): number {
  if (!isJsonObject(manifest)) return 0;
  return [manifest['applications'], manifest['users']].reduce<number>(
    (sum, list) => sum + (isJsonList(list) ? list.length : 0),
    0,
  );
}

/** Counts what looks like the name of an entry, wherever it stands. */
function countNames(text: string): number {
  const name = /(?:slug|username)["']?[ \t]*:/g;
  let count = 0;
  while (count <= maxResources && name.test(text)) count += 1;
  return count;
}

/** Counts the lines that begin like an entry: before parsing, so that far too many cost nothing. */
function countEntries(text: string, enough: number): number {
  const entry = /^[ \t]*(?:-[ \t]+)?(?:\{[ \t]*)?["']?(?:slug|username)["']?[ \t]*:/gm;
  let count = 0;
  while (count <= enough && entry.test(text)) count += 1;
  return count;
}

/** What stands behind an alias is found wrong wherever the alias stands. */
function once(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, summary, range }) => {
    const key = JSON.stringify([code, summary, range]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function tooMany(file: SourceFile): Diagnostic {
  return diagnosticFor(file.filename, {
    code: 'too-many-resources',
    summary: `more than ${maxResources} resources are declared, counting from the first file to this one`,
    detail: 'Divide the manifests over several runs.',
  });
}

function emptyFile(file: SourceFile): Diagnostic {
  return diagnosticFor(file.filename, {
    code: 'empty-file',
    summary: 'this file declares nothing',
    detail: 'A manifest begins with `version: 1` and declares `applications`, `users`, or both.',
  });
}

function asError(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.severity === 'error' ? diagnostic : { ...diagnostic, severity: 'error' };
}
