import { fieldNames } from '../kinds/fields.ts';
import { declaredNames } from '../kinds/named.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { filterFields, type Resource } from '../kinds/resource.ts';

export interface LaterField {
  readonly list: string;
  readonly field: string;
  readonly since: string;
  /** Whether the checks of the entry report the field as an error. */
  readonly isError: boolean;
}

/** Whether a resource has references or optional values in fields that some supported releases do not have. */
export function hasLaterFields(resource: Resource): boolean {
  return laterFields(resource).length > 0;
}

/**
 * Returns the fields that are left out without an error, and removes fields that the release does not have: references, because the release may also lack the kinds of the referenced
 * records, and fields that manifests may declare for every release.
 */
export function withoutLaterFields(
  resources: readonly Resource[],
  release: Release | undefined,
): { readonly resources: readonly Resource[]; readonly leftOutFields: readonly LaterField[] } {
  if (release === undefined) return { resources, leftOutFields: [] };
  const leftOut = new Map<string, LaterField>();
  const kept = resources.map((resource) => {
    const later = laterFields(resource).filter(({ since }) => inRange({ before: since }, release) === true);
    for (const each of later.filter(({ isError }) => !isError))
      leftOut.set(`${each.list} ${each.field}`, each);
    return later.length === 0
      ? resource
      : filterFields(resource, (name) => later.every(({ field }) => field !== name));
  });
  return { resources: kept, leftOutFields: [...leftOut.values()] };
}

function laterFields(resource: Resource): LaterField[] {
  const { kind } = resource;
  const references = new Set(declaredNames(resource).map(({ field }) => field));
  return fieldNames(resource).flatMap((field) => {
    const { since, isOptionalBefore = false } = kind.fields[field] ?? {};
    const isLeftOut = since !== undefined && (isOptionalBefore || references.has(field));
    return isLeftOut ? [{ list: kind.list, field, since, isError: !isOptionalBefore }] : [];
  });
}
