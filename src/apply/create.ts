import { withoutBindingFields } from '../kinds/access.ts';
import { sentFields } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { lookUpTargetOf } from '../kinds/look-up-target.ts';
import type { Answer } from '../service/answer.ts';
import type { LookUpResult, CreateResult } from '../service/client.ts';
import { retrieve } from '../service/retrieve.ts';
import type { ObservedRecord } from '../service/types.ts';
import {
  endedAs,
  judgeFailure,
  settleWrite,
  type Ended,
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
      case 'created':
        return endedAs('created', { held: result.held });
      case 'exists':
      case 'unknown':
        return endedAs(result.proof);
      case 'taken': {
        const found = await lookUpRecord(record, writer);
        const isUnseen = found.presence === 'unseeable' && client.unseenProof(result.answer) === 'exists';
        return isUnseen ? endedAs('exists') : (endAfter('taken', found) ?? { kind: 'not_applied' });
      }
      case 'ambiguous': {
        const found = await lookUpRecord(record, writer);
        if (found.presence === 'not_seen' && canDuplicate) return { ...endedAs('unknown'), kind: 'open' };
        return { ...endAfter('unclear', found), kind: 'open' };
      }
      default:
        return judgeFailure(result.proof);
    }
  }

  async function next(): Promise<NextRequest<CreateResult>> {
    if (!canDuplicate) return { kind: 'send', send };
    const found = await lookUpRecord(record, writer);
    if (found.presence === 'hidden') control.stop('type', 'denied');
    if (found.presence === 'unreadable' && found.stop === 'run') control.stop('run');
    return endAfter('before', found) ?? { kind: 'send', send };
  }

  return settleWrite({ next, judge }, writer);
}

/**
 * The outcome that a look-up shows before a create, after the service rejected the name as taken, and after an unclear answer.
 * Without an outcome, the create is sent (again).
 */
const outcomesAfterLookUp = {
  before: { not_seen: undefined, unseeable: undefined, hidden: 'denied', unreadable: 'not_attempted' },
  taken: { not_seen: 'conflict', unseeable: 'unknown', hidden: 'conflict', unreadable: 'unknown' },
  unclear: { not_seen: undefined, unseeable: undefined, hidden: 'unknown', unreadable: 'unknown' },
} as const;

function endAfter(moment: keyof typeof outcomesAfterLookUp, found: Found): Ended | undefined {
  if (found.presence === 'present') return endedAs('exists', { held: found.held });
  const outcome = outcomesAfterLookUp[moment][found.presence];
  if (outcome === undefined) return undefined;
  const isDecisive = moment === 'before' || (moment === 'taken' && found.presence === 'unreadable');
  const answer = isDecisive && 'answer' in found ? found.answer : undefined;
  return endedAs(outcome, { ...(answer && { answer }) });
}

type Found =
  | { readonly presence: 'present'; readonly held: ObservedRecord }
  | { readonly presence: 'not_seen' }
  /** Records of this kind cannot be read, but their names are unique, so the service rejects a second create. */
  | { readonly presence: 'unseeable' }
  | { readonly presence: 'hidden'; readonly answer?: Answer }
  | { readonly presence: 'unreadable'; readonly answer?: Answer; readonly stop?: LookUpResult['stop'] };

async function lookUpRecord(record: NewRecord, { client, pacing }: Writer): Promise<Found> {
  const { kind } = record;
  const unseen = { presence: kind.listing.isUnique ? 'unseeable' : 'hidden' } as const;
  if (!client.readable.canRead(kind)) return unseen;
  const reading = await retrieve(lookUpTargetOf(record), { client, pacing });
  // The look-up itself may have shown that this kind cannot be read.
  if (!client.readable.canRead(kind)) return unseen;
  switch (reading?.proof) {
    case 'exists':
      return { presence: 'present', held: reading.held };
    case 'absent':
      return { presence: 'not_seen' };
    case 'denied':
      return { presence: 'hidden', answer: reading.answer };
    case 'nothing':
    case 'fault':
      return { presence: 'unreadable', answer: reading.answer, ...(reading.stop && { stop: reading.stop }) };
    case undefined:
      return { presence: 'unreadable' };
  }
}
