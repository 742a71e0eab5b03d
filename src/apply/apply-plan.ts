import type { Clock } from '../base/clock.ts';
import type { Address } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { compare, shownPart } from '../plan/compare.ts';
import { takersIn } from '../plan/make-plan.ts';
import type { Change, Pending, ReadyChange, ReadyPlan } from '../plan/plan.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { withoutSecrets } from '../service/redact.ts';
import { update } from './update.ts';
import { create } from './create.ts';
import type { Course, Settled } from './settle.ts';
import {
  isIncomplete,
  isMissing,
  type Clash,
  type Outcome,
  type OutcomeKind,
  type StopReason,
} from './outcome.ts';

type ReadyPending = Exclude<ReadyChange, { readonly action: 'no-op' }>;

interface ApplyOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly clock: Clock;
  /** When it aborts, no further resource is begun; what has begun is settled. */
  readonly signal?: AbortSignal;
  /** Aborts with what is thrown that nobody foresaw; then nothing more is begun either. */
  readonly fault?: AbortController;
  /** Whether the first resource that fails ends the run. */
  readonly failFast?: boolean;
  /** Called before the first request for a resource is sent. */
  readonly onStart?: (change: Pending) => void;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/**
 * After so many creates or changes in a row without a clear end, nothing more is begun. All that met the same outage count as one,
 * because they have one cause.
 */
const doubtsInARow = 5;

/** Carries out a plan. Every change of it ends with exactly one outcome, in the order of the plan, whatever is thrown. */
export async function applyPlan(plan: ReadyPlan, options: ApplyOptions): Promise<Outcome[]> {
  const { pacing, clock, signal, fault = new AbortController() } = options;
  const stoppedKinds = new Map<Kind, StopReason>();
  /** How many changes of a kind were denied one after the other: rights may be on single resources, so one denial stops none. */
  const denials = new Map<Kind, number>();
  const isTakenFrom = takersIn(plan.changes);
  const settling = new Map<Address, Promise<Outcome>>();
  let stopped: StopReason | undefined;
  let inARow = 0;
  let outagesCounted = 0;

  /** Counts how a create ended; `outages` is how many outages there had been when it began. */
  function count(change: Change, outcome: OutcomeKind, outages: number): void {
    const { outlasted } = pacing.outage;
    // It was given up because its kind was stopped, so it is no sign of trouble.
    if (outcome === 'not_attempted' && stoppedAs(change) !== undefined) return;
    if (outcome !== 'unknown' && outcome !== 'not_attempted') inARow = 0;
    else if (outlasted === outages || outlasted > outagesCounted) inARow += 1;
    outagesCounted = outlasted;
    if (inARow >= doubtsInARow) stopped ??= 'doubts';
  }

  function countDenials({ resource, action }: Change, outcome: OutcomeKind): void {
    if (action !== 'update') return;
    const { kind } = resource;
    if (outcome === 'denied') denials.set(kind, (denials.get(kind) ?? 0) + 1);
    else if (outcome === 'updated') denials.delete(kind);
  }

  function whyStopped(change: Change): StopReason | undefined {
    const { resource, action } = change;
    if (fault.signal.aborted) return 'error';
    if (signal?.aborted) return 'interrupted';
    if (pacing.outage.waitedMs !== undefined) return 'away';
    if (action === 'update' && (denials.get(resource.kind) ?? 0) >= doubtsInARow) return 'denials';
    return stopped ?? stoppedAs(change);
  }

  /** Why nothing more of a kind is begun. Who may create none of it may still be allowed to change one. */
  function stoppedAs({ resource, action }: Change): StopReason | undefined {
    const why = stoppedKinds.get(resource.kind);
    return action === 'update' && why === 'denied' ? undefined : why;
  }

  function carriedOut(change: ReadyPending, client: Client, course: Course): Promise<Settled> {
    const { resource } = change;
    switch (change.action) {
      case 'create':
        return create(resource, client, pacing, course);
      case 'update': {
        const isTaken = (field: string, value: JsonValue): boolean => isTakenFrom(resource, field, value);
        return update({ ...change, isTaken }, client, pacing, course);
      }
    }
  }

  /** Whether what a change waits for was carried out. All of it stands before it in the plan, and so was begun. */
  async function isReady(waitsFor: readonly Address[]): Promise<boolean> {
    const outcomes = await Promise.all(waitsFor.flatMap((address) => settling.get(address) ?? []));
    return !outcomes.some((outcome) => isMissing(outcome));
  }

  async function outcomeOf(change: ReadyChange, client: Client): Promise<Outcome> {
    const { resource } = change;
    if (change.action === 'no-op') {
      const { differences } = change;
      const found =
        differences.length > 0
          ? ({ outcome: 'differs', differences } as const)
          : ({ outcome: 'unchanged' } as const);
      return { change, ...found, attempts: 0, durationMs: 0 };
    }
    const isHeldUp = change.waitsFor !== undefined && !(await isReady(change.waitsFor));
    const stoppedBy = whyStopped(change) ?? (isHeldUp ? 'waits' : undefined);
    if (stoppedBy !== undefined)
      return { change, outcome: 'not_attempted', stoppedBy, attempts: 0, durationMs: 0 };
    options.onStart?.(change);
    const startedAt = clock.now();
    const { outlasted } = pacing.outage;
    const { held, inDoubt, clash, ...settled } = await carriedOut(change, client, {
      stop: (scope, proof) => {
        if (scope !== 'type') stopped ??= scope === 'pause' ? 'pause' : 'no_way';
        else if (!stoppedKinds.has(resource.kind))
          stoppedKinds.set(resource.kind, proof === 'closed' ? 'read_only' : 'denied');
      },
      mayBegin: () => whyStopped(change) === undefined,
      mayRetry: () => stoppedAs(change) === undefined,
    });
    count(change, settled.outcome, outlasted);
    countDenials(change, settled.outcome);
    const differences = held ? compare(resource, held) : [];
    const answer = settled.answer && withoutSecrets(settled.answer, resource.secrets);
    const stoppedMeanwhile = settled.attempts === 0 ? whyStopped(change) : undefined;
    const outcome: Outcome = {
      change,
      ...settled,
      ...(held && { pk: held.pk }),
      ...(answer && { answer }),
      ...(stoppedMeanwhile && { stoppedBy: stoppedMeanwhile }),
      ...(inDoubt &&
        (settled.outcome === 'exists' || settled.outcome === 'updated') && {
          doubt: held ? 'checked' : 'unchecked',
        }),
      ...(clash && { clash: shownClash(change, clash) }),
      ...(differences.length > 0 && { differences }),
      durationMs: clock.now() - startedAt,
    };
    if (options.failFast && isIncomplete(outcome)) stopped ??= 'fail_fast';
    return outcome;
  }

  /** Never rejects: where something is thrown, what was sent is open, and what was not was not begun. */
  async function settle(change: ReadyChange): Promise<Outcome> {
    let attempts = 0;
    const { client } = options;
    const counting: Client = {
      ...client,
      create: (...sent) => ((attempts += 1), client.create(...sent)),
      update: (...sent) => ((attempts += 1), client.update(...sent)),
    };
    const outcome = await outcomeOf(change, counting).catch((error: unknown): Outcome => {
      fault.abort(error);
      const open = { change, attempts, durationMs: 0 };
      return attempts > 0
        ? { ...open, outcome: 'unknown' }
        : { ...open, outcome: 'not_attempted', stoppedBy: 'error' };
    });
    try {
      options.onOutcome?.(outcome);
    } catch (error) {
      fault.abort(error);
    }
    return outcome;
  }

  const settled = (change: ReadyChange): Promise<Outcome> => {
    const { address } = change.resource;
    const known = settling.get(address) ?? settle(change);
    settling.set(address, known);
    return known;
  };
  try {
    await pacing.forEach(plan.changes, settled);
  } catch (error) {
    fault.abort(error);
  }
  return Promise.all(plan.changes.map((change) => settled(change)));
}

/** What stood in the way of a change, as people may see it. */
function shownClash(
  { resource, observed: planned = {} }: Change,
  clash: NonNullable<Settled['clash']>,
): Clash {
  if (!('now' in clash)) return clash;
  const { fields, shown = fields } = clash.now;
  return {
    kind: clash.kind,
    fields: clash.fields.map((field) => ({
      field,
      planned: planned[field] ?? null,
      observed: shownPart(resource, field, shown),
    })),
  };
}
