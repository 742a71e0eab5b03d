import type { JsonValue } from '../base/json.ts';
import { isBindingField, wantedChildren } from '../kinds/access.ts';
import { fieldOf, sentValue } from '../kinds/fields.ts';
import { type Resource, withFields } from '../kinds/resource.ts';
import { boundTo, withBindings } from '../service/children.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { HeldRecord } from '../service/types.ts';
import { asDeclared, type BindingTarget } from './children.ts';
import { create } from './create.ts';
import { verifyCreated } from './verify-created.ts';
import { orderWrites } from './order-writes.ts';
import { runSteps } from './steps.ts';
import type { RunControl, WriteResult } from './settle.ts';
import { checkBeforeUpdate, update, withChildrenOf, type PlannedUpdate, type UpdateCheck } from './update.ts';

/**
 * Creates a resource with its bindings. At no moment can anybody else open it: it is created without the fields that open it, all
 * bindings are added and read back, and only then the withheld fields are set. A last read finds concurrent changes. After a
 * failed step, the later ones are skipped.
 */
export async function createParent(
  resource: Resource,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const { kind } = resource;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return create(resource, client, pacing, control);
  const isOpen = declared.every(({ wanted }) => wanted.length === 0);
  const { withheld: all = [], createdWith = {} } = kind.bindable ?? {};
  const opening = all.filter((field) => Object.hasOwn(resource.fields, field));
  const withheld = isOpen ? [] : opening;
  const closed = withFields(
    without(
      resource,
      withheld.filter((field) => createdWith[field] === undefined),
    ),
    (field, name) => {
      const value = withheld.includes(name) ? createdWith[name] : undefined;
      return value === undefined ? field : fieldOf(value, field);
    },
  );
  const made = await create(closed, client, pacing, control);
  if (made.held === undefined || (made.outcome !== 'created' && made.outcome !== 'exists')) return made;
  if (made.outcome === 'exists') {
    const read = await withChildrenOf(resource, made.held, client, pacing);
    if (read.kind === 'read') return { ...made, held: read.held };
    // Somebody else may have added other bindings.
    return { ...made, outcome: 'unfinished', clash: { kind: 'unseen' } };
  }
  const base: HeldRecord = {
    ...made.held,
    fields: {
      ...made.held.fields,
      ...Object.fromEntries(
        withheld.map((field) => [field, createdWith[field] ?? kind.fields[field]?.default ?? null]),
      ),
    },
  };
  const held = declared.reduce((known, { children }) => withBindings(kind, known, children, []), base);
  const rest = {
    resource: only(resource, withheld),
    base,
    permission: ofThisRun,
    isTaken: () => false,
  };
  const going = {
    resource,
    parent: made.held,
    client,
    pacing,
    control: ofBindings(onceBegun(control, true)),
  };
  const binders = bindersOf(going, declared);
  const moves = await orderWrites(binders, () => []);
  return runSteps({ ...made, held }, 'created', [
    ...moves,
    ...(isOpen ? [] : [(known: WriteResult) => asDeclared(going, known)]),
    ...(withheld.length > 0 ? [() => update(rest, finishing(client), pacing, going.control)] : []),
    ...(opening.length > 0 ? [(known: WriteResult) => verifyCreated({ ...going, isOpen }, known)] : []),
  ]);
}

/**
 * Sets references that the create left out, as the records that they refer to did not exist yet. If one of these could not be
 * created, the resource stays unfinished.
 */
export async function setLater(
  {
    resource,
    fields,
    made,
  }: {
    readonly resource: Resource;
    readonly fields: readonly string[];
    readonly made: WriteResult & { readonly held: HeldRecord };
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
  const held = { ...made.held, fields: { ...made.held.fields, ...Object.fromEntries(unset) } };
  if (!isMade) return { ...made, held, outcome: 'unfinished' };
  const rest = { resource: only(resource, fields), base: held, permission: ofThisRun, isTaken: () => false };
  return runSteps({ ...made, held }, 'created', [
    () => update(rest, finishing(client), pacing, ofOne(onceBegun(control, true))),
  ]);
}

/** The permission to complete a record that this run has created. */
const ofThisRun = { self: undefined, mayDelete: false } as const;

function finishing(client: Client): Client {
  return { ...client, update: (...sent) => client.finish(...sent) };
}

/**
 * Changes a resource and its bindings: first the fields that restrict access, then added bindings, then deleted ones, and the
 * fields that open it last. No binding is deleted before all declared ones exist. A last comparison finds concurrent changes.
 */
export async function updateParent(
  alterable: PlannedUpdate,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const { resource } = alterable;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return update(alterable, client, pacing, control);
  const look = await checkBeforeUpdate(alterable, client, pacing, control);
  if (look.kind === 'ended') return { ...look.end, inDoubt: false, attempts: 0 };
  const { now, missing } = look;
  const others = missing.filter((field) => !isBindingField(resource.kind, field));
  // Mode `all` restricts access, so it is set first; mode `any` extends it, so it is set last.
  const { mode } = resource.kind.bindable ?? {};
  const first = others.filter((field) => field === mode?.field && sentValue(resource, field) === mode.all);
  const last = others.filter((field) => !first.includes(field));
  const going = { resource, parent: now, client, pacing, control: ofOne(onceBegun(control)) };
  const binders = bindersOf(going, declared);
  const changed = (fields: readonly string[], of: RunControl) => (): Promise<WriteResult> =>
    update({ ...alterable, resource: only(resource, fields) }, client, pacing, of);
  const unchanged: WriteResult = { outcome: 'unchanged', held: now, inDoubt: false, attempts: 0 };
  const moves = await orderWrites(binders, ({ children }) => boundTo(now, children));
  return runSteps(unchanged, 'updated', [
    ...(first.length > 0 ? [changed(first, going.control)] : []),
    ...moves,
    ...(moves.length > 0 && last.length > 0 ? [(known: WriteResult) => asDeclared(going, known)] : []),
    ...(last.length > 0 ? [changed(last, going.control)] : []),
    // Somebody else may have changed a field between these requests.
    async () =>
      inTheEnd(await checkBeforeUpdate({ ...alterable, resent: [] }, client, pacing, going.control)),
  ]);
}

function bindersOf(
  going: Pick<BindingTarget, 'resource' | 'parent' | 'client' | 'pacing' | 'control'>,
  declared: ReturnType<typeof wantedChildren>,
): readonly BindingTarget[] {
  return declared.map((one) => ({ ...going, ...one }));
}

function inTheEnd(look: UpdateCheck): WriteResult {
  const attempts = { inDoubt: false, attempts: 0 };
  if (look.kind === 'open') {
    const { now, missing: fields } = look;
    return { ...attempts, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
  }
  const { end } = look;
  const isUnseen = end.outcome === 'denied' || end.outcome === 'not_attempted';
  return { ...attempts, ...(isUnseen && { clash: { kind: 'unseen' } }), ...end };
}

function only(resource: Resource, names: readonly string[]): Resource {
  const fields = Object.entries(resource.fields).filter(([field]) => names.includes(field));
  return { ...resource, fields: Object.fromEntries(fields) };
}

export function without(resource: Resource, names: readonly string[]): Resource {
  return only(
    resource,
    Object.keys(resource.fields).filter((field) => !names.includes(field)),
  );
}

/** After its first write, a resource is completed even if the run stops: a partial change would leave more work and be no safer. */
function onceBegun(control: RunControl, hasBegun = false): RunControl {
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

/** A token that may not create one binding may create none, so no further resource with bindings is created. */
function ofBindings(control: RunControl): RunControl {
  return {
    ...control,
    stop: (scope, proof) => control.stop(scope === 'type' && proof === 'denied' ? 'bindings' : scope, proof),
  };
}

/** Permissions can be granted on single records, so a denial for one says nothing about others. */
function ofOne(control: RunControl): RunControl {
  return {
    ...control,
    stop: (scope, proof) => {
      if (scope !== 'type' || proof === 'closed') control.stop(scope, proof);
    },
  };
}
