import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Destination } from '../base/destination.ts';
import type { JsonValue } from '../base/json.ts';
import type { Capability } from '../kinds/capability.ts';
import type { Hide } from '../kinds/hide.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Names } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Scope } from '../manifest/select.ts';
import type { Alteration, Baseline } from '../manifest/baseline.ts';
import type { Undeclared } from '../observe/undeclared.ts';
import type { HeldRecord, Unreadable } from '../service/types.ts';
import { effectsOf, type Action, type WriteAction, type Effect } from './actions.ts';

/** What apply would do, resource by resource. It holds what is sent, secrets too: a plan is shown and written as its document. */
export interface Plan extends Destination {
  readonly toolVersion: string;
  readonly createdAt: Date;
  /** `sha256:` and the digest of what the manifests declare, in the scope of the plan and beyond. */
  readonly manifestDigest: () => string;
  /** Where the plan is about some of the declared resources only. */
  readonly scope?: Scope;
  /** What was turned on beyond reading and creating. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Whether nothing but the documented operations was sent. */
  readonly contractOnly?: boolean | undefined;
  /** The kinds that could not be looked up, and why. */
  readonly unreadable?: UnreadableTypes | undefined;
  /** Of how many ids in each list, which new entries name, it is not known whether any record has them. */
  readonly unseenIds?: Readonly<Record<string, number>>;
  /** What the manifests were compared with, if they were. */
  readonly baseline?: Baseline;
  /** The fields that nothing shows of it. */
  readonly hide?: Hide | undefined;
  /** What the service holds and no manifest declares, where that was asked. */
  readonly undeclared?: Undeclared | undefined;
  /** Every declared resource in the scope of the plan; applications first, then by name, but each behind those that it waits for. */
  readonly changes: readonly Change[];
}

/** Why records of a type could not be looked up. */
export type UnreadableTypes = Readonly<Partial<Record<ResourceType, Unreadable>>>;

/** What the plan would do to one resource; or why it says nothing of it. */
export type Change = (ChangeBase & { readonly action: Action }) | NotPlanned;

/** What keeps this one resource from being planned. Nothing is sent for it, and the plan ends as incomplete. */
export interface NotPlanned extends ChangeBase {
  readonly action: 'not-planned';
  readonly presence: 'unknown';
  readonly diagnostics: readonly Diagnostic[];
}

interface ChangeBase {
  readonly resource: Resource;
  /** Unknown where it cannot be looked up: apply creates it if it is absent. */
  readonly presence: 'present' | 'absent' | 'unknown';
  /** The declared fields as the service holds them, sensitive and hidden values blanked out; only of what is present. */
  readonly observed?: ObservedFields;
  /** The declared fields that this release does not show, and that are not compared. */
  readonly notShown?: readonly string[];
  /** The declared fields that no release shows: whether the service holds these values, nobody can say. */
  readonly notCompared?: readonly string[];
  /** Every declared field whose observed value is another. Only what exists can differ. */
  readonly differences: readonly Difference[];
  /** Why what differs is not changed, although changes are allowed. */
  readonly leftBecause?: string;
  /** That it opens nothing yet of what is declared, as where a run ended in the middle of its create, and that this run may not finish it. */
  readonly unfinished?: true;
  /** What else the change does, or means for people. */
  readonly remarks?: readonly string[];
  /** To whom it opens what was closed to them: `everyone`, or those whom it lets in beside others. */
  readonly opens?: readonly string[];
  /** The changes before this one in the plan that must have been carried out: they free what it takes. */
  readonly waitsFor?: readonly Address[];
  /** What became of the entry since the baseline. */
  readonly since?: Alteration;
}

/** A change with what it takes to carry it out. A plan that was read from a document has none: it is made ready by what is there. */
export type ReadyChange =
  | (Change & { readonly action: 'create' })
  | (Change & { readonly action: 'update' } & UpdateNeeds)
  | (Change & { readonly action: 'delete' } & Pick<UpdateNeeds, 'base'>)
  | (Change & { readonly action: 'no-op' })
  | NotPlanned;

export interface UpdateNeeds {
  /** What the service held of it when the plan was made. */
  readonly base: HeldRecord;
  readonly permission: Permission;
}

/** That a run may change what exists. */
export interface Permission {
  /** The `pk` of the one to whom the token belongs; undefined: it is not known. */
  readonly self: string | undefined;
  /** Whether an update may take out what is bound and not declared. */
  readonly mayDelete: boolean;
}

export interface ReadyPlan extends Plan {
  readonly changes: readonly ReadyChange[];
}

/** The observed values of the declared fields. */
export type ObservedFields = Readonly<Record<string, JsonValue>>;

export interface Difference {
  readonly field: string;
  readonly declared: JsonValue;
  /** Null also when the service does not show the field. */
  readonly observed: JsonValue;
  /** The names of observed ids that the service shows, by the JSON Pointer of each from the fields. */
  readonly observedNames?: Names;
}

type Counted = Pick<Change, 'presence' | 'action' | 'differences' | 'notCompared'>;

/** How changes are counted and shown. */
export type ChangeKind =
  | 'create'
  | 'create_if_absent'
  | 'update'
  | 'delete'
  | 'in_sync'
  /** Nothing differs of what can be compared, and something cannot. */
  | 'not_compared'
  | 'differs'
  | 'not_planned';

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

/** How many changes there are of each kind. */
export function planSummary(changes: readonly Counted[]): PlanSummary {
  const summary = {
    create: 0,
    create_if_absent: 0,
    update: 0,
    delete: 0,
    in_sync: 0,
    not_compared: 0,
    differs: 0,
    not_planned: 0,
  };
  for (const change of changes) summary[changeKind(change)] += 1;
  return summary;
}

/** A change that apply would carry out. */
export type Pending = Change & { readonly action: WriteAction };

export function isPending(change: Change): change is Pending {
  return change.action !== 'no-op' && change.action !== 'not-planned';
}

/** What is not planned, each with what keeps it from that. */
export function notPlannedIn({ changes }: Pick<Plan, 'changes'>): NotPlanned[] {
  return changes.filter((change) => change.action === 'not-planned');
}

/** What somebody began, and what only a run that may change what exists finishes. */
export function unfinishedIn({ changes }: Pick<Plan, 'changes'>): Change[] {
  return changes.filter(({ unfinished }) => unfinished === true);
}

/** What apply would carry out. */
export function pendingIn({ changes }: Pick<Plan, 'changes'>): Pending[] {
  return changes.filter((change) => isPending(change));
}

/** How many resources apply would try to add, to change and to destroy. */
export function plannedEffects({ changes }: Pick<Plan, 'changes'>): Readonly<Record<Effect, number>> {
  return effectsOf((action) => changes.filter((change) => change.action === action).length);
}

/** The kinds of the resources that could not be looked up. */
export function unreadKinds({ changes }: Pick<Plan, 'changes'>): ReadonlySet<Kind<ResourceType>> {
  const unseen = changes.filter((change) => changeKind(change) === 'create_if_absent');
  return new Set(unseen.map(({ resource }) => resource.kind));
}
