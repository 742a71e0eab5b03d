import { randomInt } from 'node:crypto';
import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { noOwnSecrets } from '../base/own-secrets.ts';
import { PathMap } from '../base/path-map.ts';
import { withoutQuotableLines, type SourceFile } from '../base/source.ts';
import { lists } from '../kinds/all.ts';
import type { HiddenFieldNames } from '../kinds/hide.ts';
import { checkSchema, diagnosticsOf, positionKey, type SchemaFault } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { manifestCheck, listsOfManifest } from './manifest-check.ts';
import { desiredResources, entriesOf, type DeclaredEntries } from './desired.ts';
import { notAManifestReason } from './not-a-manifest.ts';
import { rewrittenNumbers } from './rewritten-numbers.ts';
import { ReferenceResolver, type VariablesByEnvironment, type References } from './references.ts';
import type { ReferencePolicy, SecretSources } from './secret-reference.ts';
import { readSecretFields, tokenIn } from './secrets-in-clear.ts';
import { trimManifest } from './trim.ts';

export interface ReadingOptions extends ReferencePolicy {
  readonly variables?: Readonly<Record<string, JsonValue>>;
  readonly choices?: VariablesByEnvironment;
  /** Environment variables, for `${env:NAME}`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Returns a whole number below `limit`, for `${generate:LENGTH}`; by default from a cryptographically secure source. */
  readonly random?: (limit: number) => number;
  /** If `assumed`, no secret is read: each sensitive reference counts as resolved, with an unknown value. */
  readonly secrets?: 'read' | 'assumed';
  readonly hide?: HiddenFieldNames;
  /** Whether only documented operations are allowed. If so, manifests must contain ids, because names cannot be looked up. */
  readonly contractOnly?: boolean;
}

export interface ReadManifest extends DeclaredEntries {
  readonly diagnostics: readonly Diagnostic[];
  readonly entries: number;
  readonly secrets: Iterable<string>;
  readonly variables: Iterable<string>;
  readonly references: References;
}

/** Reads a manifest with at most `maxEntries`: YAML → references → schema → desired resources. */
export async function readManifest(
  text: SourceFile,
  maxEntries: number,
  readFile: SecretSources['readFile'],
  options: ReadingOptions,
): Promise<ReadManifest> {
  const { ownSecrets = noOwnSecrets, hide = [], secrets: mode, env = {}, contractOnly = false } = options;
  const areAssumed = mode === 'assumed';
  const nothing: ReadManifest = {
    entriesWithName: [],
    allEntries: [],
    valid: [],
    entries: 0,
    secrets: [],
    variables: [],
    references: new PathMap(),
    diagnostics: [],
  };
  const items = countItems(text.text, maxEntries);
  if (items > maxEntries) return { ...nothing, entries: items };
  // Hidden values may also be in misspelt or wrongly indented fields, and in comments.
  const quoted = hide.length > 0 ? withoutQuotableLines(text) : text;
  const parsed = parseYaml(quoted, maxEntries);
  const { value, places } = parsed;
  const refused = notAManifestReason(text.filename, parsed);
  if (refused) return { ...nothing, diagnostics: [diagnosticFor(text.filename, refused)] };
  if (value === undefined) return { ...nothing, diagnostics: parsed.diagnostics };
  const entries = isJsonObject(value)
    ? lists.reduce((sum, list) => sum + entriesOf(value, list).length, 0)
    : 0;
  if (entries > maxEntries) return { ...nothing, entries };
  const { random = (limit) => randomInt(limit) } = options; // node:crypto takes long to load
  const sources = { ...options, random, env: areAssumed ? {} : env, policy: options, readFile, areAssumed };
  const resolver = new ReferenceResolver(sources, places, quoted);
  const resolved = await resolver.resolve(value);
  const { references, variables, unresolved: broken } = resolver;
  const diagnostics = [
    ...parsed.diagnostics,
    ...resolver.diagnostics,
    ...ownSecrets.tokens.flatMap((token) => tokenIn(quoted, token, resolved, places)),
  ];
  const ofSecrets = { references, broken, areAssumed };
  const fields = readSecretFields(trimManifest(resolved), ofSecrets, places, quoted);
  const { manifest, file } = fields;
  const secrets = [...resolver.secrets, ...fields.secrets];
  diagnostics.push(...fields.diagnostics);
  const check = await manifestCheck(listsOfManifest(manifest));
  const found = checkSchema(check, manifest, { places, diagnostics }, file);
  const faults = areAssumed ? found.filter((fault) => !isAssumed(fault, references)) : found;
  for (const diagnostic of diagnosticsOf(faults.filter(({ path }) => !broken.has(path))))
    diagnostics.push(diagnostic);
  const reportedPlaces = new Set(diagnostics.map((diagnostic) => positionKey(diagnostic)));
  for (const warning of rewrittenNumbers(value, places, file))
    if (!reportedPlaces.has(positionKey(warning))) diagnostics.push(warning);
  if (!isJsonObject(manifest)) return { ...nothing, diagnostics, secrets, variables, references };
  for (const { path } of faults) broken.set(path, true);
  const declared = desiredResources({
    manifest,
    secrets: secrets.length === 0 ? ownSecrets.texts : [...ownSecrets.texts, ...secrets],
    references,
    areAssumed,
    broken,
    places,
    file,
    hide,
    contractOnly,
    diagnostics,
  });
  return { ...declared, diagnostics, entries, secrets, variables, references };
}

/** Whether a fault is uncertain because a sensitive value is unknown. A sensitive value is always a string, so any other type is certainly wrong. */
function isAssumed({ path, diagnostic }: SchemaFault, references: References): boolean {
  return diagnostic?.code !== 'wrong-type' && references.has(path);
}

/** Matches a line that has the key of a list, a list item, or another top-level key. */
const listLine = String.raw`^(?:(["']?(?:${lists.join('|')})["']?[ \t]*:)|([ \t]*-)(?=\s)|[^\s#-])`;

/** Counts list items in block style before parsing, so that a manifest with far too many is refused early. */
function countItems(text: string, max: number): number {
  if (text.length <= max) return 0; // each item needs more than one character
  const lines = new RegExp(listLine, 'gm');
  let isInList = false;
  let first: string | undefined;
  let count = 0;
  for (let line = lines.exec(text); line && count <= max; line = lines.exec(text)) {
    const [, head, dash] = line;
    if (dash === undefined) {
      isInList = head !== undefined;
      first = undefined;
    } else if (isInList) {
      first ??= dash; // all items of a list have the same indentation
      if (dash === first) count += 1;
    }
  }
  return count;
}
