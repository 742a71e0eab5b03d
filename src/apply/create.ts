import type { Application, User } from '../resource.ts';
import type { Answer } from '../service/answer.ts';
import type { Client, Writing } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import { whatAnswersProve } from '../service/what-answers-prove.ts';
import type { OutcomeKind } from './outcome.ts';

/** What is to be created: the fields to send. */
export type Creation =
  | { readonly type: 'application'; readonly fields: Readonly<Application> }
  | { readonly type: 'user'; readonly fields: Readonly<User> };

export interface Settled {
  readonly outcome: Exclude<OutcomeKind, 'unchanged' | 'differs'>;
  readonly answer: Answer;
  readonly pk?: string;
  readonly attempts: number;
  /** What the last answer says of the resources still to come. */
  readonly stop?: 'run' | 'type';
}

const tries = 3;

/**
 * Creates one resource and settles what happened to it.
 * Once an answer has left it open whether the service acted, no later refusal proves that it did not.
 */
export async function create(creation: Creation, client: Client, pacing: Pacing): Promise<Settled> {
  let inDoubt = false;
  for (let attempts = 1; ; attempts += 1) {
    await pacing.turn();
    const writing = await send(creation, client);
    const { answer } = writing;
    const stop = stopAfter(writing);
    const end = (outcome: Settled['outcome'], pk?: string): Settled => ({
      outcome,
      answer,
      attempts,
      ...(pk !== undefined && { pk }),
      ...(stop && { stop }),
    });
    const refused = (outcome: Settled['outcome']): Settled => end(inDoubt ? 'unknown' : outcome);

    switch (writing.proof) {
      case 'created':
        return end('created', writing.pk);
      case 'exists':
        return end('exists');
      case 'rejected':
      case 'denied':
        return refused(writing.proof);
      case 'fault':
        return refused(answer.kind === 'unreachable' ? 'not_attempted' : 'rejected');
      case 'unknown':
        return end('unknown');
      case 'taken': {
        const found = await lookFor(creation, client, pacing);
        return found.presence === 'present' ? end('exists', found.pk) : refused('conflict');
      }
      case 'ambiguous': {
        inDoubt = true;
        const found = await lookFor(creation, client, pacing);
        if (found.presence === 'present') return end('exists', found.pk);
        if (found.presence === 'unreadable') return end('unknown');
        break;
      }
      case 'not_applied':
        break;
    }
    if (stop === 'run' || attempts === tries || !(await pacing.backOff(attempts, answer))) {
      return refused('not_attempted');
    }
  }
}

function send(creation: Creation, client: Client): Promise<Writing> {
  switch (creation.type) {
    case 'application':
      return client.createApplication(creation.fields);
    case 'user':
      return client.createUser(creation.fields);
  }
}

function stopAfter({ proof, answer }: Writing): 'run' | 'type' | undefined {
  return proof === 'fault' ? 'run' : whatAnswersProve[answer.kind].stop;
}

type Found =
  | { readonly presence: 'present'; readonly pk: string }
  /** Absent, or a user, whom the contract gives no way to look for: the next create tells. */
  | { readonly presence: 'not_seen' }
  | { readonly presence: 'unreadable' };

async function lookFor(creation: Creation, client: Client, pacing: Pacing): Promise<Found> {
  if (creation.type === 'user') return { presence: 'not_seen' };
  const reading = await retrieve(creation.fields.slug, client, pacing);
  switch (reading.proof) {
    case 'exists':
      return { presence: 'present', pk: reading.application.pk };
    case 'absent':
      return { presence: 'not_seen' };
    case 'denied':
    case 'nothing':
    case 'fault':
      return { presence: 'unreadable' };
  }
}
