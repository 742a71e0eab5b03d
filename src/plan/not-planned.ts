import { groupBy } from '../base/group-by.ts';
import type { Address, Diagnostic } from '../base/diagnostic.ts';
import { prerequisitesOf } from '../kinds/named.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import type { Alteration } from '../manifest/baseline.ts';
import { isPending, type NotPlanned, type ReadyChange } from './plan.ts';

export type NotPlannedReasons = ReadonlyMap<Address, readonly Diagnostic[]>;

export function notPlanned(
  resource: Resource,
  diagnostics: readonly Diagnostic[],
  since: Alteration | undefined,
): NotPlanned {
  const nothing = { presence: 'unknown', action: 'not-planned', differences: [] } as const;
  return { resource, ...nothing, diagnostics, ...(since && { since }) };
}

/** Drops changes that the service would reject, and all changes that depend on them. Each change must follow its dependencies. */
export function withoutRefusedChanges({
  changes,
  refused,
}: {
  readonly changes: readonly ReadyChange[];
  readonly refused: readonly Diagnostic[];
}): ReadyChange[] {
  const notPlannedAddresses = new Set<Address>();
  const found = groupBy(refused, ({ address }) => address);
  const unlessNotPlanned = (change: ReadyChange): ReadyChange => {
    const { resource, waitsFor = [], since } = change;
    const waits = (addresses: readonly Address[], reason: string): Diagnostic[] =>
      addresses.flatMap((address) =>
        notPlannedAddresses.has(address)
          ? diagnosticOf(resource, resource.kind.identity, {
              code: 'not-planned',
              summary: `it depends on ${address}, which is not planned`,
              detail: reason,
            })
          : [],
      );
    const diagnostics = [
      ...(found.get(resource.address) ?? []),
      ...waits(waitsFor, 'This change may be made only after that change.'),
      ...waits(prerequisitesOf(resource), 'This resource refers to that record, which does not exist yet.'),
    ];
    if (diagnostics.length === 0) return change;
    notPlannedAddresses.add(resource.address);
    return notPlanned(resource, diagnostics, since);
  };
  for (const { action, resource } of changes)
    if (action === 'not-planned' || found.has(resource.address)) notPlannedAddresses.add(resource.address);
  const planned = changes.map((change) => (isPending(change) ? unlessNotPlanned(change) : change));
  return planned.map((change) => (change.action === 'no-op' ? unlessNotPlanned(change) : change));
}
