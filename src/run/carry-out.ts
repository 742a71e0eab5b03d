import { applyPlan } from '../apply/apply-plan.ts';
import { interruptedBy, type Ending } from '../base/exit-code.ts';
import { pendingIn, type Plan } from '../plan/plan.ts';
import type { ApplyRun } from './result.ts';
import type { Ended } from './result.ts';
import { applyEnding } from './apply-ending.ts';
import type { Service } from './connect.ts';
import type { ServiceContext } from './context.ts';
import type { EventLog } from './event-log.ts';
import { createProgress } from './progress.ts';

/** How apply ended, for its reports and for the exit code. */
export type EndedApply = Ended<ApplyRun> & { readonly ending: Ending };

export interface CarryOutOptions {
  readonly events: EventLog;
  readonly failFast?: boolean;
  /** Whether the plan is one that had been saved. */
  readonly saved?: boolean;
}

/** Creates what a plan says is missing. */
export async function carryOut(
  plan: Plan,
  { client, pacing, settings, signal }: Service,
  context: ServiceContext,
  { events, failFast = false, saved = false }: CarryOutOptions,
): Promise<{ readonly result: ApplyRun; readonly ending: Ending }> {
  const { clock } = context;
  const startedAt = clock.now();
  signal.addEventListener('abort', () => {
    context.stderr.write(
      '\nInterrupted. What is under way is settled first; interrupt again to stop at once.\n',
    );
  });
  const progress = createProgress('Creating', context, settings);
  const total = pendingIn(plan).length;
  let done = 0;
  const outcomes = await applyPlan(plan, {
    client,
    pacing,
    clock,
    signal,
    failFast,
    onStart: (change) => events.started(change),
    onOutcome: (outcome) => {
      events.ended(outcome);
      if (outcome.attempts > 0) progress.update((done += 1), total, pacing.pace());
    },
  });
  progress.end();
  const run: ApplyRun = {
    plan,
    outcomes,
    startedAt: new Date(startedAt),
    durationMs: clock.now() - startedAt,
    interrupted: signal.aborted,
    pace: { ...pacing.pace() },
    saved,
  };
  return { result: run, ending: run.interrupted ? interruptedBy(signal) : applyEnding(outcomes) };
}
