import { posix } from 'node:path';
import {
  type Address,
  comparePlaces,
  redactDiagnostic,
  type Diagnostic,
  diagnosticFor,
} from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { resolveFromFile } from '../base/path-rules.ts';
import { redactorOfLong } from '../base/redactor.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { readText } from '../yaml/read-text.ts';
import { findManifests } from './find-manifests.ts';
import { limitProblem, limits, type Limits } from './limits.ts';
import { readManifest, type ReadingOptions } from './read-manifest.ts';
import type { References } from './references.ts';
import { LoginEntries } from './open-login.ts';
import { fieldChecks } from './field-checks.ts';
import { ManifestRules, type KnownRelease } from './rules.ts';
import { referencedFiles } from './secret-reference.ts';

export interface LoadedManifests {
  /** The valid entries in file order; some are missing if a diagnostic is an error. */
  readonly resources: readonly Resource[];
  /** The number of valid entries of each kind. */
  readonly counts: ReadonlyMap<Kind<ResourceType>, number>;
  /** The addresses of all entries, even invalid ones, except entries without a name or with a secret name. */
  readonly addresses: ReadonlySet<Address>;
  readonly diagnostics: readonly Diagnostic[];
  readonly filenames: readonly string[];
  /** The names of the variables that the manifests refer to. */
  readonly variables: ReadonlySet<string>;
  readonly referencedFiles: ReadonlySet<string>;
  /** Values that were not checked because secrets were not read. */
  readonly unchecked?: UncheckedCounts;
}

export interface UncheckedCounts {
  readonly values: number;
  readonly variables: readonly string[];
  readonly files: readonly string[];
}

export interface LoadOptions extends ReadingOptions {
  readonly files: Files;
  readonly release?: KnownRelease;
  readonly strict?: boolean;
  /** Whether only the diagnostics and counts are needed, so that no resources are kept in memory. */
  readonly isCheckOnly?: boolean;
  /** Whether to report the warnings of a resource; by default, warnings of all resources are reported. */
  readonly isWarningReported?: (address: Address) => boolean;
  readonly limits?: Limits;
  readonly allowsOpenLogin?: boolean;
  /** The configuration file, which is not a manifest. */
  readonly settingsFile?: string;
}

/** Loads manifests: paths → files → YAML → references → schema → desired resources → rules over all of them. */
export async function loadManifests(
  paths: readonly string[],
  options: LoadOptions,
): Promise<LoadedManifests> {
  const { files, ownSecrets, strict = false, settingsFile } = options;
  const { isCheckOnly = false, isWarningReported = () => true, limits: maximum = limits } = options;
  const found = await findManifests(paths, files, settingsFile);
  const diagnostics = [...found.diagnostics];
  const resources: Resource[] = [];
  const counts = new Map<Kind<ResourceType>, number>();
  const rules = new ManifestRules(options.release);
  const login = new LoginEntries();
  let entries = 0;
  const secrets = new Set(ownSecrets?.texts);
  const areAssumed = options.secrets === 'assumed';
  const readPaths = new Set<string>();
  const variables = new Set<string>();
  const fileAccess = { secret: areAssumed ? withoutContent(files) : files, text: files };
  const filesOf = referencedFiles(fileAccess, options, readPaths);
  const references = new Map<string, References>();
  for (const filename of found.filenames) {
    const file = await readText(filename, files, ownSecrets && { secretFiles: ownSecrets.files });
    if ('code' in file) {
      diagnostics.push(file);
      continue;
    }
    const readManifests = await readManifest(file, maximum.entries, filesOf(filename), options);
    const { valid } = readManifests;
    login.add(valid);
    for (const { kind } of valid) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const reported = [...readManifests.diagnostics, ...rules.check(readManifests)].filter(
      ({ severity, address }) =>
        strict || severity === 'error' || address === undefined || isWarningReported(address),
    );
    if (!isCheckOnly) for (const resource of valid) resources.push(resource);
    for (const diagnostic of reported) diagnostics.push(diagnostic);
    for (const secret of readManifests.secrets) secrets.add(secret);
    for (const name of readManifests.variables) variables.add(name);
    if (areAssumed) references.set(filename, readManifests.references);
    entries += readManifests.entries;
    const tooMuch = limitProblem({ entries, problems: diagnostics.length }, maximum);
    if (tooMuch) {
      diagnostics.push(diagnosticFor(file.filename, tooMuch));
      break;
    }
  }
  if (!options.allowsOpenLogin) diagnostics.push(...login.problems());
  const sorted = hideLinesWithSecrets(uniqueDiagnostics(diagnostics).toSorted(comparePlaces), [...secrets]);
  return {
    resources,
    counts,
    addresses: new Set(rules.names.keys()),
    diagnostics: withStrictness(sorted, strict),
    filenames: found.filenames,
    variables,
    referencedFiles: readPaths,
    ...(areAssumed && { unchecked: uncheckedCounts(references) }),
  };
}

/** Checks the fields of valid manifests against the release. Records in `existing` need no fields that only a create requires. */
export function checkByRelease(
  resources: readonly Resource[],
  release: Release | undefined,
  strict: boolean,
  existing: ReadonlyMap<Address, JsonObject>,
): Diagnostic[] {
  const found = resources.flatMap((resource) => {
    const diagnostics = [...fieldChecks(resource, release, existing.get(resource.address))];
    return diagnostics.length === 0 ? [] : hideLinesWithSecrets(diagnostics, resource.secrets);
  });
  return withStrictness(uniqueDiagnostics(found).toSorted(comparePlaces), strict);
}

function withStrictness(diagnostics: Diagnostic[], strict: boolean): Diagnostic[] {
  return strict ? diagnostics.map((diagnostic) => ({ ...diagnostic, severity: 'error' })) : diagnostics;
}

/** File access for runs without secrets: it tells the types of paths but reads no content. */
function withoutContent(files: Files): Files {
  return { ...files, read: async () => new Uint8Array() };
}

/** Removes repeated diagnostics: a mistake that YAML aliases repeat is found at each alias. */
function uniqueDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, summary, range }) => {
    const key = JSON.stringify([code, summary, range]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Hides lines that contain a secret. Short secrets are ignored, because lines may contain them by chance. */
function hideLinesWithSecrets(diagnostics: readonly Diagnostic[], secrets: readonly string[]): Diagnostic[] {
  if (diagnostics.length === 0) return [];
  const redactor = redactorOfLong(secrets);
  return diagnostics.map((diagnostic) => redactDiagnostic(diagnostic, redactor));
}

/** Counts what the references of each manifest stand for. */
function uncheckedCounts(referencesByFile: ReadonlyMap<string, References>): UncheckedCounts {
  const [variables, files] = [new Set<string>(), new Set<string>()];
  let values = 0;
  for (const [manifest, references] of referencesByFile)
    for (const [, template] of references.entries()) {
      if (template.some((part) => typeof part === 'object' && !('generate' in part))) values += 1;
      for (const part of template)
        if (typeof part === 'string') continue;
        else if ('env' in part) variables.add(part.env);
        else if ('file' in part) files.add(posix.normalize(resolveFromFile(manifest, part.file)));
    }
  return { values, variables: [...variables], files: [...files] };
}
