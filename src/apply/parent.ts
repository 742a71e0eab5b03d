import { isJsonList, type JsonValue } from '../base/json.ts';
import { isBindingField, wantedChildren } from '../kinds/access.ts';
import { fieldOf, mergedValue } from '../kinds/fields.ts';
import { filterFields, withFields, type Resource } from '../kinds/resource.ts';
import { restrictsAccess } from '../plan/reach.ts';
import { compareRecord } from '../plan/compare.ts';
import { isUnset, lacksProtection } from '../plan/unfinished.ts';
import { bindingsOf, withBindings } from '../service/children.ts';
import type { ReadContext } from '../service/client.ts';
import type { ObservedRecord } from '../service/types.ts';
import { verifyBindings } from './children.ts';
import { createRecord } from './create.ts';
import { verifyCreated } from './verify-created.ts';
import { orderWrites } from './order-writes.ts';
import { runSteps } from './steps.ts';
import type { RunControl, WriteEnding, Writer, WriteResult } from './settle.ts';
import {
  checkBeforeUpdate,
  updateRecord,
  withDeclaredBindings,
  type PlannedUpdate,
  type UpdateCheck,
} from './update.ts';

/**
 * Creates a resource with its bindings so that nobody can use the resource before it is complete: 1. create the record without
 * the fields that make it usable, 2. create and verify all bindings, 3. set these fields, 4. read the record again to find
 * concurrent changes.
 */
export async function createParent(resource: Resource, writer: Writer): Promise<WriteResult> {
  const { kind } = resource;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return unfinishedIfLacking(resource, await createRecord(resource, writer));
  const isOpen = declared.every(({ wanted }) => wanted.length === 0);
  const { withheld: all = [], createdWith = {} } = kind.bindable ?? {};
  const opening = all.filter(
    (field) =>
      Object.hasOwn(resource.fields, field) && !(isOpen && kind.access && createdWith[field] !== undefined), // it is created with the other fields
  );
  const withheld = isOpen ? [] : opening;
  const isSent = (field: string): boolean => !withheld.includes(field) || createdWith[field] !== undefined;
  const closed = withFields(filterFields(resource, isSent), (field, name) => {
    const value = withheld.includes(name) ? createdWith[name] : undefined;
    return value === undefined ? field : fieldOf(value, field);
  });
  const made = await createRecord(closed, writer);
  if (made.held === undefined || (made.outcome !== 'created' && made.outcome !== 'exists')) return made;
  if (made.outcome === 'exists') {
    const read = await withDeclaredBindings(resource, made.held, writer);
    if (read.kind === 'read') return unfinishedIfLacking(resource, { ...made, held: read.held });
    return { ...made, outcome: 'unfinished', clash: { kind: 'unseen' } };
  }
  const base = withValues(made.held, withheld, (field) => createdWith[field] ?? kind.fields[field]?.default);
  const held = declared.reduce((known, { children }) => withBindings(kind, known, children, []), base);
  const control = stopBindingsOnDenial(continueOnceStarted(writer.control, true));
  const target = { ...writer, control, resource, parent: made.held };
  const moves = await orderWrites(
    declared.map((children) => ({ ...target, ...children })),
    () => [],
  );
  const result = await runSteps({ ...made, held }, 'created', [
    ...moves,
    ...(isOpen ? [] : [(known: WriteResult) => verifyBindings(target, known)]),
    ...(withheld.length > 0 ? [() => completeRecord(resource, withheld, base, target)] : []),
    ...(opening.length > 0 ? [(known: WriteResult) => verifyCreated(target, isOpen, known)] : []),
  ]);
  return readBack(resource, result, writer);
}

/** Somebody else may have created the record, or an earlier request of which the answer was lost. */
function unfinishedIfLacking(resource: Resource, made: WriteResult): WriteResult {
  const { outcome, held } = made;
  const isLacking =
    outcome === 'exists' && held && lacksProtection(resource, compareRecord(resource, held), held);
  return isLacking ? { ...made, outcome: 'unfinished', answer: undefined } : made;
}

/** Sets the references that were omitted because the referenced records did not exist yet. */
export async function setOmittedReferences(
  resource: Resource,
  fields: readonly string[],
  made: WriteResult & { readonly held: ObservedRecord },
  isMade: boolean,
  writer: Writer,
): Promise<WriteResult> {
  const held = withValues(made.held, fields, (field) => {
    const { default: value, idForm } = resource.kind.fields[field] ?? {};
    return value ?? (idForm ? [] : null);
  });
  if (!isMade) return { ...made, held, outcome: 'unfinished' };
  const control = ignoreDenials(continueOnceStarted(writer.control, true));
  return runSteps({ ...made, held }, 'created', [
    () => completeRecord(resource, fields, held, { ...writer, control }),
  ]);
}

function withValues(
  record: ObservedRecord,
  fields: readonly string[],
  valueOf: (field: string) => JsonValue | undefined,
): ObservedRecord {
  const values = Object.fromEntries(fields.map((field) => [field, valueOf(field) ?? null]));
  return { ...record, fields: { ...record.fields, ...values } };
}

/** Sets fields of a record that this run created, even if the run may not update other records. */
function completeRecord(
  resource: Resource,
  fields: readonly string[],
  base: ObservedRecord,
  writer: Writer,
): Promise<WriteResult> {
  const planned = {
    resource: filterFields(resource, (field) => fields.includes(field)),
    base,
    permission: { self: undefined, mayDelete: false },
    isLost: () => false,
  };
  return updateRecord(planned, writer, 'finish');
}

/**
 * Changes a resource and its bindings: 1. set the fields that restrict access and, if bindings change, unset the changed fields
 * that make the record usable, 2. add bindings, 3. delete bindings, 4. set the other fields. No binding is deleted before all
 * declared bindings exist. A final comparison finds concurrent changes.
 */
export async function updateParent(planned: PlannedUpdate, writer: Writer): Promise<WriteResult> {
  const { resource } = planned;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return updateRecord(planned, writer);
  const check = await checkBeforeUpdate(planned, writer);
  if (check.kind === 'ended') return { inDoubt: false, attempts: 0, ...check.end };
  const { now, missing } = check;
  const others = missing.filter((field) => !isBindingField(resource.kind, field));
  const control = ignoreDenials(continueOnceStarted(writer.control));
  const target = { ...writer, control, resource, parent: now };
  const moves = await orderWrites(
    declared.map((children) => ({ ...target, ...children })),
    ({ children }) => bindingsOf(now, children),
  );
  const closed = moves.length > 0 ? closedValues(resource, now, others) : new Map<string, JsonValue>();
  const restricting = others.filter((field) => restrictsAccess(resource, field, now.fields));
  const first = [...restricting, ...others.filter((field) => closed.has(field))];
  const last = others.filter((field) => !restricting.includes(field));
  const changed =
    (fields: readonly string[], part: Pick<PlannedUpdate, 'resource' | 'base'>) =>
    (): Promise<WriteResult> => {
      const ofPart = filterFields(part.resource, (field) => fields.includes(field));
      return updateRecord({ ...planned, ...part, resource: ofPart }, target);
    };
  const closing = withFields(resource, (field, name) =>
    closed.has(name) ? fieldOf(closed.get(name) ?? null, field) : field,
  );
  const result = await runSteps({ outcome: 'unchanged', held: now }, 'updated', [
    ...(first.length > 0 ? [changed(first, { resource: closing, base: planned.base })] : []),
    ...moves,
    ...(moves.length > 0 && last.length > 0 ? [(known: WriteResult) => verifyBindings(target, known)] : []),
    ...(last.length > 0
      ? [
          changed(last, {
            resource,
            base: withValues(planned.base, [...closed.keys()], (field) => closed.get(field)),
          }),
        ]
      : []),
    // Somebody else may have changed a field between the requests.
    async () => finalResult(await checkBeforeUpdate({ ...planned, resent: [] }, target)),
  ]);
  return readBack(resource, result, writer);
}

/** Reads the bindings of a record that was written only in part, so that the report names only what is missing. */
async function readBack(resource: Resource, result: WriteResult, context: ReadContext): Promise<WriteResult> {
  const { outcome, held, clash } = result;
  if (outcome !== 'unfinished' || held === undefined || (clash && clash.kind !== 'refused')) return result;
  const read = await withDeclaredBindings(resource, held, context);
  if (read.kind === 'read') return { ...result, held: read.held };
  const isKnown = Object.keys(resource.fields).every(
    (field) => !isBindingField(resource.kind, field) || Object.hasOwn(held.fields, field),
  );
  return isKnown ? result : { ...result, clash: clash ?? { kind: 'unseen' } };
}

/** The values that close a record while its bindings change, for each withheld field that changes from one set value to another. */
function closedValues(
  resource: Resource,
  now: ObservedRecord,
  changed: readonly string[],
): ReadonlyMap<string, JsonValue> {
  const { withheld = [], createdWith = {} } = resource.kind.bindable ?? {};
  return new Map(
    changed.flatMap((field): [string, JsonValue][] => {
      const before = now.fields[field] ?? null;
      const after = mergedValue(resource, field, before);
      const isUsable = [before, after].every((value) => !isUnset(createdWith[field], value));
      if (!withheld.includes(field) || !isUsable) return [];
      if (!isJsonList(before) || !isJsonList(after)) return [[field, createdWith[field] ?? null]];
      const kept = before.filter((id) => after.includes(id));
      return kept.length < before.length ? [[field, kept]] : [];
    }),
  );
}

function finalResult(check: UpdateCheck): WriteEnding {
  if (check.kind === 'proceed') {
    const { now, missing: fields } = check;
    return { outcome: 'conflict', clash: { kind: 'changed', fields, now }, held: now };
  }
  const { outcome } = check.end;
  const isUnseen = outcome === 'denied' || outcome === 'not_attempted';
  return { ...(isUnseen && { clash: { kind: 'unseen' } }), ...check.end };
}

/** Once a resource is partly written, it is completed even if the run stops, because a partial change is not safer. */
function continueOnceStarted(control: RunControl, hasBegun = false): RunControl {
  let isBegun = hasBegun;
  return {
    ...control,
    sending: () => {
      isBegun = true;
      control.sending();
    },
    mayBegin: () => isBegun || control.mayBegin(),
  };
}

/** A token that may not create one binding probably may not create any, so no further resource with bindings is started. */
function stopBindingsOnDenial(control: RunControl): RunControl {
  return {
    ...control,
    stop: (scope, proof) => control.stop(scope === 'type' && proof === 'denied' ? 'bindings' : scope, proof),
  };
}

/** A denial does not stop other changes, because permissions can be limited to single records. */
function ignoreDenials(control: RunControl): RunControl {
  return {
    ...control,
    stop: (scope, proof) => {
      if (scope !== 'type' || proof === 'read_only') control.stop(scope, proof);
    },
  };
}
