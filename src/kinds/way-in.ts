import { type JsonObject, type JsonValue } from '../base/json.ts';
import { bindingsIn, childFields, mustPassAll } from './bindings.ts';
import type { Children } from './children.ts';
import { sentFields } from './fields.ts';
import type { Family, Kind } from './kind.ts';
import { type LoginStep } from './login-part.ts';
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

export interface LoginStage extends Judgement {
  readonly order: number;
  readonly record: LoginRecord | undefined;
  readonly inside: readonly LoginRecord[];
  /** The sources and flows through which people can log in instead. */
  readonly offered: readonly LoginRecord[];
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
  const { inside: bindings } = children;
  const [field = '', own = bindings.children] = bindingFields.find((each) => !each[1].inside) ?? [];
  const judgement = judged(own, fields[field], kind, fields, recordOf);
  const stages = bindingsIn(children, bound).map(({ binds, id, values }): LoginStage => {
    const stage = recordOf(binds.refersTo, id);
    const ofStage = judged(bindings.children, values[bindings.field], kind, values, recordOf);
    const { shows, offers = [] } = stepOf(stage) ?? {};
    const inside = referredBy(stage, [shows], recordOf);
    const offered = referredBy(stage, offers, recordOf);
    return { ...ofStage, order: Number(values['order']), record: stage, inside, offered };
  });
  // A flow that another flow offers may in turn offer the other flow.
  const offered = isOffered ? [] : stages.flatMap((stage) => stage.offered);
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
  const isAll = bindable !== undefined && mustPassAll(bindable, values);
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

export function stepOf(record: LoginRecord | undefined): LoginStep | undefined {
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
