import { compareRecord } from '../plan/compare.ts';
import { lookUpTargetOf } from '../kinds/look-up-target.ts';
import { retrieve } from '../service/retrieve.ts';
import type { BindingTarget } from './children.ts';
import { endAfterFailedRead, type WriteResult } from './settle.ts';
import { withDeclaredBindings } from './update.ts';

const nothing = { inDoubt: false, attempts: 0 };

/**
 * Checks that a new resource is as declared, because somebody else may have changed it between two requests. Fields that already
 * differed in the answer to the create are ignored.
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
  const reading = await retrieve(lookUpTargetOf(resource), client, pacing);
  // The token may be allowed to create the record but not to read it.
  if (isOpen && (reading?.proof === 'denied' || reading?.proof === 'absent'))
    return { ...nothing, outcome: 'unchanged' };
  if (reading?.proof === 'absent')
    return { ...nothing, outcome: 'conflict', answer: reading.answer, clash: { kind: 'vanished' } };
  if (reading?.proof !== 'exists')
    return { ...nothing, ...endAfterFailedRead(reading, control), clash: { kind: 'unseen' } };
  if (reading.held.pk !== pk) return { ...nothing, outcome: 'conflict', clash: { kind: 'replaced' } };
  const read = await withDeclaredBindings(resource, reading.held, client, pacing);
  if (read.kind === 'not_sent') return { ...nothing, outcome: 'not_attempted', clash: { kind: 'unseen' } };
  if (read.kind === 'unread') {
    // The answer to the create already showed that the record has no bindings.
    if (isOpen && read.reading.proof === 'denied') return { ...nothing, outcome: 'unchanged' };
    return { ...nothing, ...endAfterFailedRead(read.reading, control), clash: { kind: 'unseen' } };
  }
  const { held: now } = read;
  const before = new Set(known && compareRecord(resource, known).map(({ field }) => field));
  const fields = compareRecord(resource, now).flatMap(({ field }) => (before.has(field) ? [] : field));
  return fields.length === 0
    ? { ...nothing, outcome: 'unchanged', held: now }
    : { ...nothing, outcome: 'conflict', held: now, clash: { kind: 'changed', fields, now } };
}
