import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { addressOf, byAddress } from '../kinds/resource.ts';
import { possibleAddresses, printableAddress } from './addresses.ts';
import type { Inventory } from './inventory.ts';

/** Records that no manifest declares, except shipped and internal records. */
export interface Undeclared {
  readonly found: readonly { readonly address: Address; readonly pk: string }[];
  /** The parts that could not be read, and the reasons; empty if the list of undeclared records is complete. */
  readonly gaps: readonly UnreadPart[];
}

export interface UnreadPart {
  readonly type: ResourceType;
  readonly summary: string;
  readonly detail: string;
}

export type DescribeGaps = (
  inventory: Pick<Inventory, 'kind' | 'gaps'>,
) => readonly Pick<UnreadPart, 'summary' | 'detail'>[];

export function undeclaredRecords(
  inventories: readonly Inventory[],
  isDeclared: (address: Address) => boolean,
  wordsOf: DescribeGaps,
): Undeclared {
  const found: { readonly address: Address; readonly pk: string }[] = [];
  const gaps: UnreadPart[] = [];
  for (const { kind, records, gaps: all } of inventories) {
    const { type } = kind;
    for (const record of records)
      if (!kind.isInternal?.(record.received) && !possibleAddresses(kind, record).some(isDeclared))
        found.push({ address: printableAddress(kind, record), pk: textOf(record.shown['pk']) });
    const undeclaredGaps = all.filter((gap) => !('name' in gap) || !isDeclared(addressOf(type, gap.name)));
    // Manifests cannot declare records that share a name, so these records are undeclared.
    for (const gap of undeclaredGaps)
      if (gap.kind === 'several')
        for (const pk of gap.ids) found.push({ address: addressOf(type, gap.name), pk });
    const unread = undeclaredGaps.filter(({ kind: what }) => what !== 'several');
    // Two kinds of the same type can have the same gap.
    for (const words of wordsOf({ kind, gaps: unread }))
      if (!gaps.some(({ summary }) => summary === words.summary)) gaps.push({ type, ...words });
  }
  return { found: found.toSorted(byAddress), gaps };
}
