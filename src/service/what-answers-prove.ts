import type { AnswerKind } from './answer.ts';

/** What an answer to a retrieve proves. */
export type ReadProof =
  /** The record exists, and the answer has it. */
  | 'exists'
  /** The record does not exist, as far as this token can see. */
  | 'absent'
  /** Nothing: this token may not read it. Never "absent". */
  | 'denied'
  /** Nothing; a retry may help. */
  | 'nothing'
  /** Nothing, and a retry will not help. */
  | 'fault';

export type WriteProof =
  | 'created'
  /** Another record has this name. */
  | 'exists'
  /** The name is taken or reserved; a retrieve shows which. */
  | 'taken'
  /** Refused because of its content; nothing was created. */
  | 'rejected'
  | 'denied'
  /** It had no effect: the service is read-only at the moment. */
  | 'closed'
  /** It had no effect; it is safe to send it again. */
  | 'not_applied'
  /** The service may have acted. */
  | 'ambiguous'
  /** It conflicted with a record that cannot be looked up. */
  | 'unknown'
  /** It had no effect, and all other requests of this run would fail too. */
  | 'fault';

export type UpdateProof =
  /** The record is as the answer says. */
  | 'updated'
  /** The record does not exist, as far as this token can see. */
  | 'vanished'
  | Exclude<WriteProof, 'created' | 'exists' | 'taken' | 'unknown'>;

export interface Proof {
  readonly read: ReadProof;
  /** Two proofs if it depends on whether the record with this name can be looked up. */
  readonly create: WriteProof | { readonly readable: WriteProof; readonly unreadable: WriteProof };
  readonly update: UpdateProof;
  /** All requests of the run pause: if the answer has a Retry-After, or `always`. */
  readonly pause?: 'always' | 'if asked';
  /** What is not attempted any more. */
  readonly stop?: 'run' | 'type';
}

/** What each kind of answer proves. Every decision about an answer follows from this table. */
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
  read_only: { read: 'fault', create: 'closed', update: 'closed', stop: 'type' },
  fields_refused: { read: 'fault', create: 'rejected', update: 'rejected' },
  unexplained_refusal: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
  denied: { read: 'denied', create: 'denied', update: 'denied', stop: 'type' },
  not_found: { read: 'absent', create: 'fault', update: 'vanished' },
  not_offered: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
  no_such_route: { read: 'fault', create: 'fault', update: 'fault', stop: 'run' },
  crash: { read: 'fault', create: 'ambiguous', update: 'ambiguous' },
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

/** What an answer to a create proves, depending on whether such a record can be looked up. */
export function writeProofOf(answer: AnswerKind, canBeRead: boolean): WriteProof {
  const { create } = whatAnswersProve[answer];
  if (typeof create === 'string') return create;
  return canBeRead ? create.readable : create.unreadable;
}
