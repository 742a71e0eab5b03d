import type { JsonValue } from '../base/json.ts';
import { isBindingField, wantedChildren } from '../kinds/access.ts';
import { fieldOf, sentValue } from '../kinds/fields.ts';
import { type Resource, withFields } from '../kinds/resource.ts';
import { bindingsOf, withBindings } from '../service/children.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { ObservedRecord } from '../service/types.ts';
import { verifyBindings, type BindingTarget } from './children.ts';
import { createRecord } from './create.ts';
import { verifyCreated } from './verify-created.ts';
import { orderWrites } from './order-writes.ts';
import { runSteps } from './steps.ts';
import type { RunControl, WriteResult } from './settle.ts';
import {
  checkBeforeUpdate,
  updateRecord,
  withDeclaredBindings,
  type PlannedUpdate,
  type UpdateCheck,
} from './update.ts';

/**
 * Creates a resource with its bindings so that nobody can use it before it is complete: 1. create it without the withheld fields,
 * 2. create and verify all bindings, 3. set the withheld fields, 4. read it again to find concurrent changes. The steps after a
 * failed step are skipped.
 */
export async function createParent(
  resource: Resource,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const { kind } = resource;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return createRecord(resource, client, pacing, control);
  const isOpen = declared.every(({ wanted }) => wanted.length === 0);
  const { withheld: all = [], createdWith = {} } = kind.bindable ?? {};
  const opening = all.filter((field) => Object.hasOwn(resource.fields, field));
  const withheld = isOpen ? [] : opening;
  const closed = withFields(
    withoutFields(
      resource,
      withheld.filter((field) => createdWith[field] === undefined),
    ),
    (field, name) => {
      const value = withheld.includes(name) ? createdWith[name] : undefined;
      return value === undefined ? field : fieldOf(value, field);
    },
  );
  const made = await createRecord(closed, client, pacing, control);
  if (made.held === undefined || (made.outcome !== 'created' && made.outcome !== 'exists')) return made;
  if (made.outcome === 'exists') {
    const read = await withDeclaredBindings(resource, made.held, client, pacing);
    if (read.kind === 'read') return { ...made, held: read.held };
    return { ...made, outcome: 'unfinished', clash: { kind: 'unseen' } };
  }
  const base: ObservedRecord = {
    ...made.held,
    fields: {
      ...made.held.fields,
      ...Object.fromEntries(
        withheld.map((field) => [field, createdWith[field] ?? kind.fields[field]?.default ?? null]),
      ),
    },
  };
  const observed = declared.reduce((known, { children }) => withBindings(kind, known, children, []), base);
  const rest = {
    resource: onlyFields(resource, withheld),
    base,
    permission: ownRecordPermission,
    isMovedElsewhere: () => false,
  };
  const going = {
    resource,
    parent: made.held,
    client,
    pacing,
    control: stopBindingsOnDenial(continueOnceStarted(control, true)),
  };
  const binders = bindingTargets(going, declared);
  const moves = await orderWrites(binders, () => []);
  return runSteps({ ...made, held: observed }, 'created', [
    ...moves,
    ...(isOpen ? [] : [(known: WriteResult) => verifyBindings(going, known)]),
    ...(withheld.length > 0
      ? [() => updateRecord(rest, finishingClient(client), pacing, going.control)]
      : []),
    ...(opening.length > 0 ? [(known: WriteResult) => verifyCreated({ ...going, isOpen }, known)] : []),
  ]);
}

/**
 * Sets the references that were omitted because the referenced records did not exist yet. If a referenced record could not be
 * created, the resource stays unfinished.
 */
export async function setOmittedReferences(
  {
    resource,
    fields,
    made,
  }: {
    readonly resource: Resource;
    readonly fields: readonly string[];
    readonly made: WriteResult & { readonly held: ObservedRecord };
  },
  isMade: boolean,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const unset = fields.map((field): [string, JsonValue] => {
    const { default: value, idForm } = resource.kind.fields[field] ?? {};
    return [field, value ?? (idForm ? [] : null)];
  });
  const observed = { ...made.held, fields: { ...made.held.fields, ...Object.fromEntries(unset) } };
  if (!isMade) return { ...made, held: observed, outcome: 'unfinished' };
  const rest = {
    resource: onlyFields(resource, fields),
    base: observed,
    permission: ownRecordPermission,
    isMovedElsewhere: () => false,
  };
  return runSteps({ ...made, held: observed }, 'created', [
    () =>
      updateRecord(rest, finishingClient(client), pacing, ignoreDenials(continueOnceStarted(control, true))),
  ]);
}

/** The permission to complete a record that this run itself created. */
const ownRecordPermission = { self: undefined, mayDelete: false } as const;

function finishingClient(client: Client): Client {
  return { ...client, update: (...sent) => client.finish(...sent) };
}

/**
 * Changes a resource and its bindings: 1. set the fields that restrict access, 2. add bindings, 3. delete bindings, 4. set the
 * fields that extend access. No binding is deleted before all declared bindings exist. A final comparison finds concurrent
 * changes.
 */
export async function updateParent(
  alterable: PlannedUpdate,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const { resource } = alterable;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return updateRecord(alterable, client, pacing, control);
  const look = await checkBeforeUpdate(alterable, client, pacing, control);
  if (look.kind === 'ended') return { ...look.end, inDoubt: false, attempts: 0 };
  const { now, missing } = look;
  const others = missing.filter((field) => !isBindingField(resource.kind, field));
  // The mode `all` restricts access and is set first; the mode `any` extends access and is set last.
  const { mode } = resource.kind.bindable ?? {};
  const first = others.filter((field) => field === mode?.field && sentValue(resource, field) === mode.all);
  const last = others.filter((field) => !first.includes(field));
  const going = {
    resource,
    parent: now,
    client,
    pacing,
    control: ignoreDenials(continueOnceStarted(control)),
  };
  const binders = bindingTargets(going, declared);
  const changed = (fields: readonly string[], of: RunControl) => (): Promise<WriteResult> =>
    updateRecord({ ...alterable, resource: onlyFields(resource, fields) }, client, pacing, of);
  const unchanged: WriteResult = { outcome: 'unchanged', held: now, inDoubt: false, attempts: 0 };
  const moves = await orderWrites(binders, ({ children }) => bindingsOf(now, children));
  return runSteps(unchanged, 'updated', [
    ...(first.length > 0 ? [changed(first, going.control)] : []),
    ...moves,
    ...(moves.length > 0 && last.length > 0 ? [(known: WriteResult) => verifyBindings(going, known)] : []),
    ...(last.length > 0 ? [changed(last, going.control)] : []),
    // Somebody else may have changed a field between the requests.
    async () =>
      finalResult(await checkBeforeUpdate({ ...alterable, resent: [] }, client, pacing, going.control)),
  ]);
}

function bindingTargets(
  going: Pick<BindingTarget, 'resource' | 'parent' | 'client' | 'pacing' | 'control'>,
  declared: ReturnType<typeof wantedChildren>,
): readonly BindingTarget[] {
  return declared.map((item) => ({ ...going, ...item }));
}

function finalResult(look: UpdateCheck): WriteResult {
  const attempts = { inDoubt: false, attempts: 0 };
  if (look.kind === 'open') {
    const { now, missing: fields } = look;
    return { ...attempts, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
  }
  const { end } = look;
  const isUnseen = end.outcome === 'denied' || end.outcome === 'not_attempted';
  return { ...attempts, ...(isUnseen && { clash: { kind: 'unseen' } }), ...end };
}

function onlyFields(resource: Resource, names: readonly string[]): Resource {
  const fields = Object.entries(resource.fields).filter(([field]) => names.includes(field));
  return { ...resource, fields: Object.fromEntries(fields) };
}

export function withoutFields(resource: Resource, names: readonly string[]): Resource {
  return onlyFields(
    resource,
    Object.keys(resource.fields).filter((field) => !names.includes(field)),
  );
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
      if (scope !== 'type' || proof === 'closed') control.stop(scope, proof);
    },
  };
}
