import { withoutBindingFields } from '../kinds/access.ts';
import { sentFields } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { lookUpTargetOf } from '../kinds/look-up-target.ts';
import type { Answer } from '../service/answer.ts';
import type { Client, LookUpResult, CreateResult } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import type { ObservedRecord } from '../service/types.ts';
import {
  endedAs,
  settleWrite,
  type RunControl,
  type WriteEnd,
  type JudgedWrite,
  type NextRequest,
  type WriteResult,
} from './settle.ts';

export type NewRecord = Pick<Resource, 'kind' | 'name' | 'fields'>;

/** Creates a resource. After an unclear answer, looks up the record and repeats the create only if the record does not exist. */
export function createRecord(
  creation: NewRecord,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const { kind, name } = creation;
  const send = (): Promise<CreateResult> =>
    client.create(kind, name, withoutBindingFields(kind, sentFields(creation)));
  /** Whether a repeated create could make a second record with the same name. */
  const canDuplicate = !kind.listing.isUnique;

  async function judge(writing: CreateResult): Promise<JudgedWrite> {
    switch (writing.proof) {
      case 'created':
        return endedAs({ outcome: 'created', held: writing.held });
      case 'exists':
      case 'rejected':
      case 'denied':
      case 'unknown':
        return endedAs({ outcome: writing.proof });
      case 'closed':
        return endedAs({ outcome: 'not_attempted' });
      case 'fault':
        control.stop('run');
        return endedAs({ outcome: 'not_attempted' });
      case 'taken': {
        const found = await lookUpRecord(creation, client, pacing);
        return endedAs(nameTakenEnd(found, client.unseenProof(writing.answer)));
      }
      case 'ambiguous': {
        const found = await lookUpRecord(creation, client, pacing);
        const end = found.presence === 'not_seen' && canDuplicate ? unknownEnd : endAfterLookUp(found);
        return { kind: 'open', ...end };
      }
      case 'not_applied':
        return { kind: 'not_applied' };
    }
  }

  async function next(): Promise<NextRequest<CreateResult>> {
    if (!canDuplicate) return { kind: 'send', send };
    const found = await lookUpRecord(creation, client, pacing);
    if (found.presence === 'hidden') control.stop('type', 'denied');
    if (found.presence === 'unreadable' && found.stop === 'run') control.stop('run');
    const end = existingRecordEnd(found);
    return end ? { kind: 'ended', end } : { kind: 'send', send };
  }

  return settleWrite({ next, judge }, pacing, control);
}

/**
 * For a kind whose names are not unique, returns the outcome if a record of this name exists or cannot be looked up, or undefined
 * if the record may be created.
 */
function existingRecordEnd(found: Found): WriteEnd | undefined {
  switch (found.presence) {
    case 'present':
      return { outcome: 'exists', held: found.held };
    case 'not_seen':
    case 'unseeable':
      return undefined;
    case 'hidden':
      return { outcome: 'denied', ...(found.answer && { answer: found.answer }) };
    case 'unreadable':
      return { outcome: 'not_attempted', ...(found.answer && { answer: found.answer }) };
  }
}

const unknownEnd = { end: { outcome: 'unknown' } } as const;

/** The outcome after the service rejected a create because the name is taken. */
function nameTakenEnd(found: Found, unseen: CreateResult['proof']): WriteEnd {
  switch (found.presence) {
    case 'unseeable':
      return { outcome: unseen === 'exists' ? 'exists' : 'unknown' };
    case 'present':
      return { outcome: 'exists', held: found.held };
    case 'not_seen':
    case 'hidden':
      return { outcome: 'conflict' };
    case 'unreadable':
      return { outcome: 'unknown', ...(found.answer && { answer: found.answer }) };
  }
}

/** Returns the outcome of an unclear create. Without an outcome, no record was found, and the create is repeated. */
function endAfterLookUp(found: Found): { readonly end?: WriteEnd } {
  switch (found.presence) {
    case 'present':
      return { end: { outcome: 'exists', held: found.held } };
    case 'not_seen':
    case 'unseeable':
      return {};
    case 'hidden':
    case 'unreadable':
      return unknownEnd;
  }
}

type Found =
  | { readonly presence: 'present'; readonly held: ObservedRecord }
  | { readonly presence: 'not_seen' }
  /** Records of this kind cannot be read, but their names are unique, so the service rejects a second create. */
  | { readonly presence: 'unseeable' }
  | { readonly presence: 'hidden'; readonly answer?: Answer }
  | { readonly presence: 'unreadable'; readonly answer?: Answer; readonly stop?: LookUpResult['stop'] };

async function lookUpRecord(creation: NewRecord, client: Client, pacing: Pacing): Promise<Found> {
  const { kind } = creation;
  const unseen = { presence: kind.listing.isUnique ? 'unseeable' : 'hidden' } as const;
  if (!client.readable.canRead(kind)) return unseen;
  const reading = await retrieve(lookUpTargetOf(creation), client, pacing);
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
