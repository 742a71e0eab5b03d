import { createHash } from 'node:crypto';
import { inline, startOf, uriComponent } from '../printable.ts';

/**
 * A Markdown comment. Every text from a manifest or the service is inside its one code block, or the code of its heading, where
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
  /** The words to click on to unfold the block; without them the block is open. */
  readonly fold?: string;
  readonly language: 'diff' | 'text';
  readonly sections: readonly MarkdownSection[];
}

/** What tells one comment from another, by name; what is undefined is left out. */
export type CommentKey = Readonly<Record<string, string | undefined>>;

/** A part of the block. Its texts are safe line by line. */
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
  const certain = content.sections.flatMap((section) =>
    section.itemName === undefined ? section.items : [],
  );
  // The sections that are never cut may take half of the room. Each section needs some for its own words.
  const clip = (text: string): string => clipped(text, Math.floor(most / 8 / Math.max(1, certain.length)));
  const stands = certain.map((text) => clip(text)).join('\n\n');
  let fence = longEnough(stands);
  const around = inFence(content, fence, stands);
  let left = most - lengthOf(around) - content.sections.length * 100;
  const block = content.sections.flatMap(({ items, separator, itemName, most: mostItems = items.length }) => {
    if (itemName === undefined) return [items.map((text) => clip(text)).join(separator)];
    let shown = 0;
    for (const item of items.slice(0, mostItems)) {
      const longer = Math.max(fence, longEnough(item));
      const length = lengthOf(item) + separator.length + 2 * (longer - fence); // the block has a fence at either end
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
  });
  return inFence(content, fence, block.join('\n\n'));
}

function inFence(
  { title, name, key, headline, fold, language }: MarkdownComment,
  fenceLength: number,
  text: string,
): string {
  const fence = '`'.repeat(fenceLength);
  return [
    `<!-- ${marker(title, key)} -->`,
    `### ${title}${name === '' ? '' : ` for ${codeSpan(clipped(inline(name), 200))}`}`,
    '',
    headline,
    '',
    ...(fold === undefined ? [] : ['<details>', `<summary>${fold}</summary>`, '']),
    ...(text === '' ? [] : [`${fence}${language}`, text, fence]),
    ...(fold === undefined ? [] : ['', '</details>']),
    '',
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
