import { textOf } from '../base/json.ts';
import type { ReadContext } from '../service/client.ts';
import { readKindChecks } from '../service/own-type.ts';
import { pkOf } from '../service/records.ts';
import type { InventoryGap, Inventory } from './gaps.ts';

/** Removes records of derived kinds, which the service includes in the list of their base kind. */
export async function withoutDerivedTypes(inventory: Inventory, context: ReadContext): Promise<Inventory> {
  const { kind, records, gaps } = inventory;
  if (!kind.isBase) return inventory;
  const types = await readKindChecks(kind, records.map(pkOf), context);
  const ownRecords = records.filter((record) => types.get(pkOf(record)) === true);
  const unknown: InventoryGap[] = [];
  for (const record of records) {
    const type = types.get(pkOf(record));
    if (typeof type === 'boolean') continue;
    const answer = context.signal?.aborted ? undefined : type?.answer;
    if (answer === undefined) return { kind, records: ownRecords, gaps: [...gaps, { kind: 'interrupted' }] };
    if (type?.proof === 'absent')
      unknown.push({ kind: 'not_shown', name: textOf(record.shown[kind.identity]), answer });
    else return { kind, records: ownRecords, gaps: [...gaps, { kind: 'ended', answer }] };
  }
  return { kind, records: ownRecords, gaps: [...gaps, ...unknown] };
}
