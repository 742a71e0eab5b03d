import type { Clock } from '../base/clock.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { errorWithout } from '../service/redact.ts';
import type { Pace } from '../service/pace.ts';
import { applyPlan } from '../apply/apply-plan.ts';
import { interruptedBy, interruptSignal } from '../base/exit-code.ts';
import { madeReady } from '../plan/make-plan.ts';
import { pendingIn, reachOfPlan, type Pending, type Plan, type ReadyPlan } from '../plan/plan.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import { filesNamedBy } from '../manifest/secret-reference.ts';
import type { SavedPlan } from '../plan/saved/document.ts';
import { openSavedPlan } from '../plan/saved/open.ts';
import { changedSince } from '../plan/saved/staleness.ts';
import { destinationOf, secretsOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { inputsOf, type RefuseOutputs } from './check.ts';
import { withService, type Service } from './connect.ts';
import { inScope } from './scope.ts';
import { halted, planFor, type PlanRequest } from './plan.ts';
import { tooMuch, type Limits } from './too-much.ts';
import { applyEnding, type ApplyRun, type Course, type Halt, type Halted, type Ran } from './result.ts';
import type { Job } from './world.ts';

export interface ApplyOptions extends Limits {
  /** Asks whether to carry out what a plan says; without it, nobody is asked. */
  readonly confirm?: ((plan: Plan, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Whether the first resource that fails ends the run. */
  readonly failFast?: boolean | undefined;
}

/**
 * What every apply does, whether its plan is made here, read from a file, or given by a program:
 *
 * 1. `inScope` reads and checks the manifests, and connects to the service.
 * 2. `planFor` looks up what they declare, and compares.
 * 3. `carryOut` halts where `tooMuch` would be done, or `notConfirmed`.
 * 4. `send` creates what is missing, and changes what it may.
 * 5. `ended` says how it ended.
 */
export function apply(request: PlanRequest & ApplyOptions, job: Job): Promise<Ran<ApplyRun>> {
  return inScope(request, job, async (scoped, service) => {
    const made = await planFor(scoped, service, job, request);
    return 'halt' in made ? made : carryOut(made, request, service, job);
  });
}

interface SavedRequest extends ApplyOptions {
  readonly settings: Settings;
  readonly filename: string;
  readonly refuseOutputs?: RefuseOutputs;
}

/**
 * Carries out what a saved plan says and nothing else, as long as the service is as it was planned for.
 *
 * 1. `openSavedPlan` reads and checks the plan; then `notAllowed` finds what this run may not do of it.
 * 2. `stillReady` plans again, and halts where the service has changed.
 * 3. to 5. as for every apply.
 */
export async function applySaved(request: SavedRequest, job: Job): Promise<Ran<ApplyRun>> {
  const { settings, filename, refuseOutputs } = request;
  const { service: reached, diagnostics, policy, hide } = settings;
  const { files, env } = job;
  const nothing = { filenames: [], diagnostics: [] };
  if (reached === undefined) return { ...nothing, ...refused(diagnostics, job) };
  const destination = destinationOf(reached);
  const context = { ...policy, hide, files, env };
  const opened = await openSavedPlan(filename, destination, settings, context);
  if (opened.kind === 'refused') return { ...nothing, ...destination, ...halted(opened, job) };
  const { plan } = opened;
  const known = { ...nothing, service: plan.service, environment: plan.environment };
  const secretFiles = new Set(plan.changes.flatMap(({ resource }) => filesNamedBy(resource)));
  const clashes = await refuseOutputs?.(inputsOf(settings, { filenames: [filename], secretFiles }));
  if (clashes && clashes.length > 0) return { ...known, ...refused(clashes, job) };
  const reach = reachOfPlan(plan);
  const allow = reached.allow.filter((action) => reach.capabilities.includes(action));
  const forbidden = pendingIn(plan).find(({ action }) => action !== 'create' && !allow.includes(action));
  if (forbidden) return { ...known, ...refused([notAllowed(forbidden)], job) };
  const asPlanned = { ...reached, ...reach, hide: plan.hide, allow };
  const course = await withService(asPlanned, job, async (service) => {
    const ready = await stillReady(opened, service, job);
    return 'halt' in ready ? ready : carryOut(ready, request, service, job, true);
  });
  return { ...known, ...course };
}

/** A saved plan, ready to be carried out; or how the service is no longer as it was planned for. */
async function stillReady(
  { plan, document }: { readonly plan: Plan; readonly document: SavedPlan },
  service: Service,
  job: Job,
): Promise<ReadyPlan | Halted> {
  const { manifestDigest } = plan;
  const planned = plan.changes.filter(({ action }) => action !== 'not-planned');
  const resources = planned.map(({ resource }) => resource);
  const now = await planFor({ resources, manifestDigest }, service, job, { isSaved: true });
  if ('halt' in now) return now;
  const changes = changedSince(document, now, now.observed);
  if (changes.length > 0) return halted({ kind: 'stale', changes }, job);
  return madeReady(plan, now.observed, now.permission);
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
function notAllowed({ resource, action }: Pending): Diagnostic {
  return diagnosticOf(resource, undefined, {
    code: 'not-allowed',
    summary: `the plan would ${action} ${resource.address}, and this run is not allowed to`,
    detail: `Allow it with --allow ${action}, or make a plan without.`,
  });
}

function refused(diagnostics: readonly Diagnostic[], job: Job): Halted {
  return halted({ kind: 'refused', isStale: false, diagnostics }, job);
}

/** Reports the plan, and carries it out unless it does too much or is not confirmed. */
async function carryOut(
  plan: ReadyPlan,
  options: ApplyOptions,
  service: Service,
  { clock }: Job,
  saved = false,
): Promise<Course<ApplyRun>> {
  const { signal, emit } = service;
  emit({ kind: 'planned', plan });
  const halt = tooMuch(plan, options) ?? (await notConfirmed(plan, options, signal));
  if (halt) return halted(halt, { emit }, signal);
  const run = { ...(await send(plan, options, service, clock)), saved };
  emit({ kind: 'finished', run });
  return ended(run, service);
}

async function notConfirmed(
  plan: Plan,
  { confirm }: ApplyOptions,
  signal: AbortSignal,
): Promise<Halt | undefined> {
  if (!confirm || pendingIn(plan).length === 0 || (await confirm(plan, signal))) return undefined;
  return { kind: 'not_confirmed' };
}

/** From here on something may have been sent: what is thrown is kept, and the run ends with what became of each change. */
async function send(
  plan: ReadyPlan,
  { failFast = false }: ApplyOptions,
  { client, pacing, signal, faults, emit }: Service,
  clock: Clock,
): Promise<Omit<ApplyRun, 'saved'>> {
  const startedAt = clock.now();
  const pace = pacing.pace();
  const fault = faults.keep();
  const isInterrupted = (): boolean => signal.aborted && signal.reason !== fault.signal.reason;
  const onAbort = (): void => {
    if (isInterrupted()) emit({ kind: 'interrupted' });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const total = pendingIn(plan).length;
  let done = 0;
  const paceNow = (): Pace => faults.contain(() => ({ ...pacing.pace() }), pace);
  const progressed = (): void => emit({ kind: 'progress', stage: 'creating', done, total, pace: paceNow() });
  progressed();
  const outcomes = await applyPlan(plan, {
    client,
    pacing,
    clock,
    signal,
    fault,
    failFast,
    onStart: (change) => emit({ kind: 'started', change }),
    onOutcome: (outcome) => {
      emit({ kind: 'outcome', outcome });
      if (outcome.attempts === 0) return;
      done += 1;
      progressed();
    },
  });
  // What still listens is never freed.
  signal.removeEventListener('abort', onAbort);
  const by = interruptSignal(signal);
  return {
    plan,
    outcomes,
    startedAt: new Date(startedAt),
    durationMs: faults.contain(() => clock.now() - startedAt, 0),
    interrupted: isInterrupted(),
    ...(by && { interruptedBy: by }),
    pace: paceNow(),
  };
}

/** How it ended: interrupted, by what was thrown, or by its outcomes. */
function ended(run: ApplyRun, { faults, settings, signal }: Service): Course<ApplyRun> {
  const { plan, outcomes, interrupted } = run;
  const { aborted: isFaulty, reason } = faults.signal;
  const otherwise = isFaulty ? 'incomplete' : applyEnding(outcomes);
  const ending = interrupted ? interruptedBy(signal) : otherwise;
  if (!isFaulty) return { result: run, ending };
  const ofManifests = new Set(plan.changes.flatMap(({ resource }) => resource.secrets));
  const error = errorWithout([...secretsOf(settings), ...ofManifests], reason);
  return { result: { ...run, error }, ending };
}
