import type { JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { fieldNames, mergedValue, placeholderFor, removedIds, sentValue } from '../kinds/fields.ts';
import { idsOf, nameOfId, namesById, shownId } from '../kinds/named.ts';
import { factKey, type ReferenceFacts } from '../kinds/reference-facts.ts';
import type { Resource } from '../kinds/resource.ts';
import { isNameReference, recordKey } from '../kinds/values.ts';
import type { Alteration } from '../manifest/baseline.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Change } from './plan.ts';

/** The rights that a user or the members of a group gain through a change, compared with the service and with the baseline. */
export function gainedRights(
  change: Pick<Change, 'resource' | 'action' | 'differences'>,
  record: Pick<ObservedRecord, 'fields' | 'isSuperuser'>,
  since: Alteration | undefined,
  facts: ReferenceFacts,
  joined: ReadonlySet<string>,
): string[] {
  const { resource, action } = change;
  if (!givesRights(change, joined)) return [];
  const earlierOf = (field: string): JsonValue[] => earlierValues(change, record, since, field);
  const { login } = resource.kind;
  const reactivated =
    login?.kind === 'superuser' &&
    sentValue(resource, login.isActive) === true &&
    earlierOf(login.isActive).includes(false)
      ? login
      : undefined;
  const isAllNew = action === 'create' || since?.kind === 'added' || reactivated !== undefined;
  const gains = fieldNames(resource).flatMap((field) => [
    ...(isAllNew ? rightsOfAdded(resource, field, null, facts) : []),
    ...earlierOf(field).flatMap((before) => rightsInField(resource, field, before, facts)),
  ]);
  const more = reactivated ? undeclaredRights(resource, reactivated.groups, record, gains) : [];
  return [...new Set([...gains, ...more])].map((words) => redactorOf(resource.secrets).redact(words));
}

/** The values of a field before the update and before the change of the manifests, if these change the field. */
function earlierValues(
  { action, differences }: Pick<Change, 'action' | 'differences'>,
  { fields: held }: Pick<ObservedRecord, 'fields'>,
  since: Alteration | undefined,
  name: string,
): JsonValue[] {
  const isChanged = action === 'update' && differences.some(({ field }) => field === name);
  const altered = since?.kind === 'altered' ? (since.fields ?? []) : [];
  return [
    ...(isChanged ? [held[name] ?? null] : []),
    ...altered.flatMap(({ field, before = null }) => (field === name ? [before] : [])),
  ];
}

/** The rights of an existing account that its declared groups and roles do not show. */
function undeclaredRights(
  resource: Resource,
  groups: string,
  { fields: held, isSuperuser }: Pick<ObservedRecord, 'fields' | 'isSuperuser'>,
  gains: readonly string[],
): string[] {
  const { fields } = resource.kind;
  const after = (field: string): number => idsOf(mergedValue(resource, field, held[field])).length;
  const roles = Object.keys(fields).filter(
    (field) => fields[field]?.addedRights && after(field) > idsOf(sentValue(resource, field)).length,
  );
  const words = fields[groups]?.fact?.grants ?? '';
  const isKnown = isSuperuser !== true || after(groups) === 0 || gains.some((gain) => gain.includes(words));
  // The update may take the group away that makes a superuser.
  const doubt = removedIds(resource, groups, held[groups]).length > 0 ? 'perhaps ' : '';
  return [
    ...(isKnown ? [] : [`${doubt}${words}`]),
    ...roles.map((field) => `rights, through its \`${field}\``),
  ];
}

/** Whether a change can give rights to people: a new group has only the members that join it in the same plan. */
export function givesRights(
  { resource: { kind, name }, action }: Pick<Change, 'resource' | 'action'>,
  joined: ReadonlySet<string>,
): boolean {
  const isOfGroup = kind.rights?.to === 'its members';
  return (
    kind.rights?.to === 'a user' || (isOfGroup && (action !== 'create' || joined.has(recordKey({ name }))))
  );
}

/** The keys of the groups that users join. */
export function joinedGroups(resources: readonly Resource[]): ReadonlySet<string> {
  return new Set(
    resources.flatMap((user) =>
      user.kind.login?.kind === 'superuser'
        ? idsOf(sentValue(user, user.kind.login.groups)).map(recordKey)
        : [],
    ),
  );
}

function rightsInField(
  resource: Resource,
  field: string,
  before: JsonValue,
  facts: ReferenceFacts,
): readonly string[] {
  const { login } = resource.kind;
  if (login?.kind !== 'superuser group' || field !== login.grants)
    return rightsOfAdded(resource, field, before, facts);
  if (sentValue(resource, field) !== true) return [];
  return [
    placeholderFor(resource, field) === undefined
      ? "a superuser's rights"
      : `rights, through its \`${field}\``,
  ];
}

/** The rights that the ids give which a field adds to its earlier value. */
export function rightsOfAdded(
  resource: Resource,
  field: string,
  before: JsonValue,
  facts: ReferenceFacts,
): string[] {
  const { kind } = resource;
  const { fact: { grants } = {}, addedRights } = kind.fields[field] ?? {};
  if (grants === undefined && addedRights === undefined) return [];
  const names = namesById(resource, field);
  // The manifests of a baseline have names in place of ids.
  const keyOf = (id: JsonValue): string =>
    (isNameReference(id) ? id.name : nameOfId(names, kind, field, id)) ?? factKey(kind, field, id);
  const has = new Set(idsOf(before).map(keyOf));
  return idsOf(sentValue(resource, field)).flatMap((id) => {
    if (has.has(keyOf(id))) return [];
    has.add(keyOf(id));
    const key = factKey(kind, field, id);
    const idWords = shownId(resource, field, id);
    const added = addedRights === undefined ? [] : [`${addedRights} ${idWords}`];
    const fact = facts.get(key);
    if (grants === undefined || (fact !== true && fact !== null)) return added;
    const given = `${grants} through ${idWords} in \`${field}\``;
    return [...added, fact ? given : `perhaps ${given} (not all of its parents can be read)`];
  });
}
