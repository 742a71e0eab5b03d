import { isJsonList, isJsonObject, pointer, stepsOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Kind } from './kind.ts';
import { isNameOfOne } from './name-of-one.ts';
import type { Related } from './related.ts';
import type { Names, Resource } from './resource.ts';

/** An id that a resource declares by a name. */
export interface DeclaredName {
  readonly related: Related;
  readonly name: string;
  readonly field: string;
  /** Its index, where the field is a list. */
  readonly item?: number;
}

/** The names that stand in a resource in place of ids. */
export function declaredNames({ kind, fields }: Pick<Resource, 'kind' | 'fields'>): DeclaredName[] {
  const found: DeclaredName[] = [];
  for (const [field, related] of referring(kind)) {
    const value = fields[field] ?? null;
    if (isNameOfOne(value)) found.push({ related, name: value.name, field });
    if (!isJsonList(value)) continue;
    for (const [item, id] of value.entries())
      if (isNameOfOne(id)) found.push({ related, name: id.name, field, item });
  }
  return found;
}

/** The JSON Pointer of an id, from the fields. */
export function idPointer({ field, item }: Pick<DeclaredName, 'field' | 'item'>): string {
  return pointer(item === undefined ? [field] : [field, item]);
}

/** The resource with ids in place of names, which it remembers. A name without an id stays where it is. */
export function withIds(resource: Resource, idOf: (name: DeclaredName) => JsonValue | undefined): Resource {
  const ids = new Map<string, JsonValue>();
  const names: Record<string, string> = {};
  for (const declared of declaredNames(resource)) {
    const id = idOf(declared);
    if (id === undefined) continue;
    const place = idPointer(declared);
    ids.set(place, id);
    names[place] = declared.name;
  }
  return ids.size === 0 ? resource : { ...replaced(resource, ids), names: { ...resource.names, ...names } };
}

/** The resource as its manifest declares it: with the names in place of the ids that were looked up for them. */
export function withNames(resource: Resource): Resource {
  const { names, ...rest } = resource;
  if (names === undefined) return resource;
  return replaced(rest, new Map(Object.entries(names).map(([place, name]) => [place, { name }])));
}

/** The names by which a resource declares ids of a field, by these ids in one form. */
export function namesById({ kind, fields, names = {} }: Resource, field: string): NamesById {
  return namesIn(kind, field, fields[field] ?? null, names);
}

/** The names that stand at places of a value of a field, by the ids that stand there. */
export function namesIn(kind: Kind, field: string, value: JsonValue, names: Names): NamesById {
  const found = new Map<JsonValue, string>();
  for (const { id, place } of idsIn(field, value)) {
    const name = Object.hasOwn(names, place) ? names[place] : undefined;
    if (name !== undefined) found.set(idKey(kind, field, id), name);
  }
  return found;
}

/** The names that a record of the service tells of the ids in a field, by these ids in one form. */
export function namesToldBy(kind: Kind, field: string, record: JsonObject): NamesById {
  return new Map(
    recordsIn(kind, field, record).flatMap(({ pk, name }): [JsonValue, string][] =>
      pk !== undefined && typeof name === 'string' ? [[idKey(kind, field, pk), name]] : [],
    ),
  );
}

/** The records of the ids in a field, as far as a record of the service has them. What is no object is an empty one. */
export function recordsIn(kind: Kind, field: string, record: JsonObject): JsonObject[] {
  const { namedIn } = kind.fields[field] ?? {};
  const told = (namedIn === undefined ? null : record[namedIn]) ?? null;
  return (isJsonList(told) ? told : [told]).map((one) => (isJsonObject(one) ? one : {}));
}

/** The names of the ids in a value of a field, by their JSON Pointers from the fields. */
export function namesAt(kind: Kind, field: string, value: JsonValue, names: NamesById): Names {
  if (names.size === 0) return {};
  return Object.fromEntries(
    idsIn(field, value).flatMap(({ id, place }) => {
      const name = names.get(idKey(kind, field, id));
      return name === undefined ? [] : [[place, name] as const];
    }),
  );
}

/** By ids in one form. */
export type NamesById = ReadonlyMap<JsonValue, string>;

/** An id of a field in one form. */
export function idKey(kind: Kind, field: string, id: JsonValue): JsonValue {
  return kind.fields[field]?.idForm?.(id) ?? id;
}

/** What stands in a field where ids can stand: its items, or the one value of a field that is no list. */
export function idsIn(field: string, value: JsonValue): { readonly id: JsonValue; readonly place: string }[] {
  if (isJsonList(value)) return value.map((id, item) => ({ id, place: pointer([field, item]) }));
  return value === null ? [] : [{ id: value, place: pointer([field]) }];
}

/** The fields of a kind that hold ids, and of what. */
export function referring({ fields }: Pick<Kind, 'fields'>): (readonly [field: string, related: Related])[] {
  return Object.entries(fields).flatMap(([field, { refersTo }]) => (refersTo ? [[field, refersTo]] : []));
}

/** The resource with other values at some places, in all that is known of its fields. */
function replaced(resource: Resource, values: ReadonlyMap<string, JsonValue>): Resource {
  const { fields, shown, hidden } = resource;
  const other = replacedIn(fields, values);
  return {
    ...resource,
    fields: other,
    shown: shown === fields ? other : replacedIn(shown, values),
    ...(hidden && { hidden: replacedIn(hidden, values) }),
  };
}

/** What is blanked out as a whole stays so. */
function replacedIn(fields: JsonObject, values: ReadonlyMap<string, JsonValue>): JsonObject {
  const changed: Record<string, JsonValue> = { ...fields };
  for (const [place, value] of values) {
    const [field = '', item] = stepsOf(place);
    const before = changed[field];
    if (before === undefined) continue;
    if (item === undefined) changed[field] = typeof before === 'string' ? before : value;
    else if (isJsonList(before)) changed[field] = before.with(Number(item), value);
  }
  return changed;
}
