import type { Address } from '../base/diagnostic.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { ObservedRecord } from '../service/types.ts';

export type Observation =
  | { readonly presence: 'present'; readonly held: ObservedRecord }
  | {
      readonly presence: 'absent';
      /** If the list was read, and exactly one record has the title of the resource: the name of this record. */
      readonly namesake?: string;
    }
  | {
      readonly presence: 'unknown';
      readonly unread?: InconclusiveRead;
      readonly ids?: readonly string[] | undefined;
      /** Why the state of a rename is unknown: both names exist, neither name is visible, or a look-up failed. */
      readonly torn?: 'both' | 'unseen' | 'unread';
    };

export type ObservedState = ReadonlyMap<Address, Observation>;

export function observedRecordAt(observed: ObservedState, address: Address): ObservedRecord | undefined {
  const observation = observed.get(address);
  return observation?.presence === 'present' ? observation.held : undefined;
}

export function existingIn(observed: ObservedState): ReadonlyMap<Address, ObservedRecord['fields']> {
  return new Map(
    [...observed].flatMap(([address, found]) =>
      found.presence === 'present' ? [[address, found.held.fields] as const] : [],
    ),
  );
}

/** Returns the id of a record by its address: null if it does not exist, undefined if it was not looked up. */
export function observedIds(observed: ObservedState): (address: Address) => string | null | undefined {
  return (address) => (observed.has(address) ? (observedRecordAt(observed, address)?.pk ?? null) : undefined);
}
