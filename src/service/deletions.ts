import type { Address } from '../base/diagnostic.ts';
import { lazy } from '../base/memoize.ts';
import { textOf, type JsonObject } from '../base/json.ts';
import { needsSuperuserToDelete, isSubject, kinds } from '../kinds/all.ts';
import { isEffective, childKey } from '../kinds/bindings.ts';
import type { Binding } from '../kinds/children.ts';
import { policyBindings, policyField } from '../kinds/policy-bindings.ts';
import { listQuery, type Family, type Kind } from '../kinds/kind.ts';
import { readChildren } from './children.ts';
import type { ReadContext } from './client.ts';
import {
  dependentNotes,
  isPolicyUse,
  readDependents,
  type DeleteCandidate,
  type Dependent,
  type Dependents,
  type IsReleased,
} from './dependents.ts';
import { readCount } from './read-pages.ts';
import { readWholeList } from './read-whole.ts';
import { isSuperuserToken, retrieveTokenUser } from './retrieve.ts';
import type { ObservedRecord } from './types.ts';

export interface DeleteDecision {
  readonly refusal?: string;
  readonly notes: readonly string[];
  /** Who gains access because other records lose the deleted record. */
  readonly opens?: readonly string[];
}

/** The decision for each record to delete, and the number of existing records of each kind, if known. */
export interface DeleteDecisions {
  readonly of: ReadonlyMap<Address, DeleteDecision>;
  readonly counts: ReadonlyMap<Kind, number>;
}

/** The deletes of a plan, and the changes of the plan that affect which records a delete would open to everyone. */
interface DeleteContext extends ReadContext {
  readonly deletes: readonly DeleteCandidate[];
  /** The bindings that the record with this id has before any delete, if the plan changes them. */
  readonly plannedBindings?: (pk: string) => readonly Binding[] | undefined;
  readonly isReleased?: IsReleased;
  readonly isFlagOff: () => Promise<boolean>;
}

/**
 * Decides for each record whether it may be deleted, after reading its dependents. If a record stays, the others are judged again,
 * because a delete may be safe only together with that of another record.
 */
export async function readDeletions(context: DeleteContext): Promise<DeleteDecisions> {
  const of = new Map<Address, DeleteDecision>();
  const counts = new Map<Kind, number>();
  let going = context.deletes.map((candidate) => ({
    ...candidate,
    dependents: lazy(() => readDependents(candidate, context)),
  }));
  for (let before; before !== going.length;) {
    before = going.length;
    const together = { ...context, deletes: going };
    for (const candidate of going) {
      const { dependents } = candidate;
      const { notes, ...decision } = await judgeDeletion(candidate, together, dependents);
      const known = (await dependents()) ?? [];
      const opens = decision.refusal ? [] : await gainsThroughLoss(candidate, known, together);
      const shown = dependentNotes(candidate, known, going, context.isReleased);
      of.set(candidate.resource.address, { ...decision, notes: [...notes, ...shown], opens });
    }
    going = going.filter(({ resource }) => of.get(resource.address)?.refusal === undefined);
  }
  for (const kind of new Set(context.deletes.map(({ resource }) => resource.kind))) {
    if (kind.listing.completeFor === 'superusers' && !(await isSuperuserToken(context))) continue;
    const count = await readCount(listQuery(kind, new Set()), context);
    if (count !== undefined) counts.set(kind, count);
  }
  return { of, counts };
}

/** Decides by the current state of the service whether a record may be deleted. */
export async function judgeDeletion(
  candidate: DeleteCandidate,
  context: DeleteContext,
  dependents: () => Promise<Dependents> = lazy(() => readDependents(candidate, context)),
): Promise<DeleteDecision> {
  const refusal =
    (await refusalOfRecord(candidate, context)) ??
    (await cascadeRefusal(candidate, await dependents(), context));
  if (refusal !== undefined) return { notes: [], refusal };
  if (!isSubject(candidate.resource.kind)) return { notes: [] };
  return judgeBindings(candidate, (await dependents()) ?? [], context);
}

/** Returns why a record must not be deleted, apart from its dependents, or undefined if it may be deleted. */
async function refusalOfRecord(
  { resource: { kind }, held }: DeleteCandidate,
  context: DeleteContext,
): Promise<string | undefined> {
  const { deletion } = kind;
  if (deletion === undefined) return `rollcall cannot delete ${kind.list}`;
  const refused = deletion.refusal?.(held.fields);
  if (refused !== undefined) return refused;
  const needsSuperuser = needsSuperuserToDelete(kind);
  const needsSelf = deletion.isUser === true || needsSuperuser;
  const self = needsSelf ? await retrieveTokenUser(context) : undefined;
  if (needsSelf && self?.proof !== 'exists') return unread("the token's user is unknown", context);
  if (deletion.isUser && self?.proof === 'exists') {
    if (self.pk === undefined) return `it is unknown whether the token belongs to this ${kind.type}`;
    if (self.pk === held.pk) return `the token belongs to this ${kind.type}`;
  }
  const last = await lastRecordRefusal(kind, held, context);
  if (last !== undefined) return last;
  if (!needsSuperuser || (self?.proof === 'exists' && self.isSuperuser)) return undefined;
  return isSubject(kind)
    ? "it needs a superuser's token: other tokens may not see all bindings, so the delete might open a record to everyone"
    : "it needs a superuser's token: other tokens may not see all records that the service would delete too";
}

/** Refuses to delete the last record that has a certain flag, such as the last superuser group. */
async function lastRecordRefusal(
  { type, family, deletion }: Kind,
  observed: ObservedRecord,
  context: DeleteContext,
): Promise<string | undefined> {
  const last = deletion?.last;
  if (last === undefined || observed.fields[last.field] === false) return undefined;
  const list = await readWholeList(family, context);
  if (list.kind !== 'whole') return unread(`the service did not show whether it is ${last.words}`, context);
  const deleted = context.deletes.filter(({ resource }) => resource.kind.type === type);
  const stays = list.records.some(
    ({ received }) =>
      received[last.field] === true && !deleted.some(({ held }) => held.pk === textOf(received['pk'])),
  );
  return stays ? undefined : `it is ${last.words}`;
}

/** Refuses a delete that makes the service delete other records, unless the manifests delete these too. */
async function cascadeRefusal(
  candidate: DeleteCandidate,
  dependents: Dependents,
  context: DeleteContext,
): Promise<string | undefined> {
  const { kind } = candidate.resource;
  if (dependents === undefined) return unread('its dependent records could not be read', context);
  const uses = dependents.filter((dependent) => isPolicyUse(kind, dependent));
  if (uses.length > 0 && !(await areGoneBefore(uses, candidate, context)))
    return 'records that have this policy could become open to everyone: remove the policy from their `policies` first, or delete these records too';
  for (const { family, words, pk, isDeletedToo } of dependents) {
    if (!isDeletedToo || family === undefined || family.isDeletedWithOwner) continue;
    if (!context.deletes.some(({ resource, held }) => resource.kind.family === family && held.pk === pk))
      return `the service would also delete ${words}: declare that record as absent too, or change its reference first`;
  }
  return undefined;
}

/** Whether the plan deletes the records that a policy guards, or takes the policy from them, before it deletes the policy. */
async function areGoneBefore(
  uses: readonly Dependent[],
  policy: DeleteCandidate,
  context: DeleteContext,
): Promise<boolean> {
  const read = await readChildren(policyBindings, 'all', context);
  const deleted = deletedIds(context);
  const key = bindingKey(policy);
  const isFree = (id: string): boolean =>
    deleted.has(id) || context.plannedBindings?.(id)?.every((child) => childKey(child) !== key) === true;
  const bound = read.kind === 'read' ? [...read.of].filter(([target]) => isFree(target)) : [];
  const gone = new Set(bound.flatMap(([, bindings]) => bindings.map(({ pk }) => pk)));
  // The service lists both the bindings and the records that they guard.
  return uses.every(({ pk }) => gone.has(pk) || isFree(pk));
}

function deletedIds({ deletes }: DeleteContext): ReadonlySet<string> {
  return new Set(deletes.flatMap(({ held: { pk, bindable = pk } }) => [pk, bindable]));
}

/** The reason for a refusal after a failed read: the token may have expired or been revoked during the run. */
function unread(reason: string, { pacing }: ReadContext): string {
  return pacing.isTokenRefused ? 'the service no longer accepts the token' : reason;
}

/** Refuses a delete that removes the last binding of another record, such as an application, and so opens that other record to everyone. */
async function judgeBindings(
  candidate: DeleteCandidate,
  dependents: NonNullable<Dependents>,
  context: DeleteContext,
): Promise<DeleteDecision> {
  const { deletes, plannedBindings = () => undefined } = context;
  const read = await readChildren(policyBindings, 'all', context);
  if (read.kind !== 'read') return { notes: [], refusal: unread('its bindings could not be read', context) };
  const shown = new Set([...read.of.values()].flat().map(({ pk }) => pk));
  if (dependents.some(({ model, pk }) => model === policyBindings.model.name && !shown.has(pk)))
    return { notes: [], refusal: 'some bindings of the record are hidden from this token' };
  const deleted = deletedIds(context);
  const key = bindingKey(candidate);
  const deletedKeys = new Set([key, ...deletes.map(bindingKey)]);
  const losing = [...read.of].filter(([target, bindings]) => {
    const deciding = (plannedBindings(target) ?? bindings).filter((child) => isEffective(child));
    // A negated binding or a policy does not keep a record closed.
    const isKept = deciding.some(
      (child) =>
        child.values['negate'] !== true && child.binds !== policyField && !deletedKeys.has(childKey(child)),
    );
    const isBound = deciding.some((child) => childKey(child) === key);
    return isBound && !isKept && !deleted.has(target);
  });
  if (losing.length === 0) return { notes: [] };
  const closing = await closedWithoutBindings(context);
  const opened = losing.find(([target]) => !closing.has(target));
  if (opened === undefined)
    return { notes: losing.map(([target]) => `nobody can open ${closing.get(target)} any more`) };
  const [target, bindings] = opened;
  const binding = dependents.find((each) => bindings.some(({ pk }) => pk === each.pk));
  const record = await recordWithBindings(target, context);
  const refusal = `everyone could then open ${record}, because the service would also delete the last binding that keeps it closed (${JSON.stringify(binding?.name ?? '')}): add another binding first, or delete ${record}`;
  return { notes: [], refusal };
}

/** Descriptions, by id, of the records that nobody can open while they have no bindings. */
async function closedWithoutBindings(context: DeleteContext): Promise<ReadonlyMap<string, string>> {
  const closed = new Map<string, string>();
  for (const kind of kinds)
    if (kind.access ? await context.isFlagOff() : kind.bindable?.isClosedUnbound)
      for (const [id, name] of await bindableRecords(kind, context)) closed.set(id, name);
  return closed;
}

/** Who gains access to the records to which the deleted record is bound, such as a flow that loses a stage. */
async function gainsThroughLoss(
  { resource: { kind }, held }: DeleteCandidate,
  dependents: NonNullable<Dependents>,
  context: DeleteContext,
): Promise<string[]> {
  const gains = new Set<string>();
  for (const { family, fields } of kinds)
    for (const { children, accessGain } of Object.values(fields)) {
      const binds = children?.binds.find(({ refersTo }) => refersTo === kind.family);
      const losing = dependents.filter(
        (each) => each.family === family && !context.deletes.some(({ held: { pk } }) => pk === each.pk),
      );
      if (binds === undefined || accessGain === undefined || losing.length === 0) continue;
      const list = await readWholeList(family, context);
      for (const { received } of list.kind === 'whole' ? list.records : []) {
        if (!losing.some(({ pk }) => pk === textOf(received['pk']))) continue;
        const gain = accessGain({
          now: [],
          before: [{ [binds.idField]: held.pk }],
          valuesOf: (field) => [received[field] ?? null],
        });
        if (gain !== undefined) gains.add(`users of ${nameIn(family, received)}: ${gain}`);
      }
    }
  return [...gains];
}

/** Describes the target of bindings by its name, or by its id if no list contains the record. */
async function recordWithBindings(target: string, context: ReadContext): Promise<string> {
  const byFamily = new Map(kinds.flatMap((kind) => (kind.bindable ? [[kind.family, kind] as const] : [])));
  const likelyFirst = [...byFamily.values()].toSorted((a, b) => Number(!a.access) - Number(!b.access));
  for (const kind of likelyFirst) {
    const name = (await bindableRecords(kind, context)).get(target);
    if (name !== undefined) return name;
  }
  return `the record with the id ${target}`;
}

async function bindableRecords(
  { family, bindable }: Kind,
  context: ReadContext,
): Promise<ReadonlyMap<string, string>> {
  const list = await readWholeList(family, context);
  const records = list.kind === 'whole' ? list.records : [];
  return new Map(
    records.flatMap(({ received }) => {
      const name = nameIn(family, received);
      return ['pk', bindable?.id ?? 'pk'].map((id) => [textOf(received[id]), name] as const);
    }),
  );
}

function nameIn({ type, identity }: Family, received: JsonObject): string {
  return `the ${type.replaceAll('_', ' ')} ${JSON.stringify(textOf(received[identity]))}`;
}

function bindingKey({ resource: { kind }, held }: DeleteCandidate): string {
  const binds = policyBindings.binds.find(({ refersTo }) => refersTo === kind.family);
  return childKey({ ...(binds && { binds }), id: held.pk });
}
