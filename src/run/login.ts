import { readLogin } from '../observe/login.ts';
import { readGroups, type HeldGroup } from '../observe/superusers.ts';
import { declaredLogins, withLogin, type LoginPlan } from '../plan/login.ts';
import type { ReadyChange, ReadyPlan } from '../plan/plan.ts';
import { takesRights, withOwnRightsLast } from '../plan/own-rights.ts';
import { isAnyLeft, superuserLosses, withSuperusersLeft } from '../plan/superusers.ts';
import { retrieveSelf } from '../service/retrieve.ts';
import type { Service } from './connect.ts';

/**
 * What a plan does to how people log in, and to the rights of the token. Where it does nothing to these, nothing is read.
 */
export async function readLoginOf({ changes }: ReadyPlan, service: Service): Promise<LoginPlan> {
  const { client, pacing, signal } = service;
  const login = await loginOf(changes, service);
  if (!login.changes.some((change) => takesRights(change))) return login;
  const self = await retrieveSelf(client, pacing, signal);
  return {
    ...login,
    changes: withOwnRightsLast(login.changes, self?.proof === 'exists' ? self : {}),
  };
}

async function loginOf(
  changes: readonly ReadyChange[],
  { client, pacing, signal, settings: { acceptedRisks = [] } }: Service,
): Promise<LoginPlan> {
  const options = { client, pacing, signal };
  const groups = superuserLosses(changes).length > 0 ? await groupsToJudge(changes, options) : undefined;
  const { changes: known, refused } = withSuperusersLeft(changes, groups, acceptedRisks);
  const declared = declaredLogins(known);
  if (declared.length === 0) return { changes: known, refused };
  const login = withLogin(known, await readLogin(declared, options), acceptedRisks);
  return { ...login, refused: [...refused, ...login.refused] };
}

/** Enough groups to judge whether an active superuser is left: the hierarchy matters only if none is in their groups themselves. */
async function groupsToJudge(
  changes: readonly ReadyChange[],
  options: Pick<Service, 'client' | 'pacing' | 'signal'>,
): Promise<readonly HeldGroup[] | undefined> {
  const groups = await readGroups('superusers', options);
  return groups && !isAnyLeft(groups, changes) ? readGroups('all', options) : groups;
}
