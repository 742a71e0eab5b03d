import type { Address } from '../base/diagnostic.ts';
import { isJsonObject, textOf, type JsonObject } from '../base/json.ts';
import { deleteNeedsSuperuser, isSubject, kinds, modelOf } from '../kinds/all.ts';
import { familyOfModel } from '../kinds/families.ts';
import { isEffective, childKey } from '../kinds/bindings.ts';
import { policyBindings, policyField } from '../kinds/policy-bindings.ts';
import { listQuery, type Family, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { readAllChildren } from './children.ts';
import type { Client } from './client.ts';
import type { UsesReading } from './read-below.ts';
import type { Pacing } from './pacing.ts';
import { countOf } from './read-pages.ts';
import { readWhole } from './read-whole.ts';
import { retrieveSelf } from './retrieve.ts';
import { maxTries, retryUntilProven } from './retries.ts';
import type { HeldRecord } from './types.ts';

export interface Deletion {
  /** Why it must not be deleted; undefined if it may. */
  readonly because?: string;
  /** Its dependents, in words. */
  readonly notes: readonly string[];
}

/** By address; with the number of records of each kind, if the service says it. */
export interface Deletions {
  readonly of: ReadonlyMap<Address, Deletion>;
  readonly counts: ReadonlyMap<Kind, number>;
}

export interface DeleteCandidate {
  readonly resource: Pick<Resource, 'kind' | 'name' | 'address'>;
  readonly held: HeldRecord;
}

interface DeletionOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the dependents of records to delete, and whether each may be deleted. `isClosed` names records that an earlier change of
 * the plan closes, so that a delete cannot open them.
 */
export async function readDeletions(
  going: readonly DeleteCandidate[],
  isClosed: (pk: string) => boolean,
  options: DeletionOptions,
): Promise<Deletions> {
  const of = new Map<Address, Deletion>();
  for (const one of going) {
    const because = await deleteRefusal(one, going, options, isClosed);
    const uses = await usesOf(one, options);
    const notes = uses ? notesOn(uses) : [];
    of.set(one.resource.address, { notes, ...(because !== undefined && { because }) });
  }
  const totals = new Map<Kind, number>();
  for (const kind of new Set(going.map(({ resource }) => resource.kind))) {
    if (!(await showsAll(kind, options))) continue;
    const count = await countOf(listQuery(kind, new Set()), options);
    if (count !== undefined) totals.set(kind, count);
  }
  return { of, counts: totals };
}

/** Whether the token can list all records of a kind. */
async function showsAll({ listing }: Kind, { client, pacing, signal }: DeletionOptions): Promise<boolean> {
  if (listing.completeFor !== 'superusers') return true;
  const self = await retrieveSelf(client, pacing, signal);
  return self?.proof === 'exists' && self.isSuperuser;
}

/** Why a record must not be deleted, by its present state in the service; undefined if it may be. */
export async function deleteRefusal(
  { resource, held }: DeleteCandidate,
  going: readonly DeleteCandidate[],
  options: DeletionOptions,
  isClosed: (pk: string) => boolean = () => false,
): Promise<string | undefined> {
  const { kind } = resource;
  const { deletion } = kind;
  if (deletion === undefined) return `rollcall deletes no ${kind.list}`;
  const refused = deletion.refusal?.(held.fields);
  if (refused !== undefined) return refused;
  const needsSuperuser = deleteNeedsSuperuser(kind);
  const asksSelf = deletion.isOwned === true || needsSuperuser;
  const self = asksSelf ? await retrieveSelf(options.client, options.pacing, options.signal) : undefined;
  if (asksSelf && self?.proof !== 'exists') return 'the user of the token is unknown';
  if (deletion.isOwned && self?.proof === 'exists') {
    if (self.pk === undefined) return `it is unknown whether the token belongs to this ${kind.type}`;
    if (self.pk === held.pk) return `the token belongs to this ${kind.type}`;
  }
  const last = await lastRecordRefusal(kind, held, going, options);
  if (last !== undefined) return last;
  const isSuperuser = self?.proof === 'exists' && self.isSuperuser;
  if (needsSuperuser && !isSuperuser)
    return isSubject(kind)
      ? 'only superusers see all bindings, so a delete might open something to everyone'
      : 'only superusers see all of its dependents, so the service might delete more records with it';
  const uses = await usesOf({ resource, held }, options);
  if (uses === undefined) return 'its dependents could not be read';
  const taken = cascadeRefusal(kind, uses, going);
  if (taken !== undefined) return taken;
  return isSubject(kind) ? openingRefusal({ resource, held, uses }, going, options, isClosed) : undefined;
}

/** The reason if it is the last record of a sort that must not disappear. */
async function lastRecordRefusal(
  kind: Kind,
  held: HeldRecord,
  going: readonly DeleteCandidate[],
  options: DeletionOptions,
): Promise<string | undefined> {
  const last = kind.deletion?.last;
  if (last === undefined || held.fields[last.field] === false) return undefined;
  const list = await readWhole(kind.family.byName, options);
  if (list.kind !== 'whole') return `it could not be read whether it is ${last.words}`;
  const gone = pksOf(kind, going);
  const stays = list.records.some(
    ({ received }) => received[last.field] === true && !gone.has(textOf(received['pk'])),
  );
  return stays ? undefined : `it is ${last.words}`;
}

/** The reason if the service would delete another record with it that no manifest deletes. */
function cascadeRefusal(
  kind: Kind,
  uses: readonly JsonObject[],
  going: readonly DeleteCandidate[],
): string | undefined {
  const isPolicy = policyField.refersTo === kind.family;
  for (const use of uses) {
    const { app, model_name: model, name, pk, action } = use;
    const what = `the ${textOf(model)} ${JSON.stringify(textOf(name))}`;
    if (isPolicy && textOf(model).startsWith(policyBindings.type))
      return 'it is bound to records that could open to everyone without it: remove it from their `policies` first';
    // 2023.10 answers in capitals.
    if (textOf(action).toLowerCase() !== 'cascade') continue;
    const of = familyOf(textOf(app), textOf(model));
    if (of === undefined || of.isDeletedAlong) continue;
    const isGoing = going.some(({ resource, held }) => resource.kind.family === of && held.pk === textOf(pk));
    if (!isGoing)
      return `the service would delete ${what} with it: declare that as absent too, or change its reference first`;
  }
  return undefined;
}

/** The list of the records of a model: of all of a list, or of one of its types. */
function familyOf(app: string, model: string): Family | undefined {
  const ofType = kinds.find((kind) => kind.permissionApp === app && modelOf(kind).type === model);
  return familyOfModel(app, model) ?? ofType?.family;
}

/** The reason if the delete would open a record to everyone: an application, a flow, a source or any other that has bindings. */
async function openingRefusal(
  { uses, ...own }: DeleteCandidate & { readonly uses: readonly JsonObject[] },
  going: readonly DeleteCandidate[],
  options: DeletionOptions,
  isClosed: (pk: string) => boolean,
): Promise<string | undefined> {
  const read = await readAllChildren(policyBindings, options);
  if (read.kind !== 'read') return 'its bindings could not be read';
  const shown = new Set([...read.of.values()].flat().map(({ pk }) => pk));
  const isHidden = uses.some(
    (use) => use['model_name'] === policyBindings.type && !shown.has(textOf(use['pk'])),
  );
  if (isHidden) return 'some of its bindings are hidden from this token';
  const deleted = new Set(going.flatMap(({ held: { pk, bindable = pk } }) => [pk, bindable]));
  const key = keyOfRecord(own);
  const gone = new Set([key, ...going.map(keyOfRecord)]);
  for (const [target, bindings] of read.of) {
    const deciding = bindings.filter((child) => isEffective(child));
    // A negated binding keeps out those whom it names, and so does each policy: neither is enough to stay.
    const staying = deciding.filter(
      (child) => child.values['negate'] !== true && child.binds !== policyField,
    );
    if (
      !deciding.some((child) => childKey(child) === key) ||
      staying.some((child) => !gone.has(childKey(child)))
    )
      continue;
    if (deleted.has(target) || isClosed(target)) continue;
    const use = uses.find((each) => bindings.some(({ pk }) => pk === textOf(each['pk'])));
    const name = JSON.stringify(textOf(use?.['name'] ?? null));
    return `it is the only binding of ${name} (to the id ${target}), which everyone could open without it: add another binding first, or delete ${name}`;
  }
  return undefined;
}

/** What its bindings have in common. */
function keyOfRecord({ resource: { kind }, held }: DeleteCandidate): string {
  const binds = policyBindings.binds.find(({ refersTo }) => refersTo === kind.family);
  return childKey({ ...(binds && { binds }), id: held.pk });
}

function pksOf(kind: Kind, going: readonly DeleteCandidate[]): ReadonlySet<string> {
  return new Set(going.flatMap(({ resource, held }) => (resource.kind.type === kind.type ? held.pk : [])));
}

const mostNamed = 10;

/** The dependents of a record; undefined if the service does not say. */
async function usesOf(
  { resource: { kind, name }, held }: DeleteCandidate,
  { client, pacing, signal }: DeletionOptions,
): Promise<readonly JsonObject[] | undefined> {
  const ask = (): Promise<UsesReading> => client.readUses(kind, name, held.pk, signal);
  const reading = await retryUntilProven(ask, pacing, maxTries.lookUp);
  return reading?.proof === 'exists' ? reading.uses.filter((use) => isJsonObject(use)) : undefined;
}

function notesOn(uses: readonly JsonObject[]): string[] {
  const words = uses.map((use) => {
    const [model, name, action] = ['model_name', 'name', 'action'].map((key) => textOf(use[key] ?? null));
    const what = `the ${model} ${JSON.stringify(name)}`;
    // 2023.10 answers in capitals.
    return action?.toLowerCase() === 'cascade' ? `deletes ${what} with it` : `${what} loses it`;
  });
  const more = words.length - mostNamed;
  return more > 0 ? [...words.slice(0, mostNamed), `${more} more dependents`] : words;
}
