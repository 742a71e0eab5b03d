import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import { kinds } from './all.ts';
import type { Kind } from './kind.ts';
import { flowUsers, type LoginStep } from './login-part.ts';
import {
  isLoginFlow,
  isProvingFlow,
  referencesIn,
  stepOf,
  type LoginFlow,
  type LoginRecord,
  type LoginStage,
} from './way-in.ts';

/** The problem with a flow that requires no proof of identity, given its stages that would require one but are never shown. */
export function openLogin(skipped: readonly LoginStage[]): Problem {
  const causes = skipped.map((stage) => {
    const policies = policiesOf(stage).map((name) => JSON.stringify(name));
    return `the stage ${JSON.stringify(stage.record?.name)} is skipped because of ${policies.join(', ')}`;
  });
  return {
    code: 'open-login',
    summary: `anyone who enters a user name can log in: ${causes.join('; ') || 'no stage before the login proves the identity'}`,
    detail:
      'Before the login stage, with a lower `order`, bind a stage that requires a proof of identity, such as a password stage. A stage is skipped if one of its policies rejects everybody. If this is intended, use --allow open-login.',
  };
}

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

/** `insecure` if anyone who knows a user name can log in, `perhaps` if that depends on the policies of the given number of proofs. */
export type NameOnlyLogin =
  | { readonly kind: 'insecure'; readonly skipped: readonly LoginStage[] }
  | { readonly kind: 'perhaps'; readonly policies: readonly string[]; readonly proofs: number };

/** Whether a flow asks for a user name and then logs the user in without a proof of identity. */
export function nameOnlyLogin({ record, passes, stages }: LoginFlow): NameOnlyLogin | undefined {
  if (!isProvingFlow(record) || passes === false) return undefined;
  let isNamed = false;
  let isUnknown = false;
  const guards: LoginStage[] = [];
  const skipped: LoginStage[] = [];
  for (const stage of inOrder(stages, openRank)) {
    const { record: own } = stage;
    if (stage.passes === false) {
      if (own && provesIn(own, stepOf(own) ?? { kind: 'login stage' })) skipped.push(stage);
      continue;
    }
    if (own === undefined) {
      isUnknown = true;
      continue;
    }
    const part = stepOf(own);
    if (part === undefined) continue;
    if (provesIn(own, part) || part.denies) {
      if (stage.passes) return undefined;
      if (!part.denies) guards.push(stage);
      // A stage that is never shown cannot ask for a user name.
      continue;
    }
    const isLast = part.logsIn || (part.writes && !isLoginFlow(record));
    isNamed ||= part.takesName !== undefined && isGiven(own.fields[part.takesName]);
    if (!isLast) continue;
    if (isNamed)
      return guards.length > 0 || isUnknown
        ? { kind: 'perhaps', policies: guards.flatMap(policiesOf), proofs: guards.length }
        : { kind: 'insecure', skipped };
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
export function loginObstacles(flow: LoginFlow): readonly string[] {
  const { record, passes } = flow;
  if (record.kind.login?.kind !== 'login flow') return [];
  const beginners = textOf(record.fields['authentication'] ?? 'none');
  const shown = shownStages(flow);
  const isAny = (has: (part: LoginStep) => unknown): boolean =>
    shown.some(({ record: stage }) => stage === undefined || has(stepOf(stage) ?? { kind: 'login stage' }));
  const before = beforeLogin(flow);
  return [
    ...(beginners === 'none' || beginners === 'require_unauthenticated'
      ? []
      : [`its \`authentication\` is ${beginners}: the flow admits only ${flowUsers(beginners)}`]),
    ...(passes === false ? ['a policy that is bound to the flow rejects everybody'] : []),
    ...before.flatMap(obstacleForAll),
    ...undoingStages(shown),
    ...before.flatMap(({ record: stage, inside }) =>
      [...(stage ? [stage] : []), ...inside].flatMap(emptyNeeds),
    ),
    ...(isAny(({ challenge }) => challenge) ? [] : ['no stage asks who the user is']),
    ...(isAny(({ logsIn }) => logsIn) ? [] : ['no stage logs anybody in']),
  ];
}

function shownStages({ stages }: LoginFlow): readonly LoginStage[] {
  return inOrder(stages, lockoutRank).filter(({ passes }) => passes !== false);
}

function beforeLogin(flow: LoginFlow): readonly LoginStage[] {
  const shown = shownStages(flow);
  const login = shown.findIndex(({ record }) => stepOf(record)?.logsIn);
  return login === -1 ? shown : shown.slice(0, login);
}

function undoingStages(shown: readonly LoginStage[]): string[] {
  // A stage of an unknown type may log people in.
  const login = shown.findLastIndex(({ record }) => record === undefined || stepOf(record)?.logsIn);
  return shown.flatMap(({ record, passes }, place) => {
    const undoes = stepOf(record)?.undoes;
    return record && passes && undoes && (undoes.where === 'anywhere' || place > login)
      ? [`the stage ${JSON.stringify(record.name)} ${undoes.words}`]
      : [];
  });
}

/** Why nobody passes a stage that is shown to everybody. */
function obstacleForAll({ record, passes, offered }: LoginStage): string[] {
  const step = stepOf(record);
  if (record === undefined || step === undefined || !passes) return [];
  const { fields } = record;
  const stage = JSON.stringify(record.name);
  if (step.denies) return [`the stage ${stage} denies everybody`];
  if (step.invites !== undefined && fields[step.invites] !== true)
    return [
      `nobody without an invitation passes the stage ${stage}, because its \`${step.invites}\` is false`,
    ];
  const { takesName, offers = [], passkeys = '' } = step;
  if (takesName === undefined || fields[takesName] === undefined || isGiven(fields[takesName])) return [];
  const isOffered =
    isGiven(fields[passkeys]) ||
    referencesIn(record, offers).length > offered.length ||
    offered.some((other) => other.fields['enabled'] !== false);
  return isOffered
    ? []
    : [
        `nobody passes the stage ${stage}, because its \`${takesName}\` is empty and none of its sources is enabled`,
      ];
}

function emptyNeeds(stage: LoginRecord): string[] {
  const field = stepOf(stage)?.needs ?? '';
  const value = stage.fields[field];
  return isJsonList(value) && value.length === 0
    ? [`nobody passes the stage ${JSON.stringify(stage.name)}, because its \`${field}\` is empty`]
    : [];
}

const sourceBackends: ReadonlySet<JsonValue> = new Set(kinds.flatMap(({ login }) => backendOf(login)));

export function hasBackend({ kind: { login } }: LoginRecord): boolean {
  return backendOf(login).length > 0;
}

function backendOf(login: Kind['login']): readonly string[] {
  return login?.kind === 'login source' && login.backend !== undefined ? [login.backend] : [];
}

/** Whether a stage accepts only the passwords of users of certain sources. */
export function needsSource(stage: LoginRecord): boolean {
  const backends = backendsIn(stage);
  return backends.length > 0 && backends.every((one) => sourceBackends.has(one));
}

/** The sources whose users alone pass a password stage of the flow. */
export function neededSources(flow: LoginFlow, sources: readonly LoginRecord[]): readonly LoginRecord[] {
  const needed = new Set(flow.parts.filter(needsSource).flatMap(backendsIn));
  return sources.filter(({ kind }) => backendOf(kind.login).some((backend) => needed.has(backend)));
}

function backendsIn(stage: LoginRecord): readonly JsonValue[] {
  const backends = stage.fields[stepOf(stage)?.needs ?? ''] ?? null;
  return isJsonList(backends) ? backends : [];
}

/** The stages before the login that nobody passes because no source is enabled; `sources` are all that the service has. */
export function obstaclesWithoutSources(flow: LoginFlow, sources: readonly LoginRecord[]): readonly string[] {
  const enabled = sources.filter(({ fields }) => fields['enabled'] !== false);
  const usable = new Set<JsonValue>(enabled.flatMap(({ kind }) => backendOf(kind.login)));
  const asked = beforeLogin(flow).flatMap(({ record, inside, passes }) =>
    [record, ...inside].map((stage) => ({ stage, step: stepOf(stage), passes })),
  );
  const hasOtherWay = asked.some(({ stage, step }) =>
    [...(step?.offers ?? []), step?.passkeys ?? ''].some((field) => isGiven(stage?.fields[field])),
  );
  if (hasOtherWay) return [];
  const isDead = (stage: LoginRecord | undefined): boolean =>
    stage !== undefined && needsSource(stage) && !backendsIn(stage).some((one) => usable.has(one));
  // A stage that is skipped for some people stops everybody only if no other stage proves who they are.
  const isOnlyProof = asked.every(
    ({ stage, step }) => stage && (!step?.proves || !provesIn(stage, step) || isDead(stage)),
  );
  return asked.flatMap(({ stage, passes }) =>
    stage && isDead(stage) && (passes || isOnlyProof)
      ? [
          `nobody passes the stage ${JSON.stringify(stage.name)}, because no source of its \`backends\` is enabled`,
        ]
      : [],
  );
}

/** The reasons why a flow lets nobody pass of whom it does not know yet who they are. The list is empty unless this is certain. */
export function obstaclesToUnknown(flow: LoginFlow): readonly string[] {
  if (flow.passesUnknown === false && flow.passes !== false)
    return [
      'the groups, users and policies that are bound to the flow reject everybody who is not logged in',
    ];
  if (flow.mayIdentify) return [];
  const stages = inOrder(flow.stages, lockoutRank);
  for (const { record, passesUnknown, mayIdentify } of stages) {
    const step = stepOf(record);
    if (mayIdentify || (passesUnknown !== false && (record === undefined || step?.identifies))) return [];
    if (record && passesUnknown && step?.needsUser)
      return [`no stage before the stage ${JSON.stringify(record.name)} asks who the user is`];
  }
  const asking = stages.find(({ record, passes }) => passes !== false && stepOf(record)?.identifies);
  return asking
    ? [`nobody who is not logged in reaches the stage ${JSON.stringify(asking.record?.name)}`]
    : [];
}

/** Who can no longer pass a flow because of stages that it did not have before. */
export function refusedByNewStages(before: LoginFlow, after: LoginFlow): readonly string[] {
  const known = new Set(before.stages.map(({ record }) => record?.name));
  return after.stages.flatMap(({ record, passes }): string[] => {
    if (record === undefined || passes === false || known.has(record.name)) return [];
    const people = stepOf(record)?.refuses?.(record.fields);
    return people === undefined
      ? []
      : [`${people} can no longer pass the flow, because of its stage ${JSON.stringify(record.name)}`];
  });
}

export function kindsWithChallenge({ stages }: LoginFlow): ReadonlySet<Kind> {
  const asking = stages
    .filter(({ passes }) => passes !== false)
    .flatMap(({ record, inside }) => (record ? [record, ...inside] : []))
    .filter((record) => stepOf(record)?.challenge !== undefined);
  return new Set(asking.map(({ kind }) => kind));
}

/** Sorts stages by `order`. The service may run stages with an equal `order` in any sequence, so the worst one counts: that by rank. */
function inOrder(
  stages: readonly LoginStage[],
  rankOf: (step: LoginStep, stage: LoginRecord) => number,
): readonly LoginStage[] {
  const rank = ({ record }: LoginStage): number => {
    const step = stepOf(record);
    return record && step ? rankOf(step, record) : 4;
  };
  return stages.toSorted((a, b) => a.order - b.order || rank(a) - rank(b));
}

/** The ranks by which people are locked out most likely. */
function lockoutRank({ denies, needsUser, logsIn }: LoginStep): number {
  if (denies) return 0;
  return needsUser ? (logsIn ? 2 : 1) : 3;
}

/** The ranks by which people log in most likely without a proof of identity. */
function openRank(step: LoginStep, stage: LoginRecord): number {
  if (step.takesName !== undefined) return 0;
  return step.denies || provesIn(stage, step) ? 2 : 1;
}
