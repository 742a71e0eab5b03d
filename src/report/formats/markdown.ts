import { createHash } from 'node:crypto';
import { destinationLabel } from '../../base/destination.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import type { Change } from '../../plan/plan.ts';
import { printableLine, withoutEmpty, shortened, uriComponent } from '../printable.ts';
import { byReportKind, type CommentKey, type Format, type LengthLimit, type PlanReport } from '../report.ts';
import { foldByCause, warningCount } from '../words/diagnostics.ts';
import { interruptedSentence } from '../words/outcomes.ts';
import { importanceOf, limitNewResources, limitNotPlanned } from '../words/limit-changes.ts';
import { pendingFirst, planView, shownChanges, type PlanView } from '../words/plan.ts';
import { splitByImportance } from '../words/split-by-importance.ts';
import { removedEntryWords } from '../words/undeclared.ts';
import {
  changeLines,
  compactLine,
  diagnosticText,
  plainStyle,
  type ChangeLine,
  type Style,
} from './lines.ts';
import { applyFooter, omittedOutcomesText, outcomeLines, planFooter, undeclaredLines } from './text.ts';

/**
 * A comment for a pull request: the result, and everything else in code blocks. All texts from manifests and the service are in
 * code blocks or code spans, where Markdown and HTML have no meaning.
 */
export const markdown: Format = (report, { limit = commentLimit, commentKey } = {}) => {
  // The title and the key are the same whether or not there is a result, so that later comments replace earlier ones.
  const { title, service, environment } = report;
  const name = destinationLabel(report);
  const { headline, blocks } = contentOf(report);
  const head = [
    `<!-- ${marker(title, commentKey ?? { service, environment })} -->`,
    `### ${title}${name === '' ? '' : ` for ${codeSpan(shortened(printableLine(name), 200))}`}`,
    '',
    headline,
    '',
  ];
  return fitIntoLimit(head, blocks, limit);
};

interface Content {
  readonly headline: string;
  readonly blocks: readonly Block[];
}

interface Block {
  readonly summary?: string | undefined;
  readonly language: 'diff' | 'text';
  readonly sections: readonly Section[];
}

interface Section {
  readonly items: readonly string[];
  /** For each item, its importance: if not all fit, those with the highest are shown. */
  readonly importance?: readonly number[];
  readonly separator: '\n' | '\n\n';
  /** The noun for items that are left out, such as `changes`. A section without a noun is never cut. */
  readonly itemName?: string;
  readonly most?: number;
}

const contentOf = byReportKind<[], Content>({
  problems: ({ headline, diagnostics, remarks }) => {
    const sections = [problems(diagnostics), sectionNeverCut(...remarks.map(printableLine))];
    return { headline: `**${headline}**`, blocks: [{ language: 'text', sections }] };
  },
  plan: planContent,
  /** Shows the problems first, then the outcomes of all resources. All sections are folded. */
  apply: (report) => {
    const { run, headline, counts, warnings, outcomes, findings } = report;
    const ended = withoutEmpty(run.interrupted && interruptedSentence, headline).join(' ');
    const { named, more } = splitByImportance(outcomes.filter((outcome) => outcome.planned));
    const sections = [
      problems(findings),
      warningsOf(warnings),
      { items: outcomeLines(named, plainStyle), separator: '\n', itemName: 'resources' } as const,
      sectionNeverCut(...withoutEmpty(more > 0 && omittedOutcomesText(named.length, more))),
      sectionNeverCut(...applyFooter(report, plainStyle)),
    ];
    return {
      headline: [`**${ended}** ${counts}`, ...warningBlock(warnings)].join(' '),
      blocks: [{ summary: 'Show the outcome of each resource', language: 'text', sections }],
    };
  },
});

/** Longer lists are folded. */
const maxUnfoldedLines = 60;
const maxRemovedEntries = 50;

/**
 * Shows the problems that prevent an apply first, then the changes as a diff. All sections are folded. With a baseline, the changes
 * of this pull request come first and unfolded, and the rest of the plan is folded.
 */
function planContent({ headline, errors, warnings, plan }: PlanReport): Content {
  const view = planView(plan);
  const { baseline, touched, removedEntries, othersCount } = view;
  // These summaries consist of the tool's own words, so they need no code span.
  const failures = errors.flatMap(({ code, summary }) =>
    code === 'fail-on' || code.startsWith('too-many-') ? [`**Fails: ${summary}.**`] : [],
  );
  const counts = [...failures, baseline ? headline : `**${headline}**`, view.counts].join(' ');
  const others = changesOf(shownChanges({ changes: baseline ? view.others : touched }));
  const headlines = [counts, ...withoutEmpty(view.idleSentence), ...warningBlock(warnings)].join(' ');
  const rest = [
    warningsOf(warnings),
    others,
    ...undeclaredOf(view),
    sectionNeverCut(...planFooter(view, style)),
  ];
  const [head, access, wrong] = [
    sectionNeverCut(view.head),
    sectionNeverCut(...view.accessLines),
    problems(errors),
  ];
  if (!baseline) {
    const sections = [head, access, wrong, ...rest];
    return { headline: headlines, blocks: [{ summary: 'Show the plan', language: 'diff', sections }] };
  }
  const changes = changesOf(touched);
  const isLong = [...wrong.items, ...changes.items].join('\n').split('\n').length > maxUnfoldedLines;
  const goneItems = withoutEmpty(
    removedEntries.length > 0 && removedEntryWords(removedEntries, maxRemovedEntries),
  );
  const sections = [
    access,
    wrong,
    sectionNeverCut(`Compared with ${baseline.path}:`),
    changes,
    sectionNeverCut(...goneItems),
  ];
  return {
    headline: `**In this change: ${baseline.counts}** ${headlines}`,
    blocks: [
      { summary: isLong ? 'Show this change' : undefined, language: 'diff', sections },
      { summary: othersCount || 'Show the notes', language: 'diff', sections: [head, ...rest] },
    ],
  };
}

function undeclaredOf(view: PlanView): Section[] {
  const lines = undeclaredLines(view, style);
  if (lines === undefined) return [];
  const [first, rest] = lines;
  return [
    { items: first, separator: '\n' },
    { items: rest, separator: '\n', itemName: 'lines' },
  ];
}

function sectionNeverCut(...items: readonly string[]): Section {
  return { items, separator: '\n\n' };
}

function changesOf(changes: readonly Change[]): Section {
  // The comment shows as many other changes as fit.
  const { shown, more: notPlanned } = limitNotPlanned(pendingFirst(changes));
  const { inFull, named, more } = limitNewResources(shown, ['create_if_absent']);
  const lines = named.map((change) => diffLine(compactLine(change, style)));
  const blocks = inFull.map((change) => changeLines(change, style).map(diffLine).join('\n'));
  const brief = lines.length > 0 ? [[...lines, ...more].join('\n')] : [];
  return {
    items: [...blocks, ...notPlanned, ...brief],
    importance: inFull.map(importanceOf),
    separator: '\n\n',
    itemName: 'changes',
  };
}

function problems(diagnostics: readonly Diagnostic[]): Section {
  const items = foldByCause(diagnostics).map((diagnostic) =>
    diagnosticText(diagnostic, plainStyle).trimEnd(),
  );
  return { items, separator: '\n\n', itemName: 'problems' };
}

/** A longer list of warnings would push the changes out of sight. The terminal shows all warnings. */
const maxWarnings = 10;

function warningsOf(warnings: readonly Diagnostic[]): Section {
  return { ...problems(warnings), itemName: 'warnings', most: maxWarnings };
}

function warningBlock(warnings: readonly Diagnostic[]): string[] {
  return warningCount(warnings).map((words) => `${words}.`);
}

/** Wider code blocks need scrolling. */
const style: Style = { ...plainStyle, width: 100 };

/** The signs are in the first column, from which Markdown takes the colour of each line. */
function diffLine({ sign, indent, text }: ChangeLine): string {
  return `${sign} ${' '.repeat(indent)}${text}`.trimEnd();
}

/** GitHub allows 65,536 characters in a comment, GitLab more. The program that posts the comment may add text. */
export const commentLimit: LengthLimit = { most: 60_000, lengthOf: (text) => text.length };
/** GitHub allows 1 MiB in the summary of a step. */
export const stepSummaryLimit: LengthLimit = { most: 1_000_000, lengthOf: (text) => Buffer.byteLength(text) };

/** Shortens the comment to a limit. Items that do not fit are left out and counted. */
function fitIntoLimit(
  head: readonly string[],
  blocks: readonly Block[],
  { most, lengthOf }: LengthLimit,
): string {
  const uncutTexts = blocks.map(({ sections }) =>
    sections.flatMap(({ itemName, items }) => (itemName === undefined ? items : [])),
  );
  // Sections that are never cut may use half of the limit. The divisor 8 leaves each section some room for its other text.
  const clip = (text: string): string =>
    shortened(text, Math.floor(most / 8 / Math.max(1, uncutTexts.flat().length)));
  const clippedTexts = uncutTexts.map((texts) => texts.map((text) => clip(text)).join('\n\n'));
  let fence = fenceAround(clippedTexts.join('\n'));
  const around = inCodeBlocks(head, blocks, fence, clippedTexts);
  let left = most - lengthOf(around) - blocks.flatMap(({ sections }) => sections).length * 100;
  const shownOf = ({
    items,
    importance = [],
    separator,
    itemName,
    most: mostItems = items.length,
  }: Section): string[] => {
    if (items.length === 0) return [];
    if (itemName === undefined) return [items.map((text) => clip(text)).join(separator)];
    const shown = new Set<number>();
    const rank = (index: number): number => importance[index] ?? 0;
    const inTurn = [...items.keys()].toSorted((a, b) => rank(b) - rank(a));
    for (const index of inTurn.slice(0, mostItems)) {
      const item = items[index] ?? '';
      const longer = Math.max(fence, fenceAround(item));
      // Each block has a fence at either end.
      const length = lengthOf(item) + separator.length + 2 * blocks.length * (longer - fence);
      if (length > left) break;
      left -= length;
      fence = longer;
      shown.add(index);
    }
    if (shown.size < Math.min(items.length, mostItems)) left = 0; // later items must not seem to follow directly
    const more = items.length - shown.size;
    const note =
      more === 0
        ? []
        : [`… and ${more} more ${itemName}, left out here. --report html=FILE shows all of them.`];
    return [[...items.filter((_, index) => shown.has(index)), ...note].join(separator)];
  };
  const texts = blocks.map(({ sections }) => sections.flatMap(shownOf).join('\n\n'));
  return inCodeBlocks(head, blocks, fence, texts);
}

/** Returns the whole comment, with `texts` in its code blocks. Empty blocks are left out. */
function inCodeBlocks(
  head: readonly string[],
  blocks: readonly Block[],
  fenceLength: number,
  texts: readonly string[],
): string {
  const fence = '`'.repeat(fenceLength);
  const written = blocks.flatMap(({ summary, language }, index) => {
    const text = texts[index] ?? '';
    if (text === '') return [];
    const block = [`${fence}${language}`, text, fence, ''];
    return summary === undefined
      ? block
      : ['<details>', `<summary>${summary}</summary>`, '', ...block, '</details>', ''];
  });
  return [...head, ...written].join('\n');
}

const maxKeyLength = 500;

function marker(title: string, key: CommentKey): string {
  const parts = Object.entries(key).flatMap(([part, value]) =>
    // A URI may contain `--`, which would end an HTML comment early.
    value === undefined ? [] : `${part}=${uriComponent(value).replaceAll('-', '%2D')}`,
  );
  const text = [title, ...parts].join(' ');
  if (text.length <= maxKeyLength) return text;
  return `${title} ${createHash('sha256').update(text).digest('hex')}`;
}

/** Makes a code span from a string of one line. Markdown is not interpreted in a code span. */
function codeSpan(text: string): string {
  const longest = longestRun(text);
  const [fence, pad] = ['`'.repeat(longest + 1), longest > 0 ? ' ' : ''];
  return fence + pad + text + pad + fence;
}

/** The length of a fence that the text inside it cannot close. */
function fenceAround(text: string): number {
  return Math.max(2, longestRun(text)) + 1;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
