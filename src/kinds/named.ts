import { isJsonList, isJsonObject, pointer, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Address } from '../base/diagnostic.ts';
import { isResourceType, kinds } from './all.ts';
import { childFields, mapIds } from './bindings.ts';
import { type Declared, fieldOf, writtenValue } from './fields.ts';
import type { Family, FieldOfKind, Kind } from './kind.ts';
import { once, memoizePerKey } from '../base/memoize.ts';
import { isNameReference, sameJson } from './values.ts';
import { addressOf, type Resource, withFields } from './resource.ts';

/** An id that a resource declares by a name. */
export interface DeclaredName {
  readonly related: Family;
  readonly name: string;
  /** As it was looked up. */
  readonly id?: JsonValue;
  readonly field: string;
  /** Its index, where the field is a list. */
  readonly item?: number;
}

/** The names that stand in a resource in place of ids. */
export function declaredNames(resource: Declared): DeclaredName[] {
  const { kind } = resource;
  return [...referenceFields(kind), ...childFields(kind)].flatMap(([field]) => {
    const names: DeclaredName[] = [];
    mapIds(kind.fields[field] ?? {}, writtenValue(resource, field) ?? null, (one, related, [item]) => {
      if (!isNameReference(one)) return one;
      const { name, id } = one;
      const at = typeof item === 'number' && { item };
      names.push({ related, field, ...at, name, ...(id !== undefined && { id }) });
      return one;
    });
    return names;
  });
}

/** The JSON Pointer of an id, from the fields. */
export function idPointer({ field, item }: Pick<DeclaredName, 'field' | 'item'>): string {
  return pointer(item === undefined ? [field] : [field, item]);
}

/** The resource with the ids of its names, as far as they are known. */
export function withIds(
  resource: Resource,
  idOf: (related: Family, name: string, known: JsonValue | undefined) => JsonValue | undefined,
): Resource {
  return withFields(resource, (field, name) => {
    let isNamed = false;
    const value = writtenValue(resource, name) ?? null;
    const changed = mapIds(resource.kind.fields[name] ?? {}, value, (one, related) => {
      if (!isNameReference(one)) return one;
      isNamed = true;
      const id = idOf(related, one.name, one['id']);
      return { name: one.name, ...(id !== undefined && { id }) };
    });
    return isNamed && !sameJson(changed, value) ? fieldOf(changed, field) : field;
  });
}

/** The names that a record has, under which fields may refer to it. */
export function namesOf({ keys = plainKeys }: Pick<Family['byName'], 'keys'>, record: JsonObject): string[] {
  return Object.values(keys).flatMap((field) => {
    const name = record[field];
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}

const plainKeys = { name: 'name' };

/** A value of a field as it is known inside: what a manifest calls `{ slug: … }` is a name as well. */
export function parseNames(row: FieldOfKind, value: JsonValue): JsonValue {
  return mapIds(row, value, (one, { byName: { keys } }) => {
    if (keys === undefined || !isJsonObject(one)) return one;
    const [key] = Object.keys(one);
    const name = key !== undefined && Object.hasOwn(keys, key) ? one[key] : undefined;
    return name === undefined ? one : { name };
  });
}

/** The same as a manifest writes it. */
export function writeNames(row: FieldOfKind, value: JsonValue): JsonValue {
  return mapIds(row, value, (one, { byName: { keys, keyFor } }) => {
    if (keys === undefined || !isNameReference(one)) return one;
    const [first = 'name'] = Object.keys(keys);
    return { [keyFor?.(one.name) ?? first]: one.name };
  });
}

/** The address of what a name stands for, where manifests could declare that. */
export function addressOfName({
  related: { type },
  name,
}: {
  readonly related: Pick<Family, 'type'>;
  readonly name: string;
}): Address | undefined {
  return isResourceType(type) ? addressOf(type, name) : undefined;
}

/**
 * The resource with the ids that resources of the same run have: null for one that has none yet. The ids of what is not in the run
 * stay as they are.
 */
export function withIdsOf(
  resource: Resource,
  pkOf: (address: Address) => string | null | undefined,
): Resource {
  return withIds(resource, (related, name, known) => {
    const address = addressOfName({ related, name });
    const pk = address === undefined ? undefined : pkOf(address);
    if (pk === undefined || pk === null) return pk === null ? undefined : known;
    return related.byName.isId(pk) ? pk : Number(pk);
  });
}

/** What a resource names that has no id yet: it is created in the same run, and first. */
export function createdBefore(resource: Declared): readonly Address[] {
  return declaredNames(resource).flatMap((one) => (one.id === undefined ? (addressOfName(one) ?? []) : []));
}

/** A value of a field with names beside the ids that stand at these places: as `withIds` makes it. */
export function withNamesAt(value: JsonValue, field: string, names: Names): JsonValue {
  const named = (id: JsonValue, place: string): JsonValue => {
    const name = Object.hasOwn(names, place) ? names[place] : undefined;
    return name === undefined ? id : { name, id };
  };
  if (isJsonList(value)) return value.map((id, item) => named(id, pointer([field, item])));
  return named(value, pointer([field]));
}

/** The names by which a resource declares ids of a field, by these ids in one form. */
export function namesById(resource: Declared, field: string): NamesById {
  return new Map(
    declaredNames(resource).flatMap((one): [JsonValue, string][] =>
      one.field === field && one.id !== undefined ? [[idKey(resource.kind, field, one.id), one.name]] : [],
    ),
  );
}

/** Names by the JSON Pointers of their ids: `/groups/0`. */
export type Names = Readonly<Record<string, string>>;

/** The names that a record of the service shows for the ids in a field, by these ids in one form. */
export function nestedNames(kind: Kind, field: string, record: JsonObject): NamesById {
  return new Map(
    nestedRecords(kind, field, record).flatMap(({ pk, name }): [JsonValue, string][] =>
      pk !== undefined && typeof name === 'string' ? [[idKey(kind, field, pk), name]] : [],
    ),
  );
}

/** The records of the ids in a field, as far as a record of the service has them. What is no object is an empty one. */
export function nestedRecords(kind: Kind, field: string, record: JsonObject): JsonObject[] {
  const { namedIn } = kind.fields[field] ?? {};
  const inside = (namedIn === undefined ? null : record[namedIn]) ?? null;
  return (isJsonList(inside) ? inside : [inside]).map((one) => (isJsonObject(one) ? one : {}));
}

/** The names of the ids in a value of a field, by their JSON Pointers from the fields. */
export function namesAt(kind: Kind, field: string, value: JsonValue, names: NamesById): Names {
  if (names.size === 0) return {};
  return Object.fromEntries(
    idsIn(field, value).flatMap(({ id, place }) => {
      const name = nameIn(names, kind, field, id);
      return name === undefined ? [] : [[place, name] as const];
    }),
  );
}

/** By ids in one form. */
export type NamesById = ReadonlyMap<JsonValue, string>;

/** The name of an id in a field, where it is among these. */
export function nameIn(names: NamesById, kind: Kind, field: string, id: JsonValue): string | undefined {
  return names.get(idKey(kind, field, id));
}

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
export const referenceFields: (kind: Pick<Kind, 'fields'>) => readonly Referring[] = memoizePerKey(
  ({ fields }) =>
    Object.entries(fields).flatMap(([field, { refersTo }]): Referring[] =>
      refersTo ? [[field, refersTo]] : [],
    ),
);

type Referring = readonly [field: string, related: Family];

/** Whether resources may name those of this type: then it has to be there before them. */
export function isNamedByOthers(type: string): boolean {
  return namedTypes().has(type);
}

/** The lists to whose records a record can refer, also by what is bound to it. */
export function referencedFamilies(kind: Kind): readonly Family[] {
  const bound = childFields(kind).flatMap(([, { binds }]) => binds);
  return [...referenceFields(kind).map(([, related]) => related), ...bound.map(({ refersTo }) => refersTo)];
}

const namedTypes = once(
  () => new Set(kinds.flatMap((kind) => referencedFamilies(kind).map((related) => related.type))),
);

/** What was read of the ids that fields can hold, by `factKey`: the name of the resource to which one belongs, or `true`. */
export type ReferenceFacts = ReadonlyMap<string, JsonValue>;

export type ReferenceFact = readonly [key: string, value: JsonValue];

export function factKey(kind: Kind, field: string, id: JsonValue): string {
  return `${kind.type}.${field} ${textOf(idKey(kind, field, id))}`;
}

/** By the fields of all kinds: which records have a fact about an id there, and where. */
const fieldsWithFacts = once(() =>
  kinds
    .filter(({ hasReferenceFacts }) => hasReferenceFacts)
    .flatMap((kind) =>
      referenceFields(kind).flatMap(([field, related]) => {
        const { factIn } = kind.fields[field] ?? {};
        return factIn === undefined ? [] : [{ kind, field, related, factIn }];
      }),
    ),
);

/** The facts that a record has about itself. What is blanked out as it may be shown is kept secret. */
export function referenceFactsOf(
  related: Pick<Kind, 'type'>,
  received: JsonObject,
  shown: JsonObject,
): ReferenceFact[] {
  const { pk } = received;
  if (pk === undefined) return [];
  return fieldsWithFacts().flatMap(({ kind, field, related: of, factIn }): ReferenceFact[] => {
    const value = of.type === related.type ? received[factIn] : undefined;
    const isFact = value === true || (typeof value === 'string' && value !== '' && value === shown[factIn]);
    return isFact ? [[factKey(kind, field, pk), value]] : [];
  });
}

/** The same, and that of the records that one of a kind has in it, without that they belong to it itself. */
export function referenceFactsWithin(kind: Kind, received: JsonObject, shown: JsonObject): ReferenceFact[] {
  const within = referenceFields(kind).flatMap(([field, related]) => {
    const cleaned = nestedRecords(kind, field, shown);
    return nestedRecords(kind, field, received).flatMap((record, index) =>
      referenceFactsOf(related, record, cleaned[index] ?? {}).filter(
        ([, value]) => value !== received[kind.identity],
      ),
    );
  });
  return [...referenceFactsOf(kind, received, shown), ...within];
}
