import type { Problem } from '../base/diagnostic.ts';
import {
  filterKeys,
  isJsonList,
  isJsonObject,
  mapValues,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { bindingsIn, childFields, childKey, isEffective, declaredBindings } from './bindings.ts';
import type { Access, Child, Children, Subject, WantedChildren } from './children.ts';
import { partialComparison, sentValue, type DeclaredFields } from './fields.ts';
import type { Kind } from './kind.ts';
import { writeNames, idKey, idsOf } from './named.ts';

export const everyone = 'everyone';

/** The fields of an entry. Only the fields for the subjects of access, such as `access.groups`, are part of another field. */
export function declarableFields({ fields }: Kind): readonly string[] {
  return [...new Set(Object.keys(fields).map(topLevelField))];
}

function topLevelField(field: string): string {
  return field.split('.', 1)[0] ?? field;
}

/** The fields of an entry that override the default of `field`: if the entry declares any of them, the default does not apply. */
export function equivalentFields({ access, fields }: Kind, field: string): readonly string[] {
  const own = topLevelField(field);
  if (access === undefined) return [own];
  const listing = Object.keys(fields).filter((name) => fields[name]?.children === access.children);
  return [access.field, ...listing].includes(own) ? [access.field, ...listing] : [own];
}

/** A default that does not apply to an entry, because the entry declares the same bindings in another field. */
export interface ReplacedDefault {
  readonly field: string;
  readonly by: string;
}

export function replacedDefaults(
  kind: Kind,
  defaults: readonly string[],
  entry: JsonObject,
): ReplacedDefault[] {
  const fields = new Set(defaults.map(topLevelField));
  return [...fields].flatMap((field) => {
    if (Object.hasOwn(entry, field)) return [];
    const by = equivalentFields(kind, field).find((other) => Object.hasOwn(entry, other));
    return by === undefined ? [] : { field, by };
  });
}

export function fieldsDeclaredTogether({ access, fields }: Kind, field: string): readonly string[] {
  if (access && fields[field]?.children === access.children) return [field, access.field];
  const subjects = subjectFields(access);
  return access && subjects.includes(field) ? [access.field, ...subjects] : [field];
}

function subjectFields(access: Access | undefined): readonly string[] {
  return access?.subjects.map(({ field }) => field) ?? [];
}

/** The kinds of bindings that the given fields declare, each with the first field that declares it. */
export function childrenDeclaredBy(
  { access, fields: rows }: Kind,
  declared: readonly string[],
): ReadonlyMap<Children, string> {
  const subjects = subjectFields(access);
  const pairs = declared.flatMap((field): [Children, string][] => {
    const { children } = rows[field] ?? {};
    if (children) return [[children, field]];
    return access && subjects.includes(field) ? [[access.children, access.field]] : [];
  });
  const fieldByChildren = new Map<Children, string>();
  for (const [children, field] of pairs)
    if (!fieldByChildren.has(children)) fieldByChildren.set(children, field);
  return fieldByChildren;
}

/** The declared fields, including the fields inside bindings, such as `stages.policies`. */
export function declaredChildFields(resource: DeclaredFields): readonly string[] {
  return [
    ...Object.keys(resource.fields),
    ...nestedBindingFields(resource.kind, (field) => sentValue(resource, field)),
  ];
}

/** The fields inside bindings that a manifest can declare. With `valueIn`, returns only the declared fields. */
export function nestedBindingFields(
  kind: Kind,
  valueIn?: (field: string) => JsonValue | undefined,
): readonly string[] {
  return childFields(kind).flatMap(([field, { inside }]) => {
    const value = valueIn?.(field) ?? null;
    const isDeclared =
      !valueIn ||
      (isJsonList(value) &&
        value.some((one) => isJsonObject(one) && Object.hasOwn(one, inside?.field ?? '')));
    return inside && isDeclared ? [nestedFieldName(field, inside)] : [];
  });
}

export function nestedFieldName(
  field: string,
  { field: nestedField }: NonNullable<Children['inside']>,
): string {
  return `${field}.${nestedField}`;
}

interface Entry {
  readonly kind: Kind;
  readonly fields: object;
}

export function declaresBindings({ kind, fields }: Entry): boolean {
  for (const field of boundFields(kind)) if (Object.hasOwn(fields, field)) return true;
  return false;
}

export function declaresAccess({ kind, fields }: Entry): boolean {
  return subjectFields(kind.access).some((field) => Object.hasOwn(fields, field));
}

/** Whether an entry declares access but no group or user, so that everyone is admitted. */
export function isOpenToEveryone(resource: DeclaredFields): boolean {
  const isEmpty = (field: string): boolean => idsOf(sentValue(resource, field)).length === 0;
  return declaresAccess(resource) && subjectFields(resource.kind.access).every(isEmpty);
}

/** The type of subject that a binding admits, or undefined if the binding admits nobody, is negated, or is for a policy. */
export function admittedSubject(
  { subjects }: Access,
  binding: Pick<Child, 'binds' | 'values'> & Partial<Pick<Child, 'isExpired'>>,
): Subject | undefined {
  const { binds, values } = binding;
  if (!isEffective(binding) || values['negate'] === true) return undefined;
  return subjects.find((subject) => subject.binds.idField === binds?.idField);
}

export function wantedChildren(resource: DeclaredFields): readonly WantedChildren[] {
  if (!declaresBindings(resource)) return [];
  const { kind, fields } = resource;
  const declaring = childFields(kind).flatMap(([field, children]): WantedChildren[] => {
    if (!Object.hasOwn(fields, field)) return [];
    const isPart = partialComparison(resource, field) !== undefined;
    return [
      {
        children,
        fields: [field],
        wanted: declaredBindings(children, field, sentValue(resource, field) ?? null),
        ...coverAllBindings(field, isPart),
        removal: 'delete',
      },
    ];
  });
  return [...declaring, ...childrenFromAccess(resource)].toSorted(
    (a, b) => Number(a.children.inside !== undefined) - Number(b.children.inside !== undefined),
  );
}

/** Makes a declaration in `field` cover all existing bindings that have not expired. */
export function coverAllBindings(
  field: string,
  isPart: boolean,
): Pick<WantedChildren, 'covers' | 'omittingField'> {
  return {
    covers: ({ isExpired }) => !isExpired,
    omittingField: ({ isExpired }) => (isPart || isExpired ? undefined : field),
  };
}

function childrenFromAccess(resource: DeclaredFields): WantedChildren[] {
  const { access } = resource.kind;
  if (access === undefined || !declaresAccess(resource)) return [];
  const subjects = access.subjects.filter(({ field }) => Object.hasOwn(resource.fields, field));
  const wanted = subjects.flatMap(({ field, binds }) => {
    const ids = idsOf(sentValue(resource, field));
    const uniqueIds = new Map(ids.map((id) => [idKey(resource.kind, field, id), id]));
    return [...uniqueIds.values()].map((id) => ({ field, binds, id, values: {} }));
  });
  return [
    {
      children: access.children,
      fields: subjectFields(access),
      wanted,
      covers: (child) => admittedSubject(access, child) !== undefined,
      omittingField: (child) => admittedSubject(access, child)?.field,
      removal: 'update',
    },
  ];
}

export function isBindingField(kind: Kind, field: string): boolean {
  return boundFields(kind).has(field);
}

const boundFields = memoizePerKey(
  (kind: Kind): ReadonlySet<string> =>
    new Set([...subjectFields(kind.access), ...childFields(kind).map(([field]) => field)]),
);

export function withoutBindingFields(kind: Kind, fields: JsonObject): JsonObject {
  const isBinding = (field: string): boolean => isBindingField(kind, field);
  return Object.keys(fields).some(isBinding) ? filterKeys(fields, (field) => !isBinding(field)) : fields;
}

export function accessProblem(value: JsonValue): Problem | undefined {
  const isNobody =
    isJsonObject(value) && Object.values(value).every((list) => isJsonList(list) && list.length === 0);
  if (!isNobody) return undefined;
  return {
    code: 'invalid-value',
    summary: '`access` contains no group or user, so the service would admit everyone',
    detail: `Write \`access: ${everyone}\` to admit everyone. Otherwise name groups or users, or omit the field.`,
  };
}

/** Converts fields to a manifest entry: adds `type`, and declares all access in a single field. */
export function asManifestEntry(kind: Kind, values: JsonObject): JsonObject {
  const { access, variant } = kind;
  const sorted = variant && { [variant.field]: variant.value };
  const written = mapValues(values, (value, field) => writeNames(kind.fields[field] ?? {}, value));
  const fields = withSingleAccessForm(kind, written);
  const bound = access?.subjects.filter(({ field }) => Object.hasOwn(fields, field)) ?? [];
  if (access === undefined || bound.length === 0) return { ...fields, ...sorted };
  const lists = bound.flatMap(({ key, field }) => {
    const ids = fields[field] ?? [];
    return isJsonList(ids) && ids.length === 0 ? [] : [[key, ids] as const];
  });
  const value = lists.length === 0 ? everyone : Object.fromEntries(lists);
  const entries = Object.entries(fields).flatMap(([field, own]) => {
    if (field === bound[0]?.field) return [[access.field, value] as const];
    return bound.some((subject) => subject.field === field) ? [] : [[field, own] as const];
  });
  return { ...Object.fromEntries(entries), ...sorted };
}

/** Writes bindings as `access` if only groups and users are bound, each once, and otherwise in the field that lists all bindings. */
function withSingleAccessForm({ access, fields: rows }: Kind, fields: JsonObject): JsonObject {
  const fullField = Object.keys(fields).find((field) => access && rows[field]?.children === access.children);
  if (access === undefined || fullField === undefined) return fields;
  const bindings = bindingsIn(access.children, fields[fullField] ?? null);
  const isPlainAccess =
    bindings.every((one) => admittedSubject(access, one) !== undefined) &&
    new Set(bindings.map((one) => childKey(one))).size === bindings.length;
  const redundantFields = isPlainAccess ? [fullField] : subjectFields(access);
  const isWhole = redundantFields.every((field) => Object.hasOwn(fields, field));
  return isWhole || !isPlainAccess ? filterKeys(fields, (field) => !redundantFields.includes(field)) : fields;
}

/** The groups or users in a value of `access`, or an empty list for `everyone`. */
export function declaredSubjects({ key }: Subject, value: JsonValue): JsonValue {
  return isJsonObject(value) ? (value[key] ?? []) : [];
}
