import {
  hasBackend,
  loginObstacles,
  nameOnlyLogin,
  obstaclesWithoutSources,
} from '../kinds/login-problems.ts';
import { declaredRecord, type LoginFlow } from '../kinds/way-in.ts';
import type { LoginChange, LoginState } from './login-state.ts';

/** The login records before and after the plan, with the flows whose parts are known. */
export interface ChangedLogins {
  readonly before: LoginState;
  readonly after: LoginState;
  readonly flows: readonly ChangedFlow[];
  /** Whether the records include all sources whose users alone pass a password stage. */
  readonly hasNeededSources: boolean;
}

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

/** Why nobody gets through the flow in this state. */
export function obstaclesIn(
  { sources }: LoginState,
  flow: LoginFlow,
  { hasNeededSources }: ChangedLogins,
): readonly string[] {
  return [...loginObstacles(flow), ...(hasNeededSources ? obstaclesWithoutSources(flow, sources) : [])];
}

function weaknessOf(key: string, state: LoginState, logins: ChangedLogins): Weakness {
  const flow = state.flowAt(key);
  if (flow === undefined) return { exposure: 0, obstacles: 0 };
  const login = nameOnlyLogin(flow);
  const exposure = login === undefined ? 0 : login.kind === 'insecure' ? 2 : 1;
  return { exposure, obstacles: obstaclesIn(state, flow, logins).length };
}

/**
 * Orders the changes to existing parts of flows, and the creates of sources that they need, so that each flow is always at least
 * as strong as before the plan, or at least as strong as after the plan. If every order opens a flow for a moment, `opening` is
 * the change that opens the flow.
 */
export function safeLoginOrder(
  pending: readonly LoginChange[],
  logins: ChangedLogins,
): { readonly changes: readonly LoginChange[]; readonly opening?: LoginChange } {
  const { before, after, flows } = logins;
  const touching = new Set(flows.flatMap((flow) => flow.touching));
  // Changes of users and groups affect a flow only for some people, so their order does not matter.
  const isOrdered = (change: LoginChange): boolean =>
    touching.has(change) &&
    (change.action === 'update' || isNewSource(change)) &&
    change.resource.kind.rights === undefined;
  const left = pending.filter((change) => isOrdered(change));
  const done: LoginChange[] = [];
  let state = before.after(pending.filter((change) => change.action === 'create' && !isOrdered(change)));
  let opening: LoginChange | undefined;
  const weakens = (change: LoginChange, by: keyof Weakness): boolean => {
    const next = state.after([change]);
    return flows.some((flow) => {
      if (!flow.touching.includes(change)) return false;
      const at = (one: LoginState): number => weaknessOf(flow.key, one, logins)[by];
      return at(next) > Math.max(at(before), at(after));
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

/** Whether a stage may need the created source to let anybody pass. */
function isNewSource({ action, resource }: LoginChange): boolean {
  return action === 'create' && hasBackend(declaredRecord(resource));
}
