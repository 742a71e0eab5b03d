import { isOpenFlagOff } from '../service/open-flag.ts';
import { judgeDeletion } from '../service/deletions.ts';
import type { DeleteCandidate } from '../service/dependents.ts';
import type { DeleteResult } from '../service/client.ts';
import { retrieve } from '../service/retrieve.ts';
import {
  conflictWith,
  endAfterFailedRead,
  endedWrite,
  judgeDelete,
  settleWrite,
  type JudgedWrite,
  type NextRequest,
  type Writer,
  type WriteResult,
} from './settle.ts';

/** Reads the record again and deletes it, unless it no longer exists, was replaced, or must not be deleted any more. */
export function deleteRecord(
  candidate: DeleteCandidate,
  deletes: readonly DeleteCandidate[],
  isFlagOff: boolean,
  { client, pacing, control }: Writer,
): Promise<WriteResult> {
  const { kind, name } = candidate.resource;
  const within = kind.scope && candidate.held.fields[kind.scope];
  const context = { client, pacing };
  let isSent = false;

  async function next(): Promise<NextRequest<DeleteResult>> {
    const reading = await retrieve({ kind, name, within }, context);
    if (reading?.proof === 'absent')
      return endedWrite(isSent ? 'deleted' : 'unchanged', { answer: reading.answer });
    if (reading?.proof !== 'exists') return { kind: 'ended', end: endAfterFailedRead(reading, control) };
    const { answer, held } = reading;
    if (held.pk !== candidate.held.pk) return conflictWith({ kind: 'replaced' }, answer);
    // Since the plan was made, somebody may have turned on the flag that opens applications.
    const isStillOff = async (): Promise<boolean> => isFlagOff && isOpenFlagOff(context);
    const deleteContext = { ...context, deletes, isFlagOff: isStillOff };
    const { refusal } = await judgeDeletion({ ...candidate, held }, deleteContext);
    if (refusal !== undefined) return conflictWith({ kind: 'refused', why: refusal });
    return {
      kind: 'send',
      send: () => {
        isSent = true;
        return client.remove(kind, name, held.pk);
      },
    };
  }

  async function judge(result: DeleteResult): Promise<JudgedWrite> {
    if (result.proof !== 'deleted') return judgeDelete('deleted', result);
    // A proxy may have answered without passing the request on.
    const reading = await retrieve({ kind, name, within }, context);
    const isThere = reading?.proof === 'exists' && reading.held.pk === candidate.held.pk;
    return endedWrite(isThere ? 'unknown' : 'deleted');
  }

  return settleWrite({ next, judge }, { pacing, control });
}
