import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { addressIn } from '../kinds/resource.ts';
import type { ListedRecord } from '../service/records.ts';

type RecordNames = Pick<ListedRecord, 'received' | 'within'>;

export function addressOfRecord(kind: Kind<ResourceType>, record: RecordNames): Address {
  return possibleAddresses(kind, record)[0];
}

export function printableAddress(kind: Kind<ResourceType>, { shown, within }: ListedRecord): Address {
  return addressOfRecord(kind, { received: shown, within });
}

/** The addresses under which manifests may declare a record; an address may contain the parent's name or the parent's id. */
export function possibleAddresses(
  kind: Kind<ResourceType>,
  { received, within }: RecordNames,
): readonly [Address, ...Address[]] {
  const name = textOf(received[kind.identity]);
  const byId = addressIn(kind, name, kind.scope && received[kind.scope]);
  return within === undefined ? [byId] : [addressIn(kind, name, { name: within }), byId];
}
