import { isIncomplete, isMissing, isPartial, type Outcome } from '../apply/outcome.ts';
import { destinationName, type Destination } from '../base/destination.ts';
import { byPlace, unexpectedDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import type { LoadedManifests, Unchecked } from '../manifest/load-manifests.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Plan } from '../plan/plan.ts';
import type { ApplyRun, Ended } from '../run/result.ts';
import type { Style } from './formats/lines.ts';
import { uncheckedRemarks, validationHeadline } from './words/diagnostics.ts';
import { haltDiagnostics } from './words/halts.ts';
import { notCreated } from './words/not-created.ts';
import { outcomeDiagnostics } from './words/outcome-diagnostics.ts';
import { planFindings, planHeadline } from './words/plan.ts';
import { switchNotes } from './words/switches.ts';
import {
  applySummary,
  applyWords,
  detailWords,
  isToBeFixed,
  verdictWords,
  wasInterrupted,
  type ApplySummary,
} from './words/outcomes.ts';

/** All that there is to say of how a command ended. It is worked out here, once for all formats; a format only writes it. */
export type Report = ProblemsReport | PlanReport | ApplyReport;

/** What was found in the manifests, and on the way to a result. */
interface Found {
  readonly diagnostics: readonly Diagnostic[];
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
  /** The manifests that were read. */
  readonly filenames: readonly string[];
}

interface Common extends Found, Partial<Destination> {
  readonly title: 'rollcall validate' | 'rollcall plan' | 'rollcall apply';
  /** How it ended, in a sentence. */
  readonly headline: string;
  /** Diagnostics of single resources that follow from the result: what differs, and what failed. */
  readonly findings: readonly Diagnostic[];
}

/** The report of a validation, and of a plan or an apply that came to no result. */
export interface ProblemsReport extends Common {
  readonly kind: 'problems';
  readonly valid: boolean;
  /** How many resources the manifests declare. */
  readonly resourceCount: number;
  /** What was not checked, where secrets were not read. */
  readonly unchecked?: Unchecked;
  /** Sentences for before the headline: what was not checked. */
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
  /** What became of each planned resource, in the order of the plan. */
  readonly outcomes: readonly OutcomeView[];
  readonly summary: ApplySummary;
  /** The summary in words. */
  readonly counts: string;
  /** Sentences for before the headline: that the run was interrupted, and what to do next. */
  readonly remarks: readonly string[];
}

/** A run of apply without what became of each resource; one, or several that are reported as one. */
interface AppliedRun extends Omit<ApplyRun, 'plan' | 'outcomes'> {
  readonly plan: Omit<Plan, 'createdAt' | 'changes'>;
}

/** What became of one planned resource, with all that there is to say of it. */
export interface OutcomeView extends Omit<Outcome, 'change' | 'answer'> {
  readonly resource: Resource;
  /** Whether the plan was to create or to change it, or would have been if it could be planned. */
  readonly planned: boolean;
  /** In a few words. */
  readonly verdict: string;
  /** What the service said, or why nothing was sent; may be empty. */
  readonly detail: string;
  /** The service's own id of the deciding request. */
  readonly requestId?: string;
  /** What the service said of a resource that is there already; empty otherwise. */
  readonly said: string;
  /** Whether there is more to do than this run did. */
  readonly incomplete: boolean;
  /** Whether it is there, and not or perhaps not with all that is declared. */
  readonly partial: boolean;
  /** Whether it ended as the plan said, so that to count it is enough. */
  readonly asPlanned: boolean;
  /** Whether it would end in the same way until somebody fixes something. */
  readonly needsFix: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What a report is called, such as `rollcall plan for production (https://id.example.com)`. Not safe to print yet. */
export function headingOf(report: Report): string {
  const name = destinationName(report);
  return name === '' ? report.title : `${report.title} for ${name}`;
}

/** All that there is to say at a line of a manifest, for readers who are shown nothing else and know the repository alone. */
export function annotationsOf(report: Report, { pathInRepository = String }: Setting): Diagnostic[] {
  const advice = report.kind === 'apply' ? report.remarks.filter((remark) => remark !== wasInterrupted) : [];
  return [
    ...report.diagnostics,
    ...report.findings,
    ...(report.kind === 'apply' ? notCreated(report.outcomes, advice) : []),
  ].map(({ range, ...said }) =>
    range ? { ...said, range: { ...range, filename: pathInRepository(range.filename) } } : said,
  );
}

/** Writes a report. */
export type Format = (report: Report, setting: Setting) => string;

/** Makes a function of any report out of one for each kind of report. */
export function byKind<Rest extends unknown[], Result>(of: {
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

/** All of each change, a line for each, or how many there are. */
export type Detail = 'all' | 'lines' | 'counts';

/** What distinguishes one comment from another, by name; what is undefined is left out. */
export type CommentKey = Readonly<Record<string, string | undefined>>;

/** How long a text may be, and how its length is measured. */
export interface Limit {
  readonly most: number;
  readonly lengthOf: (text: string) => number;
}

/** What a format may need besides the report. */
export interface Setting {
  readonly toolVersion: string;
  /** Colours and bold, for the text; none by default. */
  readonly style?: Style;
  /** How much of each change or resource the text shows; by default as much as it has room for. */
  readonly detail?: Detail | undefined;
  /** How long a comment may be; by default what GitHub and GitLab take. */
  readonly limit?: Limit;
  /** What distinguishes the comment of this roll from those of others; by default the service and the environment. */
  readonly commentKey?: CommentKey | undefined;
  /** The path of a manifest for a reader who knows the repository alone; by default as it is. */
  readonly pathInRepository?: (path: string) => string;
}

export function validationReport(loaded: LoadedManifests, environment?: string): ProblemsReport {
  const found = foundIn(loaded);
  const { unchecked } = loaded;
  return {
    ...found,
    kind: 'problems',
    title: 'rollcall validate',
    environment,
    headline: validationHeadline(found, loaded.counts),
    findings: [],
    valid: found.errors.length === 0,
    resourceCount: loaded.declared,
    ...(unchecked && { unchecked }),
    remarks: unchecked ? uncheckedRemarks(unchecked) : [],
  };
}

/** The report of a plan; `severity` is how severe it is that something differs. */
export function planReport(
  ended: Ended<Plan>,
  severity: Diagnostic['severity'] = 'warning',
): ProblemsReport | PlanReport {
  const { result: plan } = ended;
  const title = 'rollcall plan';
  if (plan === undefined) return noResult(title, 'There is no plan. Nothing was changed.', ended);
  return {
    ...foundIn(ended),
    kind: 'plan',
    title,
    service: plan.service,
    environment: plan.environment,
    headline: planHeadline(plan),
    findings: planFindings(plan, severity, ended.filenames),
    plan,
  };
}

export function applyReport(ended: Ended<ApplyRun>): ProblemsReport | ApplyReport {
  const { result: run } = ended;
  if (run === undefined) return noResult('rollcall apply', 'Nothing was applied.', ended);
  const outcomes = run.outcomes.map((outcome) => {
    const { change, answer, ...known } = outcome;
    return outcomeView({
      ...known,
      resource: change.resource,
      planned: change.action !== 'no-op' || isMissing(outcome),
      detail: detailWords(outcome),
      needsFix: isToBeFixed(outcome),
      diagnostics: outcomeDiagnostics(outcome),
      ...(answer?.requestId !== undefined && { requestId: answer.requestId }),
    });
  });
  const { error, ...rest } = run;
  const diagnostics = [...ended.diagnostics, ...(error ? [unexpectedDiagnostic(error)] : [])];
  const report = reportOfRun(rest, outcomes, foundIn({ ...ended, diagnostics }));
  const left = run.outcomes.flatMap(({ change }) => (change.action === 'no-op' ? change : []));
  return { ...report, remarks: [...report.remarks, ...switchNotes({ ...run.plan, changes: left })] };
}

/** The report of a run of apply, or of several as one. The summary may be of more than these outcomes. */
export function reportOfRun(
  run: AppliedRun,
  outcomes: readonly OutcomeView[],
  found: Found,
  summary: ApplySummary = applySummary(outcomes),
): ApplyReport {
  return {
    ...found,
    kind: 'apply',
    title: 'rollcall apply',
    service: run.plan.service,
    environment: run.plan.environment,
    ...applyWords(run, outcomes, summary),
    findings: outcomes.flatMap(({ diagnostics }) => diagnostics).toSorted(byPlace),
    run,
    outcomes,
    summary,
  };
}

function noResult(title: Common['title'], headline: string, ended: Ended<unknown>): ProblemsReport {
  const { service, environment } = ended;
  return {
    ...foundIn(ended),
    ...(service !== undefined && { service }),
    environment,
    kind: 'problems',
    title,
    headline,
    findings: [],
    valid: false,
    resourceCount: 0,
    remarks: [],
  };
}

/** What was found, sorted out. What halted a job is one more thing that is wrong. */
export function foundIn({ halt, filenames, diagnostics: known }: Ended<unknown>): Found {
  const diagnostics = halt ? [...known, ...haltDiagnostics(halt)] : known;
  return {
    diagnostics,
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
    warnings: diagnostics.filter(({ severity }) => severity === 'warning'),
    filenames,
  };
}

/** An outcome with what follows from what is known of it. */
export function outcomeView(
  outcome: Omit<OutcomeView, 'verdict' | 'said' | 'incomplete' | 'partial' | 'asPlanned'>,
): OutcomeView {
  const incomplete = isIncomplete(outcome);
  // What could be looked up, and was planned, was absent: somebody else has created it since.
  const appeared = outcome.outcome === 'exists' && outcome.pk !== undefined;
  return {
    ...outcome,
    verdict: verdictWords(outcome),
    said: outcome.outcome === 'exists' ? outcome.detail : '',
    incomplete,
    asPlanned: !incomplete && !appeared,
    partial: isPartial(outcome),
  };
}
