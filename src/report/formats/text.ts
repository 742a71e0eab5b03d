import { isPartial } from '../../apply/outcome.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import { printableLine, withoutEmpty } from '../printable.ts';
import {
  byReportKind,
  headingOf,
  type ApplyReport,
  type Detail,
  type Format,
  type OutcomeView,
  type ProblemsReport,
  type FormatSetting,
} from '../report.ts';
import { groupBy } from '../../base/group-by.ts';
import { listAddresses } from '../words/diagnostics.ts';
import { applyHeading, existingRecordWords, outcomeLooks, verdictWords } from '../words/outcomes.ts';
import { limitNewResources, limitNotPlanned } from '../words/limit-changes.ts';
import { planView, shownChanges, type PlanView } from '../words/plan.ts';
import { maxAsPlanned, splitByImportance } from '../words/split-by-importance.ts';
import { removedEntryWords } from '../words/undeclared.ts';
import {
  changeLines,
  compactLine,
  diagnosticsText,
  fitToWidth,
  colorize,
  plainStyle,
  type ChangeLine,
  type Style,
} from './lines.ts';

export const text: Format = byReportKind<[FormatSetting?], string>({
  problems: problemsText,
  plan: ({ diagnostics, plan }, { style = plainStyle, detail } = {}) =>
    diagnosticsText(diagnostics, style) + planText(plan, style, detail),
  apply: (report, { style = plainStyle, detail } = {}) => {
    const head = fitToWidth(applyHeading(report), style);
    const usual = isForTerminal(style) ? undefined : 'all';
    const outcomes = applyText(report, style, detail ?? usual);
    return `${diagnosticsText(report.diagnostics, style)}${head}\n\n${outcomes}`;
  },
});

function isForTerminal({ width }: Style): boolean {
  return Number.isFinite(width);
}

function problemsText(report: ProblemsReport, { style = plainStyle }: FormatSetting = {}): string {
  const { diagnostics, remarks, headline, valid, service } = report;
  const paint = valid ? style.green : style.red;
  const painting = headline.replace(/^(?:Valid|Invalid):/, paint);
  const foot = fitToWidth([...remarks.map((remark) => printableLine(remark)), painting].join('\n'), style);
  // A validation uses no service, so its text has no heading with a service.
  const heading = service === undefined ? '' : `${fitToWidth(printableLine(headingOf(report)), style)}\n\n`;
  return `${heading}${diagnosticsText(diagnostics, style)}${diagnostics.length > 0 ? '\n' : ''}${foot}\n`;
}

/** If a plan has more changes than this, a terminal shows one line for each by default. */
const maxLinesOnTerminal = 200;

export function planText(plan: Plan, style: Style, detail?: Detail): string {
  return viewText(planView(plan), style, detail);
}

/** The plan that is shown before an apply, without the advice about unchanged resources, because the result will contain this advice. */
export function planTextBeforeApply(plan: Plan, style: Style, detail?: Detail): string {
  return viewText({ ...planView(plan), idleSentence: undefined, switches: [] }, style, detail);
}

function viewText(view: PlanView, style: Style, detail: Detail | undefined): string {
  const { baseline, removedEntries, othersCount, accessLines } = view;
  const fit = (words: string): string => fitToWidth(words, style);
  const changes = baseline ? view.touched : shownChanges({ changes: view.touched });
  const isMore = shownChanges({ changes: view.others }).length > 0;
  const isLimited = detail === undefined || detail === 'lines';
  const { shown, more: notPlanned } = isLimited ? limitNotPlanned(changes) : { shown: changes, more: [] };
  const { inFull, named, more } =
    detail === undefined ? limitNewResources(shown) : { inFull: shown, named: [], more: [] };
  const isCompact = isForTerminal(style) && inFull.length > maxLinesOnTerminal;
  const parts = withoutEmpty(
    fit(view.head),
    accessLines.length > 0 && style.bold(accessLines.map(fit).join('\n')),
    baseline && style.bold(fit(`In this change, compared with ${baseline.path}: ${baseline.counts}`)),
    ...changesText(inFull, style, detail ?? (isCompact ? 'lines' : 'all')),
    ...changesText(named, style, 'lines'),
    ...notPlanned.map(fit),
    removedEntries.length > 0 && fit(removedEntryWords(removedEntries)),
    othersCount !== '' &&
      fit(`${othersCount}.${isMore ? '\nTo show these as well, leave out --baseline.' : ''}`),
    isCompact &&
      detail === undefined &&
      fit(`These are ${inFull.length} changes, so each has one line. ${inFullWords}`),
    more.length + notPlanned.length > 0 && fit([...more, inFullWords].join('\n')),
    ...(detail === 'counts' && changes.length > 0
      ? [view.changeNotes.map(fit).join('\n'), fit(notShownWords)]
      : []),
    undeclaredLines(view, style)?.flat().join('\n'),
    ...planFooter(view, style),
  );
  return `${parts.join('\n\n')}\n`;
}

const inFullWords = 'To see every change in full, use --no-compact, -o json or --report html=FILE.';

const notShownWords =
  'The changes are not shown, because the plan needs no confirmation. Use --compact for one line each, or --no-compact for every change in full.';

function changesText(changes: readonly Change[], style: Style, detail: Detail): string[] {
  const inner = { ...style, width: style.width - signColumn - 2 };
  switch (detail) {
    case 'all':
      return changes.map((change) =>
        changeLines(change, inner)
          .map((line) => signedLine(line, style))
          .join('\n'),
      );
    case 'lines': {
      const lines = changes.map((change) => signedLine(compactLine(change, inner), style));
      return lines.length > 0 ? [lines.join('\n')] : [];
    }
    case 'counts':
      return [];
  }
}

/** Lines about undeclared records: first their number and the lists that could not be read, then the records. */
export function undeclaredLines(
  { undeclared }: PlanView,
  style: Style,
): [first: string[], rest: string[]] | undefined {
  if (undeclared === undefined) return undefined;
  const { head, missing, lists, hint } = undeclared;
  const fit = (line: string): string => fitToWidth(`  ${line}`, style, 4);
  const rest = withoutEmpty(...lists.flatMap(({ lines }) => lines), hint);
  return [[fitToWidth(head, style, 4), ...missing.map(fit)], rest.map(fit)];
}

export function planFooter(
  { notes, idleSentence, switches, counts, headline }: PlanView,
  style: Style,
): string[] {
  const left = withoutEmpty(idleSentence, ...switches).join('\n');
  return [...notes, ...withoutEmpty(left), counts, style.bold(headline)].map((each) =>
    fitToWidth(each, style),
  );
}

const signColumn = 2;

/** The sign comes first, so that the signs form a column. */
function signedLine({ sign, colour, indent, text: words }: ChangeLine, style: Style): string {
  return `${' '.repeat(signColumn + indent)}${colorize(sign, colour, style)} ${words}`.trimEnd();
}

/**
 * The result of apply for people: problems and their reasons, created and changed resources, the number of all others, and what
 * to run next. If there are few resources, or with the detail `all`, each resource has a line.
 */
export function applyText(report: ApplyReport, style: Style, detail?: Detail): string {
  const planned = report.outcomes.filter((outcome) => outcome.planned);
  const { named, more } = detail === 'all' ? { named: planned, more: 0 } : splitByImportance(planned);
  const lines = detail === 'all' ? outcomeLines(named, style) : groupedLines(named, style);
  const problems = diagnosticsText(report.findings, style).trimEnd();
  const note = `${omittedOutcomesText(named.length, more)} To list all of them, use --no-compact, -o json or --report html=FILE.`;
  const parts = [
    lines.join('\n'),
    problems,
    more > 0 && fitToWidth(note, style),
    ...applyFooter(report, style),
  ];
  return `${withoutEmpty(...parts).join('\n\n')}\n`;
}

export function omittedOutcomesText(named: number, more: number): string {
  return `${more}${named > 0 ? ' more' : ''} went as planned, and are not named here.`;
}

/** A line for each resource. Resources share a line if dozens of them were not attempted for the same reason. */
function groupedLines(outcomes: readonly OutcomeView[], style: Style): string[] {
  const notBegun = outcomes.filter(({ outcome }) => outcome === 'not_attempted');
  const many = [...groupBy(notBegun, verdictWords)].filter(([, { length }]) => length > maxAsPlanned);
  const joined = new Set(many.flatMap(([, alike]) => alike));
  const others = outcomes.filter((outcome) => !joined.has(outcome));
  const lines = many.map(([verdict, alike]) => {
    const words = `${alike.length} ${printableLine(verdict)}: ${listAddresses(alike, 3)}`;
    return withHangingIndent(outcomeLooks.not_attempted.sign, words, style);
  });
  return [...outcomeLines(others, style), ...lines];
}

export function outcomeLines(outcomes: readonly OutcomeView[], style: Style): string[] {
  return outcomes.map((view) => {
    const { outcome, resource } = view;
    const { sign, colour } = outcomeLooks[outcome];
    const pk = outcome === 'created' && view.pk !== undefined ? `pk ${view.pk}` : '';
    const more = pk || existingRecordWords(view);
    const words = `${style.bold(printableLine(resource.address))}  ${printableLine(verdictWords(view))}${more && style.dim(` (${printableLine(more)})`)}`;
    return withHangingIndent(colorize(sign, isPartial(view) ? 'amber' : colour, style), words, style);
  });
}

function withHangingIndent(sign: string, words: string, style: Style): string {
  const lines = fitToWidth(words, { width: style.width - signColumn - 2 }, 2).replaceAll('\n', '\n    ');
  return `  ${sign} ${lines}`;
}

export function applyFooter({ counts, remarks, headline }: ApplyReport, style: Style): string[] {
  return [counts, ...remarks, style.bold(headline)].map((words) => fitToWidth(words, style));
}
