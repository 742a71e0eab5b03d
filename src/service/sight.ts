import type { Kind } from '../kinds/kind.ts';
import type { Answer } from './answer.ts';
import type { Unreadable } from './types.ts';
import type { ReadProof } from './what-answers-prove.ts';

/** A read without data. */
export interface Unread {
  readonly proof: Exclude<ReadProof, 'exists' | 'absent'>;
  readonly answer: Answer;
}

/** Why a read returned no data. */
export function whyUnread({ answer: { kind, status } }: Unread): Unreadable {
  const why = kind === 'denied' || kind === 'not_offered' ? kind : 'unanswered';
  return { why, ...(status !== undefined && { status }) };
}

/** The kinds that can be looked up, as far as is known. */
export class Sight {
  readonly #shown = new Set<Kind>();
  readonly #unreadable = new Map<Kind, Unread>();
  /** Whether the service refuses the token itself. */
  isTokenRefused = false;

  canRead(kind: Kind): boolean {
    return !this.#unreadable.has(kind);
  }

  /** Whether the service has answered a look-up of this kind. */
  hasShown(kind: Kind): boolean {
    return this.#shown.has(kind);
  }

  noteShown(kind: Kind): void {
    this.#shown.add(kind);
  }

  /** From now on, records of this kind cannot be looked up. */
  forgo(kind: Kind, unread: Unread): void {
    this.#unreadable.set(kind, unread);
  }

  /** The kinds that cannot be looked up, with the read that showed it. */
  get unreadable(): ReadonlyMap<Kind, Unread> {
    return this.#unreadable;
  }
}
