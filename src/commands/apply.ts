import { joinWords } from '../kinds/all.ts';
import { destinationLabel } from '../base/destination.ts';
import { asError, UsageError } from '../base/errors.ts';
import { endingIfOutputLost, type Ending } from '../base/exit-code.ts';
import { pendingChanges, plannedEffects, type Change, type Plan } from '../plan/plan.ts';
import { json } from '../report/formats/json.ts';
import { createStyle, fitToWidth } from '../report/formats/lines.ts';
import { applyText, planTextBeforeApply } from '../report/formats/text.ts';
import { maxAsPlanned } from '../report/words/split-by-importance.ts';
import { capitalised, printableLine, withoutEmpty } from '../report/printable.ts';
import { applyReport } from '../report/report.ts';
import { shownChanges } from '../report/words/plan.ts';
import { loginChangeWords, newAccessLines } from '../report/words/way-in.ts';
import { apply as applyRun, applySaved } from '../run/apply.ts';
import type { ApplyRun, FinishedJob } from '../run/result.ts';
import { runTargetOf } from '../settings/run-target.ts';
import type { Context, Output } from '../terminal/context.ts';
import { errorText, isDebugging } from './error-text.ts';
import { incompletePlanLines } from './fail-on.ts';
import { detailFromFlags, inputFiles, requestFromFlags, type DetailFlags, type RunFlags } from './flags.ts';
import { narratedJob } from './narrator.ts';
import { catchError, Reports, type ReportFlags } from './reports.ts';

export interface ApplyOptions extends RunFlags, DetailFlags, ReportFlags {
  readonly output: 'text' | 'json';
  readonly failFast?: boolean;
  readonly yes?: boolean;
  /** The file with a saved plan, which must come from the same manifests. */
  readonly plan?: string;
}

/** `rollcall apply`: plans, asks, applies, and reports the outcome of every resource. */
export async function apply(
  paths: readonly string[],
  options: ApplyOptions,
  context: Context,
): Promise<Ending> {
  const reports = await Reports.parse(options, context, {
    inputs: options.plan === undefined ? [] : [options.plan],
    baseline: options.baseline,
    find: () => inputFiles(paths, options, context),
  });
  const target = await runTargetOf(options, context.env);
  const printsText = options.output === 'text' && !reports.replaceText;
  const { ending, ...ended } = await catchError(() => runApply(paths, options, reports, printsText, context));
  const { result, thrown } = ended;
  const { stdout, stderr } = context;
  const failures: Error[] = [];
  const attempt = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failures.push(asError(error));
    }
  };
  let written = true;
  await attempt(async () => {
    const report = applyReport({ ...target, ...ended });
    await attempt(() => {
      if (options.output === 'json') stdout.write(json(report));
      else if (printsText && report.kind === 'apply')
        stdout.write(applyText(report, createStyle(stdout), detailFromFlags(options)));
    });
    written = await reports.write(report, target);
    // Created records must be reported, even if the disk is full.
    if (report.kind === 'apply' && (await stdout.isLost()))
      stderr.write(`\n${applyText(report, createStyle(stderr), 'all')}`);
  });
  // Created records must also be reported if no report can be written.
  if (failures.length > 0)
    for (const { change, outcome } of result?.outcomes ?? [])
      stderr.write(`${printableLine(change.resource.address)}: ${outcome}\n`);
  const [error] = [...(result?.error ? [result.error] : []), ...failures];
  const isVerbose = isDebugging(options.verbose === true, context.env);
  if (error) stderr.write(errorText(error, stderr.columns ?? Infinity, isVerbose));
  if (thrown) throw thrown;
  return endingIfOutputLost(ending, !written || failures.length > 0);
}

async function runApply(
  paths: readonly string[],
  options: ApplyOptions,
  { refuse }: Reports,
  printsText: boolean,
  context: Context,
): Promise<FinishedJob<ApplyRun>> {
  const { failFast, plan: filename } = options;
  if (filename !== undefined) refuseFlagsWithSavedPlan(options);
  const asks = !options.yes && filename === undefined;
  if (asks && context.ask === undefined)
    throw new UsageError(
      'apply needs a confirmation, but there is no terminal for the question',
      paths.some((path) => path.endsWith('.json'))
        ? 'A saved plan needs no confirmation: to apply one, use --plan and name its manifests. Otherwise read the plan first, then use --yes.'
        : 'Read the plan with `rollcall plan`, then run apply with --yes; or save it with --out, and run apply with --plan.',
    );
  const job = narratedJob(context, options, (event) => {
    if (event.kind === 'planned') showPlan(event.plan, printsText, asks, options, context);
  });
  const request = {
    ...(await requestFromFlags(paths, options, context)),
    refuseOutputs: refuse,
    failFast,
    ...(context.ask && {
      confirmWayIn: (plan: Plan, signal: AbortSignal) => areConfirmed([loginQuestion(plan)], signal, context),
    }),
    ...(asks && {
      confirm: (plan: Plan, signal: AbortSignal) => areConfirmed(planQuestions(plan), signal, context),
    }),
  };
  return filename === undefined ? applyRun(request, job) : applySaved({ ...request, filename }, job);
}

function refuseFlagsWithSavedPlan(options: ApplyOptions): void {
  const { target, exclude, shard, baseline, changedOnly, keepGoing, resend } = options;
  if (!(target ?? exclude ?? shard ?? baseline ?? changedOnly ?? keepGoing ?? resend)) return;
  throw new UsageError(
    'a saved plan already contains its selection of resources',
    'Leave out --plan, or all of --target, --exclude, --shard, --baseline, --changed-only, --keep-going and --resend.',
  );
}

/** Shows the plan for confirmation, even if stdout is a file. If nobody is asked, shows only counts of a saved or large plan by default. */
function showPlan(
  plan: Plan,
  onStdout: boolean,
  asks: boolean,
  options: ApplyOptions,
  { stdout, stderr }: Context,
): void {
  const isMuch = options.plan !== undefined || shownChanges(plan).length > maxAsPlanned;
  const detail = detailFromFlags(options) ?? (!asks && isMuch ? 'counts' : undefined);
  const write = (output: Output): void => {
    const style = createStyle(output);
    const incomplete = incompletePlanLines(plan).map((line) => `The apply will be incomplete: ${line}.`);
    const lines = incomplete.map((line) => `${fitToWidth(line, style)}\n`).join('');
    output.write(`${planTextBeforeApply(plan, style, detail)}\n${lines && `${lines}\n`}`);
  };
  if (onStdout) write(stdout);
  if (asks && !(onStdout && stdout.isTerminal)) write(stderr);
}

interface Question {
  /** The lines to print above the question, already escaped. */
  readonly lines: readonly string[];
  readonly question: string;
}

/** Returns one question about all changes, and one question for each kind of consequence that a person might overlook. */
function planQuestions(plan: Plan): Question[] {
  const { add, change: changed, destroy } = plannedEffects(plan);
  const actionCounts = withoutEmpty(
    add > 0 && `create ${add}`,
    changed > 0 && `change ${changed}`,
    destroy > 0 && `delete ${destroy}`,
  );
  const question = `${joinWords(actionCounts)} in ${printableLine(destinationLabel(plan))}?`;
  const pending = pendingChanges(plan);
  const all = pending.length;
  const remarks = pending.flatMap((change) =>
    change.remarks?.length ? addressLine(change, change.remarks.join('; ')) : [],
  );
  const which = all === 1 ? 'This change' : `${remarks.length} of these ${all} changes`;
  const reach = `${remarks.length === 1 ? 'does' : 'do'} more than change fields, as shown above`;
  const deletes = pending.filter(({ action }) => action === 'delete');
  const opened = newAccessLines({ changes: pending });
  const consequences = [
    { lines: remarks, question: `${which} ${reach}. ${all === 1 ? 'Make it' : `Make all ${all}`}?` },
    {
      lines: deletes.map((change) => addressLine(change, 'will be deleted')),
      question: `Delete ${deletes.length === 1 ? 'it' : `these ${deletes.length}`} for good?`,
    },
    {
      lines: opened,
      question: opened.length === 1 ? 'Give this access?' : `Give access in all ${opened.length} cases?`,
    },
  ];
  return [
    { lines: [], question: capitalised(question) },
    ...consequences.filter(({ lines }) => lines.length > 0),
  ];
}

/** The question about changes that affect how people log in. --yes does not answer it. */
function loginQuestion(plan: Plan): Question {
  return { lines: loginChangeWords(plan), question: 'Change how people log in?' };
}

function addressLine({ resource }: Change, words: string): string {
  return printableLine(`${resource.address}: ${words}`);
}

async function areConfirmed(
  questions: readonly Question[],
  signal: AbortSignal,
  { ask, stderr }: Context,
): Promise<boolean> {
  for (const { lines, question } of questions) {
    if (signal.aborted) return false;
    stderr.write(lines.map((line) => `  ${line}\n`).join(''));
    const prompt = fitToWidth(`${question} Only "yes" is accepted:`, createStyle(stderr));
    if ((await ask?.(`${prompt} `, signal)) !== 'yes') return false;
  }
  return true;
}
