import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Risk } from '../kinds/capability.ts';
import { mergedValue, removedIds, sentValue } from '../kinds/fields.ts';
import { idsOf } from '../kinds/named.ts';
import { factKey } from '../kinds/reference-facts.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import { recordKey } from '../kinds/values.ts';
import { lockout } from '../kinds/login-problems.ts';
import type { ObservedGroup } from '../observe/superusers.ts';
import type { LoginPlan } from './login.ts';
import { loginChanges, type LoginChange } from './login-state.ts';
import type { ReadyChange } from './plan.ts';

/** The changes that certainly or possibly take superuser rights from somebody, or that keep a superuser from logging in. */
export function superuserLosses(changes: readonly ReadyChange[]): readonly LoginChange[] {
  return loginChanges(changes).filter((change) => lossBy(change) !== undefined);
}

/** Whether a change takes superuser rights from somebody: `possible` if this depends on the parent groups of a group. */
function lossBy(change: LoginChange): 'certain' | 'possible' | undefined {
  const { resource, action, differences } = change;
  const { login } = resource.kind;
  if (action === 'create' || (login?.kind !== 'superuser' && login?.kind !== 'superuser group'))
    return undefined;
  if (action === 'delete') return 'certain';
  const { fields, facts = [] } = change.base;
  const [flag, memberOf] =
    login.kind === 'superuser' ? [login.isActive, login.groups] : [login.grants, login.parents];
  const isOff = sentValue(resource, flag) === false && differences.some(({ field }) => field === flag);
  const lost = removedIds(resource, memberOf, fields[memberOf]);
  const granting = new Set(facts.flatMap(([key, value]) => (value === true ? key : [])));
  if (isOff || lost.some((id) => granting.has(factKey(resource.kind, memberOf, id)))) return 'certain';
  return lost.length > 0 ? 'possible' : undefined;
}

/** Refuses a plan after which no active superuser is left, or adds a remark if the groups are unknown. */
export function checkSuperusersLeft(
  changes: readonly ReadyChange[],
  groups: readonly ObservedGroup[] | undefined,
  accepts: readonly Risk[],
): Pick<LoginPlan, 'changes' | 'refused'> {
  const losses = superuserLosses(changes);
  const certain = losses.find((change) => lossBy(change) === 'certain');
  const first = certain ?? losses[0];
  if (
    first === undefined ||
    (groups && (!isAnySuperuserLeft(groups, []) || isAnySuperuserLeft(groups, changes)))
  )
    return { changes, refused: [] };
  const withRemark = (remark: string): Pick<LoginPlan, 'changes' | 'refused'> => ({
    refused: [],
    changes: changes.map((change) =>
      change === first ? { ...first, remarks: [remark, ...(first.remarks ?? [])] } : change,
    ),
  });
  if (groups === undefined)
    return certain
      ? withRemark('it is unknown whether an active superuser is left')
      : { changes, refused: [] };
  const reason = 'no active superuser is left';
  if (accepts.includes('lockout')) return withRemark(`locks people out: ${reason}`);
  const problem = { ...lockout, summary: `this locks people out: ${reason}` };
  return { changes, refused: [diagnosticOf(first.resource, undefined, problem)] };
}

/** Whether, after the changes, an active user is in one of the groups that make superusers, or in a group inside such a group. */
export function isAnySuperuserLeft(
  observed: readonly ObservedGroup[],
  changes: readonly ReadyChange[],
): boolean {
  const groups = new Map<string, Pick<ObservedGroup, 'grants' | 'parents'>>(
    observed.map((group) => [group.key, group]),
  );
  const users = new Map<string, { readonly isActive: boolean; readonly groups: readonly string[] }>();
  for (const group of observed)
    for (const { key, isActive } of group.members)
      users.set(key, { isActive, groups: [...(users.get(key)?.groups ?? []), group.key] });
  for (const change of loginChanges(changes)) {
    const { resource, action } = change;
    const { login } = resource.kind;
    const [pk, fields]: readonly [JsonValue, JsonObject] =
      change.action === 'create' ? [{ name: resource.name }, {}] : [change.base.pk, change.base.fields];
    const key = recordKey(pk);
    const idsIn = (field: string, before: readonly string[] = []): readonly string[] =>
      resource.fields[field] ? idsOf(mergedValue(resource, field, fields[field])).map(recordKey) : before;
    if (login?.kind === 'superuser group') {
      const before = groups.get(key);
      const grants = (sentValue(resource, login.grants) ?? before?.grants) === true;
      if (action === 'delete') groups.delete(key);
      else groups.set(key, { grants, parents: idsIn(login.parents, before?.parents) });
    } else if (login?.kind === 'superuser') {
      const before = users.get(key);
      const was = before?.isActive ?? (action === 'create' || fields[login.isActive] === true);
      const isActive = (sentValue(resource, login.isActive) ?? was) === true;
      if (action === 'delete') users.delete(key);
      else users.set(key, { isActive, groups: idsIn(login.groups, before?.groups) });
    }
  }
  const isSuperuser = (memberOf: readonly string[]): boolean => {
    const groupsAndParents = new Set(memberOf);
    for (const key of groupsAndParents)
      for (const parent of groups.get(key)?.parents ?? []) groupsAndParents.add(parent);
    return [...groupsAndParents].some((key) => groups.get(key)?.grants);
  };
  return [...users.values()].some((user) => user.isActive && isSuperuser(user.groups));
}
