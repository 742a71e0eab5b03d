import { readLogin } from '../observe/login.ts';
import { declaredLogins, withLogin, type LoginPlan } from '../plan/login.ts';
import type { ReadyPlan } from '../plan/plan.ts';
import type { Service } from './connect.ts';

/** What a plan does to how people log in. Where it does nothing to that, nothing is read. */
export async function readLoginOf(
  { changes }: ReadyPlan,
  { client, pacing, signal, settings }: Service,
): Promise<LoginPlan> {
  const declared = declaredLogins(changes);
  if (declared.length === 0) return { changes, refused: [] };
  const held = await readLogin(declared, { client, pacing, signal });
  return withLogin(changes, held, settings.accepts ?? []);
}
