import type { JsonValue } from '../base/json.ts';
import { actions } from '../plan/actions.ts';
import type { Change, Difference } from '../plan/plan.ts';
import { textDiff, type DiffLine } from './text-diff.ts';

/** A change as every report shows it, whatever its format. */
export interface ChangeView {
  readonly kind: ChangeKind;
  readonly fields: readonly FieldView[];
}

export type ChangeKind = 'create' | 'create_if_absent' | 'differs' | 'in_sync';

export type FieldView =
  | { readonly kind: 'value'; readonly field: string; readonly value: JsonValue }
  /** Two values that are read at a glance. */
  | {
      readonly kind: 'pair';
      readonly field: string;
      readonly observed: JsonValue;
      readonly declared: JsonValue;
    }
  /** Two long texts: removed is what is observed, added what is declared. */
  | { readonly kind: 'diff'; readonly field: string; readonly lines: readonly DiffLine[] };

export const signs: Readonly<Record<ChangeKind, string>> = {
  create: actions.create.sign,
  create_if_absent: '?',
  differs: '!',
  in_sync: '=',
};

/** What there is to show of a change: what is sent to create it, or in what it differs. */
export function changeView({ resource, presence, differences }: Change): ChangeView {
  switch (presence) {
    case 'absent':
    case 'unknown':
      return {
        kind: presence === 'absent' ? 'create' : 'create_if_absent',
        fields: Object.entries(resource.shown).map(([field, value]) => ({ kind: 'value', field, value })),
      };
    case 'present':
      return {
        kind: differences.length > 0 ? 'differs' : 'in_sync',
        fields: differences.map((difference) => differenceView(difference)),
      };
  }
}

/** Longer texts are not compared at a glance. */
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
