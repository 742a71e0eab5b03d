import { policyBindings } from '../kinds/policy-bindings.ts';
import type { ReadyChange } from './plan.ts';

/**
 * Moves deletes to the end: records that refer to others come before these; policies, groups and users come last, so that deleting
 * their bindings opens nothing in between. Values are freed later than deletes are planned.
 */
export function moveDeletesLast(changes: readonly ReadyChange[]): ReadyChange[] {
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
