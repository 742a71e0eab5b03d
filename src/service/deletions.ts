import type { Address } from '../base/diagnostic.ts';
import { lazy } from '../base/memoize.ts';
import { textOf, type JsonObject } from '../base/json.ts';
import { deleteNeedsSuperuser, isSubject, kinds, modelOf } from '../kinds/all.ts';
import { familyOfModel } from '../kinds/families.ts';
import { isEffective, childKey } from '../kinds/bindings.ts';
import { policyBindings, policyField } from '../kinds/policy-bindings.ts';
import { listQuery, type Family, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { readAllChildren } from './children.ts';
import type { DependentsReading, ReadContext } from './client.ts';
import { readCount } from './read-pages.ts';
import { readWholeList } from './read-whole.ts';
import { retrieveTokenUser } from './retrieve.ts';
import { retryUntilProven } from './retries.ts';
import type { ObservedRecord } from './types.ts';

export interface Deletion {
  readonly refusal?: string;
  /** Notes about the records that depend on the record to delete. */
  readonly notes: readonly string[];
}

/** The decision for each record to delete, and the number of records of each kind, if it is known. */
export interface Deletions {
  readonly of: ReadonlyMap<Address, Deletion>;
  readonly counts: ReadonlyMap<Kind, number>;
}

export interface DeleteCandidate {
  readonly resource: Pick<Resource, 'kind' | 'name' | 'address'>;
  readonly held: ObservedRecord;
}

/** Changes in the same plan that affect which records a delete would open. */
interface Meanwhile {
  /** Whether an earlier change of the plan closes the record with this id, so that a delete cannot open it. */
  readonly isClosed?: (pk: string) => boolean;
  /** Whether nobody can open applications without bindings. */
  readonly isFlagOff?: () => Promise<boolean>;
}

/** Decides for each record whether it may be deleted, after reading its dependents. */
export async function readDeletions(
  deletes: readonly DeleteCandidate[],
  meanwhile: Meanwhile,
  context: ReadContext,
): Promise<Deletions> {
  const of = new Map<Address, Deletion>();
  for (const one of deletes) {
    const readUses = lazy(() => readDependents(one, context));
    const { refusal, notes: closed } = await judgeDeletion(one, deletes, context, meanwhile, readUses);
    const notes = [...closed, ...dependentNotes((await readUses()) ?? [])];
    of.set(one.resource.address, { notes, ...(refusal !== undefined && { refusal }) });
  }
  const totals = new Map<Kind, number>();
  for (const kind of new Set(deletes.map(({ resource }) => resource.kind))) {
    if (!(await canListAll(kind, context))) continue;
    const count = await readCount(listQuery(kind, new Set()), context);
    if (count !== undefined) totals.set(kind, count);
  }
  return { of, counts: totals };
}

async function canListAll({ listing }: Kind, context: ReadContext): Promise<boolean> {
  if (listing.completeFor !== 'superusers') return true;
  const self = await retrieveTokenUser(context);
  return self?.proof === 'exists' && self.isSuperuser;
}

/** Decides by the current state of the service whether a record may be deleted. */
export async function judgeDeletion(
  one: DeleteCandidate,
  going: readonly DeleteCandidate[],
  context: ReadContext,
  meanwhile: Meanwhile,
  readUses: () => Promise<Uses> = lazy(() => readDependents(one, context)),
): Promise<Deletion> {
  const because = await deleteRefusal(one, going, context, readUses);
  if (because !== undefined) return { notes: [], refusal: because };
  if (!isSubject(one.resource.kind)) return { notes: [] };
  return judgeBindings({ ...one, uses: (await readUses()) ?? [] }, going, context, meanwhile);
}

/** Returns why a record must not be deleted, apart from its bindings, or undefined if it may be deleted. */
async function deleteRefusal(
  { resource, held }: DeleteCandidate,
  going: readonly DeleteCandidate[],
  context: ReadContext,
  readUses: () => Promise<Uses>,
): Promise<string | undefined> {
  const { kind } = resource;
  const { deletion } = kind;
  if (deletion === undefined) return `rollcall cannot delete ${kind.list}`;
  const refused = deletion.refusal?.(held.fields);
  if (refused !== undefined) return refused;
  const needsSuperuser = deleteNeedsSuperuser(kind);
  const needsSelf = deletion.isOwned === true || needsSuperuser;
  const self = needsSelf ? await retrieveTokenUser(context) : undefined;
  if (needsSelf && self?.proof !== 'exists') return "the token's user is unknown";
  if (deletion.isOwned && self?.proof === 'exists') {
    if (self.pk === undefined) return `it is unknown whether the token belongs to this ${kind.type}`;
    if (self.pk === held.pk) return `the token belongs to this ${kind.type}`;
  }
  const last = await lastRecordRefusal(kind, held, going, context);
  if (last !== undefined) return last;
  const isSuperuser = self?.proof === 'exists' && self.isSuperuser;
  if (needsSuperuser && !isSuperuser)
    return isSubject(kind)
      ? 'only superusers see all bindings, so the delete might open a record to everyone'
      : 'only superusers see all dependent records, which the service might delete too';
  const uses = await readUses();
  if (uses === undefined) return 'its dependent records could not be read';
  return cascadeRefusal(kind, uses, going);
}

/** Refuses to delete the last record that has a certain flag, such as the last superuser group. */
async function lastRecordRefusal(
  kind: Kind,
  observed: ObservedRecord,
  going: readonly DeleteCandidate[],
  context: ReadContext,
): Promise<string | undefined> {
  const last = kind.deletion?.last;
  if (last === undefined || observed.fields[last.field] === false) return undefined;
  const list = await readWholeList(kind.family.byName, context);
  if (list.kind !== 'whole') return `the service did not show whether it is ${last.words}`;
  const gone = pksOf(kind, going);
  const stays = list.records.some(
    ({ received }) => received[last.field] === true && !gone.has(textOf(received['pk'])),
  );
  return stays ? undefined : `it is ${last.words}`;
}

/** Refuses a delete that makes the service delete other records, unless the manifests delete these too. */
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
      return 'records have this policy and could open to everyone without it: remove it from their `policies` first';
    // Release 2023.10 writes the action in capitals.
    if (textOf(action).toLowerCase() !== 'cascade') continue;
    const of = familyOf(textOf(app), textOf(model));
    if (of === undefined || of.isDeletedAlong) continue;
    const isGoing = going.some(({ resource, held }) => resource.kind.family === of && held.pk === textOf(pk));
    if (!isGoing)
      return `the service would delete ${what} too: declare that record as absent too, or change its reference first`;
  }
  return undefined;
}

function familyOf(app: string, model: string): Family | undefined {
  const ofType = kinds.find((kind) => kind.permissionApp === app && modelOf(kind).type === model);
  return familyOfModel(app, model) ?? ofType?.family;
}

/** Refuses a delete that removes the last binding of another record, such as an application, and so opens it to everyone. */
async function judgeBindings(
  { uses, ...own }: DeleteCandidate & { readonly uses: readonly JsonObject[] },
  going: readonly DeleteCandidate[],
  context: ReadContext,
  { isClosed = () => false, isFlagOff }: Meanwhile,
): Promise<Deletion> {
  const read = await readAllChildren(policyBindings, context);
  if (read.kind !== 'read') return { notes: [], refusal: 'its bindings could not be read' };
  const shown = new Set([...read.of.values()].flat().map(({ pk }) => pk));
  const isHidden = uses.some(
    (use) => use['model_name'] === policyBindings.type && !shown.has(textOf(use['pk'])),
  );
  if (isHidden) return { notes: [], refusal: 'this token cannot see some of its bindings' };
  const deleted = new Set(going.flatMap(({ held: { pk, bindable = pk } }) => [pk, bindable]));
  const key = bindingKey(own);
  const gone = new Set([key, ...going.map(bindingKey)]);
  const losing = [...read.of].filter(([target, bindings]) => {
    const deciding = bindings.filter((child) => isEffective(child));
    // A negated binding or a policy does not keep a record closed.
    const staying = deciding.filter(
      (child) => child.values['negate'] !== true && child.binds !== policyField,
    );
    if (
      !deciding.some((child) => childKey(child) === key) ||
      staying.some((child) => !gone.has(childKey(child)))
    )
      return false;
    return !deleted.has(target) && !isClosed(target);
  });
  if (losing.length === 0) return { notes: [] };
  const closing = (await isFlagOff?.()) ? await closedWithoutBindings(context) : new Map<string, string>();
  const opened = losing.find(([target]) => !closing.has(target));
  if (opened === undefined)
    return { notes: losing.map(([target]) => `nobody can open ${closing.get(target)} any more`) };
  const [target, bindings] = opened;
  const use = uses.find((each) => bindings.some(({ pk }) => pk === textOf(each['pk'])));
  const name = JSON.stringify(textOf(use?.['name'] ?? null));
  const record = await recordWithBindings(target, context);
  const because = `the service would delete the binding ${name} too, the only binding of ${record}, which everyone could open then: add another binding first, or delete ${record}`;
  return { notes: [], refusal: because };
}

/** Describes the records that nobody can open without bindings, by id. */
async function closedWithoutBindings(context: ReadContext): Promise<ReadonlyMap<string, string>> {
  const closed = new Map<string, string>();
  for (const kind of kinds)
    if (kind.access) for (const [id, name] of await bindableRecords(kind, context)) closed.set(id, name);
  return closed;
}

/** Describes the record that has the bindings to this id, by its name if a list shows it. */
async function recordWithBindings(target: string, context: ReadContext): Promise<string> {
  const byFamily = new Map(kinds.flatMap((kind) => (kind.bindable ? [[kind.family, kind] as const] : [])));
  const likelyFirst = [...byFamily.values()].toSorted((a, b) => Number(!a.access) - Number(!b.access));
  for (const kind of likelyFirst) {
    const name = (await bindableRecords(kind, context)).get(target);
    if (name !== undefined) return name;
  }
  return `the record with the id ${target}`;
}

/** Describes the records of a list, by the ids to which bindings may refer. */
async function bindableRecords(
  { family, bindable }: Kind,
  context: ReadContext,
): Promise<ReadonlyMap<string, string>> {
  const list = await readWholeList(family.byName, context);
  const records = list.kind === 'whole' ? list.records : [];
  return new Map(
    records.flatMap(({ received }) => {
      const name = `the ${family.type.replaceAll('_', ' ')} ${JSON.stringify(textOf(received[family.identity]))}`;
      return ['pk', bindable?.id ?? 'pk'].map((id) => [textOf(received[id]), name] as const);
    }),
  );
}

/** The `childKey` of every binding that refers to this record. */
function bindingKey({ resource: { kind }, held }: DeleteCandidate): string {
  const binds = policyBindings.binds.find(({ refersTo }) => refersTo === kind.family);
  return childKey({ ...(binds && { binds }), id: held.pk });
}

function pksOf(kind: Kind, going: readonly DeleteCandidate[]): ReadonlySet<string> {
  return new Set(going.flatMap(({ resource, held }) => (resource.kind.type === kind.type ? held.pk : [])));
}

const maxListed = 10;

type Uses = readonly JsonObject[] | undefined;

/** Reads the records that depend on a record. Returns undefined if they could not be read. */
async function readDependents(
  { resource: { kind, name }, held }: DeleteCandidate,
  { client, pacing, signal }: ReadContext,
): Promise<Uses> {
  const ask = (): Promise<DependentsReading> => client.readUses(kind, name, held.pk, signal);
  const reading = await retryUntilProven(ask, pacing);
  return reading?.proof === 'exists' ? reading.uses : undefined;
}

function dependentNotes(uses: readonly JsonObject[]): string[] {
  const words = uses.map((use) => {
    const [model, name, action] = ['model_name', 'name', 'action'].map((key) => textOf(use[key] ?? null));
    const what = `the ${model} ${JSON.stringify(name)}`;
    // Release 2023.10 writes the action in capitals.
    return action?.toLowerCase() === 'cascade' ? `deletes ${what} with it` : `${what} loses it`;
  });
  const more = words.length - maxListed;
  return more > 0 ? [...words.slice(0, maxListed), `${more} more dependents`] : words;
}
