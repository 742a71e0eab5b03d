import { compareRecord } from '../plan/compare.ts';
import type { Kind } from '../kinds/kind.ts';
import { type Resource, lookUpTargetOf } from '../kinds/resource.ts';
import type { ReadContext } from '../service/client.ts';
import { isSuperuserToken, retrieve } from '../service/retrieve.ts';
import { unchangedOrConflict, type BindingTarget } from './children.ts';
import { endAfterFailedRead, type WriteEnding, type Writer, type WriteResult } from './settle.ts';
import { withDeclaredBindings } from './update.ts';

/** Finds creates whose records the token cannot see: later runs would create these records again. Reads once for each kind. */
export class CreatedVisibility {
  readonly #isHidden = new Map<Kind, Promise<boolean>>();

  async verify(resource: Resource, made: WriteResult, context: ReadContext): Promise<WriteResult> {
    const { kind } = resource;
    if (kind.listing.isUnique || made.outcome !== 'created') return made;
    const isHidden = this.#isHidden.get(kind) ?? isInvisible(resource, context);
    this.#isHidden.set(kind, isHidden);
    return (await isHidden) ? { ...made, isHidden: true } : made;
  }
}

async function isInvisible(resource: Resource, context: ReadContext): Promise<boolean> {
  if (await isSuperuserToken(context)) return false;
  const reading = await retrieve(lookUpTargetOf(resource), context);
  return reading?.proof === 'absent';
}

/** Checks that nobody else has changed a new resource. Ignores fields that already differed in the answer to the create. */
export async function verifyCreated(
  { resource, parent, client, pacing, control }: Writer & Pick<BindingTarget, 'resource' | 'parent'>,
  isOpen: boolean,
  { held: known }: WriteResult,
): Promise<WriteEnding> {
  const unchanged = { outcome: 'unchanged' } as const;
  const clash = { kind: 'unseen' } as const;
  const reading = await retrieve(lookUpTargetOf(resource), { client, pacing });
  // The token may be allowed to create the record but not to read it.
  if (isOpen && (reading?.proof === 'denied' || reading?.proof === 'absent')) return unchanged;
  if (reading?.proof === 'absent')
    return { outcome: 'conflict', clash: { kind: 'vanished' }, answer: reading.answer };
  if (reading?.proof !== 'exists') return { ...endAfterFailedRead(reading, control), clash };
  if (reading.held.pk !== parent.pk) return { outcome: 'conflict', clash: { kind: 'replaced' } };
  const read = await withDeclaredBindings(resource, reading.held, { client, pacing });
  if (read.kind === 'not_sent') return { outcome: 'not_attempted', clash };
  if (read.kind === 'unread') {
    // The answer to the create already showed that the record has no bindings.
    if (isOpen && read.reading.proof === 'denied') return unchanged;
    return { ...endAfterFailedRead(read.reading, control), clash };
  }
  const before = new Set(known && compareRecord(resource, known).map(({ field }) => field));
  return unchangedOrConflict(resource, read.held, (field) => !before.has(field));
}
