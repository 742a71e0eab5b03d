import { groupBy } from '../base/group-by.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { referenceNames } from '../kinds/named.ts';
import { type Resource, lookUpTargetOf } from '../kinds/resource.ts';
import type { ObservedState } from './observation.ts';
import { findNames, type UnresolvedName } from './resolve-names.ts';
import { textOf } from '../base/json.ts';
import type { ReadContext } from '../service/client.ts';
import { isOfKind } from '../service/own-type.ts';
import { retrieve } from '../service/retrieve.ts';

/** Finds new resources whose name is taken by a record of another kind in the same list. */
export async function findNamesTakenByOtherKinds(
  resources: readonly Resource[],
  observed: ObservedState,
  context: ReadContext,
): Promise<UnresolvedName[]> {
  const wanted = resources.filter(
    (resource) =>
      resource.kind.variant &&
      observed.get(resource.address)?.presence === 'absent' &&
      !isToBeDeleted(resource),
  );
  const taken: UnresolvedName[] = [];
  for (const [related, missing] of groupBy(wanted, ({ kind }) => kind.family)) {
    const names = missing.map(({ name }) => name);
    const { records } = await findNames(related, names, context);
    for (const resource of missing) {
      const { kind, name } = resource;
      const found = records.find(({ received }) => referenceNames(related, received).includes(name));
      if (found === undefined) continue;
      // Earlier releases use other names for some types, as 2023.10.7 does for the WebAuthn stage.
      if (
        isOfKind(kind, found.received) ||
        (await retrieve(lookUpTargetOf(resource), context))?.proof === 'exists'
      ) {
        // The record was created after the first look-up.
        context.client.evidence.refuteAbsence();
        continue;
      }
      const fault = { kind: 'taken', by: textOf(found.shown['verbose_name']) } as const;
      taken.push({ resource, declared: { related: kind, name, field: kind.identity }, fault });
    }
  }
  return taken;
}
