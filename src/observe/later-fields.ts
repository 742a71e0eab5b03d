import { declaredNames } from '../kinds/named.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { filterFields, type Resource } from '../kinds/resource.ts';

export interface LaterField {
  readonly list: string;
  readonly field: string;
  readonly since: string;
}

/** Whether a resource has references in fields that some supported releases do not have. */
export function hasReferencesInLaterFields(resource: Resource): boolean {
  return laterFields(resource).length > 0;
}

/** Removes references in fields that the release does not have, because the release may also lack the kinds of the referenced records. */
export function withoutLaterFields(
  resources: readonly Resource[],
  release: Release | undefined,
): { readonly resources: readonly Resource[]; readonly leftOutFields: readonly LaterField[] } {
  if (release === undefined) return { resources, leftOutFields: [] };
  const leftOut = new Map<string, LaterField>();
  const kept = resources.map((resource) => {
    const later = laterFields(resource).filter(({ since }) => inRange({ before: since }, release) === true);
    for (const each of later) leftOut.set(`${each.list} ${each.field}`, each);
    return filterFields(resource, (name) => later.every(({ field }) => field !== name));
  });
  return leftOut.size === 0
    ? { resources, leftOutFields: [] }
    : { resources: kept, leftOutFields: [...leftOut.values()] };
}

function laterFields(resource: Resource): LaterField[] {
  const { kind } = resource;
  return declaredNames(resource).flatMap(({ field }) => {
    const since = kind.fields[field]?.since;
    return since === undefined ? [] : [{ list: kind.list, field, since }];
  });
}
