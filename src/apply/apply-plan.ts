import type { Clock } from '../base/clock.ts';
import type { Address } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { createdBefore, withIdsOf } from '../kinds/named.ts';
import type { Unbound } from '../kinds/children.ts';
import { compare, shownPart } from '../plan/compare.ts';
import { movedToOthers } from '../plan/make-plan.ts';
import { whoMayOpen } from '../plan/opens.ts';
import { namedParents, parentsIn } from '../plan/order.ts';
import type { WriteAction } from '../plan/actions.ts';
import type { Change, Pending, ReadyChange, ReadyPlan } from '../plan/plan.ts';
import { resentFields } from '../plan/resend.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { withoutSecrets } from '../service/redact.ts';
import { createParent, updateParent } from './parent.ts';
import { remove } from './delete.ts';
import type { WriteResult } from './settle.ts';
import { Stops } from './stops.ts';
import { isIncomplete, isMissing, type Conflict, type Outcome } from './outcome.ts';

type ReadyPending = Extract<ReadyChange, { readonly action: WriteAction }>;

interface ApplyOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly clock: Clock;
  /** When it aborts, no further resource is started; requests under way are settled. */
  readonly signal?: AbortSignal;
  /** Aborts with an unexpected exception; then nothing more is started. */
  readonly fault?: AbortController;
  readonly failFast?: boolean;
  readonly onStart?: (change: Pending) => void;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Carries out a plan. Each change ends with exactly one outcome, in the order of the plan, even after an exception. */
export async function applyPlan(plan: ReadyPlan, options: ApplyOptions): Promise<Outcome[]> {
  const { pacing, signal, fault = new AbortController() } = options;
  const deletions = plan.changes.filter((change) => change.action === 'delete');
  const awaited = new Set(plan.changes.flatMap(({ waitsFor = [] }) => waitsFor));
  const last = deletions.filter(({ resource }) => !awaited.has(resource.address));
  const isLast = new Set<ReadyChange>(last);
  const changes = plan.changes.filter((change) => !isLast.has(change));
  const { before = 'open', after = before } = plan.unbound ?? {};
  const run: Run = {
    ...options,
    fault,
    stops: new Stops({ pacing, signal, fault: fault.signal }),
    isTakenFrom: movedToOthers(plan.changes),
    unbound: before === after ? before : 'unknown',
    parents: new Set(parentsIn(plan.changes)),
    settling: new Map(),
    deletions,
    last,
  };
  const settled = (change: ReadyChange): Promise<Outcome> => {
    const { address } = change.resource;
    const known = run.settling.get(address) ?? reported(change, run);
    run.settling.set(address, known);
    return known;
  };
  try {
    await pacing.forEach(changes, settled);
    // In sequence: each result decides on the next delete.
    for (const change of last) await pacing.forEach([change], settled);
  } catch (error) {
    fault.abort(error);
  }
  return Promise.all(plan.changes.map((change) => settled(change)));
}

type Departing = Extract<ReadyChange, { readonly action: 'delete' }>;

interface Run extends ApplyOptions {
  readonly fault: AbortController;
  readonly stops: Stops;
  readonly isTakenFrom: ReturnType<typeof movedToOthers>;
  readonly deletions: readonly Departing[];
  /** Deletes that no other change waits for; they come after all other changes. */
  readonly last: readonly Departing[];
  /** Who has access without bindings, if the apply does not change that. */
  readonly unbound: Unbound;
  /** Resources that are created or changed and have bindings. */
  readonly parents: ReadonlySet<Address>;
  readonly settling: Map<Address, Promise<Outcome>>;
}

/** Never rejects. After an exception, a change with a request sent has an unknown outcome; any other was not attempted. */
async function reported(change: ReadyChange, run: Run): Promise<Outcome> {
  const { fault, onOutcome } = run;
  let attempts = 0;
  const sending = (): void => void (attempts += 1);
  const outcome = await outcomeOf(change, run, sending).catch((error: unknown): Outcome => {
    fault.abort(error);
    const open = { change, attempts, durationMs: 0 };
    return attempts > 0
      ? { ...open, outcome: 'unknown' }
      : { ...open, outcome: 'not_attempted', stoppedBy: 'error' };
  });
  try {
    onOutcome?.(outcome);
  } catch (error) {
    fault.abort(error);
  }
  return outcome;
}

async function outcomeOf(change: ReadyChange, run: Run, sending: () => void): Promise<Outcome> {
  if (change.action === 'no-op') {
    const { differences, leftBecause } = change;
    if (leftBecause !== undefined)
      return { change, outcome: 'not_attempted', stoppedBy: 'left', attempts: 0, durationMs: 0 };
    const nothing = { change, attempts: 0, durationMs: 0 } as const;
    return differences.length > 0
      ? { ...nothing, outcome: change.unfinished ? 'unfinished' : 'differs', differences }
      : { ...nothing, outcome: 'unchanged' };
  }
  if (change.action === 'not-planned')
    return { change, outcome: 'not_attempted', stoppedBy: 'not_planned', attempts: 0, durationMs: 0 };
  const { stops, clock, pacing } = run;
  const isHeldUp = change.waitsFor !== undefined && !(await isReady(change.waitsFor, run));
  const ready = await withIdsOfRun(change, run);
  const isEarly = change.action === 'delete' && run.last.includes(change) && (await hasFailed(run));
  const stoppedBy = stops.why(change) ?? (isHeldUp ? 'waits' : isEarly ? 'not_last' : undefined);
  if (stoppedBy !== undefined || !ready)
    return {
      change,
      outcome: 'not_attempted',
      stoppedBy: stoppedBy ?? 'unmade',
      attempts: 0,
      durationMs: 0,
    };
  run.onStart?.(ready);
  const startedAt = clock.now();
  const { outlasted } = pacing.outage;
  const settled = await carriedOut(ready, run, sending);
  stops.count(ready, settled.outcome, outlasted);
  const stoppedMeanwhile = settled.attempts === 0 ? stops.why(change) : undefined;
  const outcome: Outcome = {
    ...asShown(ready, settled, run.unbound),
    ...(stoppedMeanwhile && { stoppedBy: stoppedMeanwhile }),
    durationMs: clock.now() - startedAt,
  };
  if (run.failFast && isIncomplete(outcome)) stops.stopRun('fail_fast');
  return outcome;
}

/** Whether all dependencies of a change succeeded. They precede it in the plan, so they have been started. */
async function isReady(waitsFor: readonly Address[], { settling }: Run): Promise<boolean> {
  const outcomes = await Promise.all(waitsFor.flatMap((address) => settling.get(address) ?? []));
  return !outcomes.some((outcome) => isMissing(outcome));
}

/** Whether any change before the deletes failed. */
async function hasFailed({ settling, last }: Run): Promise<boolean> {
  const later = new Set<Address>(last.map(({ resource }) => resource.address));
  const before = Array.from(settling, ([address, settled]) => (later.has(address) ? [] : settled)).flat();
  const outcomes = await Promise.all(before);
  return outcomes.some((outcome) => outcome.change.action !== 'no-op' && isIncomplete(outcome));
}

/** The change with the ids of the resources created before it; undefined if one of those failed. */
async function withIdsOfRun(change: ReadyPending, run: Run): Promise<ReadyPending | undefined> {
  const first = new Set([...createdBefore(change.resource), ...namedParents(change.resource, run.parents)]);
  if (first.size === 0) return change;
  const outcomes = await Promise.all([...first].flatMap((address) => run.settling.get(address) ?? []));
  // A dependency counts as created only when all of its bindings exist.
  if (outcomes.some((outcome) => isMissing(outcome) && run.parents.has(outcome.change.resource.address)))
    return undefined;
  const pks = new Map(outcomes.map(({ change: { resource }, pk }) => [resource.address, pk]));
  const resource = withIdsOf(change.resource, (address) => pks.get(address));
  return createdBefore(resource).length === 0 ? { ...change, resource } : undefined;
}

function carriedOut(
  change: ReadyPending,
  { client, pacing, stops, isTakenFrom, deletions }: Run,
  sending: () => void,
): Promise<WriteResult> {
  const { resource } = change;
  const control = stops.controlOf(change, sending);
  switch (change.action) {
    case 'create':
      return createParent(resource, client, pacing, control);
    case 'update': {
      const isTaken = (field: string, value: JsonValue): boolean => isTakenFrom(resource, field, value);
      return updateParent({ ...change, isTaken, resent: resentFields(change) }, client, pacing, control);
    }
    case 'delete': {
      const going = deletions.map((each) => ({ resource: each.resource, held: each.base }));
      return remove({ resource, held: change.base }, going, client, pacing, control);
    }
  }
}

/** An outcome with secrets masked. */
function asShown(
  change: Change,
  { held, inDoubt, clash, ...settled }: WriteResult,
  unbound: Unbound,
): Omit<Outcome, 'durationMs'> {
  const { resource } = change;
  const differences = held ? compare(resource, held) : [];
  const answer = settled.answer && withoutSecrets(settled.answer, resource.secrets);
  const isThere = settled.outcome === 'exists' || settled.outcome === 'updated';
  return {
    change,
    ...settled,
    ...(held && held.pk !== '' && { pk: held.pk }),
    ...(answer && { answer }),
    ...(inDoubt && isThere && { doubt: held ? 'checked' : 'unchecked' }),
    ...(clash && { clash: shownClash(change, clash, unbound) }),
    ...(differences.length > 0 && { differences }),
  };
}

function shownClash(
  { resource, observed: planned = {} }: Change,
  clash: NonNullable<WriteResult['clash']>,
  unbound: Unbound,
): Conflict {
  if (!('now' in clash)) return clash;
  const { fields, shown = fields } = clash.now;
  const openTo = whoMayOpen(resource, clash.now, unbound);
  return {
    kind: clash.kind,
    ...(openTo && { openTo }),
    fields: clash.fields.map((field) => ({
      field,
      planned: planned[field] ?? null,
      observed: shownPart(resource, field, shown),
    })),
  };
}
