import type { JsonValue } from '../base/json.ts';
import type { Access, Subject } from '../kinds/bound.ts';
import { sameValue } from '../kinds/kind.ts';
import { idKey } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { readBindings, withBindings } from '../service/bindings.ts';
import type { Client, Deleting, Writing } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { Binding } from '../service/types.ts';
import {
  endedAs,
  judgedDelete,
  settle,
  unseen,
  type Course,
  type Ended,
  type Judged,
  type Next,
  type Settled,
} from './settle.ts';

/** One who is to be let in. */
export interface Guest {
  readonly subject: Subject;
  readonly id: JsonValue;
}

/** What is bound to a record of the service, and how. */
export interface Door {
  readonly resource: Resource;
  readonly access: Access;
  readonly pk: string;
  readonly guests: readonly Guest[];
  readonly client: Client;
  readonly pacing: Pacing;
  readonly course: Course;
}

/** Binds one, unless that is so already. All that is bound is read before; after an unclear answer, nothing is sent again. */
export function letIn(door: Door, guest: Guest): Promise<Settled> {
  const { access, pk, client, pacing, course } = door;

  async function next(): Promise<Next<Writing>> {
    const bindings = await bindingsAt(door);
    if ('outcome' in bindings) return { kind: 'ended', end: bindings };
    if (bindingOf(door, bindings, guest)) return { kind: 'ended', end: { outcome: 'unchanged' } };
    const { subject, id } = guest;
    return { kind: 'send', send: () => client.bind(access, pk, subject, id, bindings.length) };
  }

  async function judge(writing: Writing): Promise<Judged> {
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
        course.stop('run');
        return endedAs({ outcome: 'not_attempted' });
      case 'ambiguous': {
        const bindings = await bindingsAt(door);
        const isBoundNow = !('outcome' in bindings) && bindingOf(door, bindings, guest) !== undefined;
        return { kind: 'open', end: { outcome: isBoundNow ? 'created' : 'unknown' } };
      }
      case 'not_applied':
        return { kind: 'not_applied' };
    }
  }

  return at(guest.subject.field, settle({ next, judge }, pacing, course));
}

/** The field that a step is about, where that did not succeed. */
async function at(field: string, step: Promise<Settled>): Promise<Settled> {
  return { at: field, ...(await step) };
}

/** Takes one binding away, unless it is gone already, or nobody who is declared would be left: then everyone could come in. */
export function takeOut(door: Door, { pk, field = '' }: Binding): Promise<Settled> {
  const { access, guests, client, pacing, course } = door;

  async function next(): Promise<Next<Deleting>> {
    const bindings = await bindingsAt(door);
    if ('outcome' in bindings) return { kind: 'ended', end: bindings };
    if (!bindings.some((binding) => binding.pk === pk))
      return { kind: 'ended', end: { outcome: 'unchanged' } };
    const others = bindings.filter((binding) => binding.pk !== pk);
    if (guests.some((guest) => bindingOf(door, others, guest) === undefined))
      return { kind: 'ended', end: { outcome: 'conflict', clash: { kind: 'closed', why: lastOne } } };
    return { kind: 'send', send: () => client.unbind(access, pk) };
  }

  return at(
    field,
    settle({ next, judge: async (deleting) => judgedDelete('updated', deleting) }, pacing, course),
  );
}

const lastOne =
  'somebody who is declared is no longer bound, and without the last one that is, everyone could open it';

/** Whether those are bound who are declared, and no others, as the service shows it. */
export async function asDeclared(door: Door, { held }: Settled): Promise<Settled> {
  const { resource, guests, access } = door;
  const bindings = await bindingsAt(door);
  const nothing = { inDoubt: false, attempts: 0 };
  if ('outcome' in bindings) return { ...bindings, ...nothing };
  if (held === undefined) throw new Error(`nothing is known of ${resource.address}`);
  const now = withBindings(resource.kind, held, bindings);
  const fields = access.subjects.flatMap(({ field }) => {
    const declared = guests.flatMap(({ subject, id }) => (subject.field === field ? [id] : []));
    return sameValue(resource.kind, field, declared, now.fields[field] ?? null) ? [] : [field];
  });
  if (fields.length === 0) return { ...nothing, outcome: 'unchanged', held: now };
  return { ...nothing, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
}

/** Reads all that is bound; or how that ends what is to be done. */
async function bindingsAt({ access, pk, client, pacing, course }: Door): Promise<readonly Binding[] | Ended> {
  const read = await readBindings(access, [pk], { client, pacing });
  if (read.kind === 'not_sent') return { outcome: 'not_attempted' };
  if (read.kind === 'read') return read.of.get(pk) ?? [];
  return unseen(read.reading, course);
}

/** What lets one in: of several that do, the first by its id, so that each run keeps the same. */
export function bindingOf(
  { resource: { kind } }: Pick<Door, 'resource'>,
  bindings: readonly Binding[],
  { subject, id }: Guest,
): Binding | undefined {
  const key = idKey(kind, subject.field, id);
  const letsIn = ({ isCounted, field, id: of = null }: Binding): boolean =>
    isCounted && field === subject.field && idKey(kind, subject.field, of) === key;
  return bindings.find((binding) => letsIn(binding));
}
