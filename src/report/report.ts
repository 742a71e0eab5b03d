import { isIncomplete, isMissing, type Outcome } from '../apply/outcome.ts';
import { destinationLabel, type Destination } from '../base/destination.ts';
import { comparePlaces, unexpectedDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import type { LoadedManifests, UncheckedCounts } from '../manifest/load-manifests.ts';
import { groupBy } from '../base/group-by.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import type { Plan } from '../plan/plan.ts';
import type { ApplyRun, JobResult } from '../run/result.ts';
import type { Style } from './formats/lines.ts';
import { joinLines } from './words/answers.ts';
import { listAddresses, uncheckedRemarks, validationHeadline } from './words/diagnostics.ts';
import { haltDiagnostics } from './words/halts.ts';
import { outcomeDiagnostics } from './words/outcome-diagnostics.ts';
import { planFindings, planHeadline } from './words/plan.ts';
import { flagNotes } from './words/switches.ts';
import { lostLoginDiagnostics } from './words/way-in.ts';
import {
  applySummary,
  applyWords,
  outcomeDetail,
  isToBeFixed,
  interruptedSentence,
  verdictWords,
  type ApplySummary,
} from './words/outcomes.ts';

/** The result of a command, in the form from which every format makes its text. */
export type Report = ProblemsReport | PlanReport | ApplyReport;

interface Problems {
  readonly diagnostics: readonly Diagnostic[];
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
  readonly filenames: readonly string[];
}

interface Common extends Problems, Partial<Destination> {
  readonly title: 'rollcall validate' | 'rollcall plan' | 'rollcall apply';
  readonly headline: string;
  /** Diagnostics that show the differences or failures of single resources. */
  readonly findings: readonly Diagnostic[];
}

export interface ProblemsReport extends Common {
  readonly kind: 'problems';
  readonly valid: boolean;
  readonly resourceCount: number;
  readonly unchecked?: UncheckedCounts;
  /** Sentences before the headline, about parts that were not checked. */
  readonly remarks: readonly string[];
}

export interface PlanReport extends Common {
  readonly kind: 'plan';
  readonly service: string;
  readonly plan: Plan;
}

export interface ApplyReport extends Common {
  readonly kind: 'apply';
  readonly service: string;
  readonly run: AppliedRun;
  readonly outcomes: readonly OutcomeView[];
  readonly summary: ApplySummary;
  readonly counts: string;
  readonly remarks: readonly string[];
}

interface AppliedRun extends Omit<ApplyRun, 'plan' | 'outcomes'> {
  readonly plan: Omit<Plan, 'createdAt' | 'changes'>;
}

/** The outcome of a planned resource, in the words of a report. */
export interface OutcomeView extends Omit<Outcome, 'change' | 'answer'> {
  readonly resource: Resource;
  /** True if the plan contains a change of the resource, and also if the resource could not be planned. */
  readonly planned: boolean;
  /** The answer of the service, or why nothing was sent; may be empty. */
  readonly detail: string;
  /** The id that the service gave to the request that decided the outcome. */
  readonly requestId?: string | undefined;
  /** Whether every further run would end in the same way until somebody fixes something. */
  readonly needsFix: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The heading of a report, such as `rollcall plan for production (https://id.example.com)`. The heading is not escaped yet. */
export function headingOf(report: Report): string {
  const name = destinationLabel(report);
  return name === '' ? report.title : `${report.title} for ${name}`;
}

/** All messages about lines of manifests, with paths in the repository, for readers who see only these messages. */
export function annotationsOf(
  report: Report,
  { pathInRepository = String }: FormatSetting = {},
): Diagnostic[] {
  const advice =
    report.kind === 'apply' ? report.remarks.filter((remark) => remark !== interruptedSentence) : [];
  return [
    ...report.diagnostics,
    ...report.findings,
    ...(report.kind === 'apply' ? notCreatedDiagnostics(report.outcomes, advice) : []),
  ].map(({ range, ...said }) =>
    range ? { ...said, range: { ...range, filename: pathInRepository(range.filename) } } : said,
  );
}

/** The maximum number of resources that are named if many failed for the same reason. */
const maxAlike = 20;

/** Diagnostics for resources that were not created and have no diagnostic yet: one per reason, at the first such resource. */
function notCreatedDiagnostics(outcomes: readonly OutcomeView[], advice: readonly string[]): Diagnostic[] {
  const left = outcomes.filter((outcome) => isIncomplete(outcome) && outcome.diagnostics.length === 0);
  const byCause = groupBy(left, verdictWords);
  return Array.from(byCause, ([verdict, [{ resource }, ...others]]) => {
    const alike = listAddresses(others, maxAlike);
    return diagnosticOf(resource, resource.kind.identity, {
      code: 'not-created',
      summary: others.length === 0 ? verdict : `${verdict} (and ${others.length} more)`,
      detail: joinLines(alike && `The same for: ${alike}`, ...advice),
    });
  });
}

export type Format = (report: Report, setting?: FormatSetting) => string;

/** Combines a function for each kind of report into one function for any report. */
export function byReportKind<Rest extends unknown[], Result>(of: {
  readonly problems: (report: ProblemsReport, ...rest: Rest) => Result;
  readonly plan: (report: PlanReport, ...rest: Rest) => Result;
  readonly apply: (report: ApplyReport, ...rest: Rest) => Result;
}): (report: Report, ...rest: Rest) => Result {
  return (report, ...rest) => {
    switch (report.kind) {
      case 'problems':
        return of.problems(report, ...rest);
      case 'plan':
        return of.plan(report, ...rest);
      case 'apply':
        return of.apply(report, ...rest);
    }
  };
}

export type Detail = 'all' | 'lines' | 'counts';

/** Values that distinguish comments from each other, by name; undefined values are left out. */
export type CommentKey = Readonly<Record<string, string | undefined>>;

export interface LengthLimit {
  readonly most: number;
  readonly lengthOf: (text: string) => number;
}

export interface FormatSetting {
  readonly style?: Style;
  readonly detail?: Detail | undefined;
  /** The maximum length of a comment; by default the maximum of GitHub and GitLab. */
  readonly limit?: LengthLimit;
  /** Values that distinguish this comment from others; by default the service and the environment. */
  readonly commentKey?: CommentKey | undefined;
  /** Converts the path of a manifest for readers who know only the repository. By default paths stay unchanged. */
  readonly pathInRepository?: (path: string) => string;
}

export function validationReport(loaded: LoadedManifests, environment?: string): ProblemsReport {
  const found = splitBySeverity(loaded);
  const { unchecked } = loaded;
  return {
    ...problemsReport('rollcall validate', validationHeadline(found, loaded.counts), loaded),
    environment,
    valid: found.errors.length === 0,
    resourceCount: [...loaded.counts.values()].reduce((sum, count) => sum + count, 0),
    ...(unchecked && { unchecked, remarks: uncheckedRemarks(unchecked) }),
  };
}

export function planReport(
  ended: JobResult<Plan>,
  severity: Diagnostic['severity'] = 'warning',
  isMissingFailure = false,
): ProblemsReport | PlanReport {
  const { result: plan } = ended;
  const title = 'rollcall plan';
  if (plan === undefined) return problemsReport(title, 'There is no plan. Nothing was changed.', ended);
  return {
    ...splitBySeverity(ended),
    kind: 'plan',
    title,
    service: plan.service,
    environment: plan.environment,
    headline: planHeadline(plan),
    findings: planFindings(plan, severity, ended.filenames, isMissingFailure),
    plan,
  };
}

export function applyReport(ended: JobResult<ApplyRun>): ProblemsReport | ApplyReport {
  const { result: run } = ended;
  if (run === undefined) return problemsReport('rollcall apply', 'Nothing was applied.', ended);
  const outcomes = run.outcomes.map((outcome): OutcomeView => {
    const { change, answer, ...known } = outcome;
    return {
      resource: change.resource,
      planned: change.action !== 'no-op' || isMissing(outcome),
      detail: outcomeDetail(outcome),
      needsFix: isToBeFixed(outcome),
      diagnostics: outcomeDiagnostics(outcome),
      requestId: answer?.requestId,
      ...known,
      notCompared: outcome.outcome === 'unchanged' ? change.notCompared : outcome.notCompared,
    };
  });
  const { error, ...rest } = run;
  const diagnostics = [
    ...ended.diagnostics,
    ...lostLoginDiagnostics(run),
    ...(error ? [unexpectedDiagnostic(error)] : []),
  ];
  const report = reportOfRun(rest, outcomes, splitBySeverity({ ...ended, diagnostics }));
  // Another remark explains how to finish unfinished resources.
  const notChanged = run.outcomes.flatMap(({ change }) =>
    change.action === 'no-op' && !change.unfinished ? change : [],
  );
  return { ...report, remarks: [...report.remarks, ...flagNotes({ ...run.plan, changes: notChanged })] };
}

export function reportOfRun(run: AppliedRun, outcomes: readonly OutcomeView[], found: Problems): ApplyReport {
  const summary = applySummary(outcomes);
  return {
    ...found,
    kind: 'apply',
    title: 'rollcall apply',
    service: run.plan.service,
    environment: run.plan.environment,
    ...applyWords(run, outcomes, summary),
    findings: outcomes.flatMap(({ diagnostics }) => diagnostics).toSorted(comparePlaces),
    run,
    outcomes,
    summary,
  };
}

function problemsReport(title: Common['title'], headline: string, ended: JobResult<unknown>): ProblemsReport {
  const { service, environment } = ended;
  const nothing = { findings: [], valid: false, resourceCount: 0, remarks: [] };
  const about = { ...(service !== undefined && { service }), environment };
  return { ...splitBySeverity(ended), kind: 'problems', title, headline, ...nothing, ...about };
}

/** The problems of a job by severity, including the reason if it stopped early. */
export function splitBySeverity({ halt, filenames, diagnostics: known }: JobResult<unknown>): Problems {
  const diagnostics = halt ? [...known, ...haltDiagnostics(halt)] : known;
  return {
    diagnostics,
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
    warnings: diagnostics.filter(({ severity }) => severity === 'warning'),
    filenames,
  };
}
