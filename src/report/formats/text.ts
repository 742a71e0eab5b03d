import type { Change, Plan } from '../../plan/plan.ts';
import { inline, wrapped } from '../printable.ts';
import {
  byKind,
  headingOf,
  type ApplyReport,
  type Format,
  type ProblemsReport,
  type Setting,
  type ToldOutcome,
} from '../report.ts';
import { outcomeLooks } from '../words/outcomes.ts';
import { appliedTo } from '../words/outcomes.ts';
import { planCounts, planHead, planHeadline, shownChanges, unreadNote } from '../words/plan.ts';
import { goneWords, sinceView } from '../words/since.ts';
import { changeLines, diagnosticsText, painted, plain, type Style } from './lines.ts';

/** Text for a person. */
export const text: Format = byKind<[Setting], string>({
  problems: problemsText,
  plan: ({ diagnostics, plan }, { style = plain }) =>
    diagnosticsText(diagnostics, style) + planText(plan, style),
  apply: (report, { style = plain }) =>
    `${diagnosticsText(report.diagnostics, style)}${appliedTo(report)}\n\n${applyText(report, style)}`,
});

function problemsText(report: ProblemsReport, { style = plain }: Setting): string {
  const { diagnostics, remarks, headline, valid, service } = report;
  const paint = valid ? style.green : style.red;
  const painting = headline.replace(/^(?:Valid|Invalid):/, paint);
  const foot = [...remarks.map((remark) => inline(remark)), painting].join('\n');
  // A validation is about no service, and its text is short.
  const heading = service === undefined ? '' : `${inline(headingOf(report))}\n\n`;
  return `${heading}${diagnosticsText(diagnostics, style)}${diagnostics.length > 0 ? '\n' : ''}${foot}\n`;
}

/** The plan, for a person who decides on it. */
export function planText(plan: Plan, style: Style): string {
  return `${[planHead(plan), ...planBody(plan, style), ...planFoot(plan, style)].join('\n\n')}\n`;
}

/** The changes; of a plan that was compared with a revision, those that are new, and how many others there are. */
function planBody(plan: Plan, style: Style): string[] {
  const since = sinceView(plan);
  const changes = since?.touched ?? shownChanges(plan);
  const blocks = changes.map((change) => changeBlock(change, style));
  if (since === undefined) return blocks;
  const { revision, counts, gone, besides, others } = since;
  const more =
    shownChanges({ changes: others }).length > 0 ? '\nWithout --since, they are shown as well.' : '';
  return [
    style.bold(`In this change, since ${revision}: ${counts}`),
    ...blocks,
    ...(gone.length > 0 ? [wrapped(goneWords(gone), width).join('\n')] : []),
    ...(besides === '' ? [] : [`${besides}.${more}`]),
  ];
}

/** What comes after the changes: notes, the counts, and the last line. */
export function planFoot(plan: Plan, style: Style): string[] {
  return [...unreadNote(plan), planCounts(plan), style.bold(planHeadline(plan))];
}

const width = 80;
const margin = 2;

function changeBlock(change: Change, style: Style): string {
  const paint = { '+': style.green, '?': style.cyan, '!': style.yellow, '-': style.red };
  return changeLines(change, width - margin - 2, style)
    .map(({ sign, indent, text: words }) => {
      const colouredSign = sign in paint ? paint[sign as keyof typeof paint](sign) : sign; // checked by the `in`
      // The sign comes first in the line, so that the signs form a column.
      return `${' '.repeat(margin + indent)}${colouredSign} ${words}`.trimEnd();
    })
    .join('\n');
}

/** What apply did, for a person: what was created, what was not and why, and what to run next. */
export function applyText(report: ApplyReport, style: Style): string {
  const lines = outcomeLines(report, style);
  const problems = diagnosticsText(report.findings, style).trimEnd();
  return `${[
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(problems === '' ? [] : [problems]),
    ...applyFoot(report, style),
  ].join('\n\n')}\n`;
}

/** A line for each resource that was to be created. */
export function outcomeLines({ outcomes }: ApplyReport, style: Style): string[] {
  return outcomes.filter(({ planned }) => planned).map((outcome) => outcomeLine(outcome, style));
}

/** The counts, what to run next, and the last line. */
export function applyFoot({ counts, remarks, headline }: ApplyReport, style: Style): string[] {
  return [counts, ...remarks, style.bold(headline)];
}

function outcomeLine(told: ToldOutcome, style: Style): string {
  const { outcome, resource, verdict, partial, said } = told;
  const { sign, colour } = outcomeLooks[outcome];
  const pk = outcome === 'created' && told.pk !== undefined ? `pk ${told.pk}` : '';
  const more = pk || (said && `the service said: ${said}`);
  const words = `${style.bold(inline(resource.address))}  ${inline(verdict)}`;
  return `  ${painted(sign, partial ? 'amber' : colour, style)} ${words}${more && style.dim(` (${inline(more)})`)}`;
}
