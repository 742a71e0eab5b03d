import { destinationName } from '../../base/destination.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import { inline } from '../printable.ts';
import { byKind, type ApplyReport, type Format, type PlanReport, type ProblemsReport } from '../report.ts';
import { fold, warningCount } from '../words/diagnostics.ts';
import { wasInterrupted } from '../words/outcomes.ts';
import { planCounts, planHead, shownChanges } from '../words/plan.ts';
import { goneWords, sinceView, type SinceView } from '../words/since.ts';
import { changeLines, diagnosticText, plain, type Style } from './lines.ts';
import { commentLimit, comment, type MarkdownComment, type MarkdownSection } from './markdown-comment.ts';
import { applyFoot, outcomeLines, planFoot } from './text.ts';

type Content = Omit<MarkdownComment, 'title' | 'name' | 'key'>;

const contentOf = byKind({ problems: ofProblems, plan: ofPlan, apply: ofApply });

/** A comment for a pull request: how it ended, and the rest in a block of code. */
export const markdown: Format = (report, { limit = commentLimit, commentKey }) => {
  // They are the same with and without a result, so that one comment replaces the other.
  const { title, service, environment } = report;
  const key = commentKey ?? { service, environment };
  return comment({ title, name: destinationName(report), key, ...contentOf(report) }, limit);
};

function ofProblems({ headline, diagnostics, remarks }: ProblemsReport): Content {
  const foot = { items: remarks.map((remark) => inline(remark)), separator: '\n\n' } as const;
  return {
    headline: `**${headline}**`,
    blocks: [{ language: 'text', sections: [problems(diagnostics), foot] }],
  };
}

/** First what keeps it from being applied, then the changes as a diff, all folded up. */
function ofPlan(report: PlanReport): Content {
  const { headline, errors, warnings, plan } = report;
  const since = sinceView(plan);
  if (since) return ofPlanSince(report, since);
  return {
    headline: [`**${headline}** ${planCounts(plan)}`, ...warned(warnings)].join(' '),
    blocks: [
      {
        fold: 'Show the plan',
        language: 'diff',
        sections: [
          headOf(plan),
          problems(errors),
          warningsOf(warnings),
          changesOf(shownChanges(plan)),
          footOf(plan),
        ],
      },
    ],
  };
}

/** More than a reviewer reads without a click is folded up. */
const mostOpenLines = 60;
const mostGone = 50;

/** First what this change does, and open; folded up, what the plan would do all the same. */
function ofPlanSince({ headline, errors, warnings, plan }: PlanReport, since: SinceView): Content {
  const { revision, counts, touched, others, besides, gone } = since;
  const change = [...problems(errors).items, ...changesOf(touched).items].join('\n');
  return {
    headline: [`**In this change: ${counts}**`, `${headline} ${planCounts(plan)}`, ...warned(warnings)].join(
      ' ',
    ),
    blocks: [
      {
        ...(change.split('\n').length > mostOpenLines && { fold: 'Show this change' }),
        language: 'diff',
        sections: [
          problems(errors),
          { items: [`Since ${revision}:`], separator: '\n\n' },
          changesOf(touched),
          { items: gone.length > 0 ? [goneWords(gone, mostGone)] : [], separator: '\n\n' },
        ],
      },
      {
        fold: besides === '' ? 'Show the notes' : besides,
        language: 'diff',
        sections: [
          headOf(plan),
          warningsOf(warnings),
          changesOf(shownChanges({ changes: others })),
          footOf(plan),
        ],
      },
    ],
  };
}

function headOf(plan: Plan): MarkdownSection {
  return { items: [planHead(plan)], separator: '\n\n' };
}

function changesOf(changes: readonly Change[]): MarkdownSection {
  return { items: changes.map((change) => diffBlock(change)), separator: '\n\n', itemName: 'changes' };
}

function footOf(plan: Plan): MarkdownSection {
  return { items: planFoot(plan, style), separator: '\n\n' };
}

/** First what went wrong, then what became of each resource, all folded up. */
function ofApply(report: ApplyReport): Content {
  const ended = [...(report.run.interrupted ? [wasInterrupted] : []), report.headline].join(' ');
  const planned = report.outcomes.filter((outcome) => outcome.planned);
  return {
    headline: [`**${ended}** ${report.counts}`, ...warned(report.warnings)].join(' '),
    blocks: [
      {
        fold: 'Show what became of each resource',
        language: 'text',
        sections: [
          problems(report.findings),
          warningsOf(report.warnings),
          { items: outcomeLines(planned, plain), separator: '\n', itemName: 'resources' },
          { items: applyFoot(report, plain), separator: '\n\n' },
        ],
      },
    ],
  };
}

function problems(diagnostics: readonly Diagnostic[]): MarkdownSection {
  const items = fold(diagnostics).map((diagnostic) => diagnosticText(diagnostic, plain).trimEnd());
  return { items, separator: '\n\n', itemName: 'problems' };
}

/** More of them would hide the changes. The text on the terminal has them all. */
const mostWarnings = 10;

function warningsOf(warnings: readonly Diagnostic[]): MarkdownSection {
  return { ...problems(warnings), itemName: 'warnings', most: mostWarnings };
}

function warned(warnings: readonly Diagnostic[]): string[] {
  return warningCount(warnings).map((words) => `${words}.`);
}

/** Wider blocks of code have to be scrolled. */
const style: Style = { ...plain, width: 100 };

/** The signs are in the first column: there they give a diff its colours. */
function diffBlock(change: Change): string {
  return changeLines(change, style)
    .map(({ sign, indent, text }) => `${sign} ${' '.repeat(indent)}${text}`.trimEnd())
    .join('\n');
}
