import { policyBindings } from '../kinds/policy-bindings.ts';
import type { ReadyChange } from './plan.ts';

/**
 * The changes with the deletes last: first records that refer to others; policies, groups and users that can be bound come after
 * all others, so that nothing is open in between. A delete that frees a value is moved later.
 */
export function withDeletionsLast(changes: readonly ReadyChange[]): ReadyChange[] {
  const last = changes.filter(({ action }) => action === 'delete');
  return [
    ...changes.filter(({ action }) => action !== 'delete'),
    ...last.filter((change) => !canBeBound(change)).toReversed(),
    ...last.filter((change) => canBeBound(change)),
  ];
}

function canBeBound({ resource: { kind } }: ReadyChange): boolean {
  return policyBindings.binds.some(({ refersTo }) => refersTo === kind.family);
}
