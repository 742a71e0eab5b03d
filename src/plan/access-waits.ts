import type { Address } from '../base/diagnostic.ts';
import { addTo } from '../base/group-by.ts';
import { isBindingField } from '../kinds/access.ts';
import { childFields } from '../kinds/bindings.ts';
import { valueAfter, writtenValue } from '../kinds/fields.ts';
import type { Kind } from '../kinds/kind.ts';
import { namingFields, keyOfId, referenceKeys } from '../kinds/named.ts';
import { inheritingFields } from '../kinds/reference-facts.ts';
import { isPolicyKind, mayDecideOtherwise } from '../kinds/policy-bindings.ts';
import type { Resource } from '../kinds/resource.ts';
import { openFlag } from '../kinds/settings.ts';
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

/** Finds the changes that must wait for others, so that nobody has more access in between than before and after the plan. */
export function findAccessWaits(
  changes: readonly ReadyChange[],
  withBindings: ReadonlySet<Address>,
): readonly AccessWait[] {
  const written = changes.flatMap((change): Written[] =>
    change.action === 'create' || change.action === 'update' ? [change] : [],
  );
  const updates = written.filter((change) => change.action === 'update');
  if (updates.length === 0 && withBindings.size === 0) return [];
  const narrowedAt = byKey(updates, (change) => (narrowsAccess(change) ? keysOfRecord(change) : []));
  addDependents(narrowedAt, changes);
  const servedBy = byKey(written, (change) => {
    const withheld = withheldFields(change);
    return [...declaredKeys(change.resource, withheld), ...recordKeys(change, withheld)];
  });
  const flags = updates.filter(({ resource: { kind } }) => kind.list === openFlag.list);
  const endedMemberships = byKey(updates, (change) => releasedKeys(change, membershipFields));
  const removedBindings = byKey(updates, (change) => releasedKeys(change, bindingFields));
  const all = { narrowedAt, withBindings, servedBy, flags, endedMemberships, removedBindings };
  return written
    .flatMap((change) => [
      ...waitsOfAdded(change, all),
      ...waitsOfPolicies(change, all),
      ...waitsOfFlags(change, all),
      ...waitsOfProviders(change, all),
    ])
    .filter(({ resource, holder }) => resource.address !== holder);
}

type ByKey<Item> = ReadonlyMap<string, readonly Item[]>;

interface AccessChanges {
  /** The updates that take access or rights away, by the keys of their records and of the records that depend on these. */
  readonly narrowedAt: ByKey<Update>;
  readonly withBindings: ReadonlySet<Address>;
  /** Applications by the keys of their providers. */
  readonly servedBy: ByKey<Written>;
  readonly flags: readonly Update[];
  readonly endedMemberships: ByKey<Update>;
  readonly removedBindings: ByKey<Update>;
}

function waitFor({ resource }: Written, holder: Written): AccessWait {
  return { resource, holder: holder.resource.address };
}

/** Whether people lose access through a change, also through bindings that it adds. */
function isNarrowed(change: Written, { withBindings }: AccessChanges): boolean {
  return narrowsAccess(change) || (change.action === 'update' && withBindings.has(change.resource.address));
}

/**
 * A change that adds a reference waits for the updates that take access or rights away from that record. If it adds a member to a
 * group, it waits for the updates that remove bindings of the group; if it binds a group, for those that end its memberships.
 */
function waitsOfAdded(change: Written, all: AccessChanges): AccessWait[] {
  const { kind } = change.resource;
  return [
    ...itemsAt(all.narrowedAt, addedKeys(change, namingFields(kind))),
    ...itemsAt(all.removedBindings, addedKeys(change, membershipFields(kind))),
    ...itemsAt(all.endedMemberships, addedKeys(change, bindingFields(kind))),
  ].map((holder) => waitFor(change, holder));
}

/**
 * A change that gives access waits for the updated policies on which its record already depends, because they may reject more
 * people. An updated policy waits for the updates that take access away from such records, because it may admit more people.
 */
function waitsOfPolicies(change: Written, all: AccessChanges): AccessWait[] {
  const fields = namingFields(change.resource.kind);
  const declared = declaredKeys(change.resource, fields);
  const added = new Set(itemsAt(all.narrowedAt, addedKeys(change, fields)));
  const policies = itemsAt(all.narrowedAt, [...declared, ...recordKeys(change, fields)]).filter(
    (holder) => !added.has(holder) && isPolicyKind(holder.resource.kind),
  );
  if (!change.opens) return isNarrowed(change, all) ? policies.map((policy) => waitFor(policy, change)) : [];
  return policies.flatMap((policy): AccessWait | AccessWait[] => {
    const wait = waitFor(change, policy);
    const isKept = keysOfRecord(policy).some((key) => declared.includes(key));
    if (isKept && !narrowsAccess(change)) return wait;
    return [wait, { ...waitFor(policy, change), yields: true }];
  });
}

/** The same for the flags that decide who may open records without bindings. */
function waitsOfFlags(change: Written, all: AccessChanges): AccessWait[] {
  const { resource } = change;
  const observation: Observation =
    change.action === 'create' ? { presence: 'absent' } : { presence: 'present', held: change.base };
  if (!isUnbound(resource, observation)) return [];
  return all.flags.flatMap((flag) => {
    if (narrowsAccess(flag)) return waitFor(change, flag);
    return flag.opens && isNarrowed(change, all) ? waitFor(flag, change) : [];
  });
}

/**
 * An application gets its provider after the changes that restrict or bind records that belong to the provider. A change that
 * refers to the provider of an application waits for the update that takes access to the application away.
 */
function waitsOfProviders(change: Written, all: AccessChanges): AccessWait[] {
  const { kind, address } = change.resource;
  if (kind.access) return [];
  const restricts = narrowsAccess(change) || all.withBindings.has(address);
  return declaredKeys(change.resource, namingFields(kind)).flatMap((key) =>
    (all.servedBy.get(key) ?? []).flatMap((application) => {
      const isNew = !recordKeys(application, withheldFields(application)).includes(key);
      if (isNew) return restricts ? waitFor(application, change) : [];
      return isNarrowed(application, all) ? waitFor(change, application) : [];
    }),
  );
}

function withheldFields({ resource: { kind } }: Written): readonly string[] {
  return kind.bindable?.withheld ?? [];
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
function narrowsAccess(change: Written): boolean {
  if (change.action === 'create') return false;
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
    const reached = new Set(keysOfRecord(holder));
    for (const key of reached)
      for (const one of dependents.get(key) ?? []) for (const next of keysOfRecord(one)) reached.add(next);
    for (const key of reached) addTo(narrowedAt, key, holder);
  }
}

function keysOfRecord(change: ReadyChange): string[] {
  const { kind, address } = change.resource;
  const id = 'base' in change ? change.base.pk : change.pk;
  return [address, ...(id === undefined ? [] : [keyOfId(kind, id)])];
}

/** The items at any of these keys, each once. */
function itemsAt<Item>(items: ByKey<Item>, keys: readonly string[]): Item[] {
  return [...new Set(keys.flatMap((key) => items.get(key) ?? []))];
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
