import type { Destination } from '../base/destination.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { needsSuperuserToDelete } from '../kinds/all.ts';
import type { Release } from '../kinds/release.ts';
import type { Binding, UnboundStates } from '../kinds/children.ts';
import { wantedChildren } from '../kinds/access.ts';
import { childrenAfter, extraBindings } from '../kinds/bindings.ts';
import { valueAfter } from '../kinds/fields.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { keyOfId, namingFields, referenceKeys, withRunIds } from '../kinds/named.ts';
import { policyBindings } from '../kinds/policy-bindings.ts';
import type { Resource } from '../kinds/resource.ts';
import { bindingsOf } from '../service/children.ts';
import { readDeletions, type DeleteDecisions } from '../service/deletions.ts';
import { existingIn, observedIds, observedRecordAt, type ObservedState } from '../observe/observation.ts';
import type { DescribeGaps } from '../observe/undeclared.ts';
import { readUnboundAccess } from '../observe/unbound-access.ts';
import { problemsOfEntries } from '../plan/entry-problems.ts';
import { makePlan } from '../plan/make-plan.ts';
import { withoutRefusedChanges } from '../plan/not-planned.ts';
import { incompleteChanges, notPlannedChanges, type Permission, type ReadyPlan } from '../plan/plan.ts';
import { destinationOf } from '../settings/service-settings.ts';
import { withBlueprints } from './blueprints.ts';
import { unreadableKindsIn, withDiagnostics } from './keep-going.ts';
import { readState, stopUnresolved } from './read-state.ts';
import { runInScope, type ScopedResources, type ScopeRequest } from './scope.ts';
import type { Service } from './connect.ts';
import { planLoginChanges } from './login.ts';
import { withAccountStatus } from './removed-accounts.ts';
import { exceededLimit, type ChangeLimits } from './exceeded-limit.ts';
import { withUndeclared } from './undeclared.ts';
import { unseenAbsences } from './unseen.ts';
import { fetchServiceRelease } from '../service/release.ts';
import { isSuperuserToken, retrieveTokenUser } from '../service/retrieve.ts';
import type { RunResult, StoppedRun, FinishedJob } from './result.ts';
import { interruptedHalt, stoppedRun } from './stopped-run.ts';
import type { Job } from './world.ts';

export interface PlanRequest extends ScopeRequest, PlanOptions {}

export interface PlanOptions extends ChangeLimits {
  /** Whether a problem with a resource excludes only this resource from the plan, instead of ending the run. */
  readonly keepGoing?: boolean | undefined;
  readonly undeclared?: DescribeGaps | undefined;
}

interface PlanManner extends Pick<PlanOptions, 'keepGoing'> {
  readonly isSaved?: boolean;
}

export interface PlanResult extends ReadyPlan {
  readonly observed: ObservedState;
  readonly deletions?: DeleteDecisions | undefined;
}

/**
 * Makes a plan and changes nothing:
 * 1. `runInScope` reads and checks the manifests, and connects to the service.
 * 2. `planFor` looks up the declared resources, and compares them with the manifests.
 * 3. `exceededLimit` stops the run if the plan exceeds a limit.
 */
export function plan(request: PlanRequest, job: Job): Promise<FinishedJob<PlanResult>> {
  return runInScope(request, job, (scoped, service) => planWithinLimits(scoped, service, request));
}

async function planWithinLimits(
  scoped: ScopedResources,
  service: Service,
  options: PlanOptions,
): Promise<RunResult<PlanResult>> {
  const planned = await planFor(scoped, service, options);
  if ('halt' in planned) return planned;
  const complete = await withUndeclared(planned, scoped, options.undeclared, service);
  if ('halt' in complete) return stoppedRun(complete.halt, service);
  const made = await withAccountStatus(complete, service);
  service.emit({ kind: 'planned', plan: made });
  const halt = exceededLimit(made, options);
  if (halt) return { result: made, ...stoppedRun(halt, service) };
  const isWhole = notPlannedChanges(made).length + incompleteChanges(made).length === 0;
  return { result: made, ending: isWhole ? 'done' : 'incomplete' };
}

/** Makes the plan of a run. If a resource that counted as absent may exist, makes the plan a second time. */
export async function planFor(
  scoped: ScopedResources,
  service: Service,
  manner: PlanManner = {},
): Promise<PlanResult | StoppedRun> {
  const planned = await planOnce(scoped, service, manner);
  const mayBeWrong = !('halt' in planned) && service.client.evidence.takeRefutedAbsence();
  return mayBeWrong ? planOnce(scoped, service, manner) : planned;
}

/**
 * Makes a plan:
 * 1. `readState` looks up the names and the resources.
 * 2. `checkWithRelease` checks the rules that depend on the release.
 * 3. `permissionFor` and `deletionsFor` read the data that changes of existing records need.
 * 4. `makePlan` compares the resources with their records.
 * 5. `withBlueprints` marks changes that a blueprint of the service may revert.
 */
async function planOnce(
  scoped: ScopedResources,
  service: Service,
  { isSaved = false, keepGoing = false }: PlanManner,
): Promise<PlanResult | StoppedRun> {
  const { configured, checkByRelease, resources: everything, elsewhere: _, ...scopeContext } = scoped;
  const cancel = new AbortController();
  const release = checkByRelease && everything.length > 0 ? fetchRelease(service, cancel.signal) : undefined;
  const readRelease = async (): Promise<Release | undefined> => (await release) ?? configured;
  const read = await readState(scoped, service, { isSaved, keepGoing, readRelease });
  if (typeof read === 'function') {
    cancel.abort();
    await release?.catch(() => {});
    return read();
  }
  const { observed, facts, removedNames, heldBack } = read;
  const resources = read.resources.map((resource) => withRunIds(resource, observedIds(observed)));
  const knownRelease = await readRelease();
  const { needed, ...atRelease } = await checkWithRelease(knownRelease, resources, observed, service);
  const unseen = await unseenAbsences(resources, observed, service);
  if (service.signal.aborted) return stoppedRun(interruptedHalt(service), service);
  const byRelease = release && checkByRelease?.(await release, existingIn(observed), unseen);
  const diagnostics = [...(byRelease ?? []), ...needed];
  if (diagnostics.length > 0 && !keepGoing)
    return stoppedRun({ kind: 'refused', isStale: false, diagnostics }, service);
  const deletions = await deletionsFor(resources, observed, atRelease.unbound, service);
  const { refused, ...made } = makePlan(resources, observed, {
    ...headOfPlan(service),
    ...unreadableKindsIn(resources, observed),
    ...scopeContext,
    permission: await permissionFor(resources, observed, service),
    deletions: deletions?.of,
    isSuperuser: await deletesAsSuperuser(resources, service),
    ...atRelease,
    ...facts,
    removedNames,
    heldBack: heldBack && withDiagnostics(heldBack, diagnostics),
  });
  if (service.signal.aborted) return stoppedRun(interruptedHalt(service), service);
  if (refused.length > 0) return stopUnresolved(service, { isSaved, diagnostics: refused });
  const planned = await withBlueprints(made, knownRelease, service);
  return withLoginChecked({ ...planned, observed, deletions }, service, knownRelease, { isSaved, keepGoing });
}

function headOfPlan({
  settings,
  clock,
  toolVersion,
}: Service): Destination &
  Pick<PlanResult, 'toolVersion' | 'createdAt' | 'hide' | 'capabilities' | 'contractOnly' | 'accepts'> {
  const { hide, capabilities, contractOnly, acceptedRisks: accepts } = settings;
  const createdAt = new Date(clock.now());
  return { ...destinationOf(settings), toolVersion, createdAt, hide, capabilities, contractOnly, accepts };
}

async function withLoginChecked(
  made: PlanResult,
  service: Service,
  release: Release | undefined,
  { isSaved, keepGoing }: Required<PlanManner>,
): Promise<PlanResult | StoppedRun> {
  const { refused, ...login } = await planLoginChanges(made, service, release);
  if (service.signal.aborted) return stoppedRun(interruptedHalt(service), service);
  if (keepGoing) return { ...made, ...login, changes: withoutRefusedChanges({ ...login, refused }) };
  if (refused.length === 0) return { ...made, ...login };
  return stoppedRun({ kind: 'refused', isStale: isSaved, diagnostics: refused }, service);
}

async function checkWithRelease(
  release: Release | undefined,
  resources: readonly Resource[],
  observed: ObservedState,
  service: Service,
): Promise<{
  readonly release: Release | undefined;
  readonly unbound: UnboundStates;
  readonly needed: readonly Diagnostic[];
}> {
  const { allow } = service.settings;
  const mayDelete = allow.includes('delete');
  const declared = await readUnboundAccess(resources, observed, release, { ...service, mayDelete });
  const unbound = allow.includes('update') ? declared : { ...declared, after: declared.before };
  return { release, unbound, needed: problemsOfEntries(resources, observed, release, declared.after) };
}

/** Reads the release during the first look-ups. An exception is passed on to the code that awaits the result. */
function fetchRelease({ send, pacing, signal }: Service, over: AbortSignal): Promise<Release | undefined> {
  const until = AbortSignal.any([signal, over]);
  const release = pacing.runBeside(() => fetchServiceRelease(send, pacing, until));
  release.catch(() => {});
  return release;
}

/** Returns the permission to change existing records, with the data that a change needs. */
async function permissionFor(
  resources: readonly Resource[],
  observed: ObservedState,
  service: Service,
): Promise<Permission | 'none'> {
  const { settings } = service;
  if (!settings.allow.includes('update')) return 'none';
  const mayBeOwn = resources.some(
    ({ kind, fields, address }) =>
      observed.get(address)?.presence === 'present' &&
      kind.update.protectedOnSelf?.some((field) => Object.hasOwn(fields, field)),
  );
  const reading = mayBeOwn ? await retrieveTokenUser(service) : undefined;
  return {
    self: reading?.proof === 'exists' ? reading.pk : undefined,
    mayDelete: settings.allow.includes('delete'),
  };
}

/** Asks about the token only if a delete needs a superuser's. */
async function deletesAsSuperuser(resources: readonly Resource[], service: Service): Promise<boolean> {
  const isNeeded = resources.some(
    (resource) => isToBeDeleted(resource) && needsSuperuserToDelete(resource.kind),
  );
  return isNeeded && isSuperuserToken(service);
}

async function deletionsFor(
  resources: readonly Resource[],
  observed: ObservedState,
  { after }: UnboundStates,
  service: Service,
): Promise<DeleteDecisions | undefined> {
  const { allow } = service.settings;
  if (!allow.includes('delete')) return undefined;
  const deletes = resources.flatMap((resource) => {
    const record = isToBeDeleted(resource) ? observedRecordAt(observed, resource.address) : undefined;
    return record ? [{ resource, held: record }] : [];
  });
  if (deletes.length === 0) return undefined;
  const isUpdated = allow.includes('update');
  // The apply sets declared bindings before any delete, and checks again whether each delete is safe.
  const planned = new Map(isUpdated ? plannedBindings(resources, observed) : []);
  const released = new Set(isUpdated ? releasedReferences(resources, observed) : []);
  return readDeletions({
    ...service,
    deletes,
    plannedBindings: (pk) => planned.get(pk),
    isReleased: (owner, gone) => released.has(`${owner} ${gone}`),
    isFlagOff: async () => after === 'closed',
  });
}

/** The bindings of policies, groups and users after the updates, by the ids of the records that have them. */
function plannedBindings(
  resources: readonly Resource[],
  observed: ObservedState,
): (readonly [string, readonly Binding[]])[] {
  return resources.flatMap((resource) => {
    const held = observedRecordAt(observed, resource.address);
    const bound = held?.bound?.get(policyBindings);
    const declared = wantedChildren(resource).find(({ children }) => children === policyBindings);
    if (held === undefined || bound === undefined || declared === undefined) return [];
    const { pk, bindable = pk } = held;
    const after = childrenAfter(declared, bound);
    // The service shows a record that has bindings by either id.
    return [[pk, after] as const, [bindable, after] as const];
  });
}

/** The references that updates take from records, and the bindings that they delete, each with the record to which it refers. */
function releasedReferences(resources: readonly Resource[], observed: ObservedState): string[] {
  return resources.flatMap((resource) => {
    const { kind, address } = resource;
    const held = observedRecordAt(observed, address);
    if (held === undefined) return [];
    const fields = namingFields(kind);
    const before = referenceKeys(kind, fields, (field) => held.fields[field]).flat();
    const after = new Set(
      referenceKeys(kind, fields, (field) =>
        Object.hasOwn(resource.fields, field)
          ? valueAfter(resource, field, held.fields[field])
          : held.fields[field],
      ).flat(),
    );
    const unbound = wantedChildren(resource).flatMap((declared) =>
      extraBindings(declared, bindingsOf(held, declared.children)).flatMap(({ child: { binds, id, pk } }) =>
        binds && id !== undefined ? `${pk} ${keyOfId(binds.refersTo, id)}` : [],
      ),
    );
    const lost = before.flatMap((key) => (after.has(key) ? [] : `${keyOfId(kind.family, held.pk)} ${key}`));
    return [...lost, ...unbound];
  });
}
