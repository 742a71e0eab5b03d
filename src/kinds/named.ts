import { isJsonList, isJsonObject, pointer, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Address } from '../base/diagnostic.ts';
import { isResourceType, kinds } from './all.ts';
import { childFields } from './bindings.ts';
import { idsIn, mapIds } from './map-ids.ts';
import { type DeclaredFields, fieldOf, placeholderFor, writtenValue } from './fields.ts';
import { type Family, type FieldOfKind, fieldsWith, type Kind } from './kind.ts';
import { lazy, memoizePerKey } from '../base/memoize.ts';
import { idText, isNameReference, type NameReference, sameJson, idOfReference, recordKey } from './values.ts';
import { addressOf, type Resource, withFields } from './resource.ts';

interface NameInList {
  readonly related: Pick<Family, 'type'>;
  readonly name: string;
}

/** A name that a manifest contains instead of an id. */
export interface DeclaredName extends NameInList {
  readonly related: Family;
  readonly id?: JsonValue;
  readonly field: string;
  readonly item?: number;
}

export function declaredNames(resource: DeclaredFields): DeclaredName[] {
  const { kind } = resource;
  const names: DeclaredName[] = [];
  for (const field of namingFields(kind))
    for (const { id: one, related, place } of idsIn(
      kind.fields[field] ?? {},
      writtenValue(resource, field),
    )) {
      if (!isNameReference(one)) continue;
      const { name, id } = one;
      const [item] = place;
      const at = typeof item === 'number' && { item };
      names.push({ related, field, ...at, name, ...(id !== undefined && { id }) });
    }
  return names;
}

export const namingFields: (kind: Kind) => readonly string[] = memoizePerKey((kind) =>
  [...referenceFields(kind), ...childFields(kind)].map(([field]) => field),
);

/** Replaces names by ids. `idOf` returns undefined if the id is unknown. */
export function fillInIds(
  resource: Resource,
  idOf: (related: Family, name: string, known: JsonValue | undefined) => JsonValue | undefined,
): Resource {
  return mapNames(resource, (related, { name, id: known }) => {
    const id = idOf(related, name, known);
    return { name, ...(id !== undefined && { id }) };
  });
}

export function mapNames(
  resource: Resource,
  change: (related: Family, reference: NameReference) => NameReference,
): Resource {
  if (declaredNames(resource).length === 0) return resource;
  return withFields(resource, (field, name) => {
    let isNamed = false;
    const value = writtenValue(resource, name) ?? null;
    const changed = mapIds(resource.kind.fields[name] ?? {}, value, (one, related) => {
      if (!isNameReference(one)) return one;
      isNamed = true;
      return change(related, one);
    });
    return isNamed && !sameJson(changed, value) ? fieldOf(changed, field) : field;
  });
}

export function referenceNames({ keys = plainKeys }: Pick<Family, 'keys'>, record: JsonObject): string[] {
  return Object.values(keys).flatMap((field) => {
    const name = record[field];
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}

const plainKeys = { name: 'name' };

/** Converts references in manifests, such as `{ slug: … }`, to `{ name: … }`. */
export function parseNames(row: FieldOfKind, value: JsonValue): JsonValue {
  return mapIds(row, value, (one, { keys }) => {
    if (keys === undefined || !isJsonObject(one)) return one;
    const [key] = Object.keys(one);
    const name = key !== undefined && Object.hasOwn(keys, key) ? one[key] : undefined;
    return name === undefined ? one : { name };
  });
}

export function writeNames(row: FieldOfKind, value: JsonValue): JsonValue {
  return mapIds(row, value, (one, { keys, keyOfName }) => {
    if (keys === undefined || !isNameReference(one)) return one;
    const [first = 'name'] = Object.keys(keys);
    return { [keyOfName?.(one.name) ?? first]: one.name };
  });
}

/** The address of a referenced record, or undefined if manifests cannot declare its type. */
export function addressOfName({ related: { type }, name }: NameInList): Address | undefined {
  return isResourceType(type) ? addressOf(type, name) : undefined;
}

/**
 * Fills in the ids of other resources of this run. `pkOf` returns null if the record does not exist yet, and undefined if the
 * name is not in this run.
 */
export function withRunIds(
  resource: Resource,
  pkOf: (address: Address) => string | null | undefined,
): Resource {
  return fillInIds(resource, (related, name, known) => {
    const address = addressOfName({ related, name });
    const pk = address === undefined ? undefined : pkOf(address);
    if (pk === undefined || pk === null) return pk === null ? undefined : known;
    return related.isId(pk) ? pk : Number(pk);
  });
}

export function prerequisitesOf(resource: DeclaredFields): readonly Address[] {
  return declaredNames(resource).flatMap((one) => (one.id === undefined ? (addressOfName(one) ?? []) : []));
}

/** Whether a resource is declared as the parent of another, whose name is unique only within its parent. */
export function isInside(resource: DeclaredFields, { address }: Pick<Resource, 'address'>): boolean {
  const { scope } = resource.kind;
  return declaredNames(resource).some((one) => one.field === scope && addressOfName(one) === address);
}

export function withNamesByPointer(value: JsonValue, field: string, names: NamesByPointer): JsonValue {
  const withName = (id: JsonValue, place: string): JsonValue => {
    const name = Object.hasOwn(names, place) ? names[place] : undefined;
    return name === undefined ? id : { name, id };
  };
  if (isJsonList(value)) return value.map((id, item) => withName(id, pointer([field, item])));
  return withName(value, pointer([field]));
}

export function namesById(resource: DeclaredFields, field: string): NamesById {
  return new Map(
    declaredNames(resource).flatMap((one): [JsonValue, string][] =>
      one.field === field && one.id !== undefined ? [[idKey(resource.kind, field, one.id), one.name]] : [],
    ),
  );
}

/** An id for messages, with its name if this is known, or `hiddenAs` if the field is hidden. */
export function shownId(
  resource: DeclaredFields,
  field: string,
  id: JsonValue,
  hiddenAs: string = 'one',
  names: NamesById = namesById(resource, field),
): string {
  if (placeholderFor(resource, field) !== undefined) return hiddenAs;
  return idText(id, nameOfId(names, resource.kind, field, id));
}

export type NamesByPointer = Readonly<Record<string, string>>;

/** The names of the nested records of a reference field, by normalized id. */
export function nestedNames(kind: Kind, field: string, record: JsonObject): NamesById {
  return new Map(
    nestedRecords(kind, field, record).flatMap(({ pk, name }): [JsonValue, string][] =>
      pk !== undefined && typeof name === 'string' ? [[idKey(kind, field, pk), name]] : [],
    ),
  );
}

export function nestedRecords(kind: Kind, field: string, record: JsonObject): JsonObject[] {
  const { namedIn } = kind.fields[field] ?? {};
  const inside = (namedIn === undefined ? null : record[namedIn]) ?? null;
  return (isJsonList(inside) ? inside : [inside]).map((one) => (isJsonObject(one) ? one : {}));
}

/** The names of the ids in a value, by the JSON Pointer of each id. */
export function namesByPointer(
  kind: Kind,
  field: string,
  value: JsonValue,
  names: NamesById,
): NamesByPointer {
  if (names.size === 0) return {};
  return Object.fromEntries(
    idsWithPointers(field, value).flatMap(({ id, place }) => {
      const name = nameOfId(names, kind, field, id);
      return name === undefined ? [] : [[place, name] as const];
    }),
  );
}

export type NamesById = ReadonlyMap<JsonValue, string>;

export function nameOfId(names: NamesById, kind: Kind, field: string, id: JsonValue): string | undefined {
  return names.get(idKey(kind, field, id));
}

export function idKey(kind: Kind, field: string, id: JsonValue): JsonValue {
  return kind.fields[field]?.idForm?.(id) ?? id;
}

/** The ids in a field with one id or a list of ids, or the value `true` of a flag that only one record may have. */
export function idsOf(value: JsonValue = null): readonly JsonValue[] {
  if (isJsonList(value)) return value;
  return value === null || value === false ? [] : [value];
}

export function idsWithPointers(
  field: string,
  value: JsonValue,
): { readonly id: JsonValue; readonly place: string }[] {
  if (isJsonList(value)) return value.map((id, item) => ({ id, place: pointer([field, item]) }));
  return [{ id: value, place: pointer([field]) }];
}

export const referenceFields: (kind: Pick<Kind, 'fields'>) => readonly Referring[] = memoizePerKey((kind) =>
  fieldsWith(kind, 'refersTo'),
);

type Referring = readonly [field: string, related: Family];

/** The reference fields for which the service's answers also contain the referenced records. */
export const nestedFields: (kind: Pick<Kind, 'fields'>) => readonly Referring[] = memoizePerKey((kind) =>
  referenceFields(kind).filter(([field]) => kind.fields[field]?.namedIn !== undefined),
);

/** Whether other resources may refer to resources of this type. */
export function canBeReferenced(type: string): boolean {
  return namedTypes().has(type);
}

export function referencedFamilies(kind: Kind): readonly Family[] {
  const bound = childFields(kind).flatMap(([, { binds }]) => binds);
  return [...referenceFields(kind).map(([, related]) => related), ...bound.map(({ refersTo }) => refersTo)];
}

const namedTypes = lazy(
  () => new Set(kinds.flatMap((kind) => referencedFamilies(kind).map((related) => related.type))),
);

/** A key for the id of a record that is unique among all types. */
export function keyOfId({ type }: Pick<Kind, 'type'>, id: JsonValue): string {
  return `${type} ${recordKey(id)}`;
}

/** The keys of each record to which fields refer: its address if it is named, and the key of its id if this is known. */
export function referenceKeys(
  kind: Kind,
  fields: readonly string[],
  valueOf: (field: string) => JsonValue | undefined,
): string[][] {
  return fields
    .flatMap((field) => idsIn(kind.fields[field] ?? {}, valueOf(field)))
    .map(({ id: one, related }) => {
      const id = idOfReference(one);
      const address = isNameReference(one) ? addressOfName({ related, name: one.name }) : undefined;
      return [...(address === undefined ? [] : [address]), ...(id === null ? [] : [keyOfId(related, id)])];
    });
}
