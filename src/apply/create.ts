import { uncomparedFields } from '../plan/resend.ts';
import { withoutBindingFields } from '../kinds/access.ts';
import { sentFields } from '../kinds/fields.ts';
import { needsSuperuserToLookUp } from '../kinds/kind.ts';
import { type Resource, lookUpTargetOf } from '../kinds/resource.ts';
import type { LookUpResult, CreateResult } from '../service/client.ts';
import { isPage } from '../service/denial.ts';
import { retrieve } from '../service/retrieve.ts';
import {
  endedWrite,
  judgeFailure,
  settleWrite,
  type EndedWrite,
  type JudgedWrite,
  type NextRequest,
  type Writer,
  type WriteResult,
} from './settle.ts';

export type NewRecord = Pick<Resource, 'kind' | 'name' | 'fields'>;

/** Creates a resource. After an unclear answer, looks up the record and repeats the create only if the record does not exist. */
export function createRecord(record: NewRecord, writer: Writer): Promise<WriteResult> {
  const { client, control } = writer;
  const { kind, name } = record;
  const send = (): Promise<CreateResult> =>
    client.create(kind, name, withoutBindingFields(kind, sentFields(record)));
  /** Whether a repeated create could make a second record with the same name. */
  const canDuplicate = !kind.listing.isUnique;

  async function judge(result: CreateResult): Promise<JudgedWrite> {
    switch (result.proof) {
      case 'created': {
        const { held } = result;
        if (uncomparedFields(record, held).length === 0) return endedWrite('created', { held });
        const found = await lookUpRecord(record, writer);
        const isSame = found.proof === 'exists' && (held.pk === '' || found.held.pk === held.pk);
        return endedWrite('created', { held: isSame ? found.held : held });
      }
      case 'exists':
      case 'unknown':
        return endedWrite(result.proof);
      case 'taken': {
        const found = await lookUpRecord(record, writer);
        const isUnseen = found.proof === 'unseeable' && client.unseenProof(result.answer) === 'exists';
        return isUnseen ? endedWrite('exists') : (endAfter('taken', found) ?? { kind: 'not_applied' });
      }
      case 'taken_or_rejected': {
        const found = await lookUpRecord(record, writer);
        return found.proof === 'exists' ? endedWrite('exists', { held: found.held }) : endedWrite('rejected');
      }
      case 'ambiguous': {
        const found = await lookUpRecord(record, writer);
        if (found.proof === 'absent' && canDuplicate) return { ...endedWrite('unknown'), kind: 'unclear' };
        return { ...endAfter('unclear', found), kind: 'unclear' };
      }
      case 'denied':
      case 'fault': {
        // The page of a proxy does not show whether the proxy passed the request on.
        const found = isPage(result.answer) ? await lookUpRecord(record, writer) : undefined;
        if (found?.proof !== 'exists') return judgeFailure(result.proof);
        return { kind: 'unclear', end: { outcome: 'exists', held: found.held } };
      }
      default:
        return judgeFailure(result.proof);
    }
  }

  async function next(): Promise<NextRequest<CreateResult>> {
    if (!canDuplicate || writer.isParentNew) return { kind: 'send', send };
    const found = await lookUpRecord(record, writer);
    // In a new parent, other records can be created.
    if (found.proof === 'denied' && !needsSuperuserToLookUp(kind)) control.stop('type', 'denied');
    if (found.stop === 'run') control.stop('run');
    return endAfter('before', found) ?? { kind: 'send', send };
  }

  return settleWrite({ next, judge }, writer);
}

/** The outcome for each result of a look-up. `before` applies to a look-up before the create, `taken` and `unclear` to a look-up after such an answer. If undefined, the create is sent. */
const outcomesAfterLookUp = {
  absent: { before: undefined, taken: 'conflict', unclear: undefined },
  unseeable: { before: undefined, taken: 'unknown', unclear: undefined },
  denied: { before: 'denied', taken: 'conflict', unclear: 'unknown' },
  nothing: { before: 'not_attempted', taken: 'unknown', unclear: 'unknown' },
  fault: { before: 'not_attempted', taken: 'unknown', unclear: 'unknown' },
  unsent: { before: 'not_attempted', taken: 'unknown', unclear: 'unknown' },
} as const;

function endAfter(moment: 'before' | 'taken' | 'unclear', found: Found): EndedWrite | undefined {
  if (found.proof === 'exists') return endedWrite('exists', { held: found.held });
  const outcome = outcomesAfterLookUp[found.proof][moment];
  if (outcome === undefined) return undefined;
  const isDecisive = moment === 'before' || (moment === 'taken' && outcome === 'unknown');
  return endedWrite(outcome, isDecisive && found.answer ? { answer: found.answer } : {});
}

/** `unseeable` means that records of this kind cannot be read, but that the service rejects a second record with the same name. */
type Found =
  | LookUpResult
  | {
      readonly proof: 'unseeable' | 'denied' | 'unsent';
      readonly answer?: undefined;
      readonly stop?: undefined;
    };

async function lookUpRecord(record: NewRecord, { client, pacing }: Writer): Promise<Found> {
  const { kind } = record;
  const isReadable = (): boolean => !client.readable.unreadable.has(kind);
  const reading = isReadable() ? await retrieve(lookUpTargetOf(record), { client, pacing }) : undefined;
  // This look-up may be the first to show that this kind cannot be read.
  if (!isReadable()) return { proof: kind.listing.isUnique ? 'unseeable' : 'denied' };
  return reading ?? { proof: 'unsent' };
}
