import { withoutBindingFields } from '../kinds/access.ts';
import { sentFields } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { soughtOf } from '../kinds/sought.ts';
import type { Answer } from '../service/answer.ts';
import type { Client, Reading, Writing } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';
import {
  endedAs,
  settle,
  type RunControl,
  type WriteEnd,
  type JudgedWrite,
  type Next,
  type WriteResult,
} from './settle.ts';

export type Creation = Pick<Resource, 'kind' | 'name' | 'fields'>;

/** Creates one resource. After an unclear answer, it looks the record up, and does not create it again if it exists. */
export function create(
  creation: Creation,
  client: Client,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  const { kind, name } = creation;
  const send = (): Promise<Writing> =>
    client.create(kind, name, withoutBindingFields(kind, sentFields(creation)));
  /** Whether a second create could make a second record of the same name. */
  const canDouble = !kind.listing.isUnique;

  async function judge(writing: Writing): Promise<JudgedWrite> {
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
        const found = await lookFor(creation, client, pacing);
        return endedAs(takenBy(found, client.unseenProof(writing.answer)));
      }
      case 'ambiguous': {
        const found = await lookFor(creation, client, pacing);
        const end = found.presence === 'not_seen' && canDouble ? unknown : doubtSettledBy(found);
        return { kind: 'open', ...end };
      }
      case 'not_applied':
        return { kind: 'not_applied' };
    }
  }

  async function next(): Promise<Next<Writing>> {
    if (!canDouble) return { kind: 'send', send };
    const found = await lookFor(creation, client, pacing);
    if (found.presence === 'hidden') control.stop('type', 'denied');
    if (found.presence === 'unreadable' && found.stop === 'run') control.stop('run');
    const end = inTheWay(found);
    return end ? { kind: 'ended', end } : { kind: 'send', send };
  }

  return settle({ next, judge }, pacing, control);
}

/** Why a record whose name is not unique must not be created; undefined if nothing prevents it. */
function inTheWay(found: Found): WriteEnd | undefined {
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

const unknown = { end: { outcome: 'unknown' } } as const;

/** The outcome of a create that was rejected because its name is taken. */
function takenBy(found: Found, unseen: Writing['proof']): WriteEnd {
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

/** What a look-up proves after an unclear create; nothing if it finds no record, since the next create will tell. */
function doubtSettledBy(found: Found): { readonly end?: WriteEnd } {
  switch (found.presence) {
    case 'present':
      return { end: { outcome: 'exists', held: found.held } };
    case 'not_seen':
    case 'unseeable':
      return {};
    case 'hidden':
    case 'unreadable':
      return unknown;
  }
}

type Found =
  | { readonly presence: 'present'; readonly held: HeldRecord }
  | { readonly presence: 'not_seen' }
  /** Records of this kind cannot be read. Names are unique, so a second create is rejected. */
  | { readonly presence: 'unseeable' }
  /** The token may not read it. */
  | { readonly presence: 'hidden'; readonly answer?: Answer }
  | { readonly presence: 'unreadable'; readonly answer?: Answer; readonly stop?: Reading['stop'] };

async function lookFor(creation: Creation, client: Client, pacing: Pacing): Promise<Found> {
  const { kind } = creation;
  const unseen = { presence: kind.listing.isUnique ? 'unseeable' : 'hidden' } as const;
  if (!client.readable.canRead(kind)) return unseen;
  const reading = await retrieve(soughtOf(creation), client, pacing);
  // The look-up may have shown that this kind cannot be read.
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
