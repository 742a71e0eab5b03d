import { declaredNames } from '../kinds/named.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { withoutFields, type Resource } from '../kinds/resource.ts';

/** A field that the release of the service does not have. */
export interface LaterField {
  readonly list: string;
  readonly field: string;
  /** The first release that has it. */
  readonly since: string;
}

/** Whether a resource names records in fields that not every release has: what these name may be as late. */
export function namesInLaterFields(resource: Resource): boolean {
  return laterFields(resource).length > 0;
}

/** The resources without what they name in fields that the release does not have: it ignores those, and may not have what they name. */
export function withoutLaterFields(
  resources: readonly Resource[],
  release: Release | undefined,
): { readonly resources: readonly Resource[]; readonly left: readonly LaterField[] } {
  const left = new Map<string, LaterField>();
  const kept = resources.map((resource) => {
    const later = laterFields(resource).filter(({ since }) => inRange({ before: since }, release) === true);
    for (const each of later) left.set(`${each.list} ${each.field}`, each);
    return withoutFields(resource, new Set(later.map(({ field }) => field)));
  });
  return left.size === 0 ? { resources, left: [] } : { resources: kept, left: [...left.values()] };
}

function laterFields(resource: Resource): LaterField[] {
  const { kind } = resource;
  return declaredNames(resource).flatMap(({ field }) => {
    const since = kind.fields[field]?.since;
    return since === undefined ? [] : [{ list: kind.list, field, since }];
  });
}
