import type { Address } from '../base/diagnostic.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { HeldRecord } from '../service/types.ts';

/** What the service holds of one resource; unknown where its kind cannot be read. */
export type Observation =
  | { readonly presence: 'present'; readonly held: HeldRecord }
  | {
      readonly presence: 'absent';
      /** The only other that a list showed under the same title, and that is not among those to be observed. */
      readonly namesake?: string;
    }
  | {
      readonly presence: 'unknown';
      /** The look-up that did not show it. */
      readonly unread?: InconclusiveRead;
      /** Of which there is more than one: their ids. */
      readonly ids?: readonly string[] | undefined;
      /** Of what had another name before: both names are taken, none is and more may be hidden, or one was not read. */
      readonly torn?: 'both' | 'unseen' | 'unread';
    };

export type ObservedState = ReadonlyMap<Address, Observation>;

/** What the service holds of a resource that is there. */
export function heldAt(observed: ObservedState, address: Address): HeldRecord | undefined {
  const observation = observed.get(address);
  return observation?.presence === 'present' ? observation.held : undefined;
}
