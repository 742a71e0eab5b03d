import { textOf } from '../base/json.ts';
import { readBindings, withBindings } from '../service/bindings.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { Inventory } from '../observe/inventory.ts';

interface AccessOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/** An inventory with who may open each of its records, where its kind has that. What could not be read is a gap, and no field. */
export async function withAccess(inventory: Inventory, options: AccessOptions): Promise<Inventory> {
  const { kind, records } = inventory;
  if (kind.access === undefined || records.length === 0) return inventory;
  const read = await readBindings(kind.access, records.map(pkOf), options);
  if (read.kind === 'not_sent') return { ...inventory, gaps: [...inventory.gaps, { kind: 'interrupted' }] };
  if (read.kind === 'unread')
    return {
      ...inventory,
      gaps: [...inventory.gaps, { kind: 'no_access', field: kind.access.field, answer: read.reading.answer }],
    };
  return {
    ...inventory,
    records: records.map((record) => {
      const nothing = { pk: pkOf(record), fields: {} };
      const { fields, names = {} } = withBindings(kind, nothing, read.of.get(pkOf(record)) ?? []);
      return {
        ...record,
        received: { ...record.received, ...fields },
        shown: { ...record.shown, ...fields },
        names,
      };
    }),
  };
}

function pkOf({ received }: Inventory['records'][number]): string {
  return textOf(received['pk']);
}
