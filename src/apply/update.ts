import { isJsonList, textOf, valueAt, type JsonObject, type JsonValue } from '../base/json.ts';
import { declaredChildFields, declaresBindings, nestedBindingFields } from '../kinds/access.ts';
import { isGenerated, managedPart, mergedValue, neverShownFields, sentFields } from '../kinds/fields.ts';
import { sameValue, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';
import { refusedUpdateReason } from '../plan/refused-update.ts';
import type { UpdateData } from '../plan/plan.ts';
import { readDeclaredChildren, type DeclaredChildrenReading } from '../service/children.ts';
import type { LookUpResult, ReadContext, UpdateResult } from '../service/client.ts';
import { fieldErrorsOf } from '../service/complaints.ts';
import { retrieve } from '../service/retrieve.ts';
import type { ObservedRecord } from '../service/types.ts';
import {
  conflictWith,
  endAfterFailedRead,
  endedWrite,
  judgeFailure,
  settleWrite,
  type EndedWrite,
  type JudgedWrite,
  type NextRequest,
  type Writer,
  type WriteResult,
} from './settle.ts';

export interface PlannedUpdate extends UpdateData {
  readonly resource: Resource;
  /** Whether the plan moves or deletes a value of this record, so that the record may have lost the value already. */
  readonly isLost: (field: string, value: JsonValue) => boolean;
  /** Write-only fields to send, although their current values are unknown. */
  readonly resent?: readonly string[];
}

export type UpdateCheck =
  /** The update may proceed; `missing` contains the declared fields that still differ. */
  | { readonly kind: 'proceed'; readonly now: ObservedRecord; readonly missing: readonly string[] }
  | EndedWrite;

/** Updates a record after reading it. Sends only the fields that differ, and nothing if somebody else has changed a field. */
export function updateRecord(
  planned: PlannedUpdate,
  writer: Writer,
  request: 'update' | 'finish' = 'update',
): Promise<WriteResult> {
  const { resource } = planned;
  const { kind } = resource;
  /** Whether the service accepted the last update but left a sent field unchanged. */
  let isIgnored = false;
  let sent: { readonly now: ObservedRecord; readonly fields: ReadonlySet<string> } | undefined;
  /** The remaining update, without write-only fields that the service has already accepted. */
  let remaining = planned;
  /** Fields that an update omitted because they are unchanged, and that the service then reported as missing. */
  let demanded: readonly string[] = [];

  async function judge(updating: UpdateResult): Promise<JudgedWrite> {
    isIgnored = false;
    switch (updating.proof) {
      case 'updated': {
        const { held } = updating;
        remaining = { ...remaining, resent: [] };
        const after = compareWithPlan(remaining, held);
        if (after.kind === 'ended' && after.end.outcome === 'not_attempted') return { kind: 'unclear' };
        if (after.kind === 'ended')
          return endedWrite(after.end.outcome === 'unchanged' ? 'updated' : 'unknown', {
            ...after.end,
            held,
          });
        isIgnored = true; // the service accepted the request without changing the field
        return { kind: 'unclear' };
      }
      case 'vanished':
        return conflictWith({ kind: 'vanished' });
      case 'rejected': {
        if (demanded.length > 0 || sent === undefined) return endedWrite('rejected');
        demanded = reportedMissing(updating, sent.now, kind).filter((field) => !sent?.fields.has(field));
        return demanded.length > 0 ? { kind: 'not_applied' } : endedWrite('rejected');
      }
      default:
        return judgeFailure(updating.proof);
    }
  }

  async function next(): Promise<NextRequest<UpdateResult>> {
    const look = await checkBeforeUpdate(remaining, writer);
    if (look.kind === 'ended') return look;
    const { now, missing } = look;
    const requiredFields = (kind.update.requiredInUpdates ?? []).filter(
      (field) => (now.fields[field] ?? null) !== null,
    );
    const otherFields = missing.some((field) => kind.fields[field]?.shownAs)
      ? neverShownFields(resource)
      : [];
    const fields = [...new Set([...missing, ...otherFields, ...demanded, ...requiredFields])];
    sent = { now, fields: new Set(fields) };
    // A value includes the undeclared items of a list or object that the service would replace as a whole.
    const values = fields.map((field) => [field, mergedValue(resource, field, now.fields[field])]);
    const patch: JsonObject = Object.fromEntries(values);
    return {
      kind: 'send',
      send: () => writer.client[request](kind, currentName(kind, now), now.pk, patch),
      ...(isIgnored && { unsent: { clash: { kind: 'ignored', fields: missing, now } } }),
    };
  }

  return settleWrite({ next, judge }, writer);
}

/** Returns the fields that the service reported as missing from a PATCH. Leaves out fields with numbers that would be rounded. */
function reportedMissing(
  { answer }: UpdateResult,
  { fields, exact = fields }: ObservedRecord,
  kind: Kind,
): string[] {
  return fieldErrorsOf(answer, kind).flatMap(({ field = '', key }) => {
    // The error for a hidden field contains no key.
    const observed = valueAt(fields[field] ?? null, key?.split('.') ?? []);
    const isExact = sameJson(fields[field] ?? null, exact[field] ?? null);
    return observed === null || !isExact ? [] : [field];
  });
}

export async function checkBeforeUpdate(
  planned: PlannedUpdate,
  { client, pacing, control }: Writer,
): Promise<UpdateCheck> {
  const reading = await retrieveWhole(planned, { client, pacing });
  if (reading?.proof === 'absent') return conflictWith({ kind: 'vanished' }, reading.answer);
  if (reading?.proof !== 'exists') return { kind: 'ended', end: endAfterFailedRead(reading, control) };
  const look = compareWithPlan(planned, reading.held);
  return look.kind === 'proceed' ? look : { ...look, end: { ...look.end, answer: reading.answer } };
}

/** The current name of the record. Before a rename, this is the former name. */
function currentName({ identity, single }: Kind, { fields }: ObservedRecord): string {
  return single ?? textOf(fields[identity]);
}

/** Looks up the former name, and then the new name, because another record may have the new name. */
async function retrieveNamed(
  { resource: { kind, name }, base }: PlannedUpdate,
  context: ReadContext,
): Promise<LookUpResult | undefined> {
  const before = currentName(kind, base);
  const within = kind.scope && base.fields[kind.scope];
  const reading = await retrieve({ kind, name: before, within }, context);
  if (before === name || (reading?.proof !== 'exists' && reading?.proof !== 'absent')) return reading;
  const other = await retrieve({ kind, name, within }, context);
  if (reading.proof === 'absent' || other === undefined) return other;
  return other.proof === 'absent' ? reading : other;
}

async function retrieveWhole(
  planned: PlannedUpdate,
  context: ReadContext,
): Promise<LookUpResult | undefined> {
  const { resource } = planned;
  const reading = await retrieveNamed(planned, context);
  if (reading?.proof !== 'exists' || !declaresBindings(resource)) return reading;
  const read = await withDeclaredBindings(resource, reading.held, context, planned.base);
  if (read.kind === 'read') return { ...reading, held: read.held };
  return read.kind === 'unread' ? read.reading : undefined;
}

/** Adds the declared bindings to a record, and the nested bindings that the plan read. */
export async function withDeclaredBindings(
  resource: Resource,
  observed: ObservedRecord,
  context: ReadContext,
  seen?: ObservedRecord,
): Promise<
  | { readonly kind: 'read'; readonly held: ObservedRecord }
  | Exclude<DeclaredChildrenReading, { kind: 'read' }>
> {
  const { kind } = resource;
  const parts = [
    ...declaredChildFields(resource),
    ...(seen ? nestedBindingFields(kind, (field) => seen.fields[field]) : []),
  ];
  const read = await readDeclaredChildren(kind, [observed], parts, context);
  return read.kind === 'read' ? { kind: 'read', held: read.of.get(observed.pk) ?? observed } : read;
}

/** Compares the current value of each declared field with the value in the plan and with the declared value. */
export function compareWithPlan(
  { resource, base, permission, isLost, resent = [] }: PlannedUpdate,
  now: ObservedRecord,
): UpdateCheck {
  const { kind } = resource;
  if (now.pk !== base.pk) return conflictWith({ kind: 'replaced' });
  const missing = resent.filter((field) => resource.fields[field] !== undefined);
  const changed: string[] = [];
  for (const [field, declared] of Object.entries(sentFields(resource))) {
    if (isGenerated(resource, field)) continue;
    if (!Object.hasOwn(now.fields, field)) {
      const wasShown = Object.hasOwn(base.fields, field);
      if (!wasShown || sameValue(kind, field, declared, managedPart(resource, field, base.fields[field])))
        continue;
      // It is unknown whether the field still differs.
      const why = `the service no longer shows its \`${field}\``;
      return endedWrite('not_attempted', { clash: { kind: 'refused', why } });
    }
    const part = managedPart(resource, field, now.fields[field]);
    if (sameValue(kind, field, declared, part)) continue;
    const before = withoutTaken(managedPart(resource, field, base.fields[field]), part, (value) =>
      isLost(field, value),
    );
    if (sameValue(kind, field, before, part)) missing.push(field);
    else changed.push(field);
  }
  if (changed.length > 0) return conflictWith({ kind: 'changed', fields: changed, now });
  if (missing.length === 0) return endedWrite('unchanged', { held: now });
  const reason = refusedUpdateReason(
    resource,
    now,
    missing.map((field) => ({ field })),
    permission,
  );
  return reason === undefined
    ? { kind: 'proceed', now, missing }
    : conflictWith({ kind: 'refused', why: reason });
}

/** Removes the items that the plan has moved or deleted. */
function withoutTaken(before: JsonValue, now: JsonValue, isTaken: (value: JsonValue) => boolean): JsonValue {
  if (now === null && isTaken(before)) return null;
  if (!isJsonList(before) || !isJsonList(now)) return before;
  return before.filter((value) => now.includes(value) || !isTaken(value));
}
