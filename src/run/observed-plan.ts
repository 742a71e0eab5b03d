import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { interruptedBy, type Ending } from '../base/exit-code.ts';
import { observe, type ObservedState } from '../observe/observe.ts';
import { makePlan } from '../plan/make-plan.ts';
import type { Plan, PlanScope } from '../plan/plan.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { failedReads } from '../report/words/diagnostics.ts';
import { kindWords } from '../kinds/all.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Service } from './connect.ts';
import type { ServiceContext } from './context.ts';
import { createProgress } from './progress.ts';

export type ObservedPlan =
  | { readonly kind: 'planned'; readonly plan: Plan; readonly observed: ObservedState }
  | { readonly kind: 'failed'; readonly ending: Ending; readonly diagnostics: readonly Diagnostic[] };

interface PlannedResources {
  readonly resources: readonly Resource[];
  readonly scope?: PlanScope;
  readonly declared?: readonly Resource[];
}

/** Observes and compares: the plan; or, with the failed reads on stderr, how the command ends. */
export async function observedPlan(
  { resources, scope, declared }: PlannedResources,
  { client, pacing, settings, signal }: Service,
  context: ServiceContext,
): Promise<ObservedPlan> {
  const progress = createProgress(`Looking up ${kindWords.readable}`, context, settings);
  const result = await observe(resources, {
    client,
    pacing,
    signal,
    onRead: (done, total) => progress.update(done, total, pacing.pace()),
  });
  progress.end();
  if (result.kind === 'observed') {
    const plan = makePlan(resources, result.observed, {
      toolVersion: context.toolVersion,
      createdAt: new Date(context.clock.now()),
      service: settings.baseUrl,
      ...(scope && { scope }),
      ...(declared && { declared }),
    });
    return { kind: 'planned', plan, observed: result.observed };
  }
  const { failures, notRead, interrupted } = result;
  const interruption = diagnosticFor(undefined, {
    code: 'interrupted',
    summary: `the run was interrupted while ${kindWords.readable} were looked up`,
    detail: 'Nothing was changed. Run it again.',
  });
  const diagnostics = failedReads(failures);
  context.stderr.write(diagnosticsText(diagnostics, createStyle(context.stderr.colours)));
  const left = notRead > 0 ? ` ${notRead} more ${notRead === 1 ? 'was' : 'were'} not tried.` : '';
  const cause = interrupted
    ? 'interrupted'
    : `${failures.length} of the ${kindWords.readable} could not be looked up`;
  context.stderr.write(
    `${failures.length > 0 ? '\n' : ''}No plan for ${settings.baseUrl}: ${cause}.${left} Nothing was changed.\n`,
  );
  const ending = failures.some(({ proof }) => proof === 'denied') ? 'denied' : 'failed';
  return interrupted
    ? { kind: 'failed', ending: interruptedBy(signal), diagnostics: [...diagnostics, interruption] }
    : { kind: 'failed', ending, diagnostics };
}
