import type { AnswerKind } from './answer.ts';
import type { Operation } from './types.ts';

/** What an answer to a retrieve proves. */
export type ReadProof =
  /** The application exists, and here it is. */
  | 'exists'
  /** It does not exist, as far as this token can see. */
  | 'absent'
  /** Nothing: this token may not look. Never "absent". */
  | 'denied'
  /** Nothing; asking again may help. */
  | 'nothing'
  /** Nothing, and asking again will not help. */
  | 'fault';

/** What an answer to a create proves. */
export type WriteProof =
  | 'created'
  /** Somebody has it already. */
  | 'exists'
  /** The name is taken or reserved; a retrieve tells which. */
  | 'taken'
  /** Refused for what it says; nothing was created. */
  | 'rejected'
  | 'denied'
  /** Not acted upon: the service takes no changes for now, whatever they say. */
  | 'closed'
  /** Not acted upon; sending it again is safe. */
  | 'not_applied'
  /** The service may have acted. */
  | 'ambiguous'
  /** It clashed with something that cannot be looked up. */
  | 'unknown'
  /** Not acted upon, and nothing else of this run would be. */
  | 'fault';

export interface Proof {
  readonly retrieveApplication: ReadProof;
  readonly createApplication: WriteProof;
  readonly createUser: WriteProof;
  /** All requests of the run wait before the next one: as a Retry-After says, or, if `always`, a while in any case. */
  readonly pause?: 'always' | 'if told';
  /** What is left is not attempted: the rest of the run, or of this type of resource. */
  readonly stop?: 'run' | 'type';
}

/** What an answer proves: the one table on which every decision about the service rests. */
export const whatAnswersProve: Readonly<Record<AnswerKind, Proof>> = {
  found: { retrieveApplication: 'exists', createApplication: 'ambiguous', createUser: 'ambiguous' },
  created: { retrieveApplication: 'nothing', createApplication: 'created', createUser: 'created' },
  unusable_success: {
    retrieveApplication: 'nothing',
    createApplication: 'ambiguous',
    createUser: 'ambiguous',
  },
  redirect: {
    retrieveApplication: 'fault',
    createApplication: 'ambiguous',
    createUser: 'ambiguous',
    stop: 'run',
  },
  identity_refused: { retrieveApplication: 'fault', createApplication: 'taken', createUser: 'exists' },
  read_only: {
    retrieveApplication: 'fault',
    createApplication: 'closed',
    createUser: 'closed',
    stop: 'type',
  },
  fields_refused: { retrieveApplication: 'fault', createApplication: 'rejected', createUser: 'rejected' },
  unexplained_refusal: {
    retrieveApplication: 'fault',
    createApplication: 'ambiguous',
    createUser: 'ambiguous',
  },
  denied: { retrieveApplication: 'denied', createApplication: 'denied', createUser: 'denied', stop: 'type' },
  not_found: { retrieveApplication: 'absent', createApplication: 'fault', createUser: 'fault' },
  no_such_route: {
    retrieveApplication: 'fault',
    createApplication: 'fault',
    createUser: 'fault',
    stop: 'run',
  },
  crash: { retrieveApplication: 'fault', createApplication: 'ambiguous', createUser: 'ambiguous' },
  unprocessable: { retrieveApplication: 'fault', createApplication: 'rejected', createUser: 'rejected' },
  clash: { retrieveApplication: 'fault', createApplication: 'taken', createUser: 'unknown' },
  failure: {
    retrieveApplication: 'nothing',
    createApplication: 'ambiguous',
    createUser: 'ambiguous',
    pause: 'if told',
  },
  unavailable: {
    retrieveApplication: 'nothing',
    createApplication: 'ambiguous',
    createUser: 'ambiguous',
    pause: 'always',
  },
  slow_down: {
    retrieveApplication: 'nothing',
    createApplication: 'not_applied',
    createUser: 'not_applied',
    pause: 'always',
  },
  unlisted: { retrieveApplication: 'fault', createApplication: 'ambiguous', createUser: 'ambiguous' },
  unreachable_for_now: {
    retrieveApplication: 'nothing',
    createApplication: 'not_applied',
    createUser: 'not_applied',
  },
  unreachable: { retrieveApplication: 'fault', createApplication: 'fault', createUser: 'fault', stop: 'run' },
  lost: { retrieveApplication: 'nothing', createApplication: 'ambiguous', createUser: 'ambiguous' },
};

/** The proof of one answer for one operation. */
export function proofOf<Op extends Operation>(kind: AnswerKind, operation: Op): Proof[Op] {
  return whatAnswersProve[kind][operation];
}
