import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Destination } from '../base/destination.ts';
import type { JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { Capability, Risk } from '../kinds/capability.ts';
import type { HiddenFieldNames } from '../kinds/hide.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { NamesByPointer } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Scope } from '../manifest/select.ts';
import type { Alteration, Baseline } from '../manifest/baseline.ts';
import type { UnboundStates } from '../kinds/children.ts';
import type { Undeclared } from '../observe/undeclared.ts';
import type { ObservedRecord, UnreadableReason, UnseenIds } from '../service/types.ts';
import { effectsOf, type Action, type WriteAction, type Effect } from './actions.ts';

/** The changes of all selected resources, with secrets: only the document of a plan is printed or saved. */
export interface Plan extends Destination {
  readonly toolVersion: string;
  readonly createdAt: Date;
  /** A digest of all declared resources, whether selected or not. */
  readonly manifestDigest: () => string;
  /** The selection; undefined for a plan of all declared resources. */
  readonly scope?: Scope;
  readonly capabilities?: readonly Capability[] | undefined;
  readonly contractOnly?: boolean | undefined;
  readonly accepts?: readonly Risk[] | undefined;
  readonly unreadable?: UnreadableTypes | undefined;
  /** Whether the token is known to be a superuser's; only read for deletes that need such a token. */
  readonly isSuperuser?: boolean;
  /** The ids in new entries for which it is unknown whether the record exists, by list. */
  readonly unseenIds?: Readonly<Record<string, UnseenIds>>;
  readonly baseline?: Baseline;
  readonly hide?: HiddenFieldNames | undefined;
  readonly undeclared?: Undeclared | undefined;
  /** The login flows before and after a plan that changes one of them. */
  readonly loginFlows?: PlannedLoginFlows;
  /** All selected resources, in the order of families.ts and then by name, except that a resource always follows its dependencies. */
  readonly changes: readonly Change[];
}

export type UnreadableTypes = Readonly<Partial<Record<ResourceType, UnreadableReason>>>;

export type Change = (ChangeBase & { readonly action: Action }) | NotPlanned;

/** A resource for which nothing is sent, so that the plan is incomplete. */
export interface NotPlanned extends ChangeBase {
  readonly action: 'not-planned';
  readonly presence: 'unknown';
  readonly diagnostics: readonly Diagnostic[];
}

export interface PlannedLoginFlows {
  readonly flows: readonly { readonly before?: string; readonly after?: string }[];
  /** The lists that could not be read. If a list could not be read, any login flow may be the flow in use. */
  readonly unread: readonly string[];
}

interface ChangeBase {
  readonly resource: Resource;
  /** `unknown` if the token may not read the record; the apply then creates the record unless it exists. */
  readonly presence: 'present' | 'absent' | 'unknown';
  /** The id of the existing record. */
  readonly pk?: string;
  /** The observed values of the declared fields, with secrets masked. */
  readonly observed?: ObservedFields;
  /** The declared fields that are not compared, because this release does not return them. */
  readonly notShown?: readonly string[];
  /** The declared fields that are not compared: fields that no release returns, and bindings that the service does not show. */
  readonly notCompared?: readonly string[] | undefined;
  /** The declared fields whose values differ in the service; empty if the record does not exist. */
  readonly differences: readonly Difference[];
  /** Why a difference is not applied although updates are allowed. */
  readonly leftBecause?: string;
  /** Whether an update also deletes bindings, for which the run needs the permission to delete. */
  readonly deletesBindings?: true;
  /** True if an earlier run left the record incomplete and this run is not allowed to complete it. */
  readonly unfinished?: true;
  /** Side effects of the change, and its consequences for people. */
  readonly remarks?: readonly string[];
  /** Who gains access through the change: `everyone`, or added subjects. */
  readonly opens?: readonly string[];
  /** Who can open a new record for which the manifest declares no access. */
  readonly openTo?: string;
  /** Whether the change affects a login flow, or would affect it if the run were allowed to apply the change. */
  readonly affectsLogin?: true;
  /** For a change that affects a login flow, the values from before the change, so that a person can restore them. */
  readonly undo?: ObservedFields;
  /** Whether the change comes after all others because it may take rights from the token of the run. */
  readonly takesOwnRights?: true;
  /** Changes that must succeed first, because they free values that this change sets, or keep a login flow safe. */
  readonly waitsFor?: readonly Address[];
  /** References that the create omits and an update sets, because the referenced resources are created later. */
  readonly setAfter?: readonly { readonly field: string; readonly after: Address }[];
  readonly since?: Alteration;
}

/** A change with the data that an apply needs; for a plan from a file, a new observation provides this data. */
export type ReadyChange =
  | (Change & { readonly action: 'create' })
  | (Change & { readonly action: 'update' } & UpdateData)
  | (Change & { readonly action: 'delete' } & Pick<UpdateData, 'base'>)
  | (Change & { readonly action: 'no-op' })
  | NotPlanned;

export interface UpdateData {
  /** The record as it was when the plan was made. */
  readonly base: ObservedRecord;
  readonly permission: Permission;
}

export interface Permission {
  /** The `pk` of the token's user; undefined if unknown. */
  readonly self: string | undefined;
  readonly mayDelete: boolean;
}

export interface ReadyPlan extends Plan {
  readonly unbound?: UnboundStates;
  readonly changes: readonly ReadyChange[];
}

export type ObservedFields = Readonly<Record<string, JsonValue>>;

export interface Difference {
  readonly field: string;
  readonly declared: JsonValue;
  /** The value in the service; null if the service does not return the field. */
  readonly observed: JsonValue;
  /** The names of the observed ids, by the JSON Pointer of the id. */
  readonly observedNames?: NamesByPointer;
}

type Counted = Pick<Change, 'presence' | 'action' | 'differences' | 'notCompared'>;

const noChanges = {
  create: 0,
  create_if_absent: 0,
  update: 0,
  delete: 0,
  in_sync: 0,
  not_compared: 0, // all fields that can be compared are equal, but some cannot be compared
  differs: 0,
  not_planned: 0,
};

export type ChangeKind = keyof typeof noChanges;

export function changeKind({ presence, action, differences, notCompared }: Counted): ChangeKind {
  switch (action) {
    case 'update':
    case 'delete':
      return action;
    case 'not-planned':
      return 'not_planned';
    case 'create':
      return presence === 'unknown' ? 'create_if_absent' : 'create';
    case 'no-op':
      if (differences.length > 0) return 'differs';
      return notCompared ? 'not_compared' : 'in_sync';
  }
}

export type PlanSummary = Readonly<Record<ChangeKind, number>>;

export const planSummary: (changes: readonly Counted[]) => PlanSummary = memoizePerKey((changes) => {
  const summary = { ...noChanges };
  for (const change of changes) summary[changeKind(change)] += 1;
  return summary;
});

export type PendingChange = Change & { readonly action: WriteAction };

export function isPending(change: Change): change is PendingChange {
  return change.action !== 'no-op' && change.action !== 'not-planned';
}

export function isLoginChange(change: Change): boolean {
  return isPending(change) && change.affectsLogin === true;
}

export function notPlannedChanges({ changes }: Pick<Plan, 'changes'>): NotPlanned[] {
  return changes.filter((change) => change.action === 'not-planned');
}

/** Changes that stay incomplete: an earlier run started them and this plan does not complete them, or they are not possible. */
export function incompleteChanges({ changes }: Pick<Plan, 'changes'>): Change[] {
  return changes.filter(({ unfinished, leftBecause }) => unfinished === true || leftBecause !== undefined);
}

export function pendingChanges({ changes }: Pick<Plan, 'changes'>): PendingChange[] {
  return changes.filter((change) => isPending(change));
}

export function plannedEffects({ changes }: Pick<Plan, 'changes'>): Readonly<Record<Effect, number>> {
  return effectsOf((action) => changes.filter((change) => change.action === action).length);
}

export function unreadKinds({ changes }: Pick<Plan, 'changes'>): ReadonlySet<Kind<ResourceType>> {
  const unseen = changes.filter((change) => changeKind(change) === 'create_if_absent');
  return new Set(unseen.map(({ resource }) => resource.kind));
}
