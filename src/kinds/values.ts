import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';

export interface NameReference extends JsonObject {
  readonly name: string;
}

export function isNameReference(value: JsonValue): value is NameReference {
  return isJsonObject(value) && typeof value['name'] === 'string';
}

/** Text for an id or name, not yet escaped: `"Grafana OIDC" (12)` if both are known. */
export function idText(id: JsonValue, name?: string): string {
  if (isNameReference(id)) return JSON.stringify(id.name);
  const text = typeof id === 'string' ? id : JSON.stringify(id);
  return name === undefined ? text : `${JSON.stringify(name)} (${text})`;
}

/** Normalizes an id, or the name that replaces an id, so that equal ids get equal results. */
export type IdForm = (id: JsonValue) => JsonValue;

/** Compares two lists of ids. Order and duplicates do not matter, because the service returns each id once and in any order. */
export function sameIds(
  declared: JsonValue,
  observed: JsonValue,
  form: IdForm,
  haveDuplicates = true,
): boolean {
  if (!isJsonList(declared) || !isJsonList(observed)) return declared === observed;
  if (!haveDuplicates && declared.length !== observed.length) return false;
  const a = new Set(declared.map(form));
  const b = new Set(observed.map(form));
  return a.size === b.size && [...a].every((id) => b.has(id));
}

export const plainId: IdForm = (id) => nameForm(id) ?? id;

export const plainUuid: IdForm = (id) =>
  nameForm(id) ?? (typeof id === 'string' ? id.toLowerCase().replaceAll('-', '') : id);

/** A key for the id of a record, or for the name of a record that has no id yet. */
export function recordKey(id: JsonValue): string {
  return textOf(plainUuid(id));
}

/** The id in a name reference, or null if it is not known. */
export function idOfReference(reference: JsonValue): JsonValue {
  return isNameReference(reference) ? (reference['id'] ?? null) : reference;
}

/** The id in a name reference if it is known, or else the reference. */
export function idOrName(reference: JsonValue): JsonValue {
  return idOfReference(reference) ?? reference;
}

/** Normalizes a name to a string that cannot equal an id. */
function nameForm(id: JsonValue): string | undefined {
  return isNameReference(id) ? JSON.stringify({ name: id.name }) : undefined;
}

export function isUuid(pk: JsonValue): boolean {
  return typeof pk === 'string' && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(pk);
}

export function sameUuid(declared: JsonValue, observed: JsonValue): boolean {
  return plainUuid(declared) === plainUuid(observed);
}

export function sameTexts(declared: JsonValue, observed: JsonValue): boolean {
  return sameIds(declared, observed, plainId);
}

/** Whether two times are equal. The service returns times in UTC, and reads a time without an offset as UTC. */
export function sameInstant(declared: JsonValue, observed: JsonValue): boolean {
  return declared === observed || instantOf(declared) === instantOf(observed); // a text that is not a time gives NaN, which never equals NaN
}

function instantOf(value: JsonValue): number {
  if (typeof value !== 'string') return Number.NaN;
  const [, time = '', sign, hours, minutes = '00'] =
    /^(.*?)(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/.exec(value.toUpperCase().replace(' ', 'T')) ?? [];
  return Date.parse(sign === undefined ? `${time}Z` : `${time}${sign}${hours}:${minutes}`);
}

/** Whether two JSON values are equal; the order of keys is ignored. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (isJsonList(a) && isJsonList(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null));
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
}

export interface PartialComparison {
  /** The part of an observed value that the manifest declares. */
  readonly managed: (declared: JsonValue, observed: JsonValue) => JsonValue;
  /** The observed value with the declared part replaced. */
  readonly merged: (declared: JsonValue, observed: JsonValue) => JsonValue;
  readonly dropped: (before: JsonValue, now: JsonValue) => JsonValue;
}

/** Compares a list of ids that is declared in part: the service's list may contain further ids. */
export function partialIdComparison(form: IdForm): PartialComparison {
  const without = (ids: readonly JsonValue[], others: readonly JsonValue[]): readonly JsonValue[] => {
    const known = new Set(others.map(form));
    return ids.filter((id) => !known.has(form(id)));
  };
  return {
    dropped: (before, now) => (isJsonList(before) ? without(before, isJsonList(now) ? now : []) : []),
    managed: (declared, observed) =>
      isJsonList(declared) && isJsonList(observed)
        ? without(observed, without(observed, declared))
        : observed,
    merged: (declared, observed) =>
      isJsonList(declared) && isJsonList(observed) ? [...observed, ...without(declared, observed)] : declared,
  };
}

/** Compares JSON that is declared in part: objects at any depth may have further keys, but lists are declared in full. */
export const partialKeys: PartialComparison = {
  managed: declaredKeys,
  merged: withKeys,
  dropped: droppedKeys,
};

function declaredKeys(declared: JsonValue, observed: JsonValue): JsonValue {
  if (isJsonList(declared) && isJsonList(observed)) return managedItems(declared, observed);
  if (!isJsonObject(declared) || !isJsonObject(observed)) return observed;
  return Object.fromEntries(
    Object.entries(declared).flatMap(([key, value]) =>
      Object.hasOwn(observed, key) ? [[key, declaredKeys(value, observed[key] ?? null)] as const] : [],
    ),
  );
}

function withKeys(declared: JsonValue, observed: JsonValue): JsonValue {
  if (isJsonList(declared) && isJsonList(observed)) return withKeptItems(declared, observed);
  if (!isJsonObject(declared) || !isJsonObject(observed)) return declared;
  const merged = Object.entries(declared).map(
    ([key, value]) =>
      [key, Object.hasOwn(observed, key) ? withKeys(value, observed[key] ?? null) : value] as const,
  );
  return { ...observed, ...Object.fromEntries(merged) };
}

/** The observed items: of an item that an update replaces, all keys, because it loses them. */
function managedItems(declared: readonly JsonValue[], observed: readonly JsonValue[]): JsonValue {
  const positions = matchingPositions(declared, observed);
  return observed.map((item, at) => {
    const index = positions.indexOf(at);
    return index === -1 ? item : declaredKeys(declared[index] ?? null, item);
  });
}

/** The declared items, each with the undeclared keys of the matching observed item. */
function withKeptItems(declared: readonly JsonValue[], observed: readonly JsonValue[]): JsonValue {
  const positions = matchingPositions(declared, observed);
  return declared.map((item, index) => {
    const at = positions[index];
    return at === undefined ? item : withKeys(item, observed[at] ?? null);
  });
}

/** Keys that usually identify a record in a JSON list. */
const identifyingKeys = ['id', 'pk', 'uuid', 'key', 'name', 'slug', 'username', 'email'];

/** For each declared item, the position of the equal observed item, or else of an item with the same id or name. */
function matchingPositions(
  declared: readonly JsonValue[],
  observed: readonly JsonValue[],
): readonly (number | undefined)[] {
  const unmatched = new Map(observed.entries());
  const take = (index: number, isMatch: (item: JsonValue) => boolean): number | undefined => {
    const isFree = (at: number): boolean => unmatched.has(at) && isMatch(unmatched.get(at) ?? null);
    const at = isFree(index) ? index : [...unmatched.keys()].find(isFree);
    if (at !== undefined) unmatched.delete(at);
    return at;
  };
  const equal = declared.map((item, index) =>
    take(index, (other) => sameJson(item, declaredKeys(item, other))),
  );
  return equal.map((at, index) => at ?? take(index, (other) => isSameRecord(declared[index] ?? null, other)));
}

function isSameRecord(declared: JsonValue, observed: JsonValue): boolean {
  if (!isJsonObject(declared) || !isJsonObject(observed)) return false;
  const key = identifyingKeys.find((name) => Object.hasOwn(declared, name));
  return key !== undefined && sameJson(declared[key] ?? null, observed[key] ?? null);
}

function droppedKeys(before: JsonValue, now: JsonValue): JsonValue {
  if (!isJsonObject(before)) return {};
  return Object.fromEntries(
    Object.entries(before).flatMap(([key, value]): [string, JsonValue][] => {
      if (!isJsonObject(now) || !Object.hasOwn(now, key)) return [[key, value]];
      const inner = isJsonObject(now[key] ?? null) ? droppedKeys(value, now[key] ?? null) : {};
      return isJsonObject(inner) && Object.keys(inner).length > 0 ? [[key, inner]] : [];
    }),
  );
}
