import type { Clock } from '../base/clock.ts';
import type { Address } from '../base/diagnostic.ts';
import { addTo } from '../base/group-by.ts';
import { isInside, prerequisitesOf, withRunIds } from '../kinds/named.ts';
import type { UnboundState } from '../kinds/children.ts';
import { findLostValues } from '../plan/make-plan.ts';
import { referencedParents, resourcesWithBindings } from '../plan/earlier-resources.ts';
import { behindOwnRights } from '../plan/own-rights.ts';
import type { WriteAction } from '../plan/actions.ts';
import { isPending, type ReadyChange, type ReadyPlan } from '../plan/plan.ts';
import { filterFields, type Resource } from '../kinds/resource.ts';
import { resentFields } from '../plan/resend.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { printableOutcome } from './as-shown.ts';
import type { LoginCheck } from './login-check.ts';
import { createParent, setOmittedReferences, updateParent } from './parent.ts';
import { CreatedVisibility } from './verify-created.ts';
import { deleteRecord } from './delete.ts';
import type { Writer, WriteResult } from './settle.ts';
import { RunStops } from './stops.ts';
import { isIncomplete, isMissing, isReliable, type Outcome, type StopReason } from './outcome.ts';

type ReadyPending = Extract<ReadyChange, { readonly action: WriteAction }>;

interface ApplyOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly clock: Clock;
  /** When this signal aborts, no further resource is started; requests under way are completed. */
  readonly signal?: AbortSignal;
  /** An unexpected exception aborts this controller, so that no further change is started. */
  readonly fault?: AbortController;
  readonly failFast?: boolean;
  readonly loginCheck?: LoginCheck | undefined;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Applies a plan. Returns exactly one outcome for each change, in the order of the plan, even after an exception. */
export async function applyPlan(plan: ReadyPlan, options: ApplyOptions): Promise<Outcome[]> {
  const { pacing, signal, fault = new AbortController() } = options;
  const deletions = plan.changes.filter((change) => change.action === 'delete');
  const { behind } = behindOwnRights(plan.changes);
  const isBehind = ({ resource: { address } }: ReadyChange): boolean => behind.has(address);
  const awaited = new Set(
    plan.changes.flatMap((change) => (isBehind(change) ? [] : (change.waitsFor ?? []))),
  );
  const isLast = (change: ReadyChange): boolean =>
    isBehind(change) ||
    change.takesOwnRights === true ||
    (change.action === 'delete' && !awaited.has(change.resource.address));
  const last = plan.changes.filter((change) => isLast(change));
  const changes = plan.changes.filter((change) => !isLast(change));
  const { before = 'open', after = before } = plan.unbound ?? {};
  const run: Run = {
    ...options,
    fault,
    stops: new RunStops({ pacing, signal, fault: fault.signal }),
    isLostBy: findLostValues(plan.changes),
    unbound: before === after ? before : 'unknown',
    isFlagOff: after === 'closed',
    parents: new Set([
      ...resourcesWithBindings(plan.changes),
      ...plan.changes.flatMap(({ resource, setAfter }) => (setAfter ? resource.address : [])),
    ]),
    settling: new Map(),
    started: new Map(),
    sent: new Map(),
    kept: new Set(),
    visibility: new CreatedVisibility(),
    deletions,
    last,
  };
  const settled = (change: ReadyChange): Promise<Outcome> => {
    const { address } = change.resource;
    const known = run.settling.get(address) ?? outcomeWithReport(change, run);
    run.settling.set(address, known);
    return known;
  };
  try {
    await pacing.forEach(makeTasks(changes, run, settled), (task) => task());
    for (const task of makeTasks(last, run, settled)) await pacing.forEach([task], (one) => one());
  } catch (error) {
    fault.abort(error);
  }
  return Promise.all(plan.changes.map((change) => settled(change)));
}

type Delete = Extract<ReadyChange, { readonly action: 'delete' }>;

interface Run extends ApplyOptions {
  readonly fault: AbortController;
  readonly stops: RunStops;
  readonly isLostBy: ReturnType<typeof findLostValues>;
  readonly deletions: readonly Delete[];
  /** The changes that come last: deletes that no other change waits for, changes that take rights from the token, and those that depend on them. */
  readonly last: readonly ReadyChange[];
  readonly unbound: UnboundState;
  /** Whether an application without bindings will be closed to everyone after the apply. */
  readonly isFlagOff: boolean;
  /** Resources that are written in several steps, because they have bindings or because some references are set later. */
  readonly parents: ReadonlySet<Address>;
  readonly settling: Map<Address, Promise<Outcome>>;
  readonly started: Map<Address, Promise<StartedCreate>>;
  readonly sent: Map<Address, number>;
  readonly visibility: CreatedVisibility;
  /** The resources whose changes failed, so that records to delete may still exist. */
  readonly kept: Set<Address>;
}

type StartedCreate = Outcome | { readonly ready: ReadyPending; readonly result: WriteResult };

function notAttempted(change: ReadyChange, stoppedBy: StopReason): Outcome {
  return { change, outcome: 'not_attempted', stoppedBy, attempts: 0, durationMs: 0 };
}

/** The tasks in the order of the plan. A resource that is created without some references gets them right after the last referenced record exists. */
function makeTasks(
  changes: readonly ReadyChange[],
  run: Run,
  settled: (change: ReadyChange) => Promise<Outcome>,
): readonly (() => Promise<unknown>)[] {
  const completing = new Map<Address, ReadyChange[]>();
  for (const change of changes) {
    if (change.setAfter === undefined) continue;
    const after = new Set(change.setAfter.map((later) => later.after));
    const last = changes.findLast(({ resource }) => after.has(resource.address))?.resource.address;
    if (last !== undefined) addTo(completing, last, change);
  }
  return changes.flatMap((change) => [
    () =>
      isPending(change) && change.setAfter
        ? // After an exception, the queue must go on, because a completion waits for the changes that follow.
          startOnce(change, run).catch((error: unknown) => run.fault.abort(error))
        : settled(change),
    ...(completing.get(change.resource.address) ?? []).map((create) => () => settled(create)),
  ]);
}

function startOnce(change: ReadyPending, run: Run): Promise<StartedCreate> {
  const { address } = change.resource;
  const known = run.started.get(address) ?? startChange(change, run);
  run.started.set(address, known);
  return known;
}

/** Returns an outcome even after an exception: `unknown` if a request was sent, otherwise `not_attempted`. */
async function outcomeWithReport(change: ReadyChange, run: Run): Promise<Outcome> {
  const { fault, loginCheck, onOutcome } = run;
  const outcome = await outcomeOf(change, run).catch((error: unknown): Outcome => {
    fault.abort(error);
    const attempts = run.sent.get(change.resource.address) ?? 0;
    if (attempts === 0) return notAttempted(change, 'error');
    return { change, attempts, durationMs: 0, outcome: 'unknown' };
  });
  if (isMissing(outcome)) run.kept.add(change.resource.address);
  try {
    await loginCheck?.after(outcome);
    onOutcome?.(outcome);
  } catch (error) {
    fault.abort(error);
  }
  return outcome;
}

async function outcomeOf(change: ReadyChange, run: Run): Promise<Outcome> {
  if (change.action === 'no-op') {
    const { differences, leftBecause } = change;
    if (leftBecause !== undefined) return notAttempted(change, 'left');
    const nothing = { change, attempts: 0, durationMs: 0 } as const;
    return differences.length > 0
      ? { ...nothing, outcome: change.unfinished ? 'unfinished' : 'differs', differences }
      : { ...nothing, outcome: 'unchanged' };
  }
  if (change.action === 'not-planned') return notAttempted(change, 'not_planned');
  const { stops, clock, pacing } = run;
  const startedAt = clock.now();
  const { endedOutages } = pacing.outage;
  const startedCreate = await startOnce(change, run);
  run.started.delete(change.resource.address); // frees the memory of the record
  if ('change' in startedCreate) return startedCreate;
  const { ready, result: made } = await completeCreate(change, startedCreate, run);
  const result = await run.visibility.verify(ready.resource, made, writerFor(ready, run));
  stops.count(ready, result.outcome, endedOutages);
  const stoppedMeanwhile = result.attempts === 0 ? stops.why(change) : undefined;
  const outcome = printableOutcome(ready, result, run.unbound, {
    stoppedBy: stoppedMeanwhile,
    durationMs: clock.now() - startedAt,
  });
  if (run.failFast && isIncomplete(outcome)) stops.stopRun('fail_fast');
  return outcome;
}

async function startChange(whole: ReadyPending, run: Run): Promise<StartedCreate> {
  const omitted = new Set(whole.setAfter?.map(({ field }) => field));
  const isSent = (field: string): boolean => !omitted.has(field);
  const change = omitted.size === 0 ? whole : { ...whole, resource: filterFields(whole.resource, isSent) };
  const named = referencedOutcomes(change.resource, run);
  const isHeldUp = change.waitsFor !== undefined && !(await isReady(change.waitsFor, run));
  const ready = withCreatedIds(change, await named);
  const isEarly = run.last.includes(whole) && (await hasFailedBefore(whole, run));
  const stoppedBy = run.stops.why(change) ?? (isHeldUp ? 'waits' : isEarly ? 'not_last' : undefined);
  if (stoppedBy !== undefined || !ready) return notAttempted(whole, stoppedBy ?? 'unmade');
  await run.loginCheck?.before(change.resource.address);
  const created = (await named).filter(({ outcome }) => outcome === 'created');
  const isParentNew = created.some((parent) => isInside(ready.resource, parent.change.resource));
  return { ready, result: await execute(ready, isParentNew, run) };
}

function writerFor(change: ReadyPending, { client, pacing, stops, sent }: Run): Writer {
  const { address } = change.resource;
  const countRequest = (): void => void sent.set(address, (sent.get(address) ?? 0) + 1);
  return { client, pacing, control: stops.controlOf(change, countRequest) };
}

async function completeCreate(
  { resource: whole, setAfter }: ReadyPending,
  { ready, result }: Exclude<StartedCreate, Outcome>,
  run: Run,
): Promise<Exclude<StartedCreate, Outcome>> {
  if (setAfter === undefined) return { ready, result };
  const others = prerequisitesOf(whole).filter((address) => address !== whole.address);
  const references = await Promise.all(others.flatMap((address) => run.settling.get(address) ?? []));
  const pks = new Map(references.map(({ change, pk }) => [change.resource.address, pk]));
  pks.set(whole.address, result.held?.pk);
  const declared = { ...whole, fields: { ...whole.fields, ...ready.resource.fields } };
  const resource = withRunIds(declared, (address) => pks.get(address));
  const full = { ...ready, resource };
  const { held } = result;
  if (result.outcome !== 'created' || held === undefined) return { ready: full, result };
  const fields = setAfter.map(({ field }) => field);
  const made = { ...result, held };
  const isMade = references.every(isReliable) && prerequisitesOf(resource).length === 0;
  const completed = await setOmittedReferences(resource, fields, made, isMade, writerFor(full, run));
  return { ready: full, result: completed };
}

/** Whether all dependencies of a change succeeded. The plan lists dependencies before the change, so they have already been started. */
async function isReady(waitsFor: readonly Address[], { settling }: Run): Promise<boolean> {
  const outcomes = await Promise.all(waitsFor.flatMap((address) => settling.get(address) ?? []));
  return outcomes.every(isReliable);
}

/** Whether an earlier change failed. Failures in `last` count only for changes that take rights from the token. */
async function hasFailedBefore(change: ReadyPending, { settling, last }: Run): Promise<boolean> {
  const others = change.takesOwnRights ? last.slice(last.indexOf(change)) : last;
  const later = new Set(others.map(({ resource }) => resource.address));
  const before = Array.from(settling, ([address, settled]) => (later.has(address) ? [] : settled)).flat();
  const outcomes = await Promise.all(before);
  return outcomes.some((outcome) => outcome.change.action !== 'no-op' && isIncomplete(outcome));
}

/** The outcomes of the referenced resources. For a resource that a later step completes, the outcome of its create counts. */
async function referencedOutcomes(
  resource: Resource,
  { parents, settling, started, unbound }: Run,
): Promise<Outcome[]> {
  const first = new Set([...prerequisitesOf(resource), ...referencedParents(resource, parents)]);
  if (first.size === 0) return [];
  const outcomes = Array.from(first, async (address): Promise<Outcome[]> => {
    const known = await (settling.get(address) ?? started.get(address));
    if (known === undefined || 'change' in known) return known ? [known] : [];
    return [printableOutcome(known.ready, known.result, unbound, { durationMs: 0 })];
  });
  return (await Promise.all(outcomes)).flat();
}

function withCreatedIds(change: ReadyPending, outcomes: readonly Outcome[]): ReadyPending | undefined {
  // A dependency counts as created only after all of its steps succeeded. A delete needs only its id.
  if (change.action !== 'delete' && !outcomes.every(isReliable)) return undefined;
  const pks = new Map(outcomes.map(({ change: { resource }, pk }) => [resource.address, pk]));
  const resource = withRunIds(change.resource, (address) => pks.get(address));
  return prerequisitesOf(resource).length === 0 ? { ...change, resource } : undefined;
}

function execute(change: ReadyPending, isParentNew: boolean, run: Run): Promise<WriteResult> {
  const { resource } = change;
  const writer = writerFor(change, run);
  switch (change.action) {
    case 'create':
      return createParent(resource, { ...writer, isParentNew });
    case 'update': {
      const isLost = run.isLostBy.bind(undefined, resource);
      return updateParent({ ...change, isLost, resent: resentFields(change) }, writer);
    }
    case 'delete': {
      const going = run.deletions.filter(({ resource: { address } }) => !run.kept.has(address));
      const deletes = going.map(({ resource: each, base }) => ({ resource: each, held: base }));
      return deleteRecord({ resource, held: change.base }, deletes, run.isFlagOff, writer);
    }
  }
}
