import { risks } from '../kinds/capability.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import type { Release } from '../kinds/release.ts';
import { readLogin } from '../observe/login.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';
import { readGroups, type ObservedGroup } from '../observe/superusers.ts';
import { checkLoginChanges, type LoginPlan } from '../plan/login.ts';
import { changedLoginRecords, isKeptLoginFlow } from '../plan/login-state.ts';
import type { ReadyChange, ReadyPlan } from '../plan/plan.ts';
import { lostPermissions, takesRights, withOwnRightsLast } from '../plan/own-rights.ts';
import { isAnySuperuserLeft, superuserLosses, checkSuperusersLeft } from '../plan/superusers.ts';
import { retrieveTokenUser } from '../service/retrieve.ts';
import type { Service } from './connect.ts';

/** Marks changes that affect logins or the token's rights. Also marks changes that only a run with further permissions would make. */
export async function planLoginChanges(
  made: Observed,
  service: Service,
  release: Release | undefined,
): Promise<LoginPlan> {
  const login = await loginOf(made, service);
  const mayTake = (change: ReadyChange): boolean =>
    takesRights(change) || lostPermissions(change, release) !== undefined;
  if (!login.changes.some((change) => mayTake(change))) return login;
  const self = await retrieveTokenUser(service);
  return {
    ...login,
    changes: withOwnRightsLast(login.changes, self?.proof === 'exists' ? self : {}, release),
  };
}

interface Observed extends Pick<ReadyPlan, 'changes'> {
  readonly observed: ObservedState;
}

async function loginOf({ changes, observed }: Observed, service: Service): Promise<LoginPlan> {
  const { acceptedRisks = [] } = service.settings;
  const groups =
    superuserLosses(changes).length > 0 ? await readGroupsForLockout(changes, service) : undefined;
  const { changes: known, refused } = checkSuperusersLeft(changes, groups, acceptedRisks);
  const all = known.map((change) => ifAllowed(change, observed));
  const declared = changedLoginRecords(all);
  if (declared.length === 0 && !known.some(isKeptLoginFlow)) return { changes: known, refused };
  const record = await readLogin(declared, service);
  const login = checkLoginChanges(known, record, acceptedRisks);
  const isLeft = all.some((change, index) => change !== known[index]);
  const ofAll = isLeft ? checkLoginChanges(all, record, risks).changes : [];
  const onWay = new Set(
    ofAll.flatMap(({ affectsLogin, resource }) => (affectsLogin ? resource.address : [])),
  );
  const marked = login.changes.map((change) =>
    change.action === 'no-op' && onWay.has(change.resource.address)
      ? { ...change, affectsLogin: true as const }
      : change,
  );
  return { ...login, changes: marked, refused: [...refused, ...login.refused] };
}

/** The change that would be made if the run had the necessary option. */
function ifAllowed(change: ReadyChange, observed: ObservedState): ReadyChange {
  const { resource, action, differences, leftBecause } = change;
  const base = observedRecordAt(observed, resource.address);
  if (action !== 'no-op' || differences.length === 0 || leftBecause !== undefined || !base) return change;
  if (isToBeDeleted(resource)) return { ...change, action: 'delete', base };
  return { ...change, action: 'update', base, permission: { self: undefined, mayDelete: true } };
}

/** Reads as many groups as needed to see whether an active superuser is left. Subgroups are read only if no direct member is found. */
async function readGroupsForLockout(
  changes: readonly ReadyChange[],
  service: Service,
): Promise<readonly ObservedGroup[] | undefined> {
  const groups = await readGroups('superusers', service);
  return groups && !isAnySuperuserLeft(groups, changes) ? readGroups('all', service) : groups;
}
