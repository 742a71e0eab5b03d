import type { JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { managedPart, mergedValue, placeholderFor, sentValue } from '../kinds/fields.ts';
import { sameValue, type Kind, type ValueChange } from '../kinds/kind.ts';
import type { Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Alteration } from '../manifest/baseline.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Change } from './plan.ts';
import { isUnset } from './unfinished.ts';

/** Who gains access through the declared fields of a change, compared with the service and with the baseline. */
export function accessGains(
  { resource, action }: Pick<Change, 'resource' | 'action'>,
  { fields: held }: Pick<ObservedRecord, 'fields'>,
  since: Alteration | undefined,
  release?: Release,
): string[] {
  const { kind, fields } = resource;
  const gaining = gainingFields(kind);
  if (gaining.size === 0) return [];
  const altered = new Map(
    since?.kind === 'altered' ? (since.fields ?? []).map((field) => [field.field, field]) : [],
  );
  return Object.keys(fields).flatMap((field): string[] => {
    if (!gaining.has(field)) return [];
    const before = action === 'create' ? undefined : managedPart(resource, field, held[field]);
    const planned = mergedValue(resource, field, held[field]);
    const isPending =
      action === 'create' || (action === 'update' && !sameValue(kind, field, planned, before ?? null));
    const reaches = (was: JsonValue | undefined, now: JsonValue = planned): string[] =>
      accessGainsOfField(resource, field, { now, before: was, release }, held);
    // Both values of an alteration contain names, which the planned value does not.
    const alteration = altered.get(field);
    return [
      ...(isPending ? reaches(before) : []),
      ...(since?.kind === 'added' ? reaches(undefined) : []),
      ...(alteration ? reaches(alteration.before, alteration.now) : []),
    ];
  });
}

const gainingFields = memoizePerKey(
  ({ fields }: Kind) =>
    new Set(Object.keys(fields).filter((field) => fields[field]?.accessGain !== undefined)),
);

/** Whether the declared value of a field takes access away and gives none. */
export function restrictsAccess(resource: Resource, field: string, held: ObservedRecord['fields']): boolean {
  const { mode, withheld = [], createdWith = {} } = resource.kind.bindable ?? {};
  const now = mergedValue(resource, field, held[field]);
  if (field === mode?.field) return now === mode.all;
  if (withheld.includes(field) && isUnset(createdWith[field], now)) return true;
  const before = managedPart(resource, field, held[field]);
  const gains = (change: Omit<ValueChange, 'valuesOf'>): boolean =>
    accessGainsOfField(resource, field, change, held).length > 0;
  return gains({ now: before, before: now }) && !gains({ now, before });
}

function accessGainsOfField(
  resource: Resource,
  field: string,
  change: Omit<ValueChange, 'valuesOf'>,
  observed: ObservedRecord['fields'],
): string[] {
  const valuesOf = (other: string): JsonValue[] => [
    observed[other] ?? null,
    sentValue(resource, other) ?? null,
  ];
  const subject = resource.kind.fields[field]?.accessGain?.({ ...change, valuesOf });
  if (subject === undefined) return [];
  return [placeholderFor(resource, field) === undefined ? subject : `others, through its \`${field}\``];
}
