import { createHash } from 'node:crypto';
import { inline, startOf, uriComponent } from '../printable.ts';

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
  readonly fold?: string;
  readonly language: 'diff' | 'text';
  readonly sections: readonly MarkdownSection[];
}

/** What tells one comment from another, by name; what is undefined is left out. */
export type CommentKey = Readonly<Record<string, string | undefined>>;

/** A part of a block. Its texts are safe line by line. */
export interface MarkdownSection {
  readonly items: readonly string[];
  readonly separator: '\n' | '\n\n';
  /** What its items are called when some are left out, such as `changes`. A section without it is never cut. */
  readonly itemName?: string;
  /** How many items are shown at the most. */
  readonly most?: number;
}

/** How long a text may be, and how its length is measured. */
export interface Limit {
  readonly most: number;
  readonly lengthOf: (text: string) => number;
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
    ...blocks.flatMap(({ fold, language }, index) => {
      const text = texts[index] ?? '';
      if (text === '') return [];
      const block = [`${fence}${language}`, text, fence, ''];
      return fold === undefined
        ? block
        : ['<details>', `<summary>${fold}</summary>`, '', ...block, '</details>', ''];
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
