// The rest of the package is for other diffs, and takes as long to load as a small command to run.
import { diffLines } from 'diff/lib/diff/line.js';

/** A line of a diff, or a number of equal lines that are left out. */
export type DiffLine =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'left_out'; readonly lines: number };

/** Texts that have more differences than this are shown whole, one after the other. */
const mostEdits = 1000;
const context = 2;

/** The differences between two texts, line by line, with the lines around them. */
export function textDiff(before: string, after: string): DiffLine[] {
  const parts = diffLines(ended(before), ended(after), { maxEditLength: mostEdits }) ?? [
    { value: ended(before), removed: true, added: false },
    { value: ended(after), removed: false, added: true },
  ];
  return parts.flatMap((part, index): DiffLine[] => {
    const lines = part.value.split('\n').slice(0, -1);
    if (part.removed) return lines.map((text) => ({ kind: 'removed', text }));
    if (part.added) return lines.map((text) => ({ kind: 'added', text }));
    const head = index === 0 ? 0 : context;
    const tail = index === parts.length - 1 ? 0 : context;
    const leftOut = lines.length - head - tail;
    if (leftOut < 2) return lines.map((text) => ({ kind: 'same', text }));
    return [
      ...lines.slice(0, head).map((text): DiffLine => ({ kind: 'same', text })),
      { kind: 'left_out', lines: leftOut },
      ...lines.slice(lines.length - tail).map((text): DiffLine => ({ kind: 'same', text })),
    ];
  });
}

/** The text with a line end added, so that a missing line end at the end of one text shows as a difference. */
function ended(text: string): string {
  return `${text}\n`;
}
