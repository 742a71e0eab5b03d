import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import {
  entriesIn,
  isEmptyObject,
  isJsonObject,
  type JsonValue,
  isJsonList,
  type JsonObject,
  valueAt,
} from '../base/json.ts';
import { rangeOf, type SourceFile, sourceFile } from '../base/source.ts';
import { secretFields } from '../kinds/hide.ts';
import type { Places } from '../yaml/places.ts';
import { entriesWithKind } from './desired.ts';
import type { Path, PathMap } from '../base/path-map.ts';
import { kindOfEntry } from '../kinds/all.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { References } from './references.ts';

/**
 * Reads the secret fields. Their values must come from the environment or from files; the paths of all others are added to
 * `broken`. Secret JSON is parsed, and the returned file does not quote lines with secrets in clear.
 */
export function readSecretFields(
  declared: JsonValue,
  { references, broken, areAssumed }: { references: References; broken: PathMap<true>; areAssumed: boolean },
  places: Places,
  quoted: SourceFile,
): {
  readonly manifest: JsonValue;
  readonly secrets: readonly string[];
  readonly file: SourceFile;
  readonly diagnostics: readonly Diagnostic[];
} {
  const paths = secretFieldPaths(declared);
  const inClear = paths.filter((path) => !references.has(path) && !broken.has(path));
  const read = paths.filter((path) => references.has(path));
  const { manifest, secrets } = withSecretJson(declared, read, areAssumed);
  const empty = areAssumed ? [] : read.filter((path) => valueAt(manifest, path) === '');
  const file = hideLines(quoted, places, inClear);
  for (const path of [...inClear, ...empty]) broken.set(path, true);
  const reported = (problem: Problem) => (path: Path) => diagnosticAt(file, places.valueSpan(path), problem);
  const diagnostics = [...inClear.map(reported(plainTextSecret)), ...empty.map(reported(emptySecret))];
  return { manifest, secrets, file, diagnostics };
}

/** The paths of secret fields. An empty mapping is no secret. */
function secretFieldPaths(manifest: JsonValue): (string | number)[][] {
  if (!isJsonObject(manifest)) return [];
  return entriesWithKind(manifest).flatMap(({ kind, index, entry }) =>
    secretFields(kind)
      .filter((field) => Object.hasOwn(entry, field) && !isEmptyObject(entry[field]))
      .map((field) => [kind.list, index, field]),
  );
}

function hideLines(file: SourceFile, places: Places, paths: readonly (string | number)[][]): SourceFile {
  if (paths.length === 0) return file;
  const lines = new Set<number>();
  for (const path of paths) {
    const { start, end } = rangeOf(file, places.valueSpan(path));
    for (let line = start.line; line <= end.line; line += 1) lines.add(line);
  }
  return { ...file, isQuotable: (line) => !lines.has(line) && file.isQuotable?.(line) !== false };
}

const plainTextSecret: Problem = {
  code: 'secret-in-clear',
  summary: 'everyone who can read the manifest can read this secret',
  detail: 'Write ${env:NAME} or ${file:PATH}: outputs and saved plans never show such values.',
};

const emptySecret: Problem = {
  code: 'unresolved-reference',
  summary: 'this secret is empty',
  detail: 'Its environment variable or its file exists, but is empty.',
};

/** Reports an access token, also if it is escaped or split between references, because it would be sent and shown in the plan. */
export function tokenIn(file: SourceFile, token: string, value: JsonValue, places: Places): Diagnostic[] {
  const at = file.text.indexOf(token);
  const path = at === -1 ? pathOfText(token, value) : undefined;
  if (at === -1 && path === undefined) return [];
  const { excerpt, ...placed } = diagnosticAt(file, path ? places.valueSpan(path) : [at, at + token.length], {
    code: 'invalid-value',
    summary: 'this is an access token',
    detail: 'The token is exposed: replace it, and do not write the new token into manifests.',
  });
  // The line may contain a part of the token that is too short to be redacted.
  return [path || excerpt === undefined ? placed : { ...placed, excerpt }];
}

function pathOfText(text: string, value: JsonValue): (string | number)[] | undefined {
  if (typeof value === 'string') return value.includes(text) ? [] : undefined;
  for (const [step, inner] of entriesIn(value)) {
    if (typeof step === 'string' && step.includes(text)) return [step];
    const path = pathOfText(text, inner);
    if (path) return [step, ...path];
  }
  return undefined;
}

/** Parses fields with secret JSON, such as a kubeconfig, from JSON or YAML; the schema reports any other string. */
export function withSecretJson(
  manifest: JsonValue,
  paths: readonly Path[],
  areAssumed: boolean,
): { readonly manifest: JsonValue; readonly secrets: readonly string[] } {
  const secrets: string[] = [];
  if (!isJsonObject(manifest)) return { manifest, secrets };
  const values: Record<string, JsonValue> = { ...manifest };
  for (const [list = '', index = 0, field = ''] of paths) {
    const entries = values[list] ?? null;
    const entry = isJsonList(entries) ? entries[Number(index)] : undefined;
    const text = isJsonObject(entry) ? entry[field] : undefined;
    const isJson = kindOfEntry(String(list), entry ?? null)?.fields[field]?.tableForm === 'columns';
    if (!isJsonList(entries) || !isJsonObject(entry) || !isJson || typeof text !== 'string') continue;
    const value = areAssumed ? {} : jsonIn(text);
    if (value === undefined) continue;
    secrets.push(...textsIn(value));
    values[list] = entries.with(Number(index), { ...entry, [field]: value });
  }
  return { manifest: values, secrets };
}

function jsonIn(text: string): JsonObject | undefined {
  const { value } = parseYaml(sourceFile('', text));
  return isJsonObject(value) ? value : undefined;
}

/** Shorter strings occur in other strings by chance, so they are not redacted. */
const minSecretLength = 8;

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return value.length < minSecretLength ? [] : [value];
  if (isJsonList(value)) return value.flatMap((inner) => textsIn(inner));
  return isJsonObject(value) ? Object.values(value).flatMap((inner) => textsIn(inner)) : [];
}
