import { UsageError } from '../base/errors.ts';
import { endingIfOutputLost, type Ending } from '../base/exit-code.ts';
import { notPlannedChanges, pendingChanges } from '../plan/plan.ts';
import { planDocument } from '../plan/document.ts';
import { jsonText } from '../report/formats/json.ts';
import { planReport } from '../report/report.ts';
import { gapWords } from '../report/words/inventory.ts';
import { plan as planRun, type PlanResult } from '../run/plan.ts';
import type { FinishedJob } from '../run/result.ts';
import { runTargetOf } from '../settings/run-target.ts';
import type { Context } from '../terminal/context.ts';
import {
  failedConditions,
  refuseUnavailableCondition,
  incompletePlanLines,
  uncountedWarnings,
  uncheckedConditions,
  type FailOn,
} from './fail-on.ts';
import { detailFromFlags, inputFiles, requestFromFlags, type DetailFlags, type RunFlags } from './flags.ts';
import { narratedJob } from './narrator.ts';
import { tryWrite } from './new-files.ts';
import { catchError, Reports, type ReportFlags } from './reports.ts';

export interface PlanOptions extends RunFlags, DetailFlags, ReportFlags {
  readonly output: 'text' | 'json';
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  readonly undeclared?: boolean;
  readonly failOn?: readonly FailOn[];
}

/** `rollcall plan`: validates manifests and compares them with the service. Changes nothing. */
export async function plan(
  paths: readonly string[],
  options: PlanOptions,
  context: Context,
): Promise<Ending> {
  const find = (): Promise<readonly string[]> => inputFiles(paths, options, context);
  const reports = await Reports.parse(options, context, {
    plan: options.out,
    baseline: options.baseline,
    find,
  });
  const target = await runTargetOf(options, context.env);
  const { ending, ...ended } = await catchError(() => runPlan(paths, options, reports, context));
  const { failOn = [], detailedExitcode = false } = options;
  const isMissingFailure = detailedExitcode && failOn.includes('differs');
  const made = isMade(ending) ? ended.result : undefined;
  const failed = made ? failedConditions(made, failOn, isMissingFailure) : [];
  const unchecked = made ? uncheckedConditions(made, failOn) : [];
  const incomplete = ended.result ? incompletePlanLines(ended.result) : [];
  const failures = [
    failed.map(({ summary }) => summary),
    incomplete,
    unchecked.map(({ summary }) => summary),
  ].flat();
  const diagnostics = [...ended.diagnostics, ...failed, ...unchecked];
  const severity = failOn.includes('differs') ? 'error' : 'warning';
  const report = planReport({ ...target, ...ended, diagnostics }, severity, isMissingFailure);
  // The problems of the run were already reported while it ran.
  if (options.output === 'json') reports.print(report);
  else if (report.kind === 'plan') reports.print({ ...report, diagnostics: [] }, detailFromFlags(options));
  const written = await reports.write(report, target);
  if (ended.thrown) throw ended.thrown;
  if (made && !options.quiet)
    for (const words of uncountedWarnings(made, failOn)) context.stderr.write(`warning: ${words}\n`);
  // Failures come last, because readers of a log first look at its end.
  for (const failure of failures) context.stderr.write(`error: ${failure}\n`);
  return endingIfOutputLost(endingWithCondition(ending, ended.result, failed.length > 0), !written);
}

/** The ending of a plan: `changes` if a condition of `--fail-on` holds and every resource could be planned. */
function endingWithCondition(ending: Ending, made: PlanResult | undefined, hasFailed: boolean): Ending {
  const isRead = made !== undefined && notPlannedChanges(made).length === 0;
  const isFound = hasFailed && (ending === 'done' || (ending === 'incomplete' && isRead));
  return isFound ? 'changes' : ending;
}

function isMade(ending: Ending): boolean {
  return ending === 'done' || ending === 'changes' || ending === 'incomplete';
}

async function runPlan(
  paths: readonly string[],
  options: PlanOptions,
  { refuse }: Reports,
  context: Context,
): Promise<FinishedJob<PlanResult>> {
  const { out, failOn = [] } = options;
  refuseUnavailableCondition(failOn, options);
  if (out === '-') throw new UsageError('--out cannot be -', 'Name a file. `-o json` prints the plan.');
  const job = narratedJob(context, options);
  const asked = await requestFromFlags(paths, options, context);
  if (options.undeclared && asked.settings.contractOnly)
    throw new UsageError(
      '--undeclared reads lists, which contract_only does not allow',
      'Leave out --undeclared or contract_only.',
    );
  const request = {
    ...asked,
    refuseOutputs: refuse,
    ...(options.undeclared && { undeclared: gapWords }),
  };
  const ran = await planRun(request, job);
  const { result, ending } = ran;
  if (result === undefined || !isMade(ending)) return ran;
  if (out !== undefined) {
    const save = (): Promise<void> => context.writePrivateFile(out, jsonText(planDocument(result)));
    const saved = await tryWrite(out, 'the plan cannot be saved to', save, context);
    if (!saved) return { ...ran, ending: 'failed' };
  }
  // A record that was not read may meet a condition of `--fail-on`.
  if (ending === 'done' && uncheckedConditions(result, failOn).length > 0)
    return { ...ran, ending: 'incomplete' };
  const changes = options.detailedExitcode && pendingChanges(result).length > 0;
  return ending === 'done' && changes ? { ...ran, ending: 'changes' } : ran;
}
