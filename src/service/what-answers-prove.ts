import type { AnswerKind } from './answer.ts';

export type ReadProof =
  /** The record exists, and the answer contains it. */
  | 'exists'
  /** The record does not exist, or this token cannot see it. */
  | 'absent'
  /** The token may not read the record, which may or may not exist. */
  | 'denied'
  /** The answer proves nothing, but a retry may help. */
  | 'nothing'
  /** The answer proves nothing, and a retry would not help. */
  | 'fault';

export type WriteProof =
  | 'created'
  | 'exists'
  /** The name is taken or reserved; a look-up shows which. */
  | 'taken'
  /** Nothing was created: the name is taken, or the content was refused; a look-up shows which. */
  | 'taken_or_rejected'
  /** The content was refused, and nothing was created. */
  | 'rejected'
  | 'denied'
  /** The request had no effect, because the service is read-only at the moment. */
  | 'read_only'
  /** The request had no effect, so it is safe to send it again. */
  | 'not_applied'
  | 'ambiguous'
  /** The request conflicted with a record that the token cannot look up. */
  | 'unknown'
  /** The request had no effect, and all other requests of this run would fail too. */
  | 'fault';

export type UpdateProof =
  | 'updated'
  /** The record does not exist, or this token cannot see it. */
  | 'vanished'
  | Exclude<WriteProof, 'created' | 'exists' | 'taken' | 'taken_or_rejected' | 'unknown'>;

export interface Proof {
  readonly read: ReadProof;
  /** There are two proofs if it matters whether the token can read such records. */
  readonly create: WriteProof | { readonly readable: WriteProof; readonly unreadable: WriteProof };
  readonly update: UpdateProof;
  /** Whether all requests of the run pause after the answer: `always`, or only if the answer has a Retry-After. */
  readonly pause?: 'always' | 'if asked';
  readonly stop?: 'run' | 'type';
}

/** The facts that each kind of answer proves. This table is the basis of every decision about an answer. */
export const whatAnswersProve: Readonly<Record<AnswerKind, Proof>> = {
  found: { read: 'exists', create: 'ambiguous', update: 'updated' },
  created: { read: 'nothing', create: 'created', update: 'ambiguous' },
  deleted: { read: 'nothing', create: 'ambiguous', update: 'ambiguous' },
  several: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
  not_listed: { read: 'absent', create: 'ambiguous', update: 'ambiguous' },
  unusable_success: { read: 'nothing', create: 'ambiguous', update: 'ambiguous' },
  redirect: { read: 'fault', create: 'ambiguous', update: 'ambiguous', stop: 'run' },
  identity_refused: {
    read: 'fault',
    create: { readable: 'taken', unreadable: 'exists' },
    update: 'rejected',
  },
  identity_and_more_refused: {
    read: 'fault',
    create: { readable: 'taken_or_rejected', unreadable: 'rejected' },
    update: 'rejected',
  },
  read_only: { read: 'fault', create: 'read_only', update: 'read_only', stop: 'type' },
  fields_refused: { read: 'fault', create: 'rejected', update: 'rejected' },
  unexplained_refusal: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
  denied: { read: 'denied', create: 'denied', update: 'denied', stop: 'type' },
  not_found: { read: 'absent', create: 'fault', update: 'vanished' },
  not_offered: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
  // A change follows a read at the same URL, so the URL is right: only this request is blocked, or the service restarts.
  no_such_route: { read: 'fault', create: 'fault', update: 'not_applied', stop: 'run' },
  crash: { read: 'fault', create: 'ambiguous', update: 'ambiguous', pause: 'if asked' },
  unprocessable: { read: 'fault', create: 'rejected', update: 'rejected' },
  clash: { read: 'fault', create: { readable: 'taken', unreadable: 'unknown' }, update: 'ambiguous' },
  failure: { read: 'nothing', create: 'ambiguous', update: 'ambiguous', pause: 'if asked' },
  unavailable: { read: 'nothing', create: 'ambiguous', update: 'ambiguous', pause: 'always' },
  slow_down: { read: 'nothing', create: 'not_applied', update: 'not_applied', pause: 'always' },
  unlisted: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
  unreachable_for_now: { read: 'nothing', create: 'not_applied', update: 'not_applied' },
  unreachable: { read: 'fault', create: 'fault', update: 'fault', stop: 'run' },
  lost: { read: 'nothing', create: 'ambiguous', update: 'ambiguous' },
};

/** Returns what an answer to a create proves, which depends on whether the token can read such records. */
export function proofOfCreate(answer: AnswerKind, canBeRead: boolean): WriteProof {
  const { create } = whatAnswersProve[answer];
  if (typeof create === 'string') return create;
  return canBeRead ? create.readable : create.unreadable;
}
