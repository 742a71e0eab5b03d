import { byPlace, diagnosticFor, type Diagnostic } from '../diagnostic.ts';
import type { Files } from '../files.ts';
import { schema, type Manifest } from '../generated/manifest.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { Resource } from '../resource.ts';
import type { SourceFile } from '../source.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { readText } from '../yaml/read-text.ts';
import { desiredResources } from './desired.ts';
import { findManifests } from './find-manifests.ts';
import { resolveReferences, type ReferenceSources } from './references.ts';
import { rules } from './rules.ts';
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
  /** What `${var:NAME}` stands for. */
  readonly variables?: Readonly<Record<string, JsonValue>>;
  /** What `${env:NAME}` stands for. */
  readonly env?: Readonly<Record<string, string | undefined>>;
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
  const resources: Resource[] = [];
  let declared = 0;
  for (const filename of found.filenames) {
    const file = await readText(filename, files);
    if ('code' in file) {
      diagnostics.push(file);
      continue;
    }
    declared += countEntries(file.text, maxResources - declared);
    if (declared > maxResources) {
      diagnostics.push(tooMany(file));
      break;
    }
    const understood = await understand(file, options);
    for (const resource of understood.resources) resources.push(resource);
    for (const diagnostic of understood.diagnostics) diagnostics.push(diagnostic);
  }
  for (const rule of rules) for (const diagnostic of rule(resources)) diagnostics.push(diagnostic);
  const sorted = diagnostics.toSorted(byPlace);
  return {
    resources,
    diagnostics: strict ? sorted.map((diagnostic) => asError(diagnostic)) : sorted,
    filenames: found.filenames,
  };
}

type Understood = Omit<LoadedManifests, 'filenames'>;

async function understand(file: SourceFile, options: LoadOptions): Promise<Understood> {
  const parsed = parseYaml(file);
  if (parsed.value === undefined) return { resources: [], diagnostics: parsed.diagnostics };
  if (parsed.value === null && parsed.diagnostics.length === 0)
    return { resources: [], diagnostics: [emptyFile(file)] };
  const resolved = await resolveReferences(parsed.value, sourcesFor(file, options), parsed.places, file);
  const diagnostics = [...parsed.diagnostics, ...resolved.diagnostics];
  const manifest = trimManifest(resolved.value);
  const faults = checkSchema(schema, manifest, { places: parsed.places, diagnostics }, file);
  for (const diagnostic of diagnosticsOf(faults)) diagnostics.push(diagnostic);
  if (!isJsonObject(manifest)) return { resources: [], diagnostics };
  const brokenPaths = [...faults.map(({ path }) => path), ...resolved.unresolved];
  const broken = new Set(brokenPaths.map((path) => path.slice(0, 2).join('/')));
  const resources = desiredResources({
    // What satisfies the schema is a Manifest; entries that do not are left out by `broken`.
    manifest: manifest as unknown as Manifest,
    shown: resolved.shown === resolved.value ? manifest : trimManifest(resolved.shown),
    secrets: resolved.secrets,
    broken,
    places: parsed.places,
    file,
  });
  return { resources, diagnostics };
}

function sourcesFor(file: SourceFile, { files, variables = {}, env = {} }: LoadOptions): ReferenceSources {
  const folder = file.filename.replace(/[^/]*$/, '');
  return {
    variables,
    env,
    async readFile(path) {
      const text = await readText(path.startsWith('/') ? path : folder + path, files);
      if ('code' in text) throw new Error(text.summary);
      return text.text;
    },
  };
}

/** Counts what looks like the name of an entry: before parsing, so that too many cost nothing. */
function countEntries(text: string, enough: number): number {
  const name = /(?:^|[\s{,"'])(?:slug|username)["']?[ \t]*:/g;
  let count = 0;
  while (count <= enough && name.test(text)) count += 1;
  return count;
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
