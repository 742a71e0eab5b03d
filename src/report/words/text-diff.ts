// Only this module is imported, because the whole package takes as long to load as a small command takes to run.
import { diffLines } from 'diff/lib/diff/line.js';

export type DiffLine =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'left_out'; readonly lines: number };

/** If two strings have more differences than this, each string is shown in full. */
const maxEdits = 1000;
const context = 2;

/** The differences between two strings, line by line, with context. */
export function textDiff(before: string, after: string): DiffLine[] {
  // If only one of the two texts ends with a line ending, the diff shows an additional empty line.
  const [old, now] = [`${before}\n`, `${after}\n`];
  const parts = diffLines(old, now, { maxEditLength: maxEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
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
