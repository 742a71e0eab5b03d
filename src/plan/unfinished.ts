import { isJsonList, type JsonValue } from '../base/json.ts';
import { declaresAccess, letsEveryoneIn } from '../kinds/access.ts';
import { sentValue } from '../kinds/fields.ts';
import { idKey, idsIn } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Difference } from './plan.ts';

/**
 * Whether a record stands as a run leaves it that ends in the middle of a create: it opens nothing, and lacks what it is to open with,
 * or somebody who is to be let in.
 */
export function isUnfinished(
  resource: Resource,
  { fields }: Pick<HeldRecord, 'fields'>,
  differences: readonly Pick<Difference, 'field'>[],
): boolean {
  const { kind } = resource;
  const { access, bindable } = kind;
  if (access === undefined || bindable === undefined) return false;
  if (!declaresAccess(resource) || letsEveryoneIn(resource)) return false;
  if (!bindable.withheld.every((field) => isNothing(fields[field]))) return false;
  const differing = new Set(differences.map(({ field }) => field));
  const lacksGuest = access.subjects.some(({ field }) => {
    if (!differing.has(field)) return false;
    const bound = new Set(idsIn(field, fields[field] ?? null).map(({ id }) => idKey(kind, field, id)));
    return idsIn(field, sentValue(resource, field) ?? null).some(
      ({ id }) => !bound.has(idKey(kind, field, id)),
    );
  });
  return lacksGuest || bindable.withheld.some((field) => differing.has(field));
}

export function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (isJsonList(value) && value.length === 0);
}
