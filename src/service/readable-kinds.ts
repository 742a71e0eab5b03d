import type { Kind } from '../kinds/kind.ts';
import type { Answer } from './answer.ts';
import type { UnreadableReason } from './types.ts';
import type { ReadProof } from './what-answers-prove.ts';

export interface InconclusiveRead {
  readonly proof: Exclude<ReadProof, 'exists' | 'absent'>;
  readonly answer: Answer;
}

export function unreadableReason({
  answer: { kind, status },
}: Pick<InconclusiveRead, 'answer'>): UnreadableReason {
  const isOffered = kind !== 'not_offered' && kind !== 'no_such_route';
  return {
    why: isOffered ? (kind === 'denied' ? kind : 'unanswered') : 'not_offered',
    ...(status !== undefined && { status }),
  };
}

/** Tracks which kinds the token was able to look up in this run. */
export class ReadableKinds {
  readonly #shown = new Set<Kind>();
  readonly #unreadable = new Map<Kind, InconclusiveRead>();
  isTokenRefused = false;
  /** Whether a look-up or a page beyond the documented operations has returned data. */
  hasUndocumentedData = false;

  /** False after a failed read has shown that this run cannot read records of this kind. */
  canRead(kind: Kind): boolean {
    return !this.#unreadable.has(kind);
  }

  hasRead(kind: Kind): boolean {
    return this.#shown.has(kind);
  }

  markRead(kind: Kind): void {
    this.#shown.add(kind);
  }

  markUnreadable(kind: Kind, unread: InconclusiveRead): void {
    this.#unreadable.set(kind, unread);
  }

  get unreadable(): ReadonlyMap<Kind, InconclusiveRead> {
    return this.#unreadable;
  }
}
