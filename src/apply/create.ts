import { sentFields } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Answer } from '../service/answer.ts';
import type { Client, Updating, Writing } from '../service/client.ts';
import { mostOutagesSpared, waitedInVain } from '../service/outage.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Clash, OutcomeKind } from './outcome.ts';

/** What is to be created: the fields to send. */
export type Creation = Pick<Resource, 'kind' | 'name' | 'fields'>;

export interface Settled {
  readonly outcome: Exclude<OutcomeKind, 'differs'>;
  /** The answer that decided it; none when nothing was sent. */
  readonly answer?: Answer;
  /** The fields as the service holds them, if it showed them: in the answer to the create, or when it was looked up. */
  readonly held?: HeldRecord;
  /** Whether the end of a request of ours was not clear, which may have created or changed it. */
  readonly inDoubt?: boolean;
  /** Why what exists was not changed; the fields as they were found. */
  readonly clash?:
    | Exclude<Clash, { kind: 'changed' | 'ignored' }>
    | { readonly kind: 'changed' | 'ignored'; readonly fields: readonly string[]; readonly now: HeldRecord };
  /** How many requests to create or to change it were sent. */
  readonly attempts: number;
}

/** How one resource and the rest of the run tell each other when to stop. */
export interface Course {
  /** Lets nothing more of the run, or of this type, begin. Called at once, with what an answer proved that shows why. */
  stop(scope: 'run' | 'type' | 'pause', proof?: Writing['proof'] | Updating['proof']): void;
  /** Whether it is still to be begun. The run may have been stopped while it waited for its turn. */
  mayBegin(): boolean;
  /** Whether sending this again may help. */
  mayRetry(): boolean;
}

const tries = 3;

/**
 * Creates one resource and finds out what happened to it. After an answer that does not say whether the service acted, a later
 * refusal cannot prove that nothing was created.
 */
export async function create(
  creation: Creation,
  client: Client,
  pacing: Pacing,
  course: Course,
): Promise<Settled> {
  let inDoubt = false;
  let last: Answer | undefined;
  /** Which try it is. A request that could not be sent during an outage does not count. */
  let attempt = 1;
  let spared = 0;
  for (let attempts = 1; ; attempts += 1) {
    if (!(await pacing.turn())) {
      course.stop('pause');
      const outcome = inDoubt ? 'unknown' : 'not_attempted';
      const answer = last && waitedInVain(last, pacing.outage);
      return { outcome, ...(answer && { answer }), attempts: attempts - 1 };
    }
    // Another resource may have stopped the run while this one waited for its turn.
    const mayGoOn = attempts === 1 ? course.mayBegin() : course.mayRetry();
    if (!mayGoOn) {
      const outcome = inDoubt ? 'unknown' : 'not_attempted';
      return { outcome, ...(last && { answer: last }), attempts: attempts - 1 };
    }
    const writing = await client.create(creation.kind, creation.name, sentFields(creation));
    const { answer, stop } = writing;
    last = answer;
    pacing.note(answer, attempt);
    if (stop) course.stop(stop, writing.proof);
    const end = (outcome: Settled['outcome'], decidedBy: Answer = answer): Settled => ({
      outcome,
      answer: isOpen(outcome) ? waitedInVain(decidedBy, pacing.outage) : decidedBy,
      attempts,
    });
    const existing = (held: HeldRecord): Settled => ({ ...end('exists'), held, inDoubt });
    const refused = (outcome: Settled['outcome']): Settled => end(inDoubt ? 'unknown' : outcome);

    switch (writing.proof) {
      case 'created':
        return { ...end('created'), held: writing.held };
      case 'exists':
        return { ...end('exists'), inDoubt };
      case 'rejected':
      case 'denied':
        return refused(writing.proof);
      case 'closed':
        return refused('not_attempted');
      case 'fault':
        course.stop('run');
        return refused('not_attempted');
      case 'unknown':
        return end('unknown');
      case 'taken': {
        const found = await lookFor(creation, client, pacing);
        if (found.presence === 'present') return existing(found.held);
        return found.presence === 'unreadable' ? end('unknown', found.answer) : refused('conflict');
      }
      case 'ambiguous': {
        inDoubt = true;
        const found = await lookFor(creation, client, pacing);
        if (found.presence === 'present') return existing(found.held);
        if (found.presence !== 'not_seen') return end('unknown');
        break;
      }
      case 'not_applied':
        break;
    }
    if (stop === 'run') return refused('not_attempted');
    const isFree = writing.proof === 'not_applied' && spared < mostOutagesSpared;
    const next = await pacing.again({ attempt, most: tries, answer, isFree });
    if (next === undefined || !course.mayRetry()) return refused('not_attempted');
    if (next === attempt) spared += 1;
    attempt = next;
  }
}

/** Whether the outcome might be different without the outage. */
function isOpen(outcome: OutcomeKind): boolean {
  return outcome === 'unknown' || outcome === 'not_attempted';
}

type Found =
  | { readonly presence: 'present'; readonly held: HeldRecord }
  /** This token sees nothing there, or the kind cannot be read. The next create will tell. */
  | { readonly presence: 'not_seen' }
  /** This token may not look. */
  | { readonly presence: 'hidden' }
  | { readonly presence: 'unreadable'; readonly answer?: Answer };

async function lookFor(creation: Creation, client: Client, pacing: Pacing): Promise<Found> {
  const { kind, name } = creation;
  if (!client.canRead(kind)) return { presence: 'not_seen' };
  const reading = await retrieve(kind, name, client, pacing);
  switch (reading?.proof) {
    case 'exists':
      return { presence: 'present', held: reading.held };
    case 'absent':
      return { presence: 'not_seen' };
    case 'denied':
      return { presence: 'hidden' };
    case 'nothing':
    case 'fault':
      return { presence: 'unreadable', answer: reading.answer };
    case undefined:
      return { presence: 'unreadable' };
  }
}
