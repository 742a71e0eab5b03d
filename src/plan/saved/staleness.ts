import type { JsonValue } from '../../base/json.ts';
import { blankFor } from '../../kinds/fields.ts';
import type { Resource } from '../../kinds/resource.ts';
import { sameValue } from '../../kinds/kind.ts';
import { declaredNames, idPointer } from '../../kinds/named.ts';
import type { ObservedState } from '../../observe/observation.ts';
import { shownResource, type ChangeDocument } from '../document.ts';
import type { Change, Plan } from '../plan.ts';
import { savedChanges, unhidden, type SavedChange, type SavedPlan } from './document.ts';

/** In what a resource is no longer as a saved plan saw it. */
export type Staleness =
  | { readonly kind: 'appeared' | 'vanished' }
  | {
      readonly kind: 'field';
      readonly field: string;
      readonly planned: JsonValue;
      readonly observed: JsonValue;
    }
  /** A name leads to another id. */
  | {
      readonly kind: 'name';
      readonly field: string;
      /** None where it may not be shown. */
      readonly shown?: { readonly name: string; readonly planned: JsonValue; readonly found: JsonValue };
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
  const whole = unhidden(now, observed);
  return now.changes.flatMap(({ resource }, index): StaleChange[] => {
    const { address } = resource;
    const change = whole.changes[index];
    const then = planned.get(address);
    if (then === undefined || change === undefined) throw new Error(`${address} is not in the saved plan`);
    const found = [
      ...otherIds(shownResource(then), resource),
      ...presenceOrFields(then, change),
      ...sensitiveValues(saved.saved[address], hidden[address]),
    ];
    const [first, ...others] = found.map((each) => asShown(each, resource));
    return first === undefined ? [] : [{ resource, staleness: [first, ...others] }];
  });
}

/** The names of a plan that lead to other ids now. */
function otherIds(then: Resource, now: Resource): Staleness[] {
  const foundOf = new Map(declaredNames(now).map((one) => [idPointer(one), one.id]));
  return declaredNames(then).flatMap((one): Staleness[] => {
    const { field, name, id: planned } = one;
    const found = foundOf.get(idPointer(one));
    // Both are as the service wrote them. That what has none has appeared or vanished is said of itself.
    if (planned === undefined || found === undefined || planned === found) return [];
    return [
      { kind: 'name', field, ...(blankFor(now, field) === undefined && { shown: { name, planned, found } }) },
    ];
  });
}

/** The same, without the values where people may not see them. */
function asShown(staleness: Staleness, resource: Resource): Staleness {
  if (staleness.kind !== 'field') return staleness;
  const blank = blankFor(resource, staleness.field);
  return blank === undefined ? staleness : { ...staleness, planned: blank, observed: blank };
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
