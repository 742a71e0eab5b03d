import type { Clock } from '../base/clock.ts';
import { compare } from '../plan/compare.ts';
import type { Doing } from '../plan/actions.ts';
import { isPending, type Change, type Pending, type Plan } from '../plan/plan.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { withoutSecrets } from '../service/redact.ts';
import { create } from './create.ts';
import { isIncomplete, type Outcome, type OutcomeKind, type StopReason } from './outcome.ts';

interface ApplyOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly clock: Clock;
  /** When it aborts, no further resource is begun; what has begun is settled. */
  readonly signal?: AbortSignal;
  /** Whether the first resource that fails ends the run. */
  readonly failFast?: boolean;
  /** Called before the first request for a resource is sent. */
  readonly onStart?: (change: Pending) => void;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/**
 * After so many creates in a row without a clear end, nothing more is begun. All that met the same outage count as one,
 * because they have one cause.
 */
const doubtsInARow = 5;

/** How each action is carried out. */
const carryOut: Readonly<Record<Doing, typeof create>> = { create };

/** Carries out a plan. Every change of it ends with exactly one outcome, in the order of the plan. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Outcome[]> {
  const { client, pacing, clock, signal } = options;
  const stoppedKinds = new Map<Kind, StopReason>();
  let stopped: StopReason | undefined;
  let inARow = 0;
  let outagesCounted = 0;

  /** Counts how a create ended; `outages` is how many outages there had been when it began. */
  function count(kind: Kind, outcome: OutcomeKind, outages: number): void {
    const { outlasted } = pacing.outage;
    // It was given up because its kind was stopped, so it is no sign of trouble.
    if (outcome === 'not_attempted' && stoppedKinds.has(kind)) return;
    if (outcome !== 'unknown' && outcome !== 'not_attempted') inARow = 0;
    else if (outlasted === outages || outlasted > outagesCounted) inARow += 1;
    outagesCounted = outlasted;
    if (inARow >= doubtsInARow) stopped ??= 'doubts';
  }

  function whyStopped({ resource }: Change): StopReason | undefined {
    if (signal?.aborted) return 'interrupted';
    if (pacing.outage.waitedMs !== undefined) return 'away';
    return stopped ?? stoppedKinds.get(resource.kind);
  }

  async function outcomeOf(change: Change): Promise<Outcome> {
    const { resource } = change;
    if (!isPending(change)) {
      const { differences } = change;
      const found =
        differences.length > 0
          ? ({ outcome: 'differs', differences } as const)
          : ({ outcome: 'unchanged' } as const);
      return { change, ...found, attempts: 0, durationMs: 0 };
    }
    const stoppedBy = whyStopped(change);
    if (stoppedBy !== undefined)
      return { change, outcome: 'not_attempted', stoppedBy, attempts: 0, durationMs: 0 };
    options.onStart?.(change);
    const startedAt = clock.now();
    const { outlasted } = pacing.outage;
    const { held, inDoubt, ...settled } = await carryOut[change.action](resource, client, pacing, {
      stop: (scope, proof) => {
        if (scope !== 'type') stopped ??= scope === 'pause' ? 'pause' : 'no_way';
        else if (!stoppedKinds.has(resource.kind))
          stoppedKinds.set(resource.kind, proof === 'closed' ? 'read_only' : 'denied');
      },
      mayBegin: () => whyStopped(change) === undefined,
      mayRetry: () => !stoppedKinds.has(resource.kind),
    });
    count(resource.kind, settled.outcome, outlasted);
    const differences = held ? compare(resource, held) : [];
    const answer = settled.answer && withoutSecrets(settled.answer, resource.secrets);
    const stoppedMeanwhile = settled.attempts === 0 ? whyStopped(change) : undefined;
    const outcome: Outcome = {
      change,
      ...settled,
      ...(held && { pk: held.pk }),
      ...(answer && { answer }),
      ...(stoppedMeanwhile && { stoppedBy: stoppedMeanwhile }),
      ...(inDoubt && { doubt: held ? 'checked' : 'unchecked' }),
      ...(differences.length > 0 && { differences }),
      durationMs: clock.now() - startedAt,
    };
    if (options.failFast && isIncomplete(outcome)) stopped ??= 'fail_fast';
    return outcome;
  }

  return pacing.forEach(plan.changes, async (change) => {
    const outcome = await outcomeOf(change);
    options.onOutcome?.(outcome);
    return outcome;
  });
}
