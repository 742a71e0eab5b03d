import type { Address, Diagnostic } from '../base/diagnostic.ts';
import { namedFirst } from '../kinds/named.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import type { Alteration } from '../manifest/since.ts';
import { type NotPlanned, type ReadyChange } from './plan.ts';

/** What keeps single resources from being planned, by their addresses. */
export type HeldBack = ReadonlyMap<Address, readonly Diagnostic[]>;

export function notPlanned(
  resource: Resource,
  diagnostics: readonly Diagnostic[],
  since: Alteration | undefined,
): NotPlanned {
  const nothing = { presence: 'unknown', action: 'not-planned', differences: [] } as const;
  return { resource, ...nothing, diagnostics, ...(since && { since }) };
}

/** In an order in which the service takes them; what it would refuse of them is not planned, nor is what waits for that. */
export function withoutRefused({
  changes,
  refused,
}: {
  readonly changes: readonly ReadyChange[];
  readonly refused: readonly Diagnostic[];
}): ReadyChange[] {
  const left = new Set<Address>();
  const found = new Map<Address | undefined, Diagnostic[]>();
  for (const each of refused) found.set(each.address, [...(found.get(each.address) ?? []), each]);
  return changes.map((change): ReadyChange => {
    const { resource, waitsFor = [], since } = change;
    const first = change.action === 'not-planned' ? [] : namedFirst(resource);
    const diagnostics = [
      ...(found.get(resource.address) ?? []),
      ...waitsFor.flatMap((address) =>
        left.has(address) ? [waitsInVain(resource, address, 'That would free what this takes.')] : [],
      ),
      ...first.flatMap((address) =>
        left.has(address) ? [waitsInVain(resource, address, 'It is named here, and not there yet.')] : [],
      ),
    ];
    if (change.action === 'not-planned') left.add(resource.address);
    if (diagnostics.length === 0) return change;
    left.add(resource.address);
    return notPlanned(resource, diagnostics, since);
  });
}

function waitsInVain(resource: Resource, address: Address, detail: string): Diagnostic {
  return diagnosticOf(resource, resource.kind.identity, {
    code: 'not-planned',
    summary: `it waits for ${address}, which is not planned`,
    detail,
  });
}
