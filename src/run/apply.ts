import { errorWithout } from '../service/redact.ts';
import type { Pace } from '../service/pace.ts';
import { applyPlan } from '../apply/apply-plan.ts';
import { interruptedBy, interruptSignal } from '../base/exit-code.ts';
import { madeReady } from '../plan/make-plan.ts';
import { pendingIn, type Pending, type Plan, type ReadyPlan } from '../plan/plan.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import { filesNamedBy } from '../manifest/secret-reference.ts';
import { openSavedPlan } from '../plan/saved/open.ts';
import { changedSince } from '../plan/saved/staleness.ts';
import { destinationOf, secretsOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { inputsOf, type RefuseOutputs } from './check.ts';
import { withService, type Service } from './connect.ts';
import { inScope } from './in-scope.ts';
import { halted, planFor, tooMuch, type Limits, type PlanRequest } from './plan.ts';
import { applyEnding, type ApplyRun, type Course, type Halt, type Ran } from './result.ts';
import type { Job } from './world.ts';

export interface ApplyOptions extends Limits {
  /** Asks whether to carry out what a plan says; without it, nobody is asked. */
  readonly confirm?: ((plan: Plan, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Whether the first resource that fails ends the run. */
  readonly failFast?: boolean | undefined;
}

/** Checks, looks up, compares, creates what is missing, and changes what it may. */
export function apply(
  { settings, selection, since, refuseOutputs, ...options }: PlanRequest & ApplyOptions,
  job: Job,
): Promise<Ran<ApplyRun>> {
  return inScope({ settings, selection, since, refuseOutputs }, job, async (scoped, service) => {
    const made = await planFor(scoped, service, job);
    return 'halt' in made ? made : carryOut(made, options, service, job);
  });
}

/** Creates what a saved plan says and nothing else, as long as the service is as it was planned for. */
export async function applySaved(
  {
    settings,
    filename,
    refuseOutputs,
    ...options
  }: ApplyOptions & { settings: Settings; filename: string; refuseOutputs?: RefuseOutputs },
  job: Job,
): Promise<Ran<ApplyRun>> {
  const nothing = { filenames: [], diagnostics: [] };
  const { service: reached, capabilities, diagnostics } = settings;
  if (reached === undefined)
    return { ...nothing, ...halted({ kind: 'refused', isStale: false, diagnostics }, job) };
  const destination = destinationOf(reached);
  const { files, env } = job;
  const opened = await openSavedPlan(filename, destination, capabilities, {
    ...settings.policy,
    hide: settings.hide,
    files,
    env,
  });
  if (opened.kind === 'refused') return { ...nothing, ...destination, ...halted(opened, job) };
  const { plan, document } = opened;
  const known = { ...nothing, service: plan.service, environment: plan.environment };
  const secretFiles = new Set(plan.changes.flatMap(({ resource }) => filesNamedBy(resource)));
  const clashes = await refuseOutputs?.(inputsOf(settings, { filenames: [filename], secretFiles }));
  if (clashes && clashes.length > 0)
    return { ...known, ...halted({ kind: 'refused', isStale: false, diagnostics: clashes }, job) };
  const { hide, capabilities: used = [] } = plan;
  const allow = reached.allow.filter((action) => used.includes(action));
  const forbidden = pendingIn(plan).find(({ action }) => action !== 'create' && !allow.includes(action));
  if (forbidden) return { ...known, ...halted(notAllowed(forbidden), job) };
  const asPlanned = { ...reached, hide, capabilities: used, allow };
  return withService(asPlanned, job, async (service): Promise<Ran<ApplyRun>> => {
    const resources = plan.changes.map(({ resource }) => resource);
    const now = await planFor({ resources, manifestDigest: plan.manifestDigest }, service, job, true);
    if ('halt' in now) return { ...known, ...now };
    const changes = changedSince(document, now, now.observed);
    if (changes.length > 0) return { ...known, ...halted({ kind: 'stale', changes }, job) };
    const ready = madeReady(plan, now.observed, now.permission);
    return { ...known, ...(await carryOut(ready, options, service, job, true)) };
  });
}

/** Carries out a plan that was made before; only what it would change is looked up again. */
export function applyPlanned(
  plan: ReadyPlan,
  settings: ServiceSettings,
  options: ApplyOptions,
  job: Job,
): Promise<Course<ApplyRun>> {
  return withService(settings, job, (service) => carryOut(plan, options, service, job));
}

/** A saved plan that was allowed to change what exists is carried out only where that is allowed as well. */
function notAllowed({ resource, action }: Pending): Halt {
  const diagnostic = diagnosticOf(resource, undefined, {
    code: 'not-allowed',
    summary: `the plan would ${action} ${resource.address}, and this run is not allowed to`,
    detail: `Allow it with --allow ${action}, or make a plan without.`,
  });
  return { kind: 'refused', isStale: false, diagnostics: [diagnostic] };
}

/** Tells the plan, and carries it out unless it does too much or is not confirmed. */
async function carryOut(
  plan: ReadyPlan,
  { confirm, failFast = false, ...limits }: ApplyOptions,
  { client, pacing, settings, signal, faults, tell }: Service,
  { clock }: Job,
  saved = false,
): Promise<Course<ApplyRun>> {
  tell({ kind: 'planned', plan });
  const pending = pendingIn(plan);
  const unconfirmed: Halt = { kind: 'not_confirmed' };
  const halt =
    tooMuch(plan, limits) ??
    (pending.length === 0 || !confirm || (await confirm(plan, signal)) ? undefined : unconfirmed);
  if (halt) return halted(halt, { tell }, signal);

  const startedAt = clock.now();
  const pace = pacing.pace();
  const fault = faults.keep();
  const isInterrupted = (): boolean => signal.aborted && signal.reason !== fault.signal.reason;
  signal.addEventListener('abort', () => {
    if (isInterrupted()) tell({ kind: 'interrupted' });
  });
  let done = 0;
  const paceNow = (): Pace => faults.contain(() => ({ ...pacing.pace() }), pace);
  const progressed = (): void =>
    tell({ kind: 'progress', stage: 'creating', done, total: pending.length, pace: paceNow() });
  progressed();
  const outcomes = await applyPlan(plan, {
    client,
    pacing,
    clock,
    signal,
    fault,
    failFast,
    onStart: (change) => tell({ kind: 'started', change }),
    onOutcome: (outcome) => {
      tell({ kind: 'outcome', outcome });
      if (outcome.attempts === 0) return;
      done += 1;
      progressed();
    },
  });
  const by = interruptSignal(signal);
  const run: ApplyRun = {
    plan,
    outcomes,
    startedAt: new Date(startedAt),
    durationMs: faults.contain(() => clock.now() - startedAt, 0),
    interrupted: isInterrupted(),
    ...(by && { interruptedBy: by }),
    pace: paceNow(),
    saved,
  };
  tell({ kind: 'finished', run });
  if (!fault.signal.aborted)
    return { result: run, ending: run.interrupted ? interruptedBy(signal) : applyEnding(outcomes) };
  const ofManifests = new Set(plan.changes.flatMap(({ resource }) => resource.secrets));
  return {
    result: { ...run, error: errorWithout([...secretsOf(settings), ...ofManifests], fault.signal.reason) },
    ending: run.interrupted ? interruptedBy(signal) : 'incomplete',
  };
}
