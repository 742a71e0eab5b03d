import pLimit from 'p-limit';
import type { Clock } from '../clock.ts';
import type { Change, Plan } from '../plan/types.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { create, type Creation } from './create.ts';
import type { Outcome } from './outcome.ts';

export interface ApplyOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly clock: Clock;
  /** How many resources are created at a time. */
  readonly concurrency: number;
  /** When it aborts, no further resource is begun; what has begun is settled. */
  readonly signal?: AbortSignal;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** After so many creates in a row whose end is open, nothing more is begun. */
const doubtsInARow = 5;

/** Carries out a plan. Every change of the plan ends with exactly one outcome, in the order of the plan. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Outcome[]> {
  const { client, pacing, clock, signal } = options;
  const stoppedTypes = new Set<Change['type']>();
  let stopped = false;
  let inARow = 0;

  async function outcomeOf(change: Change): Promise<Outcome> {
    const creation = creationOf(change);
    if (creation === undefined) {
      const outcome = change.differences.length > 0 ? 'differs' : 'unchanged';
      return { change, outcome, attempts: 0, durationMs: 0 };
    }
    if (stopped || stoppedTypes.has(change.type) || signal?.aborted) {
      return { change, outcome: 'not_attempted', attempts: 0, durationMs: 0 };
    }
    const startedAt = clock.now();
    const { stop, ...settled } = await create(creation, client, pacing);
    if (stop === 'run') stopped = true;
    if (stop === 'type') stoppedTypes.add(change.type);
    inARow = settled.outcome === 'unknown' || settled.outcome === 'not_attempted' ? inARow + 1 : 0;
    if (inARow >= doubtsInARow) stopped = true;
    return { change, ...settled, durationMs: clock.now() - startedAt };
  }

  return pLimit(options.concurrency).map(plan.resource_changes, async (change) => {
    const outcome = await outcomeOf(change);
    options.onOutcome?.(outcome);
    return outcome;
  });
}

/** What is to be created for a change; nothing for a no-op. */
function creationOf(change: Change): Creation | undefined {
  switch (change.type) {
    case 'application':
      return change.change.before === null ? { type: 'application', fields: change.change.after } : undefined;
    case 'user':
      return change.change.before === null ? { type: 'user', fields: change.change.after } : undefined;
  }
}
