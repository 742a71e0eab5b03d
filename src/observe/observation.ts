import type { Address } from '../base/diagnostic.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { HeldRecord } from '../service/types.ts';

export type Observation =
  | { readonly presence: 'present'; readonly held: HeldRecord }
  | {
      readonly presence: 'absent';
      /** The only other record with the same title that is not observed itself, if a list showed one. */
      readonly namesake?: string;
    }
  | {
      readonly presence: 'unknown';
      /** The look-up that failed. */
      readonly unread?: InconclusiveRead;
      /** The ids, if several records have the name. */
      readonly ids?: readonly string[] | undefined;
      /** For a renamed resource: both names exist, neither is visible but one may be hidden, or one could not be read. */
      readonly torn?: 'both' | 'unseen' | 'unread';
    };

export type ObservedState = ReadonlyMap<Address, Observation>;

/** The record of an existing resource. */
export function heldAt(observed: ObservedState, address: Address): HeldRecord | undefined {
  const observation = observed.get(address);
  return observation?.presence === 'present' ? observation.held : undefined;
}
