import { createHash } from 'node:crypto';
import { destinationName } from '../../base/destination.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import { inline, startOf, uriComponent } from '../printable.ts';
import {
  byKind,
  type ApplyReport,
  type CommentKey,
  type Format,
  type Limit,
  type PlanReport,
  type ProblemsReport,
} from '../report.ts';
import { fold, warningCount } from '../words/diagnostics.ts';
import { wasInterrupted } from '../words/outcomes.ts';
import { goneWords, planCounts, planHead, shownChanges, sinceView, type SinceView } from '../words/plan.ts';
import { changeLines, diagnosticText, plain, type Style } from './lines.ts';
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
        summary: 'Show the plan',
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
        ...(change.split('\n').length > mostOpenLines && { summary: 'Show this change' }),
        language: 'diff',
        sections: [
          problems(errors),
          { items: [`Since ${revision}:`], separator: '\n\n' },
          changesOf(touched),
          { items: gone.length > 0 ? [goneWords(gone, mostGone)] : [], separator: '\n\n' },
        ],
      },
      {
        summary: besides === '' ? 'Show the notes' : besides,
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
        summary: 'Show what became of each resource',
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

/**
 * A Markdown comment. Every text from a manifest or the service is inside its blocks of code, or the code of its heading, where
 * Markdown and HTML have no meaning.
 */
export interface MarkdownComment {
  /** Words of ours. */
  readonly title: string;
  /** Which service it is about, as people call it; may be empty. */
  readonly name: string;
  /** What tells this comment from others of this title: by its first line a pipeline finds its former comment. */
  readonly key: CommentKey;
  /** Markdown of our own words. */
  readonly headline: string;
  readonly blocks: readonly MarkdownBlock[];
}

/** A block of code. */
export interface MarkdownBlock {
  /** The words to click on to unfold it; without them it is open. */
  readonly summary?: string;
  readonly language: 'diff' | 'text';
  readonly sections: readonly MarkdownSection[];
}

/** A part of a block. Its texts are safe line by line. */
export interface MarkdownSection {
  readonly items: readonly string[];
  readonly separator: '\n' | '\n\n';
  /** What its items are called when some are left out, such as `changes`. A section without it is never cut. */
  readonly itemName?: string;
  /** How many items are shown at the most. */
  readonly most?: number;
}

/** GitHub takes 65,536 characters in a comment, GitLab more. The program that posts it may add some of its own. */
export const commentLimit: Limit = { most: 60_000, lengthOf: (text) => text.length };
/** GitHub takes 1 MiB in the summary of a step. */
export const stepSummaryLimit: Limit = { most: 1_000_000, lengthOf: (text) => Buffer.byteLength(text) };

/** Writes the comment within a limit. Items that do not fit are left out and counted. */
export function comment(content: MarkdownComment, { most, lengthOf }: Limit): string {
  const { blocks } = content;
  const certain = blocks.map(({ sections }) =>
    sections.flatMap(({ itemName, items }) => (itemName === undefined ? items : [])),
  );
  // The sections that are never cut may take half of the room. Each section needs some for its own words.
  const clip = (text: string): string =>
    clipped(text, Math.floor(most / 8 / Math.max(1, certain.flat().length)));
  const stands = certain.map((texts) => texts.map((text) => clip(text)).join('\n\n'));
  let fence = longEnough(stands.join('\n'));
  const around = inFences(content, fence, stands);
  let left = most - lengthOf(around) - blocks.flatMap(({ sections }) => sections).length * 100;
  const shownOf = ({
    items,
    separator,
    itemName,
    most: mostItems = items.length,
  }: MarkdownSection): string[] => {
    if (items.length === 0) return [];
    if (itemName === undefined) return [items.map((text) => clip(text)).join(separator)];
    let shown = 0;
    for (const item of items.slice(0, mostItems)) {
      const longer = Math.max(fence, longEnough(item));
      // Each block has a fence at either end.
      const length = lengthOf(item) + separator.length + 2 * blocks.length * (longer - fence);
      if (length > left) break;
      left -= length;
      fence = longer;
      shown += 1;
    }
    if (shown < Math.min(items.length, mostItems)) left = 0; // later items must not look as if they followed directly
    const more = items.length - shown;
    const parts =
      more === 0 ? items : [...items.slice(0, shown), `… and ${more} more ${itemName}, left out here.`];
    return parts.length > 0 ? [parts.join(separator)] : [];
  };
  const texts = blocks.map(({ sections }) => sections.flatMap(shownOf).join('\n\n'));
  return inFences(content, fence, texts);
}

/** The comment with the texts of its blocks; a block without any is left out. */
function inFences(
  { title, name, key, headline, blocks }: MarkdownComment,
  fenceLength: number,
  texts: readonly string[],
): string {
  const fence = '`'.repeat(fenceLength);
  return [
    `<!-- ${marker(title, key)} -->`,
    `### ${title}${name === '' ? '' : ` for ${codeSpan(clipped(inline(name), 200))}`}`,
    '',
    headline,
    '',
    ...blocks.flatMap(({ summary, language }, index) => {
      const text = texts[index] ?? '';
      if (text === '') return [];
      const block = [`${fence}${language}`, text, fence, ''];
      return summary === undefined
        ? block
        : ['<details>', `<summary>${summary}</summary>`, '', ...block, '</details>', ''];
    }),
  ].join('\n');
}

const longestKey = 500;

function marker(title: string, key: CommentKey): string {
  const parts = Object.entries(key).flatMap(([part, value]) =>
    // A URI may have `-` in it, and two of them would end an HTML comment early.
    value === undefined ? [] : `${part}=${uriComponent(value).replaceAll('-', '%2D')}`,
  );
  const text = [title, ...parts].join(' ');
  if (text.length <= longestKey) return text;
  return `${title} ${createHash('sha256').update(text).digest('hex')}`;
}

/** A text of one line in which Markdown has no meaning. */
function codeSpan(text: string): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const [fence, pad] = ['`'.repeat(longest + 1), longest > 0 ? ' ' : ''];
  return fence + pad + text + pad + fence;
}

/** How long a fence must be so that the text cannot close it. */
function longEnough(text: string): number {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  return longest + 1;
}

function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${startOf(text, most)}…`;
}
