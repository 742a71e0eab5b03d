import { isAnswered, isUnauthenticated, type Answer } from './answer.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

export function isDenial(answer: Pick<Answer, 'kind'> | undefined): boolean {
  return answer !== undefined && whatAnswersProve[answer.kind].read === 'denied';
}

/** Whether the service itself denied a request. The page of a login proxy has no `detail`. */
export function isOwnDenial(answer: Answer): boolean {
  return answer.kind === 'denied' && !isPage(answer);
}

/** Whether an answer lacks the `detail` that the service itself sends with each denial and each 404. */
export function isPage(answer: Answer): boolean {
  return isAnswered(answer) && typeof answer.body?.['detail'] !== 'string';
}

/** The details with which the service refuses every request of a token. All releases answer with 403, never with 401. */
const tokenDetails: ReadonlySet<unknown> = new Set([
  'Token invalid/expired',
  'Authentication credentials were not provided.',
  'Unsupported authentication type',
  'Malformed header',
]);

/** Whether the service rejects the token itself, and not only an action. A gateway that checks the token answers with 401. */
export function isTokenUnknown(answer: Answer): boolean {
  return isOwnDenial(answer) && (isUnauthenticated(answer) || tokenDetails.has(answer.body?.['detail']));
}

/** Whether the service has shown, created or changed a record. */
export function isSuccess({ kind }: Pick<Answer, 'kind'>): boolean {
  const { read, create, update } = whatAnswersProve[kind];
  return read === 'exists' || create === 'created' || update === 'updated';
}
