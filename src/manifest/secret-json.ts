import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { kindOfEntry } from '../kinds/all.ts';
import { sourceFile } from '../base/source.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';

type Path = readonly (string | number)[];

/**
 * A manifest with secret JSON, such as a kubeconfig, parsed from its text: JSON or YAML from a file or the environment. A text of
 * another form is left for the schema to report. `secrets` are its texts.
 */
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
    const isJson = kindOfEntry(String(list), entry ?? null)?.fields[field]?.inTable === 'columns';
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

/** Shorter texts are in many others, and tell nothing. */
const shortestSecret = 8;

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return value.length < shortestSecret ? [] : [value];
  if (isJsonList(value)) return value.flatMap((inner) => textsIn(inner));
  return isJsonObject(value) ? Object.values(value).flatMap((inner) => textsIn(inner)) : [];
}
