import { isJsonObject, type JsonValue } from '../base/json.ts';

/** JSON with sorted keys: equal values give equal strings. */
export function canonicalJson(value: JsonValue, indent?: number): string {
  return JSON.stringify(value, withSortedKeys, indent);
}

function withSortedKeys(_key: string, value: JsonValue): JsonValue {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
