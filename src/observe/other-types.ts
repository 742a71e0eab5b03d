import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import type { Family } from '../kinds/kind.ts';
import { referenceNames } from '../kinds/named.ts';
import { isOfKind } from '../service/own-type.ts';
import type { ListReading } from '../service/read-whole.ts';
import { pkOf } from '../service/records.ts';
import { addressOf } from '../kinds/resource.ts';
import type { InventoryGap, Inventory } from './inventory.ts';

/** Adds a gap to the first inventory of each list that contains records of types which manifests cannot declare. */
export async function withOtherTypeGaps(
  inventories: readonly Inventory[],
  whole: (family: Family) => Promise<ListReading>,
  isWanted: (address: Address) => boolean = () => true,
): Promise<Inventory[]> {
  const done = new Set<Family>();
  const all: Inventory[] = [];
  for (const inventory of inventories) {
    const { family, variant, type } = inventory.kind;
    if (variant === undefined || done.has(family)) all.push(inventory);
    else {
      done.add(family);
      const known = inventories.filter(({ kind }) => kind.family === family);
      const otherGaps = await gapsIn(family, known, whole, (name) => isWanted(addressOf(type, name)));
      all.push({ ...inventory, gaps: [...inventory.gaps, ...otherGaps] });
    }
  }
  return all;
}

async function gapsIn(
  all: Family,
  known: readonly Inventory[],
  whole: (family: Family) => Promise<ListReading>,
  isWanted: (name: string) => boolean,
): Promise<InventoryGap[]> {
  const read = await whole(all);
  if (read.kind === 'not_sent') return [{ kind: 'interrupted' }];
  if (read.kind === 'unread') return [{ kind: 'ended', answer: read.reading.answer }];
  // Earlier releases use other names for some types, as 2023.10.7 does for the WebAuthn stage.
  const listed = new Set(known.flatMap(({ records }) => records.map(pkOf)));
  const others = read.records.flatMap((record) => {
    const { received, shown } = record;
    if (listed.has(pkOf(record)) || (received['managed'] ?? null) !== null) return [];
    if (known.some(({ kind }) => isOfKind(kind, received))) return [];
    const [name = textOf(shown['pk'])] = referenceNames(all, shown);
    return isWanted(name) ? { name, type: textOf(shown['verbose_name']) || 'another type' } : [];
  });
  return others.length === 0 ? [] : [{ kind: 'other_types', of: all, others }];
}
