import { addTo } from '../base/group-by.ts';
import type { Diagnostic, Problem } from '../base/diagnostic.ts';
import { childFields } from '../kinds/bindings.ts';
import type { Risk } from '../kinds/capability.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import {
  kindsWithChallenge,
  lockout,
  nameOnlyLogin,
  obstaclesToUnknown,
  openLogin,
  refusedByNewStages,
} from '../kinds/login-problems.ts';
import { declaredRecord, isLoginFlow, isProvingFlow } from '../kinds/way-in.ts';
import type { ObservedLogin } from '../observe/login.ts';
import { obstaclesIn, safeLoginOrder, type ChangedFlow, type ChangedLogins } from './login-sequence.ts';
import {
  brandLogins,
  changesDomain,
  domainsOf,
  hasDomain,
  isKeptLoginFlow,
  loginChangeKey,
  loginChanges,
  LoginState,
  secondDefaultProblem,
  undoOf,
  type LoginChange,
} from './login-state.ts';
import { orderBySequence } from './order.ts';
import type { ReadyChange, PlannedLoginFlows } from './plan.ts';

export interface LoginPlan {
  readonly changes: readonly ReadyChange[];
  readonly refused: readonly Diagnostic[];
  readonly loginFlows?: PlannedLoginFlows;
}

interface PlannedFlow extends ChangedFlow {
  /** Whether a brand uses the flow for logins, before or after the plan, or may use it. */
  readonly isOfBrand: boolean;
  readonly isOfNewBrand?: boolean;
}

interface PlannedLogins extends ChangedLogins {
  readonly flows: readonly PlannedFlow[];
  /** Whether records could not be read. */
  readonly isUnknown: boolean;
}

/** Marks and orders the changes to login flows; rejects changes that lock people out or let them in without proof of identity. */
export function checkLoginChanges(
  changes: readonly ReadyChange[],
  observed: ObservedLogin,
  accepts: readonly Risk[],
): LoginPlan {
  const pending = loginChanges(changes);
  const before = LoginState.of(observed.records);
  const after = before.after(pending);
  const flows = plannedFlows(before, after, pending);
  const { unread, hasNeededSources = false } = observed;
  const logins = { before, after, flows, isUnknown: unread.length > 0, hasNeededSources };
  const onWay = changesOfLoginFlows(pending, logins);
  const marks = new Map<ReadyChange, string[]>();
  const opens = new Set<ReadyChange>();
  const refused: Diagnostic[] = [];
  const note = (change: ReadyChange, words: string): void => addTo(marks, change, words);
  for (const change of onWay) note(change, 'affects how people log in');
  for (const flow of flows) {
    const change = changeToReport(flow);
    const found = flow.after && nameOnlyLogin(flow.after);
    const earlier = flow.before && nameOnlyLogin(flow.before);
    if (found?.kind === 'insecure') {
      const problem = openLogin(found.skipped);
      const isNew = change !== undefined && (earlier?.kind !== 'insecure' || isOfFlow(flow, change));
      if (accepts.includes('open-login')) {
        if (isNew) opens.add(change);
      } else if (isNew) refused.push(refusal(change, flow, problem));
      else
        for (const kept of changes)
          if (isKeptLoginFlow(kept) && isOfFlow(flow, kept)) note(kept, problem.summary);
    } else if (
      change &&
      found?.kind === 'perhaps' &&
      (earlier?.kind !== 'perhaps' || found.proofs < earlier.proofs)
    )
      note(change, unclearRemark(flow, found.policies));
  }
  for (const flow of loginFlows(pending, logins)) {
    const change = changeToReport(flow);
    if (change === undefined) continue;
    if (flow.before && flow.after)
      for (const words of refusedByNewStages(flow.before, flow.after)) note(change, words);
    const reasons = lockoutReasons(flow, logins).join('; ');
    if (reasons === '') continue;
    if (accepts.includes('lockout')) note(change, `locks people out: ${reasons}`);
    else refused.push(refusal(change, flow, { ...lockout, summary: `this locks people out: ${reasons}` }));
  }
  refused.push(...pending.flatMap(({ resource }) => secondDefaultProblem(resource, after)));
  const sequence = safeLoginOrder(pending, logins);
  if (sequence.opening && !accepts.includes('open-login'))
    refused.push(diagnosticOf(sequence.opening.resource, undefined, openInBetween));
  const marksWay: ReadonlySet<ReadyChange> = onWay;
  const marked = changes.map((change): ReadyChange => {
    const remarks = marks.get(change) ?? [];
    if (change.action === 'not-planned' || (remarks.length === 0 && !opens.has(change))) return change;
    return {
      ...change,
      ...(remarks.length > 0 && { remarks: [...remarks, ...(change.remarks ?? [])] }),
      ...(opens.has(change) && { opens: [...(change.opens ?? []), 'anyone with a user name'] }),
      ...(marksWay.has(change) && { affectsLogin: true as const, undo: undoOf(change, before) }),
    };
  });
  return {
    changes: orderBySequence(
      marked,
      sequence.changes.map(({ resource }) => resource.address),
    ),
    refused,
    ...(onWay.size > 0 && {
      loginFlows: { flows: namesOfFlows(logins), unread },
    }),
  };
}

function plannedFlows(before: LoginState, after: LoginState, pending: readonly LoginChange[]): PlannedFlow[] {
  const byKey = new Map(pending.map((change) => [loginChangeKey(change), change]));
  const ways = new Set([before, after].flatMap((state) => state.domains.map((each) => state.loginFor(each))));
  const keys = new Set([...before.keysOf(isProvingFlow), ...after.keysOf(isProvingFlow), ...ways]);
  return [...keys].flatMap((key) => {
    if (key === undefined) return [];
    const [was, is] = [before.flowAt(key), after.flowAt(key)];
    const parts = [key, ...before.partsOf(key), ...after.partsOf(key)];
    const touching = [...new Set(parts)].flatMap((part) => byKey.get(part ?? '') ?? []);
    return [{ key, before: was, after: is, touching, isOfBrand: ways.has(key) }];
  });
}

/** The changes to existing parts of the login flows of brands. If login records could not be read, changes to all login flows are included. */
function changesOfLoginFlows(
  pending: readonly LoginChange[],
  { before, after, flows, isUnknown }: PlannedLogins,
): ReadonlySet<LoginChange> {
  const ofFlows = flows.flatMap(({ isOfBrand, touching }) =>
    isOfBrand || isUnknown ? touching.filter(({ action }) => action !== 'create') : [],
  );
  const replacing = new Set(
    brandLogins(before, after).flatMap(({ was, is, domains }) =>
      was !== is && !pending.some((change) => hasDomain(change, domains)) ? is : [],
    ),
  );
  const others = pending.filter((change) => {
    const { login } = change.resource.kind;
    if (login?.kind === 'login brand')
      return (
        change.differences.some(({ field }) => field === login.flow || field === login.isDefault) ||
        (changesDomain(change) &&
          (isUnknown || domainsOf(change).some((each) => before.loginFor(each) !== after.loginFor(each))))
      );
    if (change.action === 'create') return replacing.has(loginChangeKey(change));
    return (
      isUnknown &&
      (login?.kind === 'login flow' || login?.kind === 'login stage') &&
      !isForOtherPurpose(change)
    );
  });
  return new Set([...ofFlows, ...others]);
}

/** The login flow of each brand before and after the plan, or all login flows if the brands are unknown. */
function loginFlows(
  pending: readonly LoginChange[],
  { before, after, flows, isUnknown }: PlannedLogins,
): readonly PlannedFlow[] {
  if (isUnknown) return flows.map((flow) => ({ ...flow, isOfBrand: true }));
  return brandLogins(before, after).flatMap(({ was, is, domains, isNew }): readonly PlannedFlow[] => {
    const ofBrand = flows.filter(({ key }) => key === was || key === is);
    if (was === undefined || was === is) return ofBrand;
    const touching = [
      ...pending.filter((change) => {
        const { login } = change.resource.kind;
        if (login?.kind !== 'login brand') return false;
        const isOfOthers = change.differences.some(({ field }) => field === login.isDefault);
        return hasDomain(change, domains) || (isOfOthers && domains.includes(''));
      }),
      ...ofBrand.flatMap((flow) => flow.touching),
    ];
    const [old, now] = [before.flowAt(was), after.flowAt(is)];
    return [{ key: was, before: old, after: now, touching, isOfBrand: true, isOfNewBrand: isNew }];
  });
}

/** Whether the change declares a flow that is not for logins. */
function isForOtherPurpose({ resource }: LoginChange): boolean {
  const { login } = resource.kind;
  const record = declaredRecord(resource);
  return (
    login?.kind === 'login flow' && record.fields[login.purpose.field] !== undefined && !isLoginFlow(record)
  );
}

/** The change at which a problem of a flow is reported: a change to the flow itself, or else to a part of the flow. */
function changeToReport(flow: PlannedFlow): LoginChange | undefined {
  return flow.touching.find((change) => isOfFlow(flow, change)) ?? flow.touching[0];
}

/** Whether a change is to the flow itself. */
function isOfFlow({ before, after }: PlannedFlow, { resource: { kind, name } }: ReadyChange): boolean {
  return [before, after].some((flow) => flow?.record.kind === kind && flow.record.name === name);
}

function nameOf({ before, after }: PlannedFlow): string {
  return JSON.stringify((after ?? before)?.record.name ?? '');
}

function refusal(change: LoginChange, flow: PlannedFlow, problem: Problem): Diagnostic {
  const { resource } = change;
  if (isOfFlow(flow, change)) {
    const field = childFields(resource.kind).find(([, { inside }]) => inside)?.[0];
    return diagnosticOf(resource, field, problem);
  }
  return diagnosticOf(resource, undefined, {
    ...problem,
    summary: `in the flow ${nameOf(flow)}, ${problem.summary}`,
  });
}

const openInBetween: Problem = {
  ...openLogin([]),
  summary: 'in any order of these changes, there is a moment at which the flow requires no proof of identity',
  detail:
    'Apply the changes in two steps: first the additions, then the removals. Or use --allow open-login.',
};

function unclearRemark(flow: PlannedFlow, policies: readonly string[]): string {
  const policyNames = policies.map((name) => JSON.stringify(name)).join(', ');
  return policyNames === ''
    ? `it is unknown whether a stage of the flow ${nameOf(flow)} proves the identity`
    : `${policyNames} decides whether the flow ${nameOf(flow)} requires a proof of identity`;
}

function lockoutReasons(
  { before, after, isOfBrand, isOfNewBrand = false }: PlannedFlow,
  logins: PlannedLogins,
): readonly string[] {
  if (before === undefined) return [];
  if (after === undefined) return ['no flow is left through which people can log in'];
  // Other flows, such as that of a source, may know from the start who the user is.
  const isForUnknown = isOfBrand && obstaclesToUnknown(before).length === 0;
  const known = new Set(obstaclesIn(logins.before, before, logins));
  const asks = kindsWithChallenge(after);
  // A new brand may ask for other proofs than the brand whose flow its domain used before.
  const lost = isOfNewBrand ? [] : [...kindsWithChallenge(before)].filter((kind) => !asks.has(kind));
  const lostTypes = lost.map(({ variant }) => variant?.value ?? '').join(' or ');
  return [
    ...obstaclesIn(logins.after, after, logins).filter((reason) => !known.has(reason)),
    ...(isForUnknown ? obstaclesToUnknown(after) : []),
    ...(lost.length > 0 ? [`people no longer reach a stage of the type ${lostTypes}`] : []),
  ];
}

function namesOfFlows({ before, after, flows, isUnknown }: PlannedLogins): PlannedLoginFlows['flows'] {
  const touched = flows.filter(({ touching }) => touching.length > 0).map(({ key }) => key);
  const pairs = isUnknown
    ? touched.map((key) => [key, key] as const)
    : brandLogins(before, after)
        .filter(({ was, is }) => was !== is || touched.includes(was ?? ''))
        .map(({ was, is }) => [was, is] as const);
  return pairs.map(([old = '', now = old]) => {
    const [first, second] = [before.recordAt(old)?.name, after.recordAt(now)?.name];
    return {
      ...(first !== undefined && { before: first }),
      ...(second !== undefined && { after: second }),
    };
  });
}
