import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { addressOf, byAddress } from '../kinds/resource.ts';
import type { Inventory } from './gaps.ts';

/** What the service holds and no manifest declares, but for what it keeps for itself. Nothing is planned of it. */
export interface Undeclared {
  /** In the order of their types, then of their names. */
  readonly found: readonly { readonly address: Address; readonly pk: string }[];
  /** What was not read, and why. None: all was read that there is; else there may be more. */
  readonly gaps: readonly UnreadPart[];
}

export interface UnreadPart {
  readonly type: ResourceType;
  readonly summary: string;
  /** What to do about it; may be empty. */
  readonly detail: string;
}

/** What an inventory lacks, in words. */
export type GapWords = (
  inventory: Pick<Inventory, 'kind' | 'gaps'>,
) => readonly Pick<UnreadPart, 'summary' | 'detail'>[];

/** What inventories hold that is not declared. */
export function undeclaredIn(
  inventories: readonly Inventory[],
  isDeclared: (address: Address) => boolean,
  wordsOf: GapWords,
): Undeclared {
  const found: { readonly address: Address; readonly pk: string }[] = [];
  const gaps: UnreadPart[] = [];
  for (const { kind, records, gaps: all } of inventories) {
    const { type, identity } = kind;
    for (const { received, shown } of records)
      if (!kind.isInternal?.(received) && !isDeclared(addressOf(type, textOf(received[identity]))))
        found.push({ address: addressOf(type, textOf(shown[identity])), pk: textOf(shown['pk']) });
    const left = all.filter((gap) => !('name' in gap) || !isDeclared(addressOf(type, gap.name)));
    // Of one name, none is declared.
    for (const gap of left)
      if (gap.kind === 'several')
        for (const pk of gap.ids) found.push({ address: addressOf(type, gap.name), pk });
    const unread = left.filter(({ kind: what }) => what !== 'several');
    // Two kinds of a type can lack the same.
    for (const words of wordsOf({ kind, gaps: unread }))
      if (!gaps.some(({ summary }) => summary === words.summary)) gaps.push({ type, ...words });
  }
  return { found: found.toSorted(byAddress), gaps };
}
