import type { Address } from '../base/diagnostic.ts';
import { kindOf } from '../kinds/all.ts';
import { neverShownFields, shownValue } from '../kinds/fields.ts';
import { isNeverShown } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { PlanDocument } from './document.ts';
import type { Change, Difference } from './plan.ts';

/** The differences of a resource, and the fields that cannot be compared. A field that is sent again counts as a difference. */
export function withResent(
  resource: Resource,
  differences: readonly Difference[],
  isResent: boolean,
): Required<Pick<Change, 'differences' | 'notCompared'>> {
  const fields = neverShownFields(resource);
  if (!isResent) return { differences, notCompared: fields };
  const again = fields.map((field) => ({
    field,
    declared: shownValue(resource, field) ?? null,
    observed: null,
  }));
  return { differences: [...differences, ...again], notCompared: [] };
}

/** The write-only fields that a change sends again. */
export function resentFields({ resource, differences }: Pick<Change, 'resource' | 'differences'>): string[] {
  return differences.flatMap(({ field }) => (isNeverShown(resource.kind, field) ? field : []));
}

/** The resources for which a saved plan sends write-only fields again. */
export function resentAddresses({ resource_changes: changes }: PlanDocument): ReadonlySet<Address> {
  const resent = changes.filter(({ type, model, differences }) =>
    differences.some(({ field }) => isNeverShown(kindOf(type, model), field)),
  );
  return new Set(resent.map(({ address }) => address));
}
