import type { JsonValue } from '../../base/json.ts';
import type { Resource } from '../../kinds/resource.ts';
import { sameValue } from '../../kinds/kind.ts';
import type { ObservedState } from '../../observe/observe.ts';
import type { ChangeDocument } from '../document.ts';
import type { Change, Plan } from '../plan.ts';
import { savedChanges, type SavedChange, type SavedPlan } from './document.ts';

/** In what a resource is no longer as a saved plan saw it. */
export type Staleness =
  | { readonly kind: 'appeared' | 'vanished' }
  | {
      readonly kind: 'field';
      readonly field: string;
      readonly planned: JsonValue;
      readonly observed: JsonValue;
    }
  /** A value that is not shown, as the environment or a file holds it, or as the service does. */
  | { readonly kind: 'sensitive'; readonly where: 'declared' | 'observed' };

export interface StaleChange {
  readonly resource: Resource;
  readonly staleness: readonly [Staleness, ...Staleness[]];
}

/** What keeps a saved plan from being applied: every presence and every compared value that is no longer the same. */
export function changedSince(saved: SavedPlan, now: Plan, observed: ObservedState): StaleChange[] {
  const planned = new Map(saved.resource_changes.map((change) => [change.address, change]));
  const hidden = savedChanges(now, observed);
  return now.changes.flatMap((change): StaleChange[] => {
    const { resource } = change;
    const { address } = resource;
    const then = planned.get(address);
    if (then === undefined) throw new Error(`${address} is not in the saved plan`);
    const [first, ...others] = [
      ...presenceOrFields(then, change),
      ...sensitiveValues(saved.saved[address], hidden[address]),
    ];
    return first === undefined ? [] : [{ resource, staleness: [first, ...others] }];
  });
}

function presenceOrFields(then: ChangeDocument, now: Change): Staleness[] {
  if (then.presence !== now.presence) return [{ kind: now.presence === 'present' ? 'appeared' : 'vanished' }];
  const { observed = {} } = now;
  return Object.entries(then.change.before ?? {}).flatMap(([field, before]): Staleness[] => {
    const value = observed[field] ?? null;
    return sameValue(now.resource.kind, field, before, value)
      ? []
      : [{ kind: 'field', field, planned: before, observed: value }];
  });
}

function sensitiveValues(then: SavedChange | undefined, now: SavedChange | undefined): Staleness[] {
  if (then?.declared_digest !== now?.declared_digest) return [{ kind: 'sensitive', where: 'declared' }];
  const bothPresent = then?.observed_digest !== undefined && now?.observed_digest !== undefined;
  return bothPresent && then.observed_digest !== now.observed_digest
    ? [{ kind: 'sensitive', where: 'observed' }]
    : [];
}
