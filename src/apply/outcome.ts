import type { Change } from '../plan/types.ts';
import type { Answer } from '../service/answer.ts';

/** What happened to one planned resource. Each ends with exactly one of these. */
export const outcomeKinds = [
  /** We created it. */
  'created',
  /** It is there; somebody else, or an earlier try of ours, created it. */
  'exists',
  /** It was there and as declared; nothing was to do. */
  'unchanged',
  /** It was there and differs; it is left as it is. */
  'differs',
  /** The service refused it for what it says. */
  'rejected',
  /** The token may not create it. */
  'denied',
  /** Its name is taken or reserved, by something that this token cannot see. */
  'conflict',
  /** The service may or may not have created it. */
  'unknown',
  /** It was not created, and nothing is wrong with it. */
  'not_attempted',
] as const;

export type OutcomeKind = (typeof outcomeKinds)[number];

export interface Outcome {
  readonly change: Change;
  readonly outcome: OutcomeKind;
  /** The answer that decided it; none where nothing was sent. */
  readonly answer?: Answer;
  /** The id that the service gave; only with `created` and `exists`, and not always known with `exists`. */
  readonly pk?: string;
  /** How many create requests were sent. */
  readonly attempts: number;
  readonly durationMs: number;
}

/** Whether one more run is needed to bring this resource about. */
export function isIncomplete({ outcome }: Pick<Outcome, 'outcome'>): boolean {
  switch (outcome) {
    case 'created':
    case 'exists':
    case 'unchanged':
    case 'differs':
      return false;
    case 'rejected':
    case 'denied':
    case 'conflict':
    case 'unknown':
    case 'not_attempted':
      return true;
  }
}
