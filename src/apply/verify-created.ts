import { compare } from '../plan/compare.ts';
import { retrieve } from '../service/retrieve.ts';
import type { BindingTarget } from './children.ts';
import { endedUnread, type WriteResult } from './settle.ts';
import { withChildrenOf } from './update.ts';

const nothing = { inDoubt: false, attempts: 0 };

/**
 * Whether what was just created, and opened, is as declared: somebody else may have written between its steps. What differed when it
 * was created came back so.
 */
export async function verifyCreated(
  {
    resource,
    parent: { pk },
    isOpen,
    client,
    pacing,
    control,
  }: Pick<BindingTarget, 'resource' | 'parent' | 'client' | 'pacing' | 'control'> & {
    readonly isOpen: boolean;
  },
  { held: known }: WriteResult,
): Promise<WriteResult> {
  const { kind, name } = resource;
  const reading = await retrieve(kind, name, client, pacing);
  // Who may create it, and need not bind anybody, need not see it.
  if (isOpen && (reading?.proof === 'denied' || reading?.proof === 'absent'))
    return { ...nothing, outcome: 'unchanged' };
  if (reading?.proof === 'absent')
    return { ...nothing, outcome: 'conflict', answer: reading.answer, clash: { kind: 'vanished' } };
  if (reading?.proof !== 'exists')
    return { ...nothing, ...endedUnread(reading, control), clash: { kind: 'unseen' } };
  if (reading.held.pk !== pk) return { ...nothing, outcome: 'conflict', clash: { kind: 'replaced' } };
  const read = await withChildrenOf(resource, reading.held, client, pacing);
  if (read.kind === 'not_sent') return { ...nothing, outcome: 'not_attempted', clash: { kind: 'unseen' } };
  if (read.kind === 'unread') {
    // Its own answer says that it was created with nobody bound.
    if (isOpen && read.reading.proof === 'denied') return { ...nothing, outcome: 'unchanged' };
    return { ...nothing, ...endedUnread(read.reading, control), clash: { kind: 'unseen' } };
  }
  const { held: now } = read;
  const before = new Set(known && compare(resource, known).map(({ field }) => field));
  const fields = compare(resource, now).flatMap(({ field }) => (before.has(field) ? [] : field));
  return fields.length === 0
    ? { ...nothing, outcome: 'unchanged', held: now }
    : { ...nothing, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
}
