import type { Address } from '../base/address.ts';
import type { JsonValue } from '../base/json.ts';
import { sameValue } from './compare.ts';
import type { SavedPlan } from './saved-plan.ts';
import type { Change } from './types.ts';

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
  readonly address: Address;
  readonly staleness: readonly [Staleness, ...Staleness[]];
}

/** What keeps a saved plan from being applied: every presence and every compared value that is no longer the same. */
export function changedSince(saved: SavedPlan, now: SavedPlan): StaleChange[] {
  const current = new Map(now.resource_changes.map((change) => [change.address, change]));
  return saved.resource_changes.flatMap((then): StaleChange[] => {
    const change = current.get(then.address);
    if (change === undefined) throw new Error(`${then.address} was not observed`);
    const { address } = then;
    const [first, ...others] = [
      ...presenceOrFields(then, change),
      ...sensitiveValues(saved.saved[address], now.saved[address]),
    ];
    return first === undefined ? [] : [{ address, staleness: [first, ...others] }];
  });
}

function presenceOrFields(then: Change, now: Change): Staleness[] {
  if (then.presence !== now.presence) return [{ kind: now.presence === 'present' ? 'appeared' : 'vanished' }];
  const held = now.change.before ?? {};
  return Object.entries(then.change.before ?? {}).flatMap(([field, before]): Staleness[] => {
    const value = held[field] ?? null;
    return sameValue(field, before, value)
      ? []
      : [{ kind: 'field', field, planned: before, observed: value }];
  });
}

function sensitiveValues(
  then: SavedPlan['saved'][Address] | undefined,
  now: SavedPlan['saved'][Address] | undefined,
): Staleness[] {
  if (then?.declared_digest !== now?.declared_digest) return [{ kind: 'sensitive', where: 'declared' }];
  const bothPresent = then?.observed_digest !== undefined && now?.observed_digest !== undefined;
  return bothPresent && then.observed_digest !== now.observed_digest
    ? [{ kind: 'sensitive', where: 'observed' }]
    : [];
}
