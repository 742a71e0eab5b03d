import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { bindingsIn, childFields, counts, declaredBindings } from './bindings.ts';
import type { Access, Child, Children, Subject, WantedChildren } from './children.ts';
import { partOf, sentValue, type Declared } from './fields.ts';
import type { Kind } from './kind.ts';
import { writeNames, idKey } from './named.ts';

export const everyone = 'everyone';

export function fieldsOfEntry({ fields, access }: Kind): readonly string[] {
  return [
    ...new Set(
      Object.keys(fields).map((field) => (access && ownerOf(field) === access.field ? access.field : field)),
    ),
  ];
}

export function ownerOf(field: string): string {
  return field.split('.', 1)[0] ?? field;
}

/** Fields whose presence in an entry keeps a default of this field from being filled in: the field itself and its equivalents. */
export function equivalentFields({ access, fields }: Kind, field: string): readonly string[] {
  const isOfAccess = access !== undefined && ownerOf(field) === access.field;
  if (access === undefined || !(isOfAccess || fields[field]?.children === access.children))
    return [ownerOf(field)];
  return [access.field, ...Object.keys(fields).filter((name) => fields[name]?.children === access.children)];
}

/** The fields that an entry declares together with this one. */
export function declaredWith({ access, fields }: Kind, field: string): readonly string[] {
  const isOfAccess = access?.subjects.some((subject) => subject.field === field);
  if (access && fields[field]?.children === access.children) return [field, access.field];
  return access && isOfAccess ? [access.field, ...access.subjects.map((subject) => subject.field)] : [field];
}

/** The bindings that these fields declare, each with the entry's field. */
export function childrenOf(
  { access, fields: rows }: Kind,
  declared: readonly string[],
): ReadonlyMap<Children, string> {
  const found = declared.flatMap((field): [Children, string][] => {
    const { children } = rows[field] ?? {};
    if (children) return [[children, field]];
    return access?.subjects.some((subject) => subject.field === field)
      ? [[access.children, access.field]]
      : [];
  });
  const first = new Map<Children, string>();
  for (const [children, field] of found) if (!first.has(children)) first.set(children, field);
  return first;
}

/** The declared fields; fields inside of bindings by names such as `stages.policies`. */
export function declaredChildFields(resource: Declared): readonly string[] {
  return [
    ...Object.keys(resource.fields),
    ...nestedParts(resource.kind, (field) => sentValue(resource, field)),
  ];
}

/** Fields that can be declared inside of bindings; with values, only those that these contain. */
export function nestedParts(
  kind: Kind,
  valueIn?: (field: string) => JsonValue | undefined,
): readonly string[] {
  return childFields(kind).flatMap(([field, { inside }]) => {
    const value = valueIn?.(field) ?? null;
    const isDeclared =
      !valueIn ||
      (isJsonList(value) &&
        value.some((one) => isJsonObject(one) && Object.hasOwn(one, inside?.field ?? '')));
    return inside && isDeclared ? [partName(field, inside)] : [];
  });
}

export function partName(field: string, { field: inner }: NonNullable<Children['inside']>): string {
  return `${field}.${inner}`;
}

export function declaresBindings({
  kind,
  fields,
}: {
  readonly kind: Kind;
  readonly fields: object;
}): boolean {
  return Object.keys(fields).some((field) => isBound(kind, field));
}

export function declaresAccess({ kind, fields }: { readonly kind: Kind; readonly fields: object }): boolean {
  return kind.access?.subjects.some(({ field }) => Object.hasOwn(fields, field)) === true;
}

/** Whether everyone may open the resource: access is declared without groups and users. */
export function isOpenToEveryone(resource: Declared): boolean {
  return (
    declaresAccess(resource) &&
    resource.kind.access?.subjects.every(({ field }) => {
      const ids = sentValue(resource, field) ?? [];
      return isJsonList(ids) && ids.length === 0;
    }) === true
  );
}

/** Whom a binding admits; undefined if it is disabled, negated, expired or of a policy. */
export function subjectOf(
  { subjects }: Access,
  binding: Pick<Child, 'binds' | 'values'> & Partial<Pick<Child, 'isExpired'>>,
): Subject | undefined {
  const { binds, values } = binding;
  if (!counts(binding) || values['negate'] === true) return undefined;
  return subjects.find((subject) => subject.binds.idIn === binds?.idIn);
}

export function wantedChildren(resource: Declared): readonly WantedChildren[] {
  if (!declaresBindings(resource)) return [];
  const { kind, fields } = resource;
  const declaring = childFields(kind).flatMap(([field, children]): WantedChildren[] => {
    if (!Object.hasOwn(fields, field)) return [];
    const isPart = partOf(resource, field) !== undefined;
    return [
      {
        children,
        fields: [field],
        wanted: declaredBindings(children, field, sentValue(resource, field) ?? null),
        ...declaresAll(field, isPart),
        removal: 'delete',
      },
    ];
  });
  // A field that decides about all bindings comes before its parts.
  return [...declaring, ...wantedByAccess(resource)].toSorted(
    (a, b) => Number(a.children.inside !== undefined) - Number(b.children.inside !== undefined),
  );
}

/** Whether a field declares all bindings, except expired ones. */
export function declaresAll(field: string, isPart: boolean): Pick<WantedChildren, 'isAbout' | 'leftOutBy'> {
  return {
    isAbout: ({ isExpired }) => !isExpired,
    leftOutBy: ({ isExpired }) => (isPart || isExpired ? undefined : field),
  };
}

function wantedByAccess(resource: Declared): WantedChildren[] {
  const { access } = resource.kind;
  if (access === undefined || !declaresAccess(resource)) return [];
  const subjects = access.subjects.filter(({ field }) => Object.hasOwn(resource.fields, field));
  const wanted = subjects.flatMap(({ field, binds }) => {
    const ids = sentValue(resource, field) ?? null;
    const once = new Map((isJsonList(ids) ? ids : []).map((id) => [idKey(resource.kind, field, id), id]));
    return [...once.values()].map((id) => ({ field, binds, id, values: {} }));
  });
  return [
    {
      children: access.children,
      fields: access.subjects.map(({ field }) => field),
      wanted,
      isAbout: (child) => subjectOf(access, child) !== undefined,
      leftOutBy: (child) => subjectOf(access, child)?.field,
      removal: 'update',
    },
  ];
}

/** Whether the values of a field are bindings and not part of the record itself. */
export function isBound(kind: Kind, field: string): boolean {
  return boundFields(kind).has(field);
}

const boundFields = memoizePerKey(
  (kind: Kind): ReadonlySet<string> =>
    new Set([
      ...(kind.access?.subjects.map(({ field }) => field) ?? []),
      ...childFields(kind).map(([field]) => field),
    ]),
);

/** The fields that are sent with the record itself. */
export function unbound(kind: Kind, fields: JsonObject): JsonObject {
  return Object.keys(fields).some((field) => isBound(kind, field))
    ? Object.fromEntries(Object.entries(fields).filter(([field]) => !isBound(kind, field)))
    : fields;
}

/** The problem of a declared access that the schema accepts. */
export function accessProblem(value: JsonValue): Problem | undefined {
  const isNobody =
    isJsonObject(value) && Object.values(value).every((list) => isJsonList(list) && list.length === 0);
  if (!isNobody) return undefined;
  return {
    code: 'invalid-value',
    summary: 'no group or user is named, and without bindings the service admits everyone',
    detail: `Write \`access: ${everyone}\` to open it to everyone. Otherwise name groups or users, or omit the field.`,
  };
}

/** The fields as an entry declares them: with names, `type`, and access in one field. */
export function asManifestDeclares(kind: Kind, values: JsonObject): JsonObject {
  const { access, variant } = kind;
  const sorted = variant && { [variant.field]: variant.value };
  const all = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, writeNames(kind.fields[field] ?? {}, value)]),
  );
  const fields = withOneOf(kind, all);
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

/** The fields with bindings declared once: as `access` if only groups and users are bound, otherwise in full. */
function withOneOf({ access, fields: rows }: Kind, fields: JsonObject): JsonObject {
  const full = Object.keys(fields).find((field) => access && rows[field]?.children === access.children);
  if (access === undefined || full === undefined) return fields;
  const isPlain = bindingsIn(access.children, fields[full] ?? null).every(
    (one) => subjectOf(access, one) !== undefined,
  );
  const left = isPlain ? [full] : access.subjects.map(({ field }) => field);
  const isWhole = left.every((field) => Object.hasOwn(fields, field));
  return isWhole || !isPlain
    ? Object.fromEntries(Object.entries(fields).filter(([field]) => !left.includes(field)))
    : fields;
}

/** The declared subjects of a kind; none for everyone, or if only others are named. */
export function declaredSubjects({ key }: Subject, value: JsonValue): JsonValue {
  return isJsonObject(value) ? (value[key] ?? []) : [];
}
