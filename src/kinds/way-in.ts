import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { bindingsIn, childFields } from './bindings.ts';
import type { Children } from './children.ts';
import { sentFields } from './fields.ts';
import type { Family, Kind } from './kind.ts';
import { flowUsers, type LoginStep } from './login-part.ts';
import { idsOf } from './named.ts';
import { isPolicyKind } from './policy-bindings.ts';
import type { Resource } from './resource.ts';

/** A declared, observed or planned record. As in manifests, the fields include the bindings. */
export interface LoginRecord {
  readonly kind: Kind;
  readonly name: string;
  readonly fields: JsonObject;
}

export function declaredRecord(resource: Resource): LoginRecord {
  return { kind: resource.kind, name: resource.name, fields: sentFields(resource) };
}

export type FindRecord = (family: Family, reference: JsonValue) => LoginRecord | undefined;

/** True if everybody passes, false if nobody does, undefined if the result depends on the user or is unknown. */
type Verdict = boolean | undefined;

/** Who passes the bindings of a flow or of a stage. */
interface Judgement {
  readonly passes: Verdict;
  /** The same for people of whom the flow does not know yet who they are. */
  readonly passesUnknown: Verdict;
  /** Whether a policy may itself determine who the user is. */
  readonly mayIdentify: boolean;
  readonly policies: readonly LoginRecord[];
}

export interface LoginFlow extends Judgement {
  readonly record: LoginRecord;
  readonly stages: readonly LoginStage[];
  readonly parts: readonly LoginRecord[];
}

interface LoginStage extends Judgement {
  readonly record: LoginRecord | undefined;
  readonly inside: readonly LoginRecord[];
}

export function isLoginFlow({ kind: { login }, fields }: Pick<LoginRecord, 'kind' | 'fields'>): boolean {
  return login?.kind === 'login flow' && fields[login.purpose.field] === login.purpose.value;
}

/** Whether people must prove who they are in a flow, because it logs them in. */
export function isProvingFlow({ kind: { login }, fields }: Pick<LoginRecord, 'kind' | 'fields'>): boolean {
  return login?.kind === 'login flow' && login.proving.includes(fields[login.purpose.field] ?? null);
}

/** A flow with its stages and policies, or undefined if the stages are unknown. */
export function loginFlow(
  record: LoginRecord,
  recordOf: FindRecord,
  isOffered = false,
): LoginFlow | undefined {
  const { kind, fields } = record;
  const bindingFields = childFields(kind);
  const [stagesIn, children] = bindingFields.find(([, { inside }]) => inside) ?? [];
  const bound = stagesIn === undefined ? undefined : fields[stagesIn];
  if (children?.inside === undefined || bound === undefined) return undefined;
  const { inside } = children;
  const [field = '', own = inside.children] = bindingFields.find((each) => !each[1].inside) ?? [];
  const judgement = judged(own, fields[field], kind, fields, recordOf);
  const stages = bindingsIn(children, bound)
    .toSorted((a, b) => Number(a.values['order']) - Number(b.values['order']))
    .map(({ binds, id, values }): LoginStage => {
      const stage = recordOf(binds.refersTo, id);
      const ofStage = judged(inside.children, values[inside.field], kind, values, recordOf);
      return { ...ofStage, record: stage, inside: referredBy(stage, [stepOf(stage)?.shows], recordOf) };
    });
  // A flow that another flow offers may in turn offer the other flow.
  const offered = isOffered
    ? []
    : stages.flatMap((stage) => referredBy(stage.record, stepOf(stage.record)?.offers ?? [], recordOf));
  const ofSources = offered.flatMap((one) =>
    one.kind.login?.kind === 'login source' ? referredBy(one, [one.kind.login.flow], recordOf) : [],
  );
  const parts = [
    record,
    ...judgement.policies,
    ...stages.flatMap((stage) => [
      ...(stage.record ? [stage.record] : []),
      ...stage.inside,
      ...stage.policies,
    ]),
    ...offered,
    ...[...offered, ...ofSources].flatMap((one) => loginFlow(one, recordOf, true)?.parts ?? []),
  ];
  return { ...judgement, record, stages, parts };
}

function judged(
  children: Children,
  bound: JsonValue = [],
  { bindable }: Kind,
  values: JsonObject,
  recordOf: FindRecord,
): Judgement {
  const counted = bindingsIn(children, bound).filter((one) => one.values['enabled'] !== false);
  const verdicts = counted.map(({ binds, id, values: { negate } }): Judgement => {
    const record = recordOf(binds.refersTo, id);
    const isPolicy = isPolicyKind({ family: binds.refersTo });
    const part = record?.kind.login?.kind === 'login policy' ? record.kind.login : undefined;
    const result = record && part?.passes?.(record.fields);
    const passes = result === undefined ? undefined : result !== (negate === true);
    // Some releases reject people who are not logged in even if the binding of a group is negated.
    const needsUser = negate !== true && (!isPolicy || part?.needsUser === true);
    return {
      policies: record ? [record] : [],
      passes,
      passesUnknown: needsUser ? false : passes,
      mayIdentify: isPolicy && (part === undefined || part.mayIdentify === true),
    };
  });
  const mode = bindable?.mode;
  const isAll = mode !== undefined && values[mode.field] === mode.all;
  const isNeverEvaluated = values['re_evaluate_policies'] === false && values['evaluate_on_plan'] !== true;
  const all = (of: (one: Judgement) => Verdict): Verdict =>
    isNeverEvaluated || verdicts.length === 0 || together(verdicts.map(of), isAll);
  return {
    passes: all(({ passes }) => passes),
    passesUnknown: all(({ passesUnknown }) => passesUnknown),
    mayIdentify: verdicts.some(({ mayIdentify }) => mayIdentify),
    policies: verdicts.flatMap(({ policies }) => policies),
  };
}

function together(each: readonly Verdict[], isAll: boolean): Verdict {
  const verdicts = new Set(each);
  if (verdicts.has(!isAll)) return !isAll;
  return verdicts.has(undefined) ? undefined : isAll;
}

function stepOf(record: LoginRecord | undefined): LoginStep | undefined {
  const part = record?.kind.login;
  return part?.kind === 'login stage' ? part : undefined;
}

function referredBy(
  record: LoginRecord | undefined,
  fields: readonly (string | undefined)[],
  recordOf: FindRecord,
): readonly LoginRecord[] {
  return record === undefined
    ? []
    : referencesIn(record, fields).flatMap(({ family, id }) => recordOf(family, id) ?? []);
}

export function referencesIn(
  { kind, fields: values }: LoginRecord,
  fields: readonly (string | undefined)[],
): readonly { readonly family: Family; readonly id: JsonValue }[] {
  return fields.flatMap((field = '') => {
    const family = kind.fields[field]?.refersTo;
    return family ? idsOf(values[field]).map((id) => ({ family, id })) : [];
  });
}

export const openLogin: Problem = {
  code: 'open-login',
  summary: 'anyone who enters a user name can log in: no stage before the login proves the identity',
  detail:
    'Before the login stage, bind a stage that requires a proof of identity, such as a password stage. A stage is skipped if one of its policies rejects everybody. If this is intended, use --allow open-login.',
};

export const lockout = {
  code: 'lockout',
  detail:
    'Make this change in the service while another session is open, so that it can be undone. If this is intended here, use --allow lockout.',
} as const;

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !(isJsonList(value) && value.length === 0);
}

function provesIn({ fields }: LoginRecord, { proves, shows }: LoginStep): boolean {
  if (shows !== undefined && isGiven(fields[shows])) return true;
  return proves === true || (proves !== undefined && fields[proves.field] === proves.value);
}

/** `insecure` if anyone who knows a user name can log in, `perhaps` if that depends on the given policies. */
export type NameOnlyLogin =
  | { readonly kind: 'insecure' }
  | { readonly kind: 'perhaps'; readonly policies: readonly string[] };

/** Whether a flow asks for a user name and then logs the user in without a proof of identity. */
export function nameOnlyLogin({ record, passes, stages }: LoginFlow): NameOnlyLogin | undefined {
  if (!isProvingFlow(record) || passes === false) return undefined;
  let isNamed = false;
  let isUnknown = false;
  const guards: string[] = [];
  for (const stage of stages) {
    if (stage.passes === false) continue;
    const { record: own } = stage;
    if (own === undefined) {
      isUnknown = true;
      continue;
    }
    const part = stepOf(own);
    if (part === undefined) continue;
    if (provesIn(own, part) || part.denies) {
      if (stage.passes) return undefined;
      if (!part.denies) guards.push(...policiesOf(stage));
      // A stage that is never shown cannot ask for a user name.
      continue;
    }
    const isLast = part.logsIn || (part.writes && !isLoginFlow(record));
    isNamed ||= part.takesName !== undefined && isGiven(own.fields[part.takesName]);
    if (!isLast) continue;
    if (isNamed)
      return guards.length > 0 || isUnknown ? { kind: 'perhaps', policies: guards } : { kind: 'insecure' };
    if (stage.passes) return undefined;
  }
  return undefined;
}

/** The names of a stage's policies, or the name of the stage if the policies are unknown. */
function policiesOf({ policies, record }: LoginStage): readonly string[] {
  const names = policies.map(({ name }) => name);
  return names.length > 0 ? names : [record?.name ?? ''];
}

/** The reasons why nobody can log in through a flow. The list is empty unless it is certain that nobody can log in. */
export function loginObstacles({ record, passes, stages }: LoginFlow): readonly string[] {
  if (record.kind.login?.kind !== 'login flow') return [];
  const beginners = textOf(record.fields['authentication'] ?? 'none');
  const shown = stages.filter((stage) => stage.passes !== false);
  const isAny = (has: (part: LoginStep) => unknown): boolean =>
    shown.some(({ record: stage }) => stage === undefined || has(stepOf(stage) ?? { kind: 'login stage' }));
  const lastOf = shown.findIndex(({ record: stage }) => stepOf(stage)?.logsIn);
  const before = lastOf === -1 ? shown : shown.slice(0, lastOf);
  return [
    ...(beginners === 'none' || beginners === 'require_unauthenticated'
      ? []
      : [`its \`authentication\` is ${beginners}: the flow admits only ${flowUsers(beginners)}`]),
    ...(passes === false ? ['a policy that is bound to the flow rejects everybody'] : []),
    ...before.flatMap(({ record: stage, passes: isShownToAll }) =>
      stage && isShownToAll && stepOf(stage)?.denies
        ? [`the stage ${JSON.stringify(stage.name)} denies everybody`]
        : [],
    ),
    ...before.flatMap(({ record: stage, inside }) =>
      [...(stage ? [stage] : []), ...inside].flatMap(emptyNeeds),
    ),
    ...(isAny(({ challenge }) => challenge) ? [] : ['no stage asks who the user is']),
    ...(isAny(({ logsIn }) => logsIn) ? [] : ['no stage logs anybody in']),
  ];
}

function emptyNeeds(stage: LoginRecord): string[] {
  const field = stepOf(stage)?.needs ?? '';
  const value = stage.fields[field];
  return isJsonList(value) && value.length === 0
    ? [`nobody passes the stage ${JSON.stringify(stage.name)}, because its \`${field}\` is empty`]
    : [];
}

/** The reasons why a flow lets nobody pass of whom it does not know yet who they are. The list is empty unless this is certain. */
export function obstaclesToUnknown(flow: LoginFlow): readonly string[] {
  if (flow.passesUnknown === false && flow.passes !== false)
    return [
      'the groups, users and policies that are bound to the flow reject everybody who is not logged in',
    ];
  if (flow.mayIdentify) return [];
  for (const { record, passesUnknown, mayIdentify } of flow.stages) {
    const step = stepOf(record);
    if (mayIdentify || (passesUnknown !== false && (record === undefined || step?.identifies))) return [];
    if (record && passesUnknown && step?.needsUser)
      return [`no stage before the stage ${JSON.stringify(record.name)} asks who the user is`];
  }
  const asking = flow.stages.find(({ record, passes }) => passes !== false && stepOf(record)?.identifies);
  return asking
    ? [`nobody who is not logged in reaches the stage ${JSON.stringify(asking.record?.name)}`]
    : [];
}

export function kindsWithChallenge({ stages }: LoginFlow): ReadonlySet<Kind> {
  const asking = stages
    .filter(({ passes }) => passes !== false)
    .flatMap(({ record, inside }) => (record ? [record, ...inside] : []))
    .filter((record) => stepOf(record)?.challenge !== undefined);
  return new Set(asking.map(({ kind }) => kind));
}
