import type { Change, Plan } from '../../plan/plan.ts';
import { inline } from '../printable.ts';
import {
  byKind,
  headingOf,
  type ApplyReport,
  type Detail,
  type Format,
  type ProblemsReport,
  type Setting,
  type OutcomeView,
} from '../report.ts';
import { appliedTo, outcomeLooks } from '../words/outcomes.ts';
import {
  goneWords,
  planCounts,
  planHead,
  planHeadline,
  shownChanges,
  sinceView,
  unreadNote,
  type SinceView,
} from '../words/plan.ts';
import {
  changeLines,
  compactLine,
  diagnosticsText,
  fitted,
  painted,
  plain,
  type ChangeLine,
  type Style,
} from './lines.ts';

/** Text for a person; everything, unless it goes to a terminal. */
export const text: Format = byKind<[Setting], string>({
  problems: problemsText,
  plan: ({ diagnostics, plan }, { style = plain, detail }) =>
    diagnosticsText(diagnostics, style) + planText(plan, style, detail),
  apply: (report, { style = plain, detail }) => {
    const head = fitted(appliedTo(report), style);
    const usual = isForTerminal(style) ? undefined : 'all';
    const outcomes = applyText(report, style, detail ?? usual);
    return `${diagnosticsText(report.diagnostics, style)}${head}\n\n${outcomes}`;
  },
});

function isForTerminal({ width }: Style): boolean {
  return Number.isFinite(width);
}

function problemsText(report: ProblemsReport, { style = plain }: Setting): string {
  const { diagnostics, remarks, headline, valid, service } = report;
  const paint = valid ? style.green : style.red;
  const painting = headline.replace(/^(?:Valid|Invalid):/, paint);
  const foot = fitted([...remarks.map((remark) => inline(remark)), painting].join('\n'), style);
  // A validation is about no service, and its text is short.
  const heading = service === undefined ? '' : `${fitted(inline(headingOf(report)), style)}\n\n`;
  return `${heading}${diagnosticsText(diagnostics, style)}${diagnostics.length > 0 ? '\n' : ''}${foot}\n`;
}

/** Of more changes than this, a terminal shows a line each, unless it is asked for more. */
const mostOnTerminal = 200;

/** The plan, for a person who decides on it. Without a detail, all of it, unless very many changes go to a terminal. */
export function planText(plan: Plan, style: Style, detail?: Detail): string {
  const since = sinceView(plan);
  const changes = since?.touched ?? shownChanges(plan);
  const isMuch = isForTerminal(style) && changes.length > mostOnTerminal;
  const usual = isMuch ? 'lines' : 'all';
  const parts = [
    fitted(planHead(plan), style),
    ...(since ? [style.bold(fitted(`In this change, since ${since.revision}: ${since.counts}`, style))] : []),
    ...changesText(changes, style, detail ?? usual),
    ...(since ? sinceFoot(since, style) : []),
    ...(isMuch && detail === undefined ? [fitted(linesNote(changes), style)] : []),
    ...(detail === 'counts' && changes.length > 0 ? [fitted(countsNote, style)] : []),
    ...planFoot(plan, style),
  ];
  return `${parts.join('\n\n')}\n`;
}

function changesText(changes: readonly Change[], style: Style, detail: Detail): string[] {
  switch (detail) {
    case 'all':
      return changes.map((change) => changeBlock(change, style));
    case 'lines': {
      const inner = { ...style, width: style.width - margin - 2 };
      const lines = changes.map((change) => signedLine(compactLine(change, inner), style));
      return lines.length > 0 ? [lines.join('\n')] : [];
    }
    case 'counts':
      return [];
  }
}

/** What was taken out, and how many changes are none of this one. */
function sinceFoot({ gone, besides, others }: SinceView, style: Style): string[] {
  const more =
    shownChanges({ changes: others }).length > 0 ? '\nWithout --since, they are shown as well.' : '';
  return [
    ...(gone.length > 0 ? [fitted(goneWords(gone), style)] : []),
    ...(besides === '' ? [] : [fitted(`${besides}.${more}`, style)]),
  ];
}

function linesNote({ length }: readonly Change[]): string {
  return `These are ${length} changes, so each has one line. --no-compact shows all of each, as do -o json and --report html=FILE.`;
}

const countsNote =
  'The changes are not shown one by one: --no-compact does that, or --compact in a line each.';

/** What comes after the changes: notes, the counts, and the last line. */
export function planFoot(plan: Plan, style: Style): string[] {
  const notes = [...unreadNote(plan), planCounts(plan)].map((note) => fitted(note, style));
  return [...notes, fitted(style.bold(planHeadline(plan)), style)];
}

const margin = 2;

function changeBlock(change: Change, style: Style): string {
  const lines = changeLines(change, { ...style, width: style.width - margin - 2 });
  return lines.map((line) => signedLine(line, style)).join('\n');
}

/** The sign comes first in the line, so that the signs form a column. */
function signedLine({ sign, indent, text: words }: ChangeLine, style: Style): string {
  const paint = { '+': style.green, '?': style.cyan, '!': style.yellow, '-': style.red };
  const colouredSign = sign in paint ? paint[sign as keyof typeof paint](sign) : sign; // checked by the `in`
  return `${' '.repeat(margin + indent)}${colouredSign} ${words}`.trimEnd();
}

/** Of more resources than this, those that went as planned are counted. */
export const mostAsPlanned = 50;

/**
 * What apply did, for a person: what did not go as planned and why, how much did, and what to run next. Of few resources, or with
 * the detail `all`, also what went as planned, each in a line.
 */
export function applyText(report: ApplyReport, style: Style, detail?: Detail): string {
  const planned = report.outcomes.filter((outcome) => outcome.planned);
  const others = planned.filter(({ asPlanned }) => !asPlanned);
  const isAll = detail === 'all' || planned.length - others.length <= mostAsPlanned;
  const shown = isAll ? planned : others;
  const lines = detail === 'all' ? outcomeLines(shown, style) : fewerLines(shown, style);
  const problems = diagnosticsText(report.findings, style).trimEnd();
  return `${[
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(problems === '' ? [] : [problems]),
    ...(isAll ? [] : [fitted(asPlannedNote(planned.length - others.length), style)]),
    ...applyFoot(report, style),
  ].join('\n\n')}\n`;
}

function asPlannedNote(count: number): string {
  return `${count} went as planned, and are not named here. --no-compact names each, as do -o json and --report.`;
}

/** A line for each resource; where more than some dozens were not begun for one reason, one line for all of those. */
function fewerLines(outcomes: readonly OutcomeView[], style: Style): string[] {
  const notBegun = outcomes.filter(({ outcome, attempts }) => outcome === 'not_attempted' && attempts === 0);
  const many = [...new Set(notBegun.map(({ verdict }) => verdict))]
    .map((verdict) => notBegun.filter((outcome) => outcome.verdict === verdict))
    .filter(({ length }) => length > mostAsPlanned);
  const joined = new Set(many.flat());
  return [
    ...outcomeLines(
      outcomes.filter((outcome) => !joined.has(outcome)),
      style,
    ),
    ...many.map((alike) => notBegunLine(alike, style)),
  ];
}

function notBegunLine(alike: readonly OutcomeView[], style: Style): string {
  const [first] = alike;
  const named = alike.slice(0, 3).map(({ resource }) => inline(resource.address));
  const words = `${alike.length} ${inline(first?.verdict ?? '')}: ${named.join(', ')} and ${alike.length - named.length} more`;
  const lines = fitted(words, { width: style.width - margin - 2 }, 2).replaceAll('\n', '\n    ');
  return `  ${outcomeLooks.not_attempted.sign} ${lines}`;
}

/** A line for each resource. */
export function outcomeLines(outcomes: readonly OutcomeView[], style: Style): string[] {
  return outcomes.map((outcome) => outcomeLine(outcome, style));
}

/** The counts, what to run next, and the last line. */
export function applyFoot({ counts, remarks, headline }: ApplyReport, style: Style): string[] {
  return [counts, ...remarks, style.bold(headline)].map((words) => fitted(words, style));
}

function outcomeLine(told: OutcomeView, style: Style): string {
  const { outcome, resource, verdict, partial, said } = told;
  const { sign, colour } = outcomeLooks[outcome];
  const pk = outcome === 'created' && told.pk !== undefined ? `pk ${told.pk}` : '';
  const more = pk || (said && `the service said: ${said}`);
  const words = `${style.bold(inline(resource.address))}  ${inline(verdict)}${more && style.dim(` (${inline(more)})`)}`;
  const lines = fitted(words, { width: style.width - margin - 2 }, 2).replaceAll('\n', '\n    ');
  return `  ${painted(sign, partial ? 'amber' : colour, style)} ${lines}`;
}
