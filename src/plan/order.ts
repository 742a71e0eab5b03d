import type { Address, Diagnostic } from '../base/diagnostic.ts';
import { addTo } from '../base/group-by.ts';
import type { JsonObject } from '../base/json.ts';
import { declaresBindings } from '../kinds/access.ts';
import { sentFields, sentValue } from '../kinds/fields.ts';
import { isMovedBetweenRecords, singleOwnerFields, type Kind } from '../kinds/kind.ts';
import { addressOfName, declaredNames, idKey, idsOf } from '../kinds/named.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import { findAccessWaits, withoutWaitsWithin } from './access-waits.ts';
import { earlierResources, resourcesWithBindings } from './earlier-resources.ts';
import { renameAdvice, takenIds, takenValueProblem, type FindHolder, type Need } from './holders.ts';
import { isPending, type Change, type ReadyChange } from './plan.ts';

/** Something that a change waits for: the change of `holder`. */
type Dependency =
  | (Need & { readonly kind: 'value' })
  | { readonly kind: 'safety' | 'preference' | 'reference'; readonly holder: Address };

type Waits = Map<Address, Dependency[]>;

/**
 * Moves each change behind the new resources that it refers to and behind the changes that free its unique values. Refuses
 * changes that depend on each other in a cycle, and a change to a unique value that another resource keeps.
 */
export function orderChanges(
  changes: readonly ReadyChange[],
  holderOf: FindHolder,
): { readonly changes: readonly ReadyChange[]; readonly refused: readonly Diagnostic[] } {
  const parents = new Set(resourcesWithBindings(changes));
  const planned = new Map(changes.map((change) => [change.resource.address, change]));
  const refused: Diagnostic[] = [];
  const waits: Waits = new Map();
  for (const change of changes) {
    const { address } = change.resource;
    for (const holder of change.waitsFor ?? []) addTo(waits, address, { kind: 'safety', holder });
    for (const holder of earlierResources(change, parents))
      addTo(waits, address, { kind: 'reference', holder });
    for (const need of needsOf(change, holderOf)) {
      const obstacle = obstacleTo(need, change, planned.get(need.holder));
      if (obstacle === undefined) addTo(waits, address, { ...need, kind: 'value' });
      else refused.push(takenValueProblem(need, obstacle));
    }
  }
  for (const { resource, holder, yields } of findAccessWaits(changes, parents))
    addTo(waits, resource.address, { kind: yields ? 'preference' : 'safety', holder });
  if (waits.size === 0) return { changes, refused };
  const wanted = new Map(waits);
  const later = new Map<Address, LaterReference[]>();
  const done = sortChanges(changes, waits, (cycle, next) => {
    const opening = next.kind === 'value' ? undefined : cycleBreakOf(cycle, planned);
    if (opening) {
      breakCycle(opening, waits);
      for (const reference of opening.later) addTo(later, opening.address, reference);
      return opening.address;
    }
    const words = `${cycle.join(', ')} depend on each other. Remove the value from one of them, and apply this change first.`;
    if (next.kind === 'value') refused.push(takenValueProblem(next, words));
    // An existing resource can be referred to before all of its bindings exist.
    else if (cycle.every((address) => planned.get(address)?.action === 'create'))
      refused.push(...cycle.flatMap((address) => cycleProblems(planned.get(address), cycle)));
    return undefined;
  });
  const inOrder = done.flatMap((address): ReadyChange[] => {
    const change = planned.get(address);
    if (change === undefined) return [];
    const left = waits.get(address) ?? [];
    const holders = new Set(left.flatMap((wait) => (isStrict(wait) ? wait.holder : [])));
    const setAfter = later.get(address);
    const dropped = wanted
      .get(address)
      ?.find((wait) => (wait.kind === 'safety' || wait.kind === 'preference') && !left.includes(wait));
    return [
      {
        ...change,
        ...(dropped && { remarks: [...(change.remarks ?? []), widerRemark(dropped)] }),
        ...(holders.size > 0 && { waitsFor: [...holders] }),
        ...(setAfter && { setAfter }),
      },
    ];
  });
  return { changes: inOrder, refused };
}

/** Whether a change must not be made if the change that it waits for fails. */
function isStrict({ kind }: Dependency): boolean {
  return kind === 'value' || kind === 'safety';
}

function widerRemark({ holder }: Dependency): string {
  return `is made before ${holder}, so more people may have access in between; changing them in two applies avoids this`;
}

/**
 * Sorts changes so that dependencies come first. If `onCycle` cannot break a cycle, the sort ignores one dependency, preferably
 * the dependency on an existing record in which only bindings are missing.
 */
function sortChanges(
  changes: readonly Change[],
  waits: Waits,
  onCycle: (cycle: readonly Address[], next: Dependency) => Address | undefined,
): Address[] {
  const done = new Set<Address>();
  const isNew = (holder: Address): boolean =>
    changes.some(({ action, resource: { address } }) => action === 'create' && address === holder);
  for (const { resource } of changes) {
    const path = [resource.address];
    const onPath = new Set(path);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = waits.get(last)?.find(({ holder }) => !done.has(holder));
      if (next === undefined) {
        done.add(last);
        path.pop();
      } else if (!onPath.has(next.holder)) {
        onPath.add(next.holder);
        path.push(next.holder);
      } else {
        const cycle = path.slice(path.indexOf(next.holder));
        let opened = onCycle(cycle, next);
        if (opened === undefined) {
          const early = cycle.flatMap((address, index) => {
            const holder = cycle[index + 1] ?? next.holder;
            const wait = waits.get(address)?.find((item) => isBreakable(item, holder));
            return wait && !isNew(holder) ? [{ from: address, dropped: wait }] : [];
          });
          const { from, dropped } = early.find((one) => !isStrict(one.dropped)) ??
            early[0] ?? { from: last, dropped: next };
          waits.set(from, waits.get(from)?.filter((want) => want !== dropped) ?? []);
          opened = from;
        }
        for (const left of path.splice(path.indexOf(opened) + 1)) onPath.delete(left);
      }
    }
  }
  return [...done];
}

/** Reorders changes to match `sequence`, as far as their references allow. */
export function orderBySequence<Planned extends Change>(
  planned: readonly Planned[],
  sequence: readonly Address[],
): readonly Planned[] {
  const changes = withoutWaitsWithin(planned, sequence);
  const parents = new Set(resourcesWithBindings(changes));
  const beforeOf = new Map(sequence.slice(1).map((address, index) => [address, sequence[index] ?? address]));
  const waits: Waits = new Map();
  for (const change of changes) {
    const { resource, waitsFor = [], setAfter = [] } = change;
    const later = new Set(setAfter.map(({ after }) => after));
    for (const holder of [waitsFor, beforeOf.get(resource.address) ?? []].flat())
      addTo(waits, resource.address, { kind: 'safety', holder });
    for (const holder of earlierResources(change, parents))
      if (!later.has(holder)) addTo(waits, resource.address, { kind: 'reference', holder });
  }
  const order = new Map(
    sortChanges(changes, waits, () => undefined).map((address, index) => [address, index]),
  );
  const placeOf = (address: Address | undefined): number => order.get(address ?? '.') ?? Infinity;
  return changes
    .map((change) => {
      const before = beforeOf.get(change.resource.address);
      const isBehind = before !== undefined && placeOf(before) < placeOf(change.resource.address);
      return isBehind ? { ...change, waitsFor: [...(change.waitsFor ?? []), before] } : change;
    })
    .toSorted((a, b) => placeOf(a.resource.address) - placeOf(b.resource.address));
}

/** The references that a new resource omits at first, so that a cycle is broken. */
interface CycleBreak {
  readonly address: Address;
  readonly to: Address;
  readonly later: readonly LaterReference[];
}

type LaterReference = NonNullable<Change['setAfter']>[number];

/** Chooses the references to omit. Prefers references to resources with bindings, such as flows, because omitting them does not weaken a login. */
function cycleBreakOf(
  cycle: readonly Address[],
  planned: ReadonlyMap<Address, Change>,
): CycleBreak | undefined {
  const changes = cycle.flatMap((address) => planned.get(address) ?? []);
  if (changes.length < cycle.length || changes.some(({ action }) => action !== 'create')) return undefined;
  const openings = changes.flatMap(({ resource }, index): (CycleBreak & { readonly isFirst: boolean })[] => {
    const to = changes[(index + 1) % changes.length]?.resource;
    if (to === undefined) return [];
    const references = declaredNames(resource).filter((reference) => addressOfName(reference) === to.address);
    if (references.length === 0 || !references.every(({ field }) => canBeOmitted(resource, field))) return [];
    const later = [...new Set(references.map(({ field }) => field))].map((field) => ({
      field,
      after: to.address,
    }));
    return [{ address: resource.address, to: to.address, later, isFirst: declaresBindings(to) }];
  });
  return openings.find(({ isFirst }) => isFirst) ?? openings[0];
}

function canBeOmitted(resource: Resource, name: string): boolean {
  const { isRequired, children } = resource.kind.fields[name] ?? {};
  const all = sentFields(resource);
  const { [name]: _, ...others } = all;
  return !isRequired && !children && missingCount(resource.kind, others) <= missingCount(resource.kind, all);
}

function missingCount({ fields }: Kind, sent: JsonObject): number {
  const isMissing = ([field, { ifMissing }]: readonly [string, Kind['fields'][string]]): boolean =>
    !Object.hasOwn(sent, field) && ifMissing?.(undefined, sent) !== undefined;
  return Object.entries(fields).filter(isMissing).length;
}

/** Removes a dependency from a cycle; resources outside the cycle also wait until the omitted reference can be set. */
function breakCycle({ address, to }: CycleBreak, waits: Waits): void {
  waits.set(address, waits.get(address)?.filter((wait) => !isBreakable(wait, to)) ?? []);
  const inside = new Set([to]);
  for (const one of inside) for (const { holder } of waits.get(one) ?? []) inside.add(holder);
  for (const [other, all] of waits)
    if (all.some((wait) => isBreakable(wait, address)) && !inside.has(other))
      all.push({ kind: 'reference', holder: to });
}

/** Whether a change waits for another one, but not for a value of it, so that the changes may have another order. */
function isBreakable(wait: Dependency, holder: Address): boolean {
  return wait.kind !== 'value' && wait.holder === holder;
}

function needsOf(change: Change, holderOf: FindHolder): Need[] {
  if (!isPending(change)) return [];
  const { resource } = change;
  const { kind } = resource;
  return singleOwnerFields(kind).flatMap((field) => {
    if (isMovedBetweenRecords(kind, field)) return [];
    return takenIds({ resource, field }, {}, holderOf).map((taken) => ({ resource, field, ...taken }));
  });
}

function cycleProblems(change: Change | undefined, cycle: readonly Address[]): Diagnostic[] {
  const named =
    change &&
    declaredNames(change.resource).find((reference) => cycle.includes(addressOfName(reference) ?? '.'));
  if (change === undefined || named === undefined) return [];
  const { field, item } = named;
  const problem = {
    code: 'circular-reference',
    summary: `${addressOfName(named)} refers back to this resource`,
    detail: `${cycle.join(', ')} refer to each other, so none of them can be created first. Remove one of the references, apply, and add it again.`,
  } as const;
  return [diagnosticOf(change.resource, field, problem, item)];
}

/** Why a plan does not free a value, and what to do about it; undefined if the plan frees the value. */
function obstacleTo(need: Need, change: Change, holder: Change | undefined): string | undefined {
  if (holder?.action === 'not-planned')
    return `${need.holder} may keep the value, because that resource has errors and is not planned.`;
  if (!isReleased(need, holder))
    return `Remove the value from that record first, or declare another value.${holder ? '' : renameAdvice(change, need.holder)}`;
  if (isPending(holder)) return undefined;
  return `The manifests remove the value from that record, but this plan ${omissionText(holder)}.`;
}

function omissionText({ resource, leftBecause }: Change): string {
  const [verb, capability] = isToBeDeleted(resource) ? ['deleting', 'delete'] : ['changing', 'update'];
  const reason =
    leftBecause ?? `${verb} it requires the capability \`${capability}\` and --allow ${capability}`;
  return `leaves the record unchanged: ${reason}`;
}

function isReleased({ field, id }: Need, change: Change | undefined): change is Change {
  if (change && isToBeDeleted(change.resource)) return true;
  if (!change?.differences.some((difference) => difference.field === field)) return false;
  const { kind } = change.resource;
  const keptIds = idsOf(sentValue(change.resource, field)).map((item) => idKey(kind, field, item));
  return !keptIds.includes(idKey(kind, field, id));
}
