import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { namesOf } from '../kinds/named.ts';
import { isOfKind } from '../service/own-type.ts';
import { readWhole } from '../service/read-whole.ts';
import { addressOf } from '../kinds/resource.ts';
import type { Gap, Inventory } from './gaps.ts';
import type { InventoryOptions } from './inventory.ts';

/**
 * The inventories with a gap for records of other types, which no manifest can declare. It is reported once, for the first kind.
 */
export async function withOtherTypes(
  inventories: readonly Inventory[],
  options: InventoryOptions,
  isWanted: (address: Address) => boolean = () => true,
): Promise<Inventory[]> {
  const done = new Set<Family>();
  const all: Inventory[] = [];
  for (const inventory of inventories) {
    const { family, variant, type } = inventory.kind;
    if (variant === undefined || done.has(family)) all.push(inventory);
    else {
      done.add(family);
      const known = inventories.flatMap(({ kind }) => (kind.family === family ? kind : []));
      const more = await gapsIn(family, known, options, (name) => isWanted(addressOf(type, name)));
      all.push({ ...inventory, gaps: [...inventory.gaps, ...more] });
    }
  }
  return all;
}

async function gapsIn(
  all: Family,
  known: readonly Kind[],
  options: InventoryOptions,
  isWanted: (name: string) => boolean,
): Promise<Gap[]> {
  const read = await readWhole(all.byName, options);
  if (read.kind === 'not_sent') return [{ kind: 'interrupted' }];
  if (read.kind === 'unread') return [{ kind: 'ended', answer: read.reading.answer }];
  const others = read.records.flatMap(({ received, shown }) => {
    if (known.some((kind) => isOfKind(kind, received))) return [];
    const [name = textOf(shown['pk'])] = namesOf(all.byName, shown);
    return isWanted(name) ? { name, type: textOf(shown['verbose_name']) || 'another type' } : [];
  });
  return others.length === 0 ? [] : [{ kind: 'other_types', of: all, others }];
}
