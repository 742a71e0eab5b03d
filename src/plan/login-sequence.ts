import { loginObstacles, nameOnlyLogin, type LoginFlow } from '../kinds/way-in.ts';
import type { LoginChange, LoginState } from './login-state.ts';

/** Changes of users and groups affect a flow only for some people, so their order does not matter. */
function isOfPeople({ resource: { kind } }: LoginChange): boolean {
  return kind.rights !== undefined;
}

export interface ChangedFlow {
  readonly key: string;
  readonly before: LoginFlow | undefined;
  readonly after: LoginFlow | undefined;
  readonly touching: readonly LoginChange[];
}

/** Measures a flow: `open` is higher if the flow requires less proof, `closed` is higher if it has more obstacles. */
function weaknessOf(flow: LoginFlow | undefined): readonly [open: number, closed: number] {
  if (flow === undefined) return [0, 0];
  const found = nameOnlyLogin(flow);
  const open = found === undefined ? 0 : found.kind === 'insecure' ? 2 : 1;
  return [open, loginObstacles(flow).length];
}

/**
 * Orders the changes to existing parts of flows so that each flow is always at least as strong as before the plan, or at least
 * as strong as after the plan. If every order opens a flow for a moment, `opening` is the change that opens the flow.
 */
export function safeLoginOrder(
  pending: readonly LoginChange[],
  before: LoginState,
  flows: readonly ChangedFlow[],
): { readonly changes: readonly LoginChange[]; readonly opening?: LoginChange } {
  const touching = new Set(flows.flatMap((flow) => flow.touching));
  const left = pending.filter(
    (change) => change.action === 'update' && touching.has(change) && !isOfPeople(change),
  );
  const done: LoginChange[] = [];
  let state = before.after(pending.filter(({ action }) => action === 'create'));
  let opening: LoginChange | undefined;
  const isWeaker = (next: LoginState, change: LoginChange, by: 0 | 1): boolean =>
    flows.some((flow) => {
      if (!flow.touching.includes(change)) return false;
      const max = Math.max(weaknessOf(flow.before)[by], weaknessOf(flow.after)[by]);
      return weaknessOf(next.flowAt(flow.key))[by] > max;
    });
  while (left.length > 0) {
    const allChanges = left.find((change) => {
      const next = state.after([change]);
      return !isWeaker(next, change, 0) && !isWeaker(next, change, 1);
    });
    const next = allChanges ?? left.find((change) => !isWeaker(state.after([change]), change, 0)) ?? left[0];
    if (next === undefined) break;
    state = state.after([next]);
    if (isWeaker(state, next, 0)) opening ??= next;
    left.splice(left.indexOf(next), 1);
    done.push(next);
  }
  return { changes: done, ...(opening && { opening }) };
}
