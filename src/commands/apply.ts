import { applyPlan } from '../apply/apply-plan.ts';
import { isIncomplete, type Outcome } from '../apply/outcome.ts';
import { UsageError } from '../errors.ts';
import { interruptedBy, type Ending } from '../exit-code.ts';
import { additions } from '../plan/make-plan.ts';
import type { Plan } from '../plan/types.ts';
import { applyDocument, type ApplyRun } from '../report/apply-document.ts';
import { applyText } from '../report/apply-text.ts';
import { planText } from '../report/plan-text.ts';
import { createStyle } from '../report/style.ts';
import { jsonText } from '../report/json-text.ts';
import type { Resource } from '../resource.ts';
import type { ServiceFlags } from '../settings/service-settings.ts';
import type { ProjectFlags } from '../settings/settings.ts';
import { withService, type Service } from './connect.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { observedPlan } from './observed-plan.ts';
import { createProgress } from './progress.ts';

export interface ApplyOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'text' | 'json';
  readonly yes?: boolean;
}

/** `rollcall apply`: plans, asks, creates what is missing, and says what became of every resource. */
export async function apply(
  paths: readonly string[],
  options: ApplyOptions,
  context: Context,
): Promise<Ending> {
  if (!options.yes && context.ask === undefined) {
    throw new UsageError(
      'apply needs a confirmation, and there is no terminal to ask on',
      'Read the plan with `rollcall plan`, then run apply with --yes.',
    );
  }
  const prepared = await prepare(paths, options, context);
  if (prepared === undefined) return 'invalid';
  const { resources } = prepared;
  return withService(prepared.service, context, async (service) => {
    const plan = await observedPlan(resources, service, context);
    if (typeof plan === 'string') return plan;
    showPlan(plan, options, context);
    if (additions(plan) > 0 && !options.yes && !(await confirmed(service, context))) {
      context.stderr.write('Not confirmed. Nothing was created.\n');
      return service.signal.aborted ? interruptedBy(service.signal) : 'failed';
    }
    const run = await carryOut(plan, resources, service, context);
    context.stdout.write(
      options.output === 'json'
        ? jsonText(applyDocument(run))
        : applyText(run, createStyle(context.stdout.colours)),
    );
    return run.interrupted ? interruptedBy(service.signal) : endingOf(run);
  });
}

/** Whoever is asked to confirm the plan is shown it, wherever stdout goes. */
function showPlan(plan: Plan, options: ApplyOptions, { stdout, stderr }: Context): void {
  const onStdout = options.output === 'text';
  if (onStdout) stdout.write(`${planText(plan, createStyle(stdout.colours))}\n`);
  if (!options.yes && !(onStdout && stdout.isTerminal))
    stderr.write(`${planText(plan, createStyle(stderr.colours))}\n`);
}

async function confirmed({ signal }: Service, { ask }: Context): Promise<boolean> {
  if (signal.aborted) return false;
  return (await ask?.('Create these? Only "yes" is taken as yes: ', signal)) === 'yes';
}

async function carryOut(
  plan: Plan,
  resources: readonly Resource[],
  { client, pacing, settings, signal }: Service,
  context: Context,
): Promise<ApplyRun> {
  const { clock } = context;
  const startedAt = clock.now();
  signal.addEventListener('abort', () => {
    context.stderr.write(
      '\nInterrupted. What is under way is settled first; interrupt again to stop at once.\n',
    );
  });
  const progress = createProgress('Creating', context);
  let done = 0;
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const outcomes = await applyPlan(plan, declared, {
    client,
    pacing,
    clock,
    signal,
    concurrency: settings.concurrency,
    onOutcome: ({ attempts }) => {
      if (attempts > 0) progress.update((done += 1), additions(plan));
    },
  });
  progress.end();
  return {
    plan,
    outcomes,
    declared,
    startedAt: new Date(startedAt),
    durationMs: clock.now() - startedAt,
    interrupted: signal.aborted,
  };
}

function endingOf({ outcomes }: ApplyRun): Ending {
  if (outcomes.some(({ outcome }: Outcome) => outcome === 'denied')) return 'denied';
  return outcomes.some((outcome) => isIncomplete(outcome)) ? 'incomplete' : 'done';
}
