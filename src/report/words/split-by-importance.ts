import { groupBy } from '../../base/group-by.ts';
import { isIncomplete, type Outcome, type OutcomeFacts } from '../../apply/outcome.ts';
import { endedAsPlanned } from './outcomes.ts';

/** If more than this number of resources ended as planned, the unchanged resources are counted but not named. */
export const maxAsPlanned = 50;
/** If more than this number of resources were created, or changed, or deleted, only the first `maxAsPlanned` of these are named. */
const maxListedChanges = 200;

type Ended = OutcomeFacts & Pick<Outcome, 'pk'>;

/**
 * Splits resources into those that are named and the number of all others. Named are those that did not end as planned, those that
 * were created, changed or deleted, and those that existed already if these are few.
 */
export function splitByImportance<View extends Ended>(
  outcomes: readonly View[],
): { readonly named: readonly View[]; readonly more: number } {
  const asPlanned = outcomes.filter(isAsPlanned);
  if (asPlanned.length <= maxAsPlanned) return { named: outcomes, more: 0 };
  const done = asPlanned.filter(endedAsPlanned);
  const existing = asPlanned.filter(({ outcome }) => outcome === 'exists');
  const alikes = [...groupBy(done, ({ outcome }) => outcome).values()];
  const shown = new Set([
    ...alikes.flatMap((alike) => (alike.length <= maxListedChanges ? alike : alike.slice(0, maxAsPlanned))),
    ...(existing.length <= maxAsPlanned ? existing : []),
  ]);
  const named = outcomes.filter((outcome) => !isAsPlanned(outcome) || shown.has(outcome));
  return { named, more: outcomes.length - named.length };
}

function isAsPlanned(outcome: Ended): boolean {
  // The resource was absent when it was looked up, so somebody else has created it since.
  const hasAppeared = outcome.outcome === 'exists' && outcome.pk !== undefined;
  return !isIncomplete(outcome) && !hasAppeared;
}
