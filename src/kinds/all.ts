import { groupBy } from '../base/group-by.ts';
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerText } from '../base/memoize.ts';
import { application } from './application.ts';
import { certificate } from './certificate.ts';
import { childFields } from './bindings.ts';
import type { Children } from './children.ts';
import { familyTypes, type FamilyType } from './families.ts';
import { group } from './group.ts';
import type { PermissionType } from './family.ts';
import type { Family, Kind } from './kind.ts';
import { oauth2 } from './oauth2.ts';
import { outpost, serviceConnections } from './rows/outposts.ts';
import { groupField, userField } from './policy-bindings.ts';
import { proxy } from './proxy.ts';
import { flow } from './rows/flows.ts';
import { policies } from './rows/policies.ts';
import { propertyMappings } from './rows/property-mappings.ts';
import { providers } from './rows/providers.ts';
import { connectors, singleTypes } from './rows/single-types.ts';
import { sources } from './rows/sources.ts';
import { stages } from './rows/stages.ts';
import { settings } from './settings.ts';
import { user } from './user.ts';

export type ResourceType = FamilyType;

/** All kinds, in the default order of plans and creates. */
export const kinds: readonly Kind<ResourceType>[] = [
  application,
  certificate,
  flow,
  group,
  outpost,
  settings,
  user,
  ...singleTypes,
  ...connectors,
  ...policies,
  ...propertyMappings,
  oauth2,
  proxy,
  ...providers,
  ...serviceConnections,
  ...sources,
  ...stages,
].toSorted((a, b) => familyTypes.indexOf(a.type) - familyTypes.indexOf(b.type));

const defaultKindPaths: ReadonlySet<string> = new Set([
  '/api/v3/propertymappings/provider/scope/',
  ...[application, certificate, group, oauth2, outpost, proxy, user].map(({ path }) => path),
]);

export const defaultKinds: readonly Kind<ResourceType>[] = kinds.filter(
  ({ type, path }) => type === 'role' || defaultKindPaths.has(path),
);
export const defaultLists: readonly Kind['list'][] = [...new Set(defaultKinds.map(({ list }) => list))];

export function isSubject({ family }: Pick<Kind, 'family'>): boolean {
  return [groupField, userField].some(({ refersTo }) => refersTo === family);
}

/** Whether only a superuser can see all effects of deleting a record of this kind. */
export function needsSuperuserToDelete(kind: Kind<ResourceType>): boolean {
  return isSubject(kind) || !defaultKinds.includes(kind);
}

const byType = groupBy(kinds, ({ type }): string => type);
const byList = groupBy(kinds, ({ list }) => list);

export function kindsOf(type: string): readonly Kind<ResourceType>[] {
  return byType.get(type) ?? [];
}

export const resourceTypes: readonly ResourceType[] = [...new Set(kinds.map(({ type }) => type))];
export const lists: readonly Kind['list'][] = [...byList.keys()];

/** Everything that must be read for these kinds by undocumented requests: kinds, lists and bindings. The service may refuse such requests. */
export function undocumentedReads(subset: readonly Kind[]): readonly PermissionType[] {
  const referred = subset.flatMap(({ fields }) =>
    Object.values(fields).flatMap(({ refersTo }) => refersTo ?? []),
  );
  const bound = allChildren(subset).flatMap(({ binds }) => binds.map(({ refersTo }) => refersTo));
  const isKind = (family: Family): boolean =>
    subset.some((kind) => kind.family === family && kind.variant === undefined);
  return [
    ...subset.filter(({ lookUp }) => !lookUp.isDocumented),
    ...new Set([...referred, ...bound].filter((family) => !isKind(family))),
    ...allChildren(subset),
  ];
}

/** The model in documents, which is left out if it is the type. */
export function documentModel({ type, model: { name } }: Kind): { readonly model?: string } {
  return name === type ? {} : { model: name };
}

export function allChildren(subset: readonly Kind[] = kinds): readonly Children[] {
  return [...new Set(subset.flatMap((kind) => childFields(kind).map(([, children]) => children)))];
}

export const createdByContract: readonly Kind<ResourceType>[] = defaultKinds.filter(
  ({ isCreateDocumented }) => isCreateDocumented,
);

export function isResourceType(type: string): type is ResourceType {
  return byType.has(type);
}

/** `model` is needed only for a type that several kinds share. */
export function kindOf(type: ResourceType, model?: string): Kind<ResourceType> {
  const kind = kindNamed(type, model);
  if (kind === undefined) throw new Error(`there is no kind ${type} ${model}`);
  return kind;
}

function kindNamed(type: string, model: string | undefined): Kind<ResourceType> | undefined {
  return kindsOf(type).find((kind) => documentModel(kind).model === model);
}

export function isKnownKind({ type, model }: { readonly type: string; readonly model?: string }): boolean {
  return kindNamed(type, model) !== undefined;
}

export function kindOfEntry(list: string, entry: JsonValue): Kind<ResourceType> | undefined {
  const [first] = byList.get(list) ?? [];
  if (first?.variant === undefined) return first;
  const type = isJsonObject(entry) ? entry[first.variant.field] : undefined;
  return typeof type === 'string' ? kindOfTypes(list).get(type) : undefined;
}

const kindOfTypes = memoizePerText(
  (list) => new Map((byList.get(list) ?? []).map((kind) => [kind.variant?.value, kind])),
);

/** The kind at a path in a manifest. If several kinds share the list, returns the first kind that has the field. */
export function kindAt([list, type, field]: readonly (string | number)[]): Kind<ResourceType> | undefined {
  const candidates = list === 'defaults' ? kindsWithDefaults(String(type)) : (byList.get(String(list)) ?? []);
  return (
    candidates.find(({ fields }) => field !== undefined && Object.hasOwn(fields, field)) ?? candidates[0]
  );
}

/** The keys under `defaults` that apply to a kind, such as `provider` and `provider.oauth2`. The second key exists only if several kinds share the type. */
export function defaultsKeys({ type, variant }: Kind): readonly [list: string, own?: string] {
  return variant === undefined ? [type] : [type, `${type}.${variant.value}`];
}

function kindsWithDefaults(key: string): readonly Kind<ResourceType>[] {
  const [type = ''] = key.split('.', 1);
  return kindsOf(type).filter((kind) => defaultsKeys(kind).includes(key));
}

/** Joins words as in `applications and users`. Loading Intl.ListFormat would take most of the start time of a small command. */
export function joinWords(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  if (before.length === 0) return last;
  return `${before.toReversed().join(', ')}${before.length > 1 ? ',' : ''} and ${last}`;
}

export function joinListNames(subset: Iterable<Kind>): string {
  const items = new Set<Kind>(subset);
  return joinWords([...new Set(kinds.filter((kind) => items.has(kind)).map(({ list }) => list))]);
}
