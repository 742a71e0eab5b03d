import type { ErrorObject } from 'ajv';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A string as it is, any other value as JSON; undefined as an empty text. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The items or values of a list or object, with their indexes or keys. */
export function entriesIn(value: JsonValue): Iterable<[string | number, JsonValue]> {
  if (isJsonList(value)) return value.entries();
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** The maximum nesting of a text: a deeper one may exhaust the stack of recursive functions. */
const mostLevels = 500;
/** The same for rollcall's own documents, which contain such a text. */
export const maxDocumentDepth = 600;

/** The value of a JSON text; undefined if it is invalid or nested too deep. */
export function parseJson(text: string, most: number = mostLevels): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue; // JSON.parse returns nothing else
    return isDeeper(value, most) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Recurses no deeper than allowed, so it never exhausts the stack. */
function isDeeper(value: JsonValue, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  if (isJsonList(value)) return value.some((inner) => isDeeper(inner, most - 1));
  for (const key in value) if (isDeeper(value[key] ?? null, most - 1)) return true;
  return false;
}

/** The value at a path of keys and indexes; null if there is none. */
export function valueAt(value: JsonValue, path: readonly (string | number)[]): JsonValue {
  let found = value;
  for (const step of path) {
    if (isJsonList(found)) found = found[Number(step)] ?? null;
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? (found[step] ?? null) : null;
  }
  return found;
}

/** The path to a nested value as a JSON Pointer (RFC 6901). */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The steps of a JSON Pointer; indexes are strings. */
export function stepsOf(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Checks a value against a compiled schema; after a failure, `errors` has the reasons. */
export interface Validate {
  /** `at` is the place of a nested value, which is prepended to those of the errors. */
  (value: unknown, at?: { readonly instancePath: string }): boolean;
  errors?: ErrorObject[] | null;
}

export interface ListCheck {
  /** The checks of its entries by type, or by an empty text if it has a single type. */
  readonly entries: Readonly<Record<string, EntryCheck>>;
  /** The fields of its defaults, each with a type that has it. */
  readonly defaults: Readonly<Record<string, string>>;
}

export interface EntryCheck {
  readonly required: readonly string[];
  /** Fields that are required unless the entry is declared absent. */
  readonly unlessAbsent: readonly string[];
  readonly fields: Readonly<Record<string, Validate>>;
}
