import { loginObstacles, nameOnlyLogin } from '../kinds/login-problems.ts';
import { type LoginFlow } from '../kinds/way-in.ts';
import type { LoginChange, LoginState } from './login-state.ts';

export interface ChangedFlow {
  readonly key: string;
  readonly before: LoginFlow | undefined;
  readonly after: LoginFlow | undefined;
  readonly touching: readonly LoginChange[];
}

interface Weakness {
  /** Higher if the flow requires less proof of identity. */
  readonly exposure: number;
  readonly obstacles: number;
}

function weaknessOf(flow: LoginFlow | undefined): Weakness {
  if (flow === undefined) return { exposure: 0, obstacles: 0 };
  const login = nameOnlyLogin(flow);
  const exposure = login === undefined ? 0 : login.kind === 'insecure' ? 2 : 1;
  return { exposure, obstacles: loginObstacles(flow).length };
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
  // Changes of users and groups affect a flow only for some people, so their order does not matter.
  const isOrdered = (change: LoginChange): boolean =>
    change.action === 'update' && touching.has(change) && change.resource.kind.rights === undefined;
  const left = pending.filter((change) => isOrdered(change));
  const done: LoginChange[] = [];
  let state = before.after(pending.filter(({ action }) => action === 'create'));
  let opening: LoginChange | undefined;
  const weakens = (change: LoginChange, by: keyof Weakness): boolean => {
    const next = state.after([change]);
    return flows.some((flow) => {
      if (!flow.touching.includes(change)) return false;
      const max = Math.max(weaknessOf(flow.before)[by], weaknessOf(flow.after)[by]);
      return weaknessOf(next.flowAt(flow.key))[by] > max;
    });
  };
  while (left.length > 0) {
    const secure = left.find((change) => !weakens(change, 'exposure'));
    const harmless = left.find((change) => !weakens(change, 'exposure') && !weakens(change, 'obstacles'));
    const next = harmless ?? secure ?? left[0];
    if (next === undefined) break;
    if (weakens(next, 'exposure')) opening ??= next;
    state = state.after([next]);
    left.splice(left.indexOf(next), 1);
    done.push(next);
  }
  return { changes: done, ...(opening && { opening }) };
}
