import type { Path } from '../base/path-map.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { kindOfEntry } from '../kinds/all.ts';
import { sourceFile } from '../base/source.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';

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
