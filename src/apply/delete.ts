import { isOpenFlagOff } from '../service/open-flag.ts';
import { judgeDeletion, type DeleteCandidate } from '../service/deletions.ts';
import type { Client, DeleteResult } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import {
  judgeDelete,
  settleWrite,
  endAfterFailedRead,
  type RunControl,
  type NextRequest,
  type WriteResult,
} from './settle.ts';

/**
 * Reads the record again and deletes it, unless the record no longer exists, was replaced, or must not be deleted any more. If
 * the answer is lost, another read shows the result.
 */
export function deleteRecord(
  candidate: DeleteCandidate,
  deletes: readonly DeleteCandidate[],
  client: Client,
  pacing: Pacing,
  control: RunControl & { readonly isFlagOff: boolean },
): Promise<WriteResult> {
  const { kind, name } = candidate.resource;
  const within = kind.scope && candidate.held.fields[kind.scope];
  let isSent = false;

  async function next(): Promise<NextRequest<DeleteResult>> {
    const reading = await retrieve({ kind, name, within }, client, pacing);
    if (reading?.proof === 'absent')
      return { kind: 'ended', end: { outcome: isSent ? 'deleted' : 'unchanged', answer: reading.answer } };
    if (reading?.proof !== 'exists') return { kind: 'ended', end: endAfterFailedRead(reading, control) };
    const { answer, held } = reading;
    if (held.pk !== candidate.held.pk)
      return { kind: 'ended', end: { outcome: 'conflict', answer, clash: { kind: 'replaced' } } };
    // Somebody may have turned on the flag since the plan was made.
    const isFlagOff = async (): Promise<boolean> => control.isFlagOff && isOpenFlagOff({ client, pacing });
    const { refusal } = await judgeDeletion(
      { ...candidate, held },
      deletes,
      { client, pacing },
      { isFlagOff },
    );
    if (refusal !== undefined)
      return { kind: 'ended', end: { outcome: 'conflict', clash: { kind: 'closed', why: refusal } } };
    return {
      kind: 'send',
      send: () => {
        isSent = true;
        return client.remove(kind, name, held.pk);
      },
    };
  }

  return settleWrite({ next, judge: async (deleting) => judgeDelete('deleted', deleting) }, pacing, control);
}
