import type { JsonObject } from '../base/json.ts';
import { declaredChildFields, isBindingField } from '../kinds/access.ts';
import {
  bindingsByDeclaration,
  changedBindings,
  targetId,
  differingFields,
  missingBindings,
  valuesWithoutNested,
  type extraBindings,
} from '../kinds/bindings.ts';
import type { Child, Parent, WantedChild, WantedChildren } from '../kinds/children.ts';
import type { Resource } from '../kinds/resource.ts';
import { compareRecord } from '../plan/compare.ts';
import { readChildren, readDeclaredChildren } from '../service/children.ts';
import type { DeleteResult, UpdateResult, CreateResult } from '../service/client.ts';
import type { ObservedRecord } from '../service/types.ts';
import {
  conflictWith,
  endAfterFailedRead,
  endedWrite,
  judgeDelete,
  judgeFailure,
  settleWrite,
  type EndedWrite,
  type JudgedWrite,
  type NextRequest,
  type WriteEnding,
  type Writer,
  type WriteResult,
} from './settle.ts';

export interface BindingTarget extends WantedChildren, Writer {
  readonly resource: Resource;
  readonly parent: Parent;
}

/** Creates a binding unless it exists already. After an unclear answer, the create is not repeated. */
export function addBinding(target: BindingTarget, child: WantedChild): Promise<WriteResult> {
  async function next(): Promise<NextRequest<CreateResult>> {
    const bound = await readBoundChildren(target);
    if ('outcome' in bound) return { kind: 'ended', end: bound };
    if (bindingsByDeclaration(target, bound).has(child)) return endedWrite('unchanged');
    const fields = { [child.binds.idField]: child.id, order: bound.length, ...valuesWithoutNested(child) };
    return { kind: 'send', send: () => target.client.bind(target.children, target.parent, fields) };
  }

  async function judge({ proof }: CreateResult): Promise<JudgedWrite> {
    switch (proof) {
      case 'created':
        return endedWrite('created');
      // Bindings have no names that could be taken, so a 409 does not show whether the binding was created.
      case 'exists':
      case 'taken':
      case 'unknown':
      case 'ambiguous': {
        const bound = await readBoundChildren(target);
        const isBoundNow = !('outcome' in bound) && bindingsByDeclaration(target, bound).has(child);
        return { kind: 'unclear', end: { outcome: isBoundNow ? 'created' : 'unknown' } };
      }
      case 'taken_or_rejected':
        return endedWrite('rejected');
      default:
        return judgeFailure(proof);
    }
  }

  return inField(child.field, settleWrite({ next, judge }, target));
}

async function inField(field: string, write: Promise<WriteResult>): Promise<WriteResult> {
  return { ...(await write), at: field };
}

/** Changes a binding to its declared values, unless the binding has changed since the plan read it. */
export function changeBinding(target: BindingTarget, child: WantedChild, base: Child): Promise<WriteResult> {
  const { children, parent, client } = target;

  async function next(): Promise<NextRequest<UpdateResult>> {
    const bound = await readBoundChildren(target);
    if ('outcome' in bound) return { kind: 'ended', end: bound };
    const now = bound.find(({ pk }) => pk === base.pk);
    if (!now) return bindingsChanged;
    const fields = differingFields({ ...child, values: valuesWithoutNested(child) }, now);
    if (fields.length === 0) return endedWrite('unchanged');
    const planned = { ...child, values: pickFields(base.values, fields) };
    if (differingFields(planned, now).length > 0) return bindingsChanged;
    const whole = {
      target: targetId(children, parent),
      [child.binds.idField]: child.id,
      order: child.values['order'] ?? null,
    };
    const sent = { ...(children.isSentWhole && whole), ...pickFields(child.values, fields) };
    return { kind: 'send', send: () => client.rebind(children, now.pk, sent) };
  }

  return inField(child.field, settleWrite({ next, judge: judgeChange }, target));
}

function judgeChange({ proof }: UpdateResult): JudgedWrite {
  if (proof === 'updated') return endedWrite('updated');
  return proof === 'vanished' ? bindingsChanged : judgeFailure(proof);
}

/** Whether a binding differs from its declaration, apart from nested bindings. */
export function differsInOwnFields(child: WantedChild, base: Child): boolean {
  return differingFields({ ...child, values: valuesWithoutNested(child) }, base).length > 0;
}

export const bindingsChanged: EndedWrite = conflictWith({
  kind: 'refused',
  why: 'somebody else has changed or deleted a binding of the record',
});

function pickFields(values: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, values[field] ?? null]));
}

/**
 * Deletes a binding only if no declared binding is missing: otherwise the record would be open to everyone. With
 * `isAfterChanges`, a binding that differs from its declaration also prevents the delete.
 */
export function removeBinding(
  target: BindingTarget,
  { child: { pk }, field }: ReturnType<typeof extraBindings>[number],
  isAfterChanges: boolean,
): Promise<WriteResult> {
  const { children, removal, client } = target;

  async function next(): Promise<NextRequest<DeleteResult>> {
    const bound = await readBoundChildren(target);
    if ('outcome' in bound) return { kind: 'ended', end: bound };
    if (!bound.some((child) => child.pk === pk)) return endedWrite('unchanged');
    const others = bound.filter((child) => child.pk !== pk);
    if (missingBindings(target, others).length > 0)
      return conflictWith({ kind: 'refused', why: lastBindingReason[removal] });
    const isChanged = changedBindings(target, others).some(([child, base]) =>
      differsInOwnFields(child, base),
    );
    if (isAfterChanges && isChanged) return bindingsChanged;
    return { kind: 'send', send: () => client.unbind(children, pk, removal) };
  }

  return inField(field, settleWrite({ next, judge: (result) => judgeDelete('updated', result) }, target));
}

const lastBindingReason: Readonly<Record<WantedChildren['removal'], string>> = {
  update:
    'a declared group or user is no longer bound, so deleting the last binding would open the record to everyone',
  delete: 'a declared binding is missing, so no binding is deleted',
};

export async function verifyBindings(
  { resource, client, pacing, control }: Writer & { readonly resource: Resource },
  { held }: WriteResult,
): Promise<WriteEnding> {
  const { kind } = resource;
  if (held === undefined) throw new Error(`the state of ${resource.address} is unknown`);
  const read = await readDeclaredChildren(kind, [held], declaredChildFields(resource), { client, pacing });
  if (read.kind === 'not_sent') return { outcome: 'not_attempted' };
  if (read.kind === 'unread') return endAfterFailedRead(read.reading, control);
  return unchangedOrConflict(resource, read.of.get(held.pk) ?? held, (field) => isBindingField(kind, field));
}

/** Compares the fields of a resource with the manifest after all writes. */
export function unchangedOrConflict(
  resource: Resource,
  now: ObservedRecord,
  isWanted: (field: string) => boolean,
): WriteEnding {
  const fields = compareRecord(resource, now).flatMap(({ field }) => (isWanted(field) ? [field] : []));
  if (fields.length === 0) return { outcome: 'unchanged', held: now };
  return { outcome: 'conflict', clash: { kind: 'changed', fields, now }, held: now };
}

export async function readBoundChildren(target: BindingTarget): Promise<readonly Child[] | WriteEnding> {
  const read = await readChildren(target.children, [target.parent], target);
  if (read.kind === 'not_sent') return { outcome: 'not_attempted' };
  if (read.kind === 'read') return read.of.get(target.parent.pk) ?? [];
  return endAfterFailedRead(read.reading, target.control);
}
