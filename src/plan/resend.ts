import type { Address } from '../base/diagnostic.ts';
import { kindOf } from '../kinds/all.ts';
import { isBindingField } from '../kinds/access.ts';
import { fieldNames, isGenerated, shownValue, type DeclaredFields } from '../kinds/fields.ts';
import { mayBeHidden, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { ObservedValues } from '../service/types.ts';
import { fieldsNotReturned } from './compare.ts';
import type { PlanDocument } from './document.ts';
import type { Change, Difference } from './plan.ts';

export function withResentFields(
  resource: Resource,
  observed: ObservedValues,
  differences: readonly Difference[],
  isResent: boolean,
): Pick<Change, 'differences'> & { readonly notCompared: readonly string[] } {
  const fields = fieldNames(resource).filter(
    (field) => isNotComparable(resource, field, observed) && !isGenerated(resource, field),
  );
  if (!isResent) return { differences, notCompared: fields };
  const resentDifferences = fields.map((field) => ({
    field,
    declared: shownValue(resource, field) ?? null,
    observed: null,
  }));
  return { differences: [...differences, ...resentDifferences], notCompared: [] };
}

/** The declared fields that the service usually shows, but did not show in this answer. The fields of bindings are not part of a record. */
export function uncomparedFields(declared: DeclaredFields, observed: ObservedValues): string[] {
  return fieldsNotReturned(declared, observed).filter(
    (field) => !isBindingField(declared.kind, field) && !isNotComparable(declared, field, observed),
  );
}

/** Whether a field cannot be compared: it is write-only or secret, and the service does not return it. Earlier releases return some write-only fields. */
export function isNotComparable(
  { kind }: Pick<DeclaredFields, 'kind'>,
  field: string,
  { fields }: ObservedValues,
): boolean {
  return mayBeHidden(kind, field) && !Object.hasOwn(fields, field);
}

/** Whether a difference exists only because the field is sent again, not because another value was observed. */
export function isResentDifference(
  kind: Kind,
  { field, observed }: Pick<Difference, 'field' | 'observed'>,
): boolean {
  return mayBeHidden(kind, field) && observed === null;
}

export function resentFields({ resource, differences }: Pick<Change, 'resource' | 'differences'>): string[] {
  return differences.flatMap((difference) =>
    isResentDifference(resource.kind, difference) ? difference.field : [],
  );
}

export function resentAddresses({ resource_changes: changes }: PlanDocument): ReadonlySet<Address> {
  const resent = changes.filter(({ type, model, differences }) =>
    differences.some((difference) => isResentDifference(kindOf(type, model), difference)),
  );
  return new Set(resent.map(({ address }) => address));
}
