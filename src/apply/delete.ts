import { whyKept, type Going } from '../service/deletions.ts';
import type { Client, Deleting } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import { endedAs, settle, type Course, type Judged, type Next, type Settled } from './settle.ts';

/**
 * Deletes one record, unless it is gone, is another by now, or has to stay: it is read again just before. What a lost answer came to
 * shows in another look.
 */
export function remove(
  one: Going,
  going: readonly Going[],
  client: Client,
  pacing: Pacing,
  course: Course,
): Promise<Settled> {
  const { kind, name } = one.resource;
  let isSent = false;

  async function next(): Promise<Next<Deleting>> {
    const reading = await retrieve(kind, name, client, pacing);
    if (reading === undefined) {
      course.stop('pause');
      return { kind: 'ended', end: { outcome: 'not_attempted' } };
    }
    const { answer } = reading;
    switch (reading.proof) {
      case 'absent':
        return { kind: 'ended', end: { outcome: isSent ? 'deleted' : 'unchanged', answer } };
      case 'denied':
        return { kind: 'ended', end: { outcome: 'denied', answer } };
      case 'nothing':
      case 'fault':
        if (reading.stop === 'run') course.stop('run');
        return { kind: 'ended', end: { outcome: 'not_attempted', answer } };
      case 'exists': {
        const { held } = reading;
        if (held.pk !== one.held.pk)
          return { kind: 'ended', end: { outcome: 'conflict', answer, clash: { kind: 'replaced' } } };
        const why = await whyKept({ ...one, held }, going, { client, pacing });
        if (why !== undefined)
          return { kind: 'ended', end: { outcome: 'conflict', clash: { kind: 'closed', why } } };
        return {
          kind: 'send',
          send: () => {
            isSent = true;
            return client.remove(kind, name, held.pk);
          },
        };
      }
    }
  }

  return settle({ next, judge: async (deleting) => judged(deleting) }, pacing, course);
}

/** To delete it again is safe: what is there by then is compared by its id. */
function judged({ proof }: Deleting): Judged {
  switch (proof) {
    case 'deleted':
    case 'rejected':
    case 'denied':
      return endedAs({ outcome: proof });
    case 'closed':
    case 'fault':
      return endedAs({ outcome: 'not_attempted' });
    case 'ambiguous':
      return { kind: 'open' };
    case 'not_applied':
      return { kind: 'not_applied' };
  }
}
