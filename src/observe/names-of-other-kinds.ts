import { isToBeDeleted } from '../kinds/lifecycle.ts';
import type { Family } from '../kinds/kind.ts';
import { referenceNames } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { ObservedState } from './observation.ts';
import { findNames, type ResolveOptions, type UnresolvedName } from './resolve-names.ts';
import { textOf } from '../base/json.ts';
import type { Client } from '../service/client.ts';
import { isOfKind } from '../service/own-type.ts';
import { retrieve } from '../service/retrieve.ts';
import { lookUpTargetOf } from '../kinds/look-up-target.ts';

/**
 * Finds new resources whose name is taken by a record of another kind in the same list. If the token may not read that record,
 * the service rejects the create later.
 */
export async function findNamesTakenByOtherKinds(
  resources: readonly Resource[],
  observed: ObservedState,
  options: Omit<ResolveOptions, 'client' | 'isDeclared' | 'elsewhere'> & { readonly client: Client },
): Promise<UnresolvedName[]> {
  const wanted = new Map<Family, Resource[]>();
  for (const resource of resources) {
    const { family, variant } = resource.kind;
    const isMissing = observed.get(resource.address)?.presence === 'absent' && !isToBeDeleted(resource);
    if (variant && isMissing) wanted.set(family, [...(wanted.get(family) ?? []), resource]);
  }
  const taken: UnresolvedName[] = [];
  for (const [related, missing] of wanted) {
    const names = missing.map(({ name }) => name);
    const { records } = await findNames(related, names, options);
    for (const resource of missing) {
      const { kind, name } = resource;
      const found = records.find(({ received }) => referenceNames(related.byName, received).includes(name));
      // A record of the same kind was created after the look-up. The apply will find that record.
      if (found === undefined || isOfKind(kind, found.received)) continue;
      // Earlier releases use other names for some types, as 2023.10.7 does for the WebAuthn stage.
      const now = await retrieve(lookUpTargetOf(resource), options);
      if (now?.proof === 'exists') continue;
      const fault = { kind: 'taken', by: textOf(found.shown['verbose_name']) } as const;
      taken.push({ resource, declared: { related: kind, name, field: kind.identity }, fault });
    }
  }
  return taken;
}
