import type { Address } from '../base/diagnostic.ts';
import { declaresBindings, isBindingField } from '../kinds/access.ts';
import { addressOfName, declaredNames, prerequisitesOf } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { isPending, type Change } from './plan.ts';

/** The resources whose bindings the plan creates or changes, and unfinished resources: resources that refer to them wait until all bindings exist. */
export function resourcesWithBindings(changes: readonly Change[]): Address[] {
  return changes.flatMap((change) => {
    const { resource, differences } = change;
    const isBinding =
      change.action === 'create'
        ? declaresBindings(resource)
        : differences.some(({ field }) => isBindingField(resource.kind, field));
    return change.unfinished || (isPending(change) && isBinding) ? [resource.address] : [];
  });
}

/** The resources that must exist, or have all bindings, before a change. */
export function earlierResources(change: Change, parents: ReadonlySet<Address>): Address[] {
  if (!isPending(change)) return [];
  return [...prerequisitesOf(change.resource), ...referencedParents(change.resource, parents)];
}

export function referencedParents(resource: Resource, parents: ReadonlySet<Address>): Address[] {
  if (parents.size === 0) return [];
  return declaredNames(resource).flatMap((named) => {
    const address = addressOfName(named);
    return address !== undefined && parents.has(address) ? [address] : [];
  });
}
