import { interruptedBy, type Ending } from '../exit-code.ts';
import { observe } from '../observe/observe.ts';
import { makePlan } from '../plan/make-plan.ts';
import type { Plan } from '../plan/types.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { failedReads } from '../report/failed-reads.ts';
import { createStyle } from '../report/style.ts';
import type { Resource } from '../resource.ts';
import type { Service } from './connect.ts';
import type { Context } from './context.ts';
import { createProgress } from './progress.ts';

/** Observes and compares: the plan; or, with the failed reads on stderr, how the command ends. */
export async function observedPlan(
  resources: readonly Resource[],
  { client, pacing, settings, signal }: Service,
  context: Context,
): Promise<Plan | Ending> {
  const progress = createProgress('Looking up applications', context);
  const result = await observe(resources, {
    client,
    pacing,
    concurrency: settings.concurrency,
    signal,
    onRead: progress.update,
  });
  progress.end();
  if (result.kind === 'observed') {
    return makePlan(resources, result.observed, {
      toolVersion: context.toolVersion,
      createdAt: new Date(context.clock.now()),
      service: settings.baseUrl,
    });
  }
  const { failures, notRead, interrupted } = result;
  const style = createStyle(context.stderr.colours);
  context.stderr.write(diagnosticsText(failedReads(failures), style));
  const left = notRead > 0 ? ` ${notRead} more were not tried.` : '';
  const cause = interrupted ? 'interrupted' : `${failures.length} of the applications could not be looked up`;
  context.stderr.write(
    `${failures.length > 0 ? '\n' : ''}No plan for ${settings.baseUrl}: ${cause}.${left} Nothing was changed.\n`,
  );
  if (interrupted) return interruptedBy(signal);
  return failures.some(({ proof }) => proof === 'denied') ? 'denied' : 'failed';
}
