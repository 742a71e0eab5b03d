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
import type { Client, DeleteResult, UpdateResult, CreateResult } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import {
  endedAs,
  judgeDelete,
  settleWrite,
  endAfterFailedRead,
  type RunControl,
  type WriteEnd,
  type JudgedWrite,
  type NextRequest,
  type WriteResult,
} from './settle.ts';

export interface BindingTarget extends WantedChildren {
  readonly resource: Resource;
  readonly parent: Parent;
  readonly client: Client;
  readonly pacing: Pacing;
  readonly control: RunControl;
}

/** Creates a binding unless it exists already. After an unclear answer, the create is not repeated. */
export function addBinding(binder: BindingTarget, child: WantedChild): Promise<WriteResult> {
  const { children, parent, client, pacing, control } = binder;

  async function next(): Promise<NextRequest<CreateResult>> {
    const bound = await readBoundChildren(binder);
    if ('outcome' in bound) return { kind: 'ended', end: bound };
    if (bindingsByDeclaration(binder, bound).has(child))
      return { kind: 'ended', end: { outcome: 'unchanged' } };
    const fields = { [child.binds.idField]: child.id, order: bound.length, ...valuesWithoutNested(child) };
    return { kind: 'send', send: () => client.bind(children, parent, fields) };
  }

  async function judge(writing: CreateResult): Promise<JudgedWrite> {
    switch (writing.proof) {
      case 'created':
      case 'rejected':
      case 'denied':
        return endedAs({ outcome: writing.proof });
      case 'exists':
      case 'taken':
      case 'unknown':
        return endedAs({ outcome: 'rejected' });
      case 'closed':
        return endedAs({ outcome: 'not_attempted' });
      case 'fault':
        control.stop('run');
        return endedAs({ outcome: 'not_attempted' });
      case 'ambiguous': {
        const bound = await readBoundChildren(binder);
        const isBoundNow = !('outcome' in bound) && bindingsByDeclaration(binder, bound).has(child);
        return { kind: 'open', end: { outcome: isBoundNow ? 'created' : 'unknown' } };
      }
      case 'not_applied':
        return { kind: 'not_applied' };
    }
  }

  return inField(child.field, settleWrite({ next, judge }, pacing, control));
}

async function inField(field: string, step: Promise<WriteResult>): Promise<WriteResult> {
  return { at: field, ...(await step) };
}

/** Changes a binding to its declared values, unless the binding has changed since the plan read it. */
export function changeBinding(binder: BindingTarget, child: WantedChild, base: Child): Promise<WriteResult> {
  const { children, parent, client, pacing, control } = binder;

  async function next(): Promise<NextRequest<UpdateResult>> {
    const bound = await readBoundChildren(binder);
    if ('outcome' in bound) return { kind: 'ended', end: bound };
    const now = bound.find(({ pk }) => pk === base.pk);
    const own = { ...child, values: valuesWithoutNested(child) };
    const fields = now ? differingFields(own, now) : [];
    if (now && fields.length === 0) return { kind: 'ended', end: { outcome: 'unchanged' } };
    if (!now || differingFields({ ...child, values: pickFields(base.values, fields) }, now).length > 0)
      return {
        kind: 'ended',
        end: { outcome: 'conflict', clash: { kind: 'closed', why: changedByOthers } },
      };
    const whole = {
      target: targetId(children, parent),
      [child.binds.idField]: child.id,
      order: now.values['order'] ?? null,
    };
    const sent = { ...(children.isSentWhole && whole), ...pickFields(child.values, fields) };
    return { kind: 'send', send: () => client.rebind(children, now.pk, sent) };
  }

  async function judge({ proof }: UpdateResult): Promise<JudgedWrite> {
    switch (proof) {
      case 'updated':
      case 'rejected':
      case 'denied':
        return endedAs({ outcome: proof });
      case 'vanished':
        return endedAs({ outcome: 'conflict', clash: { kind: 'closed', why: changedByOthers } });
      case 'closed':
        return endedAs({ outcome: 'not_attempted' });
      case 'fault':
        control.stop('run');
        return endedAs({ outcome: 'not_attempted' });
      case 'ambiguous':
        return { kind: 'open' };
      case 'not_applied':
        return { kind: 'not_applied' };
    }
  }

  return inField(child.field, settleWrite({ next, judge }, pacing, control));
}

/** Whether the own fields of a binding differ from its declaration, ignoring nested bindings. */
export function differsInOwnFields(child: WantedChild, base: Child): boolean {
  return differingFields({ ...child, values: valuesWithoutNested(child) }, base).length > 0;
}

export const changedByOthers = 'somebody else has changed or deleted a binding of the record';

function pickFields(values: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, values[field] ?? null]));
}

/**
 * Deletes a binding, unless a declared binding is missing, because the record would then open to everyone. With `isAfterChanges`,
 * nothing is deleted either if another binding differs from its declaration.
 */
export function removeBinding(
  binder: BindingTarget,
  { child: { pk }, field }: ReturnType<typeof extraBindings>[number],
  isAfterChanges: boolean,
): Promise<WriteResult> {
  const { children, removal, client, pacing, control } = binder;

  async function next(): Promise<NextRequest<DeleteResult>> {
    const bound = await readBoundChildren(binder);
    if ('outcome' in bound) return { kind: 'ended', end: bound };
    if (!bound.some((child) => child.pk === pk)) return { kind: 'ended', end: { outcome: 'unchanged' } };
    const others = bound.filter((child) => child.pk !== pk);
    if (missingBindings(binder, others).length > 0)
      return {
        kind: 'ended',
        end: { outcome: 'conflict', clash: { kind: 'closed', why: lastBindingReason[removal] } },
      };
    const isChanged = changedBindings(binder, others).some(([one, base]) => differsInOwnFields(one, base));
    if (isAfterChanges && isChanged)
      return {
        kind: 'ended',
        end: { outcome: 'conflict', clash: { kind: 'closed', why: changedByOthers } },
      };
    return { kind: 'send', send: () => client.unbind(children, pk, removal) };
  }

  return inField(
    field,
    settleWrite({ next, judge: async (deleting) => judgeDelete('updated', deleting) }, pacing, control),
  );
}

const lastBindingReason: Readonly<Record<WantedChildren['removal'], string>> = {
  update:
    'a declared group or user is no longer bound, so deleting the last binding would open the record to everyone',
  delete: 'a declared binding is missing, so no binding is deleted',
};

export async function verifyBindings(
  { resource, client, pacing, control }: Pick<BindingTarget, 'resource' | 'client' | 'pacing' | 'control'>,
  { held }: WriteResult,
): Promise<WriteResult> {
  const { kind } = resource;
  const nothing = { inDoubt: false, attempts: 0 };
  if (held === undefined) throw new Error(`the state of ${resource.address} is unknown`);
  const read = await readDeclaredChildren(kind, [held], declaredChildFields(resource), { client, pacing });
  if (read.kind === 'not_sent') return { ...nothing, outcome: 'not_attempted' };
  if (read.kind === 'unread') return { ...endAfterFailedRead(read.reading, control), ...nothing };
  const now = read.of.get(held.pk) ?? held;
  const fields = compareRecord(resource, now).flatMap(({ field }) =>
    isBindingField(kind, field) ? [field] : [],
  );
  if (fields.length === 0) return { ...nothing, outcome: 'unchanged', held: now };
  return { ...nothing, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
}

export async function readBoundChildren({
  children,
  parent,
  client,
  pacing,
  control,
}: BindingTarget): Promise<readonly Child[] | WriteEnd> {
  const read = await readChildren(children, [parent], { client, pacing });
  if (read.kind === 'not_sent') return { outcome: 'not_attempted' };
  if (read.kind === 'read') return read.of.get(parent.pk) ?? [];
  return endAfterFailedRead(read.reading, control);
}
