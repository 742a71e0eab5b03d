import { isJsonList, type JsonValue } from '../base/json.ts';
import { wantedChildren } from '../kinds/access.ts';
import { extraBindings, missingBindings } from '../kinds/bindings.ts';
import type { Bindable } from '../kinds/children.ts';
import type { Resource } from '../kinds/resource.ts';
import { boundTo } from '../service/children.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Difference } from './plan.ts';

/** Whether a create ended halfway: the record grants no access yet, and a withheld field or a binding is missing. */
export function isUnfinished(
  resource: Resource,
  record: Pick<HeldRecord, 'fields' | 'bound'>,
  differences: readonly Pick<Difference, 'field'>[],
): boolean {
  const { bindable } = resource.kind;
  const declared = wantedChildren(resource);
  if (bindable === undefined || declared.every(({ wanted }) => wanted.length === 0)) return false;
  if (!isStillClosed(bindable, record.fields)) return false;
  if (differences.some(({ field }) => bindable.withheld.includes(field))) return true;
  const bound = declared.map((one) => [one, boundTo(record, one.children)] as const);
  return (
    bound.some((pair) => missingBindings(...pair).length > 0) &&
    // A create adds declared bindings only, so with others its access has changed since.
    bound.every((pair) => extraBindings(...pair).length === 0)
  );
}

/** Whether a record still does not have the fields that open it. */
export function isStillClosed({ withheld, createdWith }: Bindable, fields: HeldRecord['fields']): boolean {
  return (
    withheld.length > 0 &&
    withheld.every((field) => isNothing(fields[field]) || fields[field] === createdWith[field])
  );
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (isJsonList(value) && value.length === 0);
}
