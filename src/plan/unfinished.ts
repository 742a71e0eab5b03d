import { isJsonList, type JsonValue } from '../base/json.ts';
import { wantedChildren } from '../kinds/access.ts';
import type { Bindable } from '../kinds/children.ts';
import type { Resource } from '../kinds/resource.ts';
import { isShipped } from '../kinds/shipped.ts';
import { bindingsOf } from '../service/children.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Difference } from './plan.ts';

/**
 * Whether an earlier run left the record incomplete: essential bindings are declared and none exists, or no withheld field is set,
 * and either the manifest declares one without a first value or no declared bindings exist.
 */
export function isUnfinished(
  resource: Resource,
  record: Pick<ObservedRecord, 'fields' | 'bound'>,
  differences: readonly Pick<Difference, 'field'>[],
): boolean {
  const { bindable } = resource.kind;
  const declared = wantedChildren(resource);
  if (bindable === undefined || declared.every(({ wanted }) => wanted.length === 0)) return false;
  const isWithoutEssential = declared.some(
    ({ children, wanted }) =>
      children.isEssential &&
      wanted.some(({ field }) => differences.some((difference) => difference.field === field)) &&
      bindingsOf(record, children).length === 0,
  );
  if (isWithoutEssential) return !isShipped(resource.address);
  if (!areWithheldFieldsUnset(bindable, record.fields)) return false;
  const { withheld, createdWith } = bindable;
  if (differences.some(({ field }) => withheld.includes(field) && createdWith[field] === undefined))
    return true;
  // If some of the bindings exist, the others, and fields with another default, were probably declared or changed later.
  return declared.every(({ children }) => bindingsOf(record, children).length === 0);
}

/** Whether the withheld fields, which make a record usable, are not set yet. */
export function areWithheldFieldsUnset(
  { withheld, createdWith }: Bindable,
  fields: ObservedRecord['fields'],
): boolean {
  return (
    withheld.length > 0 &&
    withheld.every((field) => isEmpty(fields[field]) || fields[field] === createdWith[field])
  );
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (isJsonList(value) && value.length === 0);
}
