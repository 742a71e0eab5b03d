import { missingFrom, otherwiseIn, superfluousIn } from '../kinds/bindings.ts';
import { isBound, wantedChildren } from '../kinds/access.ts';
import { sentValue } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { withBindings } from '../service/children.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { HeldRecord } from '../service/types.ts';
import { add, asDeclared, type Binder, change, takeOut } from './children.ts';
import { create } from './create.ts';
import { lookBack } from './look-back.ts';
import type { Course, Settled } from './settle.ts';
import { lookAt, update, withChildrenOf, type Alterable, type Look } from './update.ts';

/**
 * Creates a resource with what is bound to it. At no moment it lets in anybody else: it is created without what it opens with, all are
 * bound, that is read back, and only then it gets the rest. In the end all is read once more: somebody else may have written between.
 * Where a step fails, the steps after it are left out.
 */
export async function createParent(
  resource: Resource,
  client: Client,
  pacing: Pacing,
  course: Course,
): Promise<Settled> {
  const { kind } = resource;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return create(resource, client, pacing, course);
  const isOpen = declared.every(({ wanted }) => wanted.length === 0);
  const opening = kind.bindable?.withheld.filter((field) => Object.hasOwn(resource.fields, field)) ?? [];
  const withheld = isOpen ? [] : opening;
  const made = await create(without(resource, withheld), client, pacing, course);
  if (made.held === undefined || (made.outcome !== 'created' && made.outcome !== 'exists')) return made;
  if (made.outcome === 'exists') {
    const read = await withChildrenOf(resource, made.held, client, pacing);
    if (read.kind === 'read') return { ...made, held: read.held };
    // Somebody else may have bound others than are declared.
    return { ...made, outcome: 'unfinished', clash: { kind: 'unseen' } };
  }
  const base: HeldRecord = {
    ...made.held,
    fields: {
      ...made.held.fields,
      ...Object.fromEntries(withheld.map((field) => [field, kind.fields[field]?.default ?? null])),
    },
  };
  const held = withBindings(kind, base, []);
  const rest = {
    resource: only(resource, withheld),
    base,
    permission: { self: undefined, mayDelete: false },
    isTaken: () => false,
  };
  const finishing: Client = { ...client, update: (...sent) => client.finish(...sent) };
  const { pk } = made.held;
  const going = { resource, parent: { pk }, client, pacing, course: ofBindings(begun(course)) };
  const binders = bindersOf(going, declared);
  return inSteps({ ...made, held }, 'created', [
    ...binders.flatMap((binder) => binder.wanted.map((one) => () => add(binder, one))),
    ...(isOpen ? [] : binders.map((binder) => (known: Settled) => asDeclared(binder, known))),
    ...(withheld.length > 0 ? [() => update(rest, finishing, pacing, going.course)] : []),
    ...(opening.length > 0 ? [(known: Settled) => lookBack({ ...going, isOpen }, known)] : []),
  ]);
}

/**
 * Changes a resource and what is bound to it: what closes it comes first, then what is bound, then what no longer is, and what opens
 * it last. Nothing is taken out before all that is declared is bound. In the end all of it is compared once more.
 */
export async function updateParent(
  alterable: Alterable,
  client: Client,
  pacing: Pacing,
  course: Course,
): Promise<Settled> {
  const { resource } = alterable;
  const declared = wantedChildren(resource);
  if (declared.length === 0) return update(alterable, client, pacing, course);
  const look = await lookAt(alterable, client, pacing, course);
  if (look.kind === 'ended') return { ...look.end, inDoubt: false, attempts: 0 };
  const { now, missing } = look;
  const others = missing.filter((field) => !isBound(resource.kind, field));
  // That all have to be passed closes it to some, so it comes before all else; that one is enough comes last.
  const { mode } = resource.kind.bindable ?? {};
  const first = others.filter((field) => field === mode?.field && sentValue(resource, field) === mode.all);
  const last = others.filter((field) => !first.includes(field));
  const going = { resource, parent: now, client, pacing, course: ofOne(begun(course)) };
  const binders = bindersOf(going, declared);
  const { bindings = [] } = now;
  const changed = (fields: readonly string[], of: Course) => (): Promise<Settled> =>
    update({ ...alterable, resource: only(resource, fields) }, client, pacing, of);
  const unchanged: Settled = { outcome: 'unchanged', held: now, inDoubt: false, attempts: 0 };
  if (!course.mayBegin()) return { ...unchanged, outcome: 'not_attempted' };
  const moves: Step[] = [
    ...binders.flatMap((binder) => missingFrom(binder, bindings).map((one) => () => add(binder, one))),
    ...binders.flatMap((binder) =>
      otherwiseIn(binder, bindings).map(
        ([one, base]) =>
          () =>
            change(binder, one, base),
      ),
    ),
    ...binders.flatMap((binder) => superfluousIn(binder, bindings).map((one) => () => takeOut(binder, one))),
  ];
  return inSteps(unchanged, 'updated', [
    ...(first.length > 0 ? [changed(first, going.course)] : []),
    ...moves,
    ...(moves.length > 0 && last.length > 0
      ? binders.map((binder) => (known: Settled) => asDeclared(binder, known))
      : []),
    ...(last.length > 0 ? [changed(last, going.course)] : []),
    // It took several requests, between which somebody else may have changed what the first look showed as declared.
    async () => inTheEnd(await lookAt({ ...alterable, resent: [] }, client, pacing, going.course)),
  ]);
}

function bindersOf(
  going: Pick<Binder, 'resource' | 'parent' | 'client' | 'pacing' | 'course'>,
  declared: ReturnType<typeof wantedChildren>,
): readonly Binder[] {
  return declared.map((one) => ({ ...going, ...one }));
}

/** What the last look at a change says of it. */
function inTheEnd(look: Look): Settled {
  const attempts = { inDoubt: false, attempts: 0 };
  if (look.kind === 'open') {
    const { now, missing: fields } = look;
    return { ...attempts, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
  }
  const { end } = look;
  const isUnseen = end.outcome === 'denied' || end.outcome === 'not_attempted';
  return { ...attempts, ...(isUnseen && { clash: { kind: 'unseen' } }), ...end };
}

type Step = (known: Settled) => Promise<Settled>;

/** Takes one step after the other until one fails. What then was done by those before it is there, and not all that is declared. */
async function inSteps(
  start: Settled,
  done: 'created' | 'updated',
  steps: readonly Step[],
): Promise<Settled> {
  let known = start;
  for (const step of steps) {
    const { held, answer, at: field, ...taken } = await step(known);
    const hasDone = known.outcome === 'created' || known.outcome === 'updated';
    const isDone =
      taken.outcome === 'updated' || taken.outcome === 'created' || taken.outcome === 'unchanged';
    const outcome = isDone
      ? hasDone || taken.outcome !== 'unchanged'
        ? done
        : known.outcome
      : hasDone
        ? 'unfinished'
        : taken.outcome;
    const last = isDone ? (answer ?? known.answer) : answer;
    known = {
      ...taken,
      outcome,
      inDoubt: known.inDoubt || taken.inDoubt,
      attempts: known.attempts + taken.attempts,
      ...(last && { answer: last }),
      ...(!isDone && field !== undefined && { at: field }),
      ...(known.held && (isDone || hasDone) && { held: merged(known.held, held) }),
    };
    if (!isDone) return known;
  }
  return known;
}

/** What is known of a record, with what a later answer shows of it. */
function merged(before: HeldRecord, now: HeldRecord | undefined): HeldRecord {
  if (now === undefined) return before;
  const { shown = before.fields } = before;
  return {
    ...before,
    ...now,
    fields: { ...before.fields, ...now.fields },
    ...((before.shown ?? now.shown) && { shown: { ...shown, ...(now.shown ?? now.fields) } }),
    names: { ...before.names, ...now.names },
  };
}

function only(resource: Resource, names: readonly string[]): Resource {
  const fields = Object.entries(resource.fields).filter(([field]) => names.includes(field));
  return { ...resource, fields: Object.fromEntries(fields) };
}

function without(resource: Resource, names: readonly string[]): Resource {
  return only(
    resource,
    Object.keys(resource.fields).filter((field) => !names.includes(field)),
  );
}

/** What has begun goes on to its end: to stop in the middle would leave more to do, and nothing safer. */
function begun(course: Course): Course {
  return { ...course, mayBegin: () => true };
}

/** Who may not bind one may bind none: no more is created to which something is to be bound. */
function ofBindings(course: Course): Course {
  return {
    ...course,
    stop: (scope, proof) => course.stop(scope === 'type' && proof === 'denied' ? 'bindings' : scope, proof),
  };
}

/** There are rights on single records: a denial says nothing of others. */
function ofOne(course: Course): Course {
  return {
    ...course,
    stop: (scope, proof) => {
      if (scope !== 'type' || proof === 'closed') course.stop(scope, proof);
    },
  };
}
