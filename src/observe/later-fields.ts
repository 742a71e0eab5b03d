import type { Address } from '../base/diagnostic.ts';
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

/** Whether some supported releases have no resources of this kind, or not all of its references and optional values. */
export function hasLaterFields(resource: Resource): boolean {
  return resource.kind.since !== undefined || laterFields(resource).length > 0;
}

/**
 * Returns the fields that are left out without an error, and removes fields that the release does not have: references, because
 * the release may also lack the kinds of the referenced records, and fields that manifests may declare for every release.
 * `laterEntries` are of kinds that the release does not have. The checks of fields report these entries as errors.
 */
export function withoutLaterFields(
  resources: readonly Resource[],
  release: Release | undefined,
): {
  readonly resources: readonly Resource[];
  readonly leftOutFields: readonly LaterField[];
  readonly laterEntries: ReadonlySet<Address>;
} {
  const laterEntries = new Set<Address>();
  if (release === undefined) return { resources, leftOutFields: [], laterEntries };
  const isLater = (since: string | undefined): boolean =>
    since !== undefined && inRange({ before: since }, release) === true;
  const leftOut = new Map<string, LaterField>();
  const kept = resources.map((resource) => {
    if (isLater(resource.kind.since)) {
      laterEntries.add(resource.address);
      return resource;
    }
    const later = laterFields(resource).filter(({ since }) => isLater(since));
    for (const each of later.filter(({ isError }) => !isError))
      leftOut.set(`${each.list} ${each.field}`, each);
    return later.length === 0
      ? resource
      : filterFields(resource, (name) => later.every(({ field }) => field !== name));
  });
  return { resources: kept, leftOutFields: [...leftOut.values()], laterEntries };
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
