import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Risk } from '../kinds/capability.ts';
import { mergedValue, removedIds, sentValue } from '../kinds/fields.ts';
import { factKey } from '../kinds/named.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import { isNameReference, plainUuid } from '../kinds/values.ts';
import { lockout } from '../kinds/way-in.ts';
import type { LoginPlan } from './login.ts';
import { loginChanges, type LoginChange } from './login-state.ts';
import type { ReadyChange } from './plan.ts';

/** The changes that may take a superuser's rights from somebody, or keep a superuser from logging in. */
export function superuserLosses(changes: readonly ReadyChange[]): readonly LoginChange[] {
  return loginChanges(changes).filter((change) => {
    const { resource, action } = change;
    const { login } = resource.kind;
    if (action === 'create' || (login?.is !== 'superuser' && login?.is !== 'superuser group')) return false;
    if (login.is === 'superuser group')
      return (
        action === 'delete' ||
        (sentValue(resource, login.grants) === false && isChanged(change, login.grants))
      );
    if (action === 'delete') return true;
    const isDisabled = sentValue(resource, login.isActive) === false && isChanged(change, login.isActive);
    return isDisabled || losesRights(change, login.groups);
  });
}

function isChanged({ differences }: LoginChange, field: string): boolean {
  return differences.some((difference) => difference.field === field);
}

/** Whether a user loses a group of superusers. */
function losesRights(change: LoginChange, field: string): boolean {
  if (change.action === 'create' || !isChanged(change, field)) return false;
  const { resource, base } = change;
  const granting = new Set((base.facts ?? []).flatMap(([key, value]) => (value === true ? key : [])));
  return removedIds(resource, field, base.fields[field]).some((id) =>
    granting.has(factKey(resource.kind, field, id)),
  );
}

/** Refuses to leave no active superuser. Without the groups of superusers, the plan says that it is not known. */
export function withSuperusersLeft(
  changes: readonly ReadyChange[],
  groups: readonly JsonObject[] | undefined,
  accepts: readonly Risk[],
): Pick<LoginPlan, 'changes' | 'refused'> {
  const [first] = superuserLosses(changes);
  if (first === undefined) return { changes, refused: [] };
  const noted = (remark: string): Pick<LoginPlan, 'changes' | 'refused'> => ({
    refused: [],
    changes: changes.map((change) =>
      change === first ? { ...first, remarks: [remark, ...(first.remarks ?? [])] } : change,
    ),
  });
  if (groups === undefined) return noted('it could not be read whether an active superuser is left');
  const wasAny = activeIn(groups, []).size > 0;
  if (!wasAny || activeIn(groups, loginChanges(changes)).size > 0) return { changes, refused: [] };
  const why = 'no active user with the rights of a superuser is left';
  if (accepts.includes('lockout')) return noted(`locks people out: ${why}`);
  const problem = { ...lockout, summary: `this locks people out: ${why}` };
  return { changes, refused: [diagnosticOf(first.resource, undefined, problem)] };
}

/** The active users in groups of superusers, once these changes are made. */
function activeIn(groups: readonly JsonObject[], changes: readonly LoginChange[]): ReadonlySet<string> {
  const active = new Set<string>();
  const granting = new Set(groups.map(({ pk = null }) => idText(pk)));
  for (const change of changes)
    if (change.action !== 'create' && !grantsAfter(change)) granting.delete(idText(change.base.pk));
  for (const { pk = null, users_obj: users = null } of groups)
    for (const user of granting.has(idText(pk)) && isJsonList(users) ? users : [])
      if (isJsonObject(user) && user['is_active'] !== false) active.add(textOf(user['pk']));
  for (const change of changes) {
    const { resource } = change;
    const { login } = resource.kind;
    if (login?.is !== 'superuser') continue;
    const [pk, held] =
      change.action === 'create' ? [resource.name, {}] : [change.base.pk, change.base.fields];
    const wasActive = change.action === 'create' || active.has(pk) || held[login.isActive] === true;
    const isActive = sentValue(resource, login.isActive) ?? wasActive;
    const isDeclared = resource.fields[login.groups] !== undefined;
    const memberOf = idsOf(mergedValue(resource, login.groups, held[login.groups]));
    const hasRights = isDeclared ? memberOf.some((id) => granting.has(id)) : active.has(pk);
    if (change.action !== 'delete' && isActive === true && hasRights) active.add(pk);
    else active.delete(pk);
  }
  return active;
}

function grantsAfter({ resource, action }: LoginChange): boolean {
  const { login } = resource.kind;
  if (login?.is !== 'superuser group') return true;
  return action !== 'delete' && sentValue(resource, login.grants) !== false;
}

function idsOf(value: JsonValue): readonly string[] {
  return isJsonList(value) ? value.map((id) => idText(id)) : [];
}

function idText(id: JsonValue): string {
  return textOf(plainUuid(isNameReference(id) ? (id['id'] ?? id) : id));
}
