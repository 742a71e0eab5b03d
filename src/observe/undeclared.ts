import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import { addressOf } from '../kinds/resource.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { inventoryOf, type Inventory } from './inventory.ts';

/** What the service holds and no manifest declares, but for what it keeps for itself. Nothing is planned of it. */
export interface Undeclared {
  readonly found: readonly { readonly address: Address; readonly pk: string }[];
  /** Whether all was read that there is; else there may be more. */
  readonly isWhole: boolean;
  /** What of each kind was not read, and why, where that is known. */
  readonly gaps?: readonly Pick<Inventory, 'kind' | 'gaps'>[];
}

/** Reads all records of all kinds, as far as the token can see them. */
export async function readUndeclared(
  isDeclared: (address: Address) => boolean,
  options: { readonly client: Client; readonly pacing: Pacing; readonly signal?: AbortSignal | undefined },
): Promise<Undeclared> {
  const inventories: Inventory[] = [];
  for (const kind of kinds) inventories.push(await inventoryOf(kind, options));
  const found = inventories.flatMap(({ kind, records }) =>
    records.flatMap(({ received, shown }) => {
      if (kind.isInternal?.(received) || isDeclared(addressOf(kind.type, textOf(received[kind.identity]))))
        return [];
      return { address: addressOf(kind.type, textOf(shown[kind.identity])), pk: textOf(shown['pk']) };
    }),
  );
  const isWhole = inventories.every(({ gaps }) => gaps.length === 0);
  return { found, isWhole, ...(!isWhole && { gaps: inventories }) };
}
