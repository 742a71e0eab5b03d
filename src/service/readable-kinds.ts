import type { Kind } from '../kinds/kind.ts';
import { isClosedConnection, isTimeout } from './answer.ts';
import type { JudgedAnswer } from './judged-answer.ts';
import type { UnreadableReason } from './types.ts';
import type { ReadProof } from './what-answers-prove.ts';

export interface InconclusiveRead extends JudgedAnswer {
  readonly proof: Exclude<ReadProof, 'exists' | 'absent'>;
}

export function unreadableReason({ answer }: Pick<InconclusiveRead, 'answer'>): UnreadableReason {
  const { kind, status, error } = answer;
  const isOffered = kind !== 'not_offered' && kind !== 'no_such_route';
  const isDenied = kind === 'denied' || kind === 'not_listed';
  return {
    why: isOffered ? (isDenied ? 'denied' : 'unanswered') : 'not_offered',
    ...(status !== undefined && { status }),
    ...(isTimeout(answer) && { lost: 'timed_out' }),
    ...(isClosedConnection(error) && { lost: 'closed' }),
  };
}

/** Tracks which kinds the token was able to look up in this run. */
export class ReadableKinds {
  /** The kinds that a look-up or a page has shown to be readable. */
  readonly shown: Set<Kind> = new Set();
  /** The kinds that this run cannot read, each with the failed read that has shown this. */
  readonly unreadable: Map<Kind, InconclusiveRead> = new Map();
  isTokenRefused = false;
  /** Whether a look-up or a page beyond the documented operations has returned data. */
  hasUndocumentedData = false;
}
