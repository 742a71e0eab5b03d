import type { Address } from '../base/diagnostic.ts';
import { addTo } from '../base/group-by.ts';
import { isBindingField } from '../kinds/access.ts';
import { childFields } from '../kinds/bindings.ts';
import { valueAfter, writtenValue } from '../kinds/fields.ts';
import type { Kind } from '../kinds/kind.ts';
import { namingFields } from '../kinds/named.ts';
import { inheritingFields } from '../kinds/reference-facts.ts';
import { isPolicyKind, mayDecideOtherwise } from '../kinds/policy-bindings.ts';
import { keyOfId, referenceKeys } from '../kinds/record-keys.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Observation } from '../observe/observation.ts';
import { isUnbound } from '../observe/unbound-access.ts';
import { takesRights } from './own-rights.ts';
import type { Change, ReadyChange } from './plan.ts';
import { restrictsAccess } from './reach.ts';

/** A change that must not be made before the change of `holder` has succeeded. */
export interface AccessWait {
  readonly resource: Resource;
  readonly holder: Address;
  /** Whether this wait is the first to be given up if changes wait for each other. */
  readonly yields?: true;
}

type Update = Extract<ReadyChange, { readonly action: 'update' }>;
type Written = Extract<ReadyChange, { readonly action: 'create' }> | Update;

/**
 * Finds the changes that must wait for others, so that nobody has more access in between than before and after the plan:
 * 1. A change waits for an update that takes access or rights away, if it adds a reference to that record, or if the updated
 *    record is a policy and the change gives access.
 * 2. An update of a policy, or of the flag for records without bindings, may give access. It waits for an update that takes
 *    access away from a record that already depends on it.
 * 3. A change that refers to the provider of an application waits for the update that takes access to the application away.
 * 4. An application gets its provider after the changes that restrict or bind records that belong to the provider.
 * 5. A change that adds a membership waits for the updates that remove bindings of the group, and a change that adds a binding
 *    waits for the updates that end memberships of the group.
 */
export function findAccessWaits(
  changes: readonly ReadyChange[],
  withBindings: ReadonlySet<Address>,
): readonly AccessWait[] {
  const written = changes.flatMap((change): Written[] =>
    change.action === 'create' || change.action === 'update' ? [change] : [],
  );
  const updates = written.filter((change) => change.action === 'update');
  if (updates.length === 0 && withBindings.size === 0) return [];
  const narrowed = updates.filter((change) => narrowsAccess(change));
  const narrowing: ReadonlySet<Written> = new Set(narrowed);
  const narrowedAt = byKey(narrowed, keysOfRecord);
  addDependents(narrowedAt, changes);
  const servedBy = byKey(written, (change) => {
    const { withheld = [] } = change.resource.kind.bindable ?? {};
    return [...declaredKeys(change.resource, withheld), ...recordKeys(change, withheld)];
  });
  const settings = updates.filter(({ resource: { kind } }) => kind.single !== undefined);
  const endedMemberships = byKey(updates, (change) => releasedKeys(change, membershipFields));
  const removedBindings = byKey(updates, (change) => releasedKeys(change, bindingFields));
  const holders = [narrowedAt, servedBy, endedMemberships, removedBindings];
  if (settings.length === 0 && holders.every(({ size }) => size === 0)) return [];
  const isNarrowed = (change: Written): boolean =>
    narrowing.has(change) || (change.action === 'update' && withBindings.has(change.resource.address));
  const waits: AccessWait[] = [];
  const wait = ({ resource }: Written, { resource: { address: holder } }: Written): unknown =>
    holder !== resource.address && waits.push({ resource, holder });
  for (const change of written) {
    const { resource, opens } = change;
    const { kind } = resource;
    const keys = declaredKeys(resource, namingFields(kind));
    const heldKeys = recordKeys(change, namingFields(kind));
    const observation: Observation =
      change.action === 'create' ? { presence: 'absent' } : { presence: 'present', held: change.base };
    const holdersAt = (found: readonly string[]): Set<Update> =>
      new Set(found.flatMap((key) => narrowedAt.get(key) ?? []));
    const added = holdersAt(addedKeys(change, namingFields(kind)));
    for (const holder of added) wait(change, holder);
    const released = [
      ...addedKeys(change, membershipFields(kind)).flatMap((key) => removedBindings.get(key) ?? []),
      ...addedKeys(change, bindingFields(kind)).flatMap((key) => endedMemberships.get(key) ?? []),
    ];
    for (const holder of released) wait(change, holder);
    for (const holder of holdersAt([...keys, ...heldKeys])) {
      if (added.has(holder) || !isPolicyKind(holder.resource.kind)) continue;
      if (opens) {
        wait(change, holder);
        const isKept = keysOfRecord(holder).some((key) => keys.includes(key));
        if (!isKept || narrowing.has(change))
          waits.push({ resource: holder.resource, holder: resource.address, yields: true });
      } else if (isNarrowed(change)) wait(holder, change);
    }
    for (const holder of settings) {
      if (holder.resource.kind.list !== kind.access?.openFlag.list) continue;
      if (!isUnbound(resource, observation)) continue;
      if (narrowing.has(holder)) wait(change, holder);
      else if (holder.opens && isNarrowed(change)) wait(holder, change);
    }
    for (const key of kind.access ? [] : keys)
      for (const application of servedBy.get(key) ?? []) {
        const isNew = !recordKeys(application, application.resource.kind.bindable?.withheld ?? []).includes(
          key,
        );
        if (isNew && (narrowing.has(change) || withBindings.has(resource.address))) wait(application, change);
        if (!isNew && isNarrowed(application)) wait(change, application);
      }
  }
  return waits;
}

type FieldsOf = (kind: Kind) => readonly string[];

function membershipFields(kind: Kind): readonly string[] {
  return namingFields(kind).filter((field) => kind.fields[field]?.fact?.grants !== undefined);
}

function bindingFields(kind: Kind): readonly string[] {
  return namingFields(kind).filter((field) => isBindingField(kind, field));
}

/** Removes the waits between changes of a sequence, because the sequence itself decides about their order. */
export function withoutWaitsWithin<Planned extends Change>(
  changes: readonly Planned[],
  sequence: readonly Address[],
): readonly Planned[] {
  const within = new Set(sequence);
  return changes.map((change) =>
    change.waitsFor && within.has(change.resource.address)
      ? { ...change, waitsFor: change.waitsFor.filter((address) => !within.has(address)) }
      : change,
  );
}

/** Whether an update takes access or rights away, as far as the plan shows. A policy may reject more people after any update. */
function narrowsAccess(change: Update): boolean {
  const { resource, base, differences } = change;
  return (
    mayDecideOtherwise(resource.kind, differences) ||
    takesRights(change) ||
    differences.some(({ field }) => restrictsAccess(resource, field, base.fields))
  );
}

/** Adds the existing records that depend on an updated one: subgroups of a group, and records to which a policy is bound. */
function addDependents(narrowedAt: Map<string, Update[]>, changes: readonly ReadyChange[]): void {
  if (narrowedAt.size === 0) return;
  const dependentsBy = (fieldsOf: FieldsOf): Map<string, ReadyChange[]> =>
    byKey(changes, (change) => recordKeys(change, fieldsOf(change.resource.kind)));
  const heirs = dependentsBy((kind) => inheritingFields(kind).map(({ field }) => field));
  const bound = dependentsBy((kind) => childFields(kind).map(([field]) => field));
  for (const holder of new Set([...narrowedAt.values()].flat())) {
    const dependents = isPolicyKind(holder.resource.kind) ? bound : heirs;
    const known = keysOfRecord(holder);
    const reached = new Set(known);
    for (const key of reached)
      for (const one of dependents.get(key) ?? []) for (const next of keysOfRecord(one)) reached.add(next);
    for (const key of reached) {
      if (!known.includes(key)) addTo(narrowedAt, key, holder);
    }
  }
}

function keysOfRecord(change: ReadyChange): string[] {
  const { kind, address } = change.resource;
  const id = 'base' in change ? change.base.pk : change.pk;
  return [address, ...(id === undefined ? [] : [keyOfId(kind, id)])];
}

function byKey<Item>(
  items: readonly Item[],
  keysOfItem: (item: Item) => readonly string[],
): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) for (const key of new Set(keysOfItem(item))) addTo(found, key, item);
  return found;
}

/** Keys of the records to which an entry refers: their addresses, and their ids as far as they are known. */
function declaredKeys(resource: Resource, fields: readonly string[]): string[] {
  return declaredReferences(resource, fields).flat();
}

/** The keys of the records to which a change adds references in these fields. */
function addedKeys(change: Written, fields: readonly string[]): string[] {
  const held = new Set(recordKeys(change, fields));
  return declaredReferences(change.resource, fields)
    .filter((keys) => !keys.some((key) => held.has(key)))
    .flat();
}

/** The keys of the records to which these fields no longer refer after an update. */
function releasedKeys(change: Update, fieldsOf: FieldsOf): string[] {
  const { resource, base, differences } = change;
  const changed = fieldsOf(resource.kind).filter((field) => differences.some((one) => one.field === field));
  const after = referenceKeys(resource.kind, changed, (field) =>
    valueAfter(resource, field, base.fields[field]),
  );
  const kept = new Set(after.flat());
  return recordKeys(change, changed).filter((key) => !kept.has(key));
}

function declaredReferences(resource: Resource, fields: readonly string[]): string[][] {
  return referenceKeys(resource.kind, fields, (field) => writtenValue(resource, field));
}

/** The keys of the records to which an existing record refers before the plan. An unchanged record refers to what is declared. */
function recordKeys(change: ReadyChange, fields: readonly string[]): string[] {
  if (change.action === 'no-op') return declaredKeys(change.resource, fields);
  if (!('base' in change)) return [];
  return referenceKeys(change.resource.kind, fields, (field) => change.base.fields[field]).flat();
}
