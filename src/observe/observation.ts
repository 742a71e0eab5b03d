import type { Address } from '../base/diagnostic.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { ObservedRecord } from '../service/types.ts';

export type Observation =
  | { readonly presence: 'present'; readonly held: ObservedRecord }
  | {
      readonly presence: 'absent';
      /** The name of the only other record with the same title, if a list was read. */
      readonly namesake?: string;
    }
  | {
      readonly presence: 'unknown';
      /** The look-up that failed. */
      readonly unread?: InconclusiveRead;
      /** The ids, if several records have the name. */
      readonly ids?: readonly string[] | undefined;
      /** For a renamed resource: both names exist; none is visible, but one may be hidden; or a look-up failed. */
      readonly torn?: 'both' | 'unseen' | 'unread';
    };

export type ObservedState = ReadonlyMap<Address, Observation>;

/** The record of an existing resource. */
export function heldAt(observed: ObservedState, address: Address): ObservedRecord | undefined {
  const observation = observed.get(address);
  return observation?.presence === 'present' ? observation.held : undefined;
}
