import type { Address } from '../base/diagnostic.ts';
import { textOf } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { addressIn } from '../kinds/resource.ts';
import type { ListedRecord } from '../service/records.ts';

type OfRecord = Pick<ListedRecord, 'received' | 'within'>;

/** The address of a record: the one that exported manifests give it. */
export function addressOfRecord(kind: Kind<ResourceType>, record: OfRecord): Address {
  return addressesOf(kind, record)[0];
}

/** The same as it may be shown. */
export function addressShown(kind: Kind<ResourceType>, { shown, within }: ListedRecord): Address {
  return addressOfRecord(kind, { received: shown, within });
}

/** The addresses that manifests can give a record: they name the record within which its name counts, or write the id. */
export function addressesOf(
  kind: Kind<ResourceType>,
  { received, within }: OfRecord,
): readonly [Address, ...Address[]] {
  const name = textOf(received[kind.identity]);
  const byId = addressIn(kind, name, kind.scope && received[kind.scope]);
  return within === undefined ? [byId] : [addressIn(kind, name, { name: within }), byId];
}
