import type { JsonValue } from '../base/json.ts';
import type { Address, Diagnostic } from '../base/diagnostic.ts';
import { redactorOf } from '../base/redactor.ts';
import type { DeleteDecisions } from '../service/deletions.ts';
import type { Observation, ObservedState } from '../observe/observation.ts';
import { fieldNames, placeholderFor, sentValue } from '../kinds/fields.ts';
import { isBindingField } from '../kinds/access.ts';
import { childFields } from '../kinds/bindings.ts';
import { lazy } from '../base/memoize.ts';
import { isStageKind } from '../kinds/stage-bindings.ts';
import { isMovedBetweenRecords, singleOwnerFields } from '../kinds/kind.ts';
import { isToBeDeleted, state } from '../kinds/lifecycle.ts';
import { addressOfName, declaredNames, idsOf, keyOfId } from '../kinds/named.ts';
import { factKey, type ReferenceFacts } from '../kinds/reference-facts.ts';
import type { Release } from '../kinds/release.ts';
import { addressOf, byAddress, type Resource } from '../kinds/resource.ts';
import type { UnboundStates } from '../kinds/children.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Comparison } from '../manifest/baseline.ts';
import { compareRecord, fieldsNotReturned, observedFields } from './compare.ts';
import { isNotComparable, withResentFields } from './resend.ts';
import { allReferenceFacts } from './all-reference-facts.ts';
import { createAncestorFinder, createPastAncestorFinder } from './ancestors.ts';
import { gainedRights, joinedGroups } from './gained-rights.ts';
import { createHolderFinder } from './holders.ts';
import { withKnownNames } from './known-names.ts';
import { manifestDigestOf } from './manifest-digest.ts';
import { notPlanned, withoutRefusedChanges, type NotPlannedReasons } from './not-planned.ts';
import { accessOfNewRecord, accessThroughTaken, newAccess } from './opens.ts';
import { orderChanges } from './order.ts';
import { bindingNotes, freedValues, remarksOn } from './remarks.ts';
import { deletesBindings, refusedUpdateReason } from './refused-update.ts';
import { withRemovedFields } from './removed-fields.ts';
import { isUnfinished, withNeededUnfinished } from './unfinished.ts';
import {
  isPending,
  pendingChanges,
  type Permission,
  type Plan,
  type ReadyChange,
  type ReadyPlan,
} from './plan.ts';
import { canBeBound } from '../kinds/policy-bindings.ts';

interface PlanContext extends Omit<Plan, 'manifestDigest' | 'changes' | 'baseline'> {
  /** Digest of all declared resources, if the plan covers only some of them. */
  readonly manifestDigest?: () => string;
  readonly comparison?: Comparison;
  readonly permission: Permission | 'none';
  /** The records that depend on the records to delete; undefined if the run may not delete. */
  readonly deletions?: DeleteDecisions['of'] | undefined;
  readonly resend?: ReadonlySet<Address> | undefined;
  readonly facts?: ReferenceFacts;
  /** The names of records to which updates would no longer refer. */
  readonly removedNames?: ReadonlyMap<string, string>;
  /** Who may open records without bindings; by default, everyone. */
  readonly unbound?: UnboundStates;
  readonly release?: Release | undefined;
  /** If given, the plan leaves out these resources and each change that the service would certainly reject. */
  readonly heldBack?: NotPlannedReasons | undefined;
}

export interface CheckedPlan extends ReadyPlan {
  readonly refused: readonly Diagnostic[];
}

/** Every resource must have been observed. */
export function makePlan(
  resources: readonly Resource[],
  observations: ObservedState,
  context: PlanContext,
): CheckedPlan {
  const { permission, facts, removedNames, heldBack, deletions, resend, unbound, release, ...others } =
    context;
  const { comparison, ...about } = others;
  const observed = withKnownNames(resources, observations, removedNames);
  const allowed = { permission, deletions, resend };
  const known = allReferenceFacts(facts, resources, observed);
  const holderOf = createHolderFinder(resources, observed, known);
  const joined = joinedGroups(
    resources.filter(({ address }) => permission !== 'none' || observed.get(address)?.presence !== 'present'),
  );
  const isAncestor = createAncestorFinder(resources, observed);
  const wasAncestor = createPastAncestorFinder(resources, observed, comparison?.alterations);
  const forRemarks = { holderOf, facts: known, joined, isAncestor, release, unbound: unbound?.after };
  const inFlows = lazy(() => new Set(resources.flatMap((resource) => boundAddresses(resource))));
  const changes = resources.toSorted(byAddress).map((resource): ReadyChange => {
    const observation = observed.get(resource.address);
    const alteration = comparison?.alterations.get(resource.address);
    const diagnostics = heldBack?.get(resource.address);
    if (diagnostics) return notPlanned(resource, diagnostics, alteration);
    if (observation === undefined) throw new Error(`${resource.address} was not observed`);
    const change = planChange(resource, observation, allowed);
    // If only some resources are selected, a record that looks undeclared may be declared elsewhere, so no rename is suggested.
    const renamed = about.scope ? [] : renameHint(resource, observation);
    const held = observation.presence === 'present' ? observation.held : undefined;
    const record = held ?? { fields: {} };
    const deletion = change.action === 'delete' ? deletions?.get(resource.address) : undefined;
    const freed = change.action === 'delete' ? freedValues(resource, record, about.hide) : [];
    const redact = (words: readonly string[]): string[] =>
      words.map((each) => redactorOf(resource.secrets).redact(each));
    const remarks = [
      ...(change.remarks ?? []),
      ...redact([...(deletion?.notes ?? []), ...freed]),
      ...(isPending(change) && change.action !== 'delete'
        ? [...remarksOn(change, record, forRemarks), ...renamed]
        : []),
      ...bindingNotes(change, record, unbound?.before),
    ];
    const isUnreached =
      change.action === 'create' && isStageKind(resource.kind) && !inFlows().has(resource.address);
    const opens = [
      ...(isUnreached ? [] : newAccess(change, record, alteration, unbound, release, wasAncestor)),
      ...gainedRights(change, record, alteration, known, joined),
      ...accessThroughTaken(change, record, holderOf),
      ...redact(deletion?.opens ?? []),
    ];
    const openTo = accessOfNewRecord(change, unbound?.after);
    return {
      ...change,
      ...(held && { pk: redactorOf(resource.secrets).redactId(held.pk) }),
      ...(remarks.length > 0 && { remarks }),
      ...(opens.length > 0 && { opens }),
      ...(openTo !== undefined && { openTo }),
      ...(alteration && { since: held ? withRemovedFields(alteration, resource, held) : alteration }),
    };
  });
  const ordered = orderChanges(moveDeletesLast(withNeededUnfinished(changes, observed)), holderOf);
  const plannedChanges = heldBack ? { changes: withoutRefusedChanges(ordered), refused: [] } : ordered;
  const manifestDigest = (): string => manifestDigestOf(resources);
  return {
    manifestDigest,
    ...about,
    ...(unbound && { unbound }),
    ...(comparison && { baseline: comparison.baseline }),
    ...plannedChanges,
  };
}

/** The addresses of the records that a resource binds by name. */
function boundAddresses(resource: Resource): Address[] {
  const fields = new Set(childFields(resource.kind).map(([field]) => field));
  return declaredNames(resource).flatMap((named) =>
    fields.has(named.field) ? (addressOfName(named) ?? []) : [],
  );
}

function planChange(
  resource: Resource,
  observation: Observation,
  { permission, deletions, resend }: Pick<PlanContext, 'permission' | 'deletions' | 'resend'>,
): ReadyChange {
  const { presence } = observation;
  if (isToBeDeleted(resource)) return plannedDelete(resource, observation, deletions);
  if (presence !== 'present') return { resource, presence, action: 'create', differences: [] };
  return plannedUpdate(resource, observation.held, permission, resend?.has(resource.address) === true);
}

function plannedDelete(
  resource: Resource,
  observation: Observation,
  deletions: DeleteDecisions['of'] | undefined,
): ReadyChange {
  const { presence } = observation;
  if (presence !== 'present') return { resource, presence, action: 'no-op', differences: [] };
  const { held: base } = observation;
  const { identity } = resource.kind;
  const observed = { [identity]: base.fields[identity] ?? null };
  const differences = [{ field: state, declared: 'absent', observed: 'present' }];
  const found = { resource, presence, observed, differences } as const;
  const deletion = deletions?.get(resource.address);
  if (deletion === undefined) return { ...found, action: 'no-op' };
  const { refusal } = deletion;
  return refusal === undefined
    ? { ...found, action: 'delete', base }
    : { ...found, action: 'no-op', leftBecause: refusal };
}

function plannedUpdate(
  resource: Resource,
  base: ObservedRecord,
  permission: Permission | 'none',
  isResent: boolean,
): ReadyChange {
  const compared = compareRecord(resource, base);
  const { differences, notCompared: secrets } = withResentFields(resource, base, compared, isResent);
  const hidden = fieldsNotReturned(resource, base).filter((field) => !isNotComparable(resource, field, base));
  // A release may lack some fields of a record. If it shows none of them, the record is not known to be in sync.
  const isAnyShown = fieldNames(resource).some(
    (field) => field !== resource.kind.identity && Object.hasOwn(base.fields, field),
  );
  const isExpected = (field: string): boolean => isAnyShown && !isBindingField(resource.kind, field);
  const notCompared = [...secrets, ...hidden.filter((field) => !isExpected(field))];
  const notShown = hidden.filter(isExpected);
  const found = {
    resource,
    presence: 'present',
    observed: observedFields(resource, base, differences),
    differences,
    ...(notShown.length > 0 && { notShown }),
    ...(notCompared.length > 0 && { notCompared }),
  } as const;
  if (differences.length === 0) return { ...found, action: 'no-op' };
  const left = {
    ...found,
    action: 'no-op',
    ...(isUnfinished(resource, base, differences) && ({ unfinished: true } as const)),
  } as const;
  const removal = differences.find(({ field }) => deletesBindings(resource, field, base));
  if (permission === 'none') {
    return {
      ...left,
      ...(removal && {
        remarks: [`removing bindings from \`${removal.field}\` needs --allow delete too`],
        deletesBindings: true,
      }),
    };
  }
  const leftBecause = refusedUpdateReason(resource, base, differences, permission);
  return leftBecause === undefined
    ? { ...found, action: 'update', base, permission, ...(removal && { deletesBindings: true }) }
    : { ...left, leftBecause, ...(removal && !permission.mayDelete && { deletesBindings: true }) };
}

/** Finds the values that records lose while a plan is applied: another record takes them, or the plan deletes the record to which they refer. */
export function findLostValues(
  changes: readonly ReadyChange[],
): (resource: Pick<Resource, 'kind' | 'address'>, field: string, value: JsonValue) => boolean {
  const newOwners = new Map<string, Address>();
  for (const { resource } of pendingChanges({ changes })) {
    const { kind, address } = resource;
    for (const field of singleOwnerFields(kind))
      if (isMovedBetweenRecords(kind, field))
        for (const id of idsOf(sentValue(resource, field))) newOwners.set(factKey(kind, field, id), address);
  }
  const deleted = new Set(
    changes.flatMap((one) => (one.action === 'delete' ? keyOfId(one.resource.kind.family, one.base.pk) : [])),
  );
  return ({ kind, address }, field, value) => {
    const related = kind.fields[field]?.refersTo;
    const taker = newOwners.get(factKey(kind, field, value));
    return (
      (taker !== undefined && taker !== address) ||
      (related !== undefined && deleted.has(keyOfId(related, value)))
    );
  };
}

/** A hint that a new resource may be an existing record under a new name. */
function renameHint(resource: Resource, observation: Observation): string[] {
  const { kind } = resource;
  if (observation.presence !== 'absent' || observation.namesake === undefined) return [];
  if (placeholderFor(resource, kind.title) !== undefined) return [];
  const undeclaredAddress = addressOf(kind.type, observation.namesake);
  return [
    `has the same \`${kind.title}\` as ${undeclaredAddress}, which is not declared, so this change creates a second record. To rename the existing record instead, write \`formerly: ${observation.namesake}\``,
  ];
}

/**
 * Moves deletes to the end of a plan. A record is deleted before the records that it refers to. Policies, groups and users are
 * deleted last: the service deletes their bindings too, and another record could be open until it is deleted as well.
 */
function moveDeletesLast(changes: readonly ReadyChange[]): readonly ReadyChange[] {
  const last = changes.filter(({ action }) => action === 'delete');
  if (last.length === 0) return changes;
  return [
    ...changes.filter(({ action }) => action !== 'delete'),
    ...last.filter(({ resource: { kind } }) => !canBeBound(kind)).toReversed(),
    ...last.filter(({ resource: { kind } }) => canBeBound(kind)),
  ];
}
