import type { Address } from '../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../base/json.ts';
import { wantedChildren } from '../kinds/access.ts';
import { missingBindings } from '../kinds/bindings.ts';
import type { Bindable } from '../kinds/children.ts';
import { writtenValue } from '../kinds/fields.ts';
import { namingFields, keyOfId, referenceKeys } from '../kinds/named.ts';
import { mayDecideOtherwise } from '../kinds/policy-bindings.ts';
import type { Resource } from '../kinds/resource.ts';
import { isShipped } from '../kinds/shipped.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';
import { bindingsOf } from '../service/children.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Change, Difference } from './plan.ts';

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

/**
 * Marks records that new resources refer to, although declared bindings of the record are missing, or the record is a policy that
 * differs: the new resources would be less protected than declared. A resource that refers to such a record by its id waits for it.
 */
export function withNeededUnfinished<Planned extends Change>(
  changes: readonly Planned[],
  observed: ObservedState,
): readonly Planned[] {
  const keysOfLacking = new Map<Address, string>();
  for (const change of changes) {
    const record = observedRecordAt(observed, change.resource.address);
    if (record && isLacking(change, record))
      keysOfLacking.set(change.resource.address, keyOfId(change.resource.kind, record.pk));
  }
  if (keysOfLacking.size === 0) return changes;
  const keysOf = new Map(
    changes.flatMap(({ action, resource }) =>
      action === 'create' ? [[resource.address, referredKeys(resource)] as const] : [],
    ),
  );
  const needed = new Set([...keysOf.values()].flat());
  const lacking = new Map(
    Array.from(keysOfLacking).flatMap(([address, key]): [string, Address][] =>
      needed.has(address) || needed.has(key) ? [[key, address]] : [],
    ),
  );
  const marked = new Set(lacking.values());
  return changes.map((change) => {
    const { address } = change.resource;
    if (marked.has(address)) return { ...change, unfinished: true };
    const keys = keysOf.get(address) ?? [];
    const waitsFor = keys.flatMap((key) => lacking.get(key) ?? []);
    const unfinished = new Set([...waitsFor, ...[...marked].filter((one) => keys.includes(one))]);
    if (unfinished.size === 0) return change;
    const remarks = Array.from(unfinished, (other) => `is not created while ${other} is unfinished`);
    return {
      ...change,
      ...(waitsFor.length > 0 && { waitsFor }),
      remarks: [...(change.remarks ?? []), ...remarks],
    };
  });
}

function isLacking({ resource, action, differences }: Change, record: ObservedRecord): boolean {
  return action === 'no-op' && lacksProtection(resource, differences, record);
}

/** Whether a record has fewer bindings than declared, or is a policy that differs, so that a record that refers to it is less protected than declared. */
export function lacksProtection(
  resource: Resource,
  differences: readonly Pick<Difference, 'field'>[],
  record: Pick<ObservedRecord, 'bound'>,
): boolean {
  if (differences.length === 0 || resource.kind.access !== undefined) return false;
  return (
    mayDecideOtherwise(resource.kind, differences) ||
    wantedChildren(resource).some(
      (item) => missingBindings(item, bindingsOf(record, item.children)).length > 0,
    )
  );
}

/** The addresses and the literal ids to which a resource refers. */
function referredKeys(resource: Resource): string[] {
  const { kind } = resource;
  const keys = referenceKeys(kind, namingFields(kind), (field) => writtenValue(resource, field));
  return keys.flatMap(([key = []]) => key);
}

/** Whether the withheld fields, which make a record usable, are not set yet. */
export function areWithheldFieldsUnset(
  { withheld, createdWith }: Bindable,
  fields: ObservedRecord['fields'],
): boolean {
  return withheld.length > 0 && withheld.every((field) => isUnset(createdWith[field], fields[field]));
}

/** Whether the value of a withheld field leaves the record unusable. */
export function isUnset(createdWith: JsonValue | undefined, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === createdWith) return true;
  return isJsonList(value) && value.length === 0;
}
