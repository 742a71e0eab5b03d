import { textOf, type JsonValue } from '../base/json.ts';
import { wantedChildren } from '../kinds/access.ts';
import {
  ambiguousBinding,
  changedBindings,
  differingFields,
  isEnabled,
  removesBindings,
} from '../kinds/bindings.ts';
import { mergedValue, sentFields, sentValue } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';
import { bindingsOf } from '../service/children.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Difference, Permission } from './plan.ts';

/** Why a run that may update must leave a record unchanged; undefined if it may change the record. */
export function refusedUpdateReason(
  resource: Resource,
  record: ObservedRecord,
  differences: readonly Pick<Difference, 'field'>[],
  { self, mayDelete }: Permission,
): string | undefined {
  const { refusal, protectedOnSelf = [] } = resource.kind.update;
  const refused = refusal?.(record.fields, sentFields(resource));
  if (refused !== undefined) return refused;
  const unclear = differences.flatMap(({ field }) => ambiguousBindings(resource, field, record))[0];
  if (unclear !== undefined) return unclear;
  if (invertsSeveral(resource, record))
    return 'in the mode `all`, changing `negate` or `failure_result` in several bindings would admit others in between: change one binding per apply';
  const removal = mayDelete
    ? undefined
    : differences.find(({ field }) => deletesBindings(resource, field, record));
  if (removal)
    return `removing bindings from \`${removal.field}\` needs --allow delete; or write \`at_least: [${removal.field}]\``;
  const protectedDifference = differences.find(({ field }) => protectedOnSelf.includes(field));
  const text = `this ${resource.kind.type}`;
  if (protectedDifference && self === undefined)
    return `it is unknown whether the token belongs to ${text}, whose \`${protectedDifference.field}\` differs`;
  if (protectedDifference && self === record.pk)
    return `the token belongs to ${text}, whose \`${protectedDifference.field}\` differs`;
  const { exact } = record;
  const sent = (observed: ObservedRecord['fields'], field: string): JsonValue =>
    mergedValue(resource, field, observed[field]);
  const inexactFields =
    exact && differences.find(({ field }) => !sameJson(sent(record.fields, field), sent(exact, field)));
  return (
    inexactFields && `its \`${inexactFields.field}\` holds a number that rollcall cannot send back exactly`
  );
}

function ambiguousBindings(resource: Resource, field: string, record: ObservedRecord): string[] {
  return wantedChildren(resource).flatMap((item) => {
    const unclear = item.fields.includes(field)
      ? ambiguousBinding(item, bindingsOf(record, item.children))
      : undefined;
    if (unclear === undefined) return [];
    const order = textOf(unclear.values['order'] ?? null);
    return `several bindings in its \`${field}\` have the order ${order} and the same ${unclear.binds.idField}, so rollcall cannot distinguish them`;
  });
}

/** The fields of a binding that decide whom it admits. */
const resultFields: ReadonlySet<string> = new Set(['negate', 'failure_result']);

/** Whether an update would change whom several bindings admit, all of which people must pass. */
function invertsSeveral(resource: Resource, record: ObservedRecord): boolean {
  const { mode } = resource.kind.bindable ?? {};
  if (mode === undefined) return false;
  if (![record.fields[mode.field], sentValue(resource, mode.field)].includes(mode.all)) return false;
  return wantedChildren(resource).some((item) => {
    const changed = changedBindings(item, bindingsOf(record, item.children));
    const inverted = changed.filter(
      ([one, base]) =>
        differingFields(one, base).some((field) => resultFields.has(field)) &&
        [base.values, { ...base.values, ...one.values }].some((values) => isEnabled({ values })),
    );
    return inverted.length > 1;
  });
}

/** Whether an update of the field would delete an undeclared binding. */
export function deletesBindings(resource: Resource, field: string, record: ObservedRecord): boolean {
  return wantedChildren(resource).some(
    (item) =>
      item.removal === 'delete' &&
      item.fields.includes(field) &&
      removesBindings(item, bindingsOf(record, item.children)),
  );
}
