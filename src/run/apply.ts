import { redactedError } from '../service/redact.ts';
import type { Pace } from '../service/types.ts';
import { applyPlan } from '../apply/apply-plan.ts';
import { LoginCheck } from '../apply/login-check.ts';
import { askFlowStart } from '../service/flow-executor.ts';
import { endingOfInterrupt, interruptSignal } from '../base/exit-code.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import { isLoginChange, pendingChanges, type Change, type Plan, type ReadyPlan } from '../plan/plan.ts';
import { stalePlanDiagnostics } from '../plan/staleness.ts';
import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
import { openPlan, selectionOf, settingsForPlan, stalePlanHalt } from './open-plan.ts';
import { runInScope } from './scope.ts';
import { planFor, type PlanRequest } from './plan.ts';
import { exceededLimit, type ChangeLimits } from './exceeded-limit.ts';
import { applyEnding, type ApplyRun, type RunResult, type Halt, type FinishedJob } from './result.ts';
import { stoppedRun } from './stopped-run.ts';
import type { Job } from './world.ts';

export interface ApplyOptions extends ChangeLimits {
  /** Asks whether to apply a plan; without this function, the plan is applied without a question. */
  readonly confirm?: ((plan: Plan, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Asks whether to change a login flow although no option allows the change; undefined if nobody can answer. */
  readonly confirmWayIn?: ((plan: Plan, signal: AbortSignal) => Promise<boolean>) | undefined;
  readonly failFast?: boolean | undefined;
}

/**
 * Applies a new plan:
 * 1. `runInScope` reads and checks the manifests, and connects to the service.
 * 2. `planFor` looks up the declared resources, and compares them with the manifests.
 * 3. `applyIfAllowed` stops if the plan exceeds a limit or is not confirmed.
 * 4. `send` creates, changes and deletes records.
 * 5. `ended` determines how the run ended.
 */
export function apply(request: PlanRequest & ApplyOptions, job: Job): Promise<FinishedJob<ApplyRun>> {
  return runInScope(request, job, async (scoped, service) => {
    const made = await planFor(scoped, service, request);
    return 'halt' in made ? made : applyIfAllowed(made, request, service);
  });
}

interface SavedRequest extends PlanRequest, ApplyOptions {
  readonly filename: string;
}

/**
 * Applies a saved plan if a new plan of the same manifests equals the saved plan: 1. `openPlan` reads and checks the saved plan.
 * 2. `runInScope` reads the manifests, and refuses changed manifests. 3. `planFor` makes a new plan, and
 * `stalePlanDiagnostics` finds differences, which stop the run. 4. The remaining steps are those of `apply`.
 */
export async function applySaved(request: SavedRequest, job: Job): Promise<FinishedJob<ApplyRun>> {
  const { settings, filename } = request;
  const { service, diagnostics } = settings;
  const nothing = { filenames: [], diagnostics: [] };
  if (service === undefined)
    return { ...nothing, ...stoppedRun({ kind: 'refused', isStale: false, diagnostics }, job) };
  const opened = await openPlan(filename, job.files, settings, service);
  if (opened.kind === 'refused') return { ...nothing, ...destinationOf(service), ...stoppedRun(opened, job) };
  const { plan } = opened;
  const isOfOther = plan.tool_version !== job.toolVersion;
  const isPartial = plan.resource_changes.some(({ change: { actions } }) => actions[0] === 'not-planned');
  const asked: PlanRequest = {
    ...request,
    settings: settingsForPlan(plan, settings, service),
    selection: selectionOf(plan),
    keepGoing: isPartial,
    saved: {
      plan,
      staleResult: () => stoppedRun(stalePlanHalt(filename, isOfOther ? otherVersion : otherManifests), job),
    },
  };
  return runInScope(asked, job, async (scoped, reached) => {
    const made = await planFor(scoped, reached, { keepGoing: asked.keepGoing, isSaved: true });
    if ('halt' in made) return made;
    const differences = stalePlanDiagnostics(plan, made);
    return differences.length > 0
      ? stoppedRun({ kind: 'stale', diagnostics: differences }, reached)
      : applyIfAllowed(made, request, reached, true);
  });
}

const otherManifests = {
  summary: 'the manifests differ from those of this plan',
  detail: 'Name the same manifests, with the same --var and --vars, or make a new plan.',
};

const otherVersion = {
  summary: 'another version of rollcall made this plan, so the manifests cannot be compared with it',
  detail: 'Make a new plan.',
};

/** Reports the plan, and applies it unless the plan exceeds a limit or somebody declines. */
async function applyIfAllowed(
  plan: ReadyPlan,
  options: ApplyOptions,
  service: Service,
  saved = false,
): Promise<RunResult<ApplyRun>> {
  const { signal, emit } = service;
  emit({ kind: 'planned', plan });
  const { confirm, confirmWayIn } = options;
  const isConfirmed = async (ask: ApplyOptions['confirm']): Promise<boolean | undefined> =>
    ask?.(plan, signal);
  const onWay = saved || plan.accepts?.includes('way-in') ? [] : plan.changes.filter(isLoginChange);
  const halt = exceededLimit(plan, options) ?? (confirmWayIn ? undefined : refusedLoginChanges(onWay));
  if (halt) return stoppedRun(halt, service);
  if (
    (confirm && pendingChanges(plan).length > 0 && !(await isConfirmed(confirm))) ||
    (onWay.length > 0 && !(await isConfirmed(confirmWayIn)))
  )
    return stoppedRun({ kind: 'not_confirmed' }, service);
  const run = { ...(await send(plan, options, service)), saved };
  emit({ kind: 'finished', run });
  return ended(run, service);
}

/** Refuses changes of login flows that no option allows, if nobody can confirm them. */
function refusedLoginChanges(changes: readonly Change[]): Halt | undefined {
  if (changes.length === 0) return undefined;
  const diagnostics = changes.map(({ resource }) =>
    diagnosticOf(resource, undefined, {
      code: 'way-in',
      summary: 'this plan changes how people log in, and that was not confirmed',
      detail: 'Read the plan, then allow it with --allow way-in, or apply a saved plan.',
    }),
  );
  return { kind: 'refused', isStale: false, diagnostics };
}

/** After an exception, the run continues until all outcomes are collected, because changes may have been sent. */
async function send(
  plan: ReadyPlan,
  { failFast = false }: ApplyOptions,
  { client, send: sendRequest, pacing, signal, faults, emit, clock }: Service,
): Promise<Omit<ApplyRun, 'saved'>> {
  const startedAt = clock.now();
  const pace = pacing.pace();
  const fault = faults.keep();
  const isInterrupted = (): boolean => signal.aborted && signal.reason !== fault.signal.reason;
  const onAbort = (): void => {
    if (isInterrupted()) emit({ kind: 'interrupted' });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const total = pendingChanges(plan).length;
  let done = 0;
  const currentPace = (): Pace => faults.runSafely(() => ({ ...pacing.pace() }), pace);
  const progressed = (): void =>
    emit({ kind: 'progress', stage: 'creating', done, total, pace: currentPace() });
  progressed();
  const loginCheck =
    plan.loginFlows && new LoginCheck(plan, (slug) => askFlowStart(slug, sendRequest, pacing));
  const outcomes = await applyPlan(plan, {
    client,
    loginCheck,
    pacing,
    clock,
    signal,
    fault,
    failFast,
    onOutcome: ({ attempts }) => {
      if (attempts === 0) return;
      done += 1;
      progressed();
    },
  });
  // A signal holds its listeners in memory until they are removed.
  signal.removeEventListener('abort', onAbort);
  const by = interruptSignal(signal);
  return {
    plan,
    outcomes,
    startedAt: new Date(startedAt),
    durationMs: faults.runSafely(() => clock.now() - startedAt, 0),
    interrupted: isInterrupted(),
    ...(by && { interruptedBy: by }),
    ...(loginCheck && loginCheck.lost.length > 0 && { lostLogins: loginCheck.lost }),
    pace: currentPace(),
  };
}

/** Returns how the run ended: by an interruption, an exception, or the outcomes of its changes. */
function ended(run: ApplyRun, { faults, redactor, signal }: Service): RunResult<ApplyRun> {
  const { outcomes, interrupted } = run;
  const { aborted: isFaulty, reason } = faults.signal;
  const otherwise = isFaulty ? 'incomplete' : applyEnding(outcomes, run.lostLogins);
  const ending = interrupted ? endingOfInterrupt(signal) : otherwise;
  if (!isFaulty) return { result: run, ending };
  return { result: { ...run, error: redactedError(reason, redactor) }, ending };
}
