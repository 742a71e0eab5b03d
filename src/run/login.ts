import type { JsonObject } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import { readLogin } from '../observe/login.ts';
import { declaredLogins, withLogin, type LoginPlan } from '../plan/login.ts';
import type { ReadyChange, ReadyPlan } from '../plan/plan.ts';
import { takesRights, withOwnRightsLast } from '../plan/own-rights.ts';
import { superuserLosses, withSuperusersLeft } from '../plan/superusers.ts';
import { readWhole } from '../service/read-whole.ts';
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
  const losses = superuserLosses(changes);
  const groups = losses.length > 0 ? await readSuperuserGroups(options) : undefined;
  const { changes: known, refused } = withSuperusersLeft(changes, groups, acceptedRisks);
  const declared = declaredLogins(known);
  if (declared.length === 0) return { changes: known, refused };
  const login = withLogin(known, await readLogin(declared, options), acceptedRisks);
  return { ...login, refused: [...refused, ...login.refused] };
}

/** The groups that make superusers, with their users. */
async function readSuperuserGroups(
  options: Pick<Service, 'client' | 'pacing' | 'signal'>,
): Promise<readonly JsonObject[] | undefined> {
  for (const { login, family } of kinds) {
    if (login?.is !== 'superuser group') continue;
    const query = { [login.grants]: 'true', include_users: 'true', ordering: family.identity };
    const read = await readWhole({ ...family.byName, query }, options);
    return read.kind === 'whole' ? read.records.map(({ received }) => received) : undefined;
  }
  return undefined;
}
