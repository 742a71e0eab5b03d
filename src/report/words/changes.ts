import type { JsonValue } from '../../base/json.ts';
import { kindWords } from '../../kinds/all.ts';
import { actions } from '../../plan/actions.ts';
import { changeKind, type Change, type ChangeKind, type Difference } from '../../plan/plan.ts';
// The rest of the package is for other diffs, and takes as long to load as a small command to run.
import { diffLines } from 'diff/lib/diff/line.js';

/** A change as every format shows it. */
interface ChangeView {
  readonly kind: ChangeKind;
  readonly fields: readonly FieldView[];
}

export type FieldView =
  | { readonly kind: 'value'; readonly field: string; readonly value: JsonValue }
  /** Two short values, shown one above the other. */
  | {
      readonly kind: 'pair';
      readonly field: string;
      readonly observed: JsonValue;
      readonly declared: JsonValue;
    }
  /** Two long texts: removed is what is observed, added what is declared. */
  | { readonly kind: 'diff'; readonly field: string; readonly lines: readonly DiffLine[] };

/** How an entry of a list looks, and what entries like it are called. */
export interface Look {
  readonly label: string;
  readonly sign: string;
  readonly colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
}

export const changeLooks: Readonly<Record<ChangeKind, Look>> = {
  create: { label: 'to create', sign: actions.create.sign, colour: 'green' },
  create_if_absent: { label: 'to create if absent', sign: '?', colour: 'blue' },
  differs: { label: 'differing', sign: '!', colour: 'amber' },
  in_sync: { label: 'in sync', sign: '=', colour: 'grey' },
};

/** What becomes of a change, in a sentence. */
export const changeVerdicts: Readonly<Record<ChangeKind, string>> = {
  create: 'Will be created with these fields.',
  create_if_absent: `rollcall does not read ${kindWords.unreadable}: it will be created if it is absent, and left as it is if not.`,
  differs: 'Exists and differs. It is left as it is.',
  in_sync: 'Exists, and is as declared.',
};

/** What there is to show of a change: what is sent to create it, or in what it differs. */
export function changeView(change: Change): ChangeView {
  const { resource, presence, differences } = change;
  return {
    kind: changeKind(change),
    fields:
      presence === 'present'
        ? differences.map((difference) => differenceView(difference))
        : Object.entries(resource.shown).map(([field, value]) => ({ kind: 'value', field, value })),
  };
}

/** Longer texts are shown as a diff. */
const atAGlance = 56;

function differenceView({ field, declared, observed }: Difference): FieldView {
  if (typeof declared === 'string' && typeof observed === 'string' && isForDiff(observed, declared))
    return { kind: 'diff', field, lines: textDiff(observed, declared) };
  return { kind: 'pair', field, observed, declared };
}

function isForDiff(observed: string, declared: string): boolean {
  if (observed === '' || declared === '') return false;
  const areLong = observed.length > atAGlance && declared.length > atAGlance;
  return areLong || observed.includes('\n') || declared.includes('\n');
}

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
