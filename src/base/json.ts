import type { ErrorObject } from 'ajv';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isEmptyObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

export function isJsonList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns a string unchanged, any other value as JSON, and an empty string for undefined. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function entriesIn(value: JsonValue): Iterable<[string | number, JsonValue]> {
  if (isJsonList(value)) return value.entries();
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** Changes each value of an object. Returns the same object if no value changes. */
export function mapValues<Value>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Value,
): Readonly<Record<string, Value>> {
  let changed: Record<string, Value> | undefined;
  for (const [key, value] of Object.entries(object)) {
    const other = change(value, key);
    if (other !== value) (changed ??= { ...object })[key] = other;
  }
  return changed ?? object;
}

export function filterKeys<Value>(
  object: Readonly<Record<string, Value>>,
  isWanted: (key: string) => boolean,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => isWanted(key)));
}

/** The maximum nesting of a JSON text, because deeper nesting may exhaust the stack of recursive functions. */
const maxTextDepth = 500;
/** The maximum nesting of rollcall's own documents, which can contain JSON texts of `maxTextDepth` levels. */
export const maxDocumentDepth = 600;

/** Parses a JSON text, or returns undefined if the text is invalid or nested too deep. */
export function parseJson(text: string, maxDepth: number = maxTextDepth): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue; // JSON.parse returns nothing else
    return isDeeperThan(value, maxDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The recursion ends at `maxDepth` levels, so that the stack is never exhausted. */
function isDeeperThan(value: JsonValue, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  if (isJsonList(value)) return value.some((inner) => isDeeperThan(inner, maxDepth - 1));
  for (const key in value) if (isDeeperThan(value[key] ?? null, maxDepth - 1)) return true;
  return false;
}

/** The value at a path of keys and indexes, or null if there is none. */
export function valueAt(value: JsonValue, path: readonly (string | number)[]): JsonValue {
  let found = value;
  for (const step of path) {
    if (isJsonList(found)) found = found[Number(step)] ?? null;
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? (found[step] ?? null) : null;
  }
  return found;
}

/** A path as a JSON Pointer (RFC 6901). */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function pointerSteps(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Checks a value against a compiled schema; after a failure, `errors` has the reasons. */
export interface Validate {
  /** The paths in `errors` begin with `at`, the path of the value. */
  (value: unknown, at?: { readonly instancePath: string }): boolean;
  errors?: ErrorObject[] | null;
}

export interface ListCheck {
  /** The checks for the entries of a list, by type. A list with a single type uses the key ''. */
  readonly entries: Readonly<Record<string, EntryCheck>>;
  /** The fields that can have defaults in this list, each with a type that has the field. */
  readonly defaults: Readonly<Record<string, string>>;
}

export interface EntryCheck {
  readonly required: readonly string[];
  /** Fields that are required unless the entry has `state: absent`. */
  readonly unlessAbsent: readonly string[];
  readonly fields: Readonly<Record<string, Validate>>;
}
