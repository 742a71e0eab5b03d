import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { yamlText } from './write-yaml.ts';
import { canBeDefault } from './writable.ts';

/** How many lines it takes to begin the defaults of a kind. */
const headLines = 2;

/**
 * The values that most entries of a kind share, to be its defaults where that makes the manifest shorter. Only what every entry
 * declares can be: a default declares it for those that leave it out.
 */
export function sharedValues(kind: Kind, entries: readonly JsonObject[]): JsonObject {
  const shared: Record<string, JsonValue> = {};
  let saved = -headLines;
  for (const field of Object.keys(kind.fields)) {
    if (!entries.every((entry) => Object.hasOwn(entry, field))) continue;
    const most = mostFrequent(entries.map((entry) => entry[field] ?? null));
    if (most === undefined || !canBeDefault(kind, field, most.value)) continue;
    shared[field] = most.value;
    saved += (most.count - 1) * linesOf({ [field]: most.value });
  }
  return saved > 0 ? shared : {};
}

/** What an entry says that the defaults of its kind do not. */
export function besides(entry: JsonObject, defaults: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([field, value]) =>
        !Object.hasOwn(defaults, field) || asText(value) !== asText(defaults[field] ?? null),
    ),
  );
}

/** The value that more than half of them are. */
function mostFrequent(values: readonly JsonValue[]): { value: JsonValue; count: number } | undefined {
  const counts = new Map<string, { value: JsonValue; count: number }>();
  for (const value of values) {
    const text = asText(value);
    const counted = counts.get(text) ?? { value, count: 0 };
    counted.count += 1;
    counts.set(text, counted);
  }
  return [...counts.values()].find(({ count }) => count > 1 && count * 2 > values.length);
}

function asText(value: JsonValue): string {
  return JSON.stringify(value);
}

function linesOf(fields: JsonObject): number {
  return yamlText(fields).split('\n').length - 1;
}
