import { policyBindings } from '../kinds/policy-bindings.ts';
import type { ReadyChange } from './plan.ts';

/**
 * Moves deletes to the end of a plan. A record is deleted before the records that it refers to. Policies, groups and users are
 * deleted last: the service deletes their bindings too, and another record could be open until it is deleted as well.
 */
export function moveDeletesLast(changes: readonly ReadyChange[]): readonly ReadyChange[] {
  const last = changes.filter(({ action }) => action === 'delete');
  if (last.length === 0) return changes;
  return [
    ...changes.filter(({ action }) => action !== 'delete'),
    ...last.filter((change) => !canBeBound(change)).toReversed(),
    ...last.filter((change) => canBeBound(change)),
  ];
}

function canBeBound({ resource: { kind } }: ReadyChange): boolean {
  return policyBindings.binds.some(({ refersTo }) => refersTo === kind.family);
}
