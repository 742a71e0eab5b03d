import { startOf } from '../printable.ts';

/** A Markdown comment, all that comes from outside within its one code block, where Markdown and HTML mean nothing. */
export interface MarkdownComment {
  /** Tells this comment from others when a pipeline updates it: words of ours, and what else keeps it apart. */
  readonly marker: readonly [name: string, ...parts: string[]];
  /** Markdown of our own words. */
  readonly headline: string;
  /** What unfolds the block; without it the block stands open. */
  readonly fold?: string;
  readonly language: 'diff' | 'text';
  readonly sections: readonly MarkdownSection[];
}

/** Texts, each safe line by line. */
export interface MarkdownSection {
  readonly items: readonly string[];
  readonly separator: '\n' | '\n\n';
  /** Where this may be cut: what the items are called that are left out, as in `changes`. */
  readonly itemName?: string;
  /** How many items are shown at the most. */
  readonly most?: number;
}

/** How long a text may be, and how its length is measured. */
export interface Limit {
  readonly most: number;
  readonly lengthOf: (text: string) => number;
}

/** GitHub takes comments of 65,536 characters, and GitLab longer ones; what posts it may add some of its own. */
export const commentLimit: Limit = { most: 60_000, lengthOf: (text) => text.length };
/** GitHub takes 1 MiB in the summary of a step. */
export const stepSummaryLimit: Limit = { most: 1_000_000, lengthOf: (text) => Buffer.byteLength(text) };

/** The comment, within a limit: items that do not fit are counted. */
export function comment(content: MarkdownComment, { most, lengthOf }: Limit): string {
  const certain = content.sections.flatMap((section) =>
    section.itemName === undefined ? section.items : [],
  );
  // What must stand may take half of the room, and each section some for its own words.
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
    if (shown < Math.min(items.length, mostItems)) left = 0; // what comes after would seem to follow on what is shown
    const more = items.length - shown;
    const parts =
      more === 0 ? items : [...items.slice(0, shown), `… and ${more} more ${itemName}, left out here.`];
    return parts.length > 0 ? [parts.join(separator)] : [];
  });
  return inFence(content, fence, block.join('\n\n'));
}

function inFence(
  { marker, headline, fold, language }: MarkdownComment,
  fenceLength: number,
  text: string,
): string {
  const fence = '`'.repeat(fenceLength);
  const [name, ...parts] = marker;
  // encodeURIComponent leaves `-`, and two of them would end an HTML comment early.
  const key = [name, ...parts.map((part) => encodeURIComponent(part).replaceAll('-', '%2D'))].join(' ');
  return [
    `<!-- ${clipped(key, 500)} -->`,
    headline,
    '',
    ...(fold === undefined ? [] : ['<details>', `<summary>${fold}</summary>`, '']),
    ...(text === '' ? [] : [`${fence}${language}`, text, fence]),
    ...(fold === undefined ? [] : ['', '</details>']),
    '',
  ].join('\n');
}

/** How long a fence must be for a text not to close it. */
function longEnough(text: string): number {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  return longest + 1;
}

function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${startOf(text, most)}…`;
}
