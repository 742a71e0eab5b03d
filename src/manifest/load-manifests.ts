import {
  type Address,
  byPlace,
  cleanDiagnostic,
  type Diagnostic,
  diagnosticAt,
  diagnosticFor,
} from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import { validate } from '../generated/manifest.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { noOwnSecrets, shortestOwnSecret } from '../base/own-secrets.ts';
import { PathMap } from '../base/path-map.ts';
import { Redactor } from '../base/redactor.ts';
import { kinds, type ResourceType } from '../kinds/all.ts';
import type { Capability } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import type { Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { unquotable, type SourceFile } from '../base/source.ts';
import { checkSchema, diagnosticsOf, type SchemaFault } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { Places } from '../yaml/places.ts';
import { readText } from '../yaml/read-text.ts';
import { desiredResources, entriesOf, type Declared } from './desired.ts';
import { detached } from './detached.ts';
import { findManifests } from './find-manifests.ts';
import { excess, limits, type Limits } from './limits.ts';
import { nameFaults } from './name-faults.ts';
import { noManifest } from './no-manifest.ts';
import { quotable } from './quotable.ts';
import type { ReferencePolicy } from './reference-policy.ts';
import { resolveReferences, type EnvironmentChoices, type References } from './references.ts';
import { Rules } from './rules.ts';
import { secretFiles, type SecretSources } from './secret-reference.ts';
import { trimManifest } from './trim.ts';
import { UncheckedValues, type Unchecked } from './unchecked.ts';

export interface LoadedManifests {
  /** Those of the valid entries that are kept, in the order of the files. Complete only when no diagnostic is an error. */
  readonly resources: readonly Resource[];
  /** How many valid entries there are, kept or not. */
  readonly declared: number;
  /** The same of each type that is declared. */
  readonly counts: ReadonlyMap<ResourceType, number>;
  /** Of every entry that has a name, valid or not, unless that is a secret. There may be millions. */
  readonly addresses: Iterable<Address> & Pick<ReadonlySet<Address>, 'has'>;
  /** Every problem of every file, by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files that were found, in order. */
  readonly filenames: readonly string[];
  /** The files that the manifests refer to. */
  readonly secretFiles: ReadonlySet<string>;
  /** What was assumed; only where secrets are. */
  readonly unchecked?: Unchecked;
}

export interface LoadOptions extends ReferencePolicy {
  readonly files: Files;
  /** What `${var:NAME}` stands for. Without it nothing is known of variables, and none is complained of. */
  readonly variables?: Readonly<Record<string, JsonValue>>;
  readonly choices?: EnvironmentChoices;
  /** What `${env:NAME}` stands for; `${file:PATH}` is among the files. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether those two are read; otherwise they count as there and not known, whatever this machine holds. */
  readonly secrets?: 'read' | 'assumed';
  /** The fields that nothing shows. */
  readonly hide?: Hide;
  /** The release of the service, where it is known. */
  readonly release?: Release;
  /** What is turned on beyond the documented operations; nothing by default. */
  readonly capabilities?: readonly Capability[];
  /** Whether a warning is an error. */
  readonly strict?: boolean;
  /** Which valid entries are kept; all by default. It is asked about each, in their order. */
  readonly keep?: (resource: Resource) => boolean;
  /** Of which resources warnings are told; of all by default. */
  readonly warns?: (address: Address) => boolean;
  /** How much is read at the most. */
  readonly most?: Limits;
  /** The file of settings that is in use: no manifest, whatever folder it is in. */
  readonly settingsFile?: string;
}

/** The manifest stage: paths → files → YAML → references → schema → desired resources → rules over all of them. */
export async function loadManifests(
  paths: readonly string[],
  options: LoadOptions,
): Promise<LoadedManifests> {
  const { files, own, strict = false, settingsFile } = options;
  const { keep = () => true, warns = () => true, most = limits } = options;
  const found = await findManifests(paths, files, settingsFile);
  const diagnostics = [...found.diagnostics];
  const resources: Resource[] = [];
  const counts = new Map<ResourceType, number>();
  const rules = new Rules(options.release);
  let declared = 0;
  let entries = 0;
  const secrets = new Set(own?.texts);
  const areAssumed = options.secrets === 'assumed';
  const named = new Set<string>();
  const filesOf = secretFiles(areAssumed ? unopened(files) : files, options, named);
  const unchecked = areAssumed ? new UncheckedValues() : undefined;
  for (const filename of found.filenames) {
    const file = await readText(filename, files, own && { closed: own.files });
    if ('code' in file) {
      diagnostics.push(file);
      continue;
    }
    const understood = await understand(file, options, filesOf(filename));
    const { whole } = understood;
    for (const { kind } of whole) counts.set(kind.type, (counts.get(kind.type) ?? 0) + 1);
    const kept = whole.filter((resource) => keep(resource));
    const told = [...understood.diagnostics, ...rules.check(understood)].filter(
      ({ severity, address }) => strict || severity === 'error' || address === undefined || warns(address),
    );
    // Where most of a file is not kept, its text is not kept either.
    const isLetGo = kept.length * 2 < whole.length;
    for (const resource of isLetGo ? detached(kept, understood.file) : kept) resources.push(resource);
    for (const diagnostic of isLetGo ? structuredClone(told) : told) diagnostics.push(diagnostic);
    for (const secret of understood.secrets) secrets.add(secret);
    unchecked?.add(filename, understood.references);
    declared += whole.length;
    entries += understood.entries;
    const sizes = { inFile: understood.entries, kept: resources.length, declared: entries };
    const tooMuch = excess({ ...sizes, problems: diagnostics.length }, most);
    if (tooMuch) {
      diagnostics.push(diagnosticFor(file.filename, tooMuch));
      break;
    }
  }
  const sorted = withoutSecrets(once(diagnostics).toSorted(byPlace), secrets);
  return {
    resources,
    declared,
    counts,
    addresses: rules.names,
    diagnostics: strict ? sorted.map((diagnostic) => ({ ...diagnostic, severity: 'error' })) : sorted,
    filenames: found.filenames,
    secretFiles: named,
    ...(unchecked && { unchecked: unchecked.all() }),
  };
}

/** Tells of each file what may be told without a look into it. */
function unopened(files: Files): Files {
  return { ...files, read: async () => new Uint8Array() };
}

interface Understood extends Declared {
  /** The file as messages may show it. */
  readonly file: SourceFile;
  readonly diagnostics: readonly Diagnostic[];
  /** How many entries stand in the lists, valid or not. */
  readonly entries: number;
  readonly secrets: Iterable<string>;
  readonly references: References;
}

async function understand(
  text: SourceFile,
  options: LoadOptions,
  readFile: SecretSources['readFile'],
): Promise<Understood> {
  const { variables, choices, own, hide = [], most = limits } = options;
  const hides = hide.length > 0;
  const areAssumed = options.secrets === 'assumed';
  const env = areAssumed ? {} : (options.env ?? {});
  const nothing = {
    file: text,
    named: [],
    mappings: [],
    whole: [],
    entries: 0,
    secrets: [],
    references: new PathMap<never>(),
  };
  const looksLike = countEntries(text.text, most.inFile);
  if (looksLike > most.inFile) return { ...nothing, entries: looksLike, diagnostics: [] };
  const parsed = await parseYaml(hides ? unquotable(text) : text, most.inFile);
  const file = hides ? quotable(text, parsed, hide) : text;
  const otherwise = noManifest(file.filename, parsed.value);
  if (otherwise) return { ...nothing, diagnostics: [diagnosticFor(file.filename, otherwise)] };
  if (parsed.value === undefined) return { ...nothing, diagnostics: parsed.diagnostics };
  if (parsed.value === null && parsed.diagnostics.length === 0)
    return { ...nothing, diagnostics: [emptyFile(file)] };
  const entries = entriesIn(parsed.value);
  if (entries > most.inFile) return { ...nothing, entries, diagnostics: [] };
  const resolved = await resolveReferences(
    parsed.value,
    {
      env,
      policy: options,
      readFile,
      areAssumed,
      ...(variables && { variables }),
      ...(choices && { choices }),
    },
    parsed.places,
    file,
  );
  const diagnostics = [...parsed.diagnostics, ...resolved.diagnostics];
  for (const token of own?.tokens ?? [])
    diagnostics.push(...tokenIn(file, token, resolved.value, parsed.places));
  const manifest = trimManifest(resolved.value);
  const found = checkSchema(validate, manifest, { places: parsed.places, diagnostics }, file);
  const faults = areAssumed ? found.filter((fault) => !isAssumed(fault, resolved.references)) : found;
  const { secrets, references, unresolved: broken } = resolved;
  const told = diagnosticsOf(faults.filter(({ path }) => !broken.has(path)));
  for (const diagnostic of told) diagnostics.push(diagnostic);
  if (!isJsonObject(manifest)) return { ...nothing, diagnostics, secrets, references };
  const { texts } = own ?? noOwnSecrets;
  const ofNames = nameFaults(manifest, options.capabilities ?? [], {
    references,
    places: parsed.places,
    file,
  });
  for (const { diagnostic } of ofNames) diagnostics.push(diagnostic);
  for (const { path } of [...faults, ...ofNames]) broken.set(path, true);
  const declared = desiredResources({
    manifest,
    secrets: secrets.length === 0 ? texts : [...texts, ...secrets],
    references,
    areAssumed,
    broken,
    places: parsed.places,
    file,
    hide,
  });
  return { ...declared, file, diagnostics, entries, secrets, references };
}

/** Whether a fault may not be there, as the value is not known. That it is a text is known: a number cannot be a secret. */
function isAssumed({ path, diagnostic }: SchemaFault, references: References): boolean {
  return diagnostic?.code !== 'wrong-type' && references.has(path);
}

/** A token that stands in a manifest would be sent as a value, and shown in the plan. It may be written with escapes, or put together. */
function tokenIn(file: SourceFile, token: string, value: JsonValue, places: Places): Diagnostic[] {
  const at = file.text.indexOf(token);
  const path = at === -1 ? pathTo(token, value) : undefined;
  if (at === -1 && path === undefined) return [];
  const { excerpt, ...placed } = diagnosticAt(file, path ? places.ofValue(path) : [at, at + token.length], {
    code: 'invalid-value',
    summary: 'an access token stands here',
    detail: 'It is no secret any more: have another one made, and keep that out of manifests.',
  });
  // A line may hold a part of the token that is too short to be blanked out.
  return [path || excerpt === undefined ? placed : { ...placed, excerpt }];
}

/** Where a text stands in a value, or in the name of one. */
function pathTo(text: string, value: JsonValue): (string | number)[] | undefined {
  if (typeof value === 'string') return value.includes(text) ? [] : undefined;
  const inside = isJsonList(value) ? value.entries() : isJsonObject(value) ? Object.entries(value) : [];
  for (const [step, inner] of inside) {
    if (typeof step === 'string' && step.includes(text)) return [step];
    const path = pathTo(text, inner);
    if (path) return [step, ...path];
  }
  return undefined;
}

function entriesIn(manifest: JsonValue): number {
  if (!isJsonObject(manifest)) return 0;
  return kinds.reduce((sum, kind) => sum + entriesOf(manifest, kind).length, 0);
}

/** The fields that name an entry, and that stand in none of another kind. */
const names = kinds
  .filter((kind) => kinds.every((other) => other === kind || !Object.hasOwn(other.fields, kind.identity)))
  .map(({ identity }) => identity);

/** Counts the lines that begin like an entry: before parsing, so that far too many cost nothing. */
function countEntries(text: string, enough: number): number {
  const entry = new RegExp(
    String.raw`^[ \t]*(?:-[ \t]+)?(?:\{[ \t]*)?["']?(?:${names.join('|')})["']?[ \t]*:`,
    'gm',
  );
  let count = 0;
  while (count <= enough && entry.test(text)) count += 1;
  return count;
}

/** A mistake behind an alias is found once for each use of the alias. */
function once(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, summary, range }) => {
    const key = JSON.stringify([code, summary, range]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** What a diagnostic quotes was written by hand: a short secret that stands there does so by chance. */
function withoutSecrets(diagnostics: readonly Diagnostic[], secrets: ReadonlySet<string>): Diagnostic[] {
  if (diagnostics.length === 0) return [];
  const redactor = new Redactor([...secrets].filter(({ length }) => length >= shortestOwnSecret));
  return diagnostics.map((diagnostic) => cleanDiagnostic(diagnostic, redactor));
}

const lists = kinds.map(({ list }) => `\`${list}\``).join(', ');

function emptyFile(file: SourceFile): Diagnostic {
  return diagnosticFor(file.filename, {
    code: 'empty-file',
    summary: 'this file declares nothing',
    detail: `A manifest begins with \`version: 1\` and declares ${lists}, or ${kinds.length === 2 ? 'both' : 'several'}.`,
  });
}
