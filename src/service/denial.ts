import { isAnswered, type Answer } from './answer.ts';
import { fieldErrorsOf } from './complaints.ts';
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

/** Whether the service rejects the token itself, and not only an action. For an invalid token, all releases send the same message. */
export function isTokenUnknown(answer: Answer): boolean {
  return (
    answer.kind === 'denied' &&
    fieldErrorsOf(answer).some(({ texts }) => texts.includes('Token invalid/expired'))
  );
}

/** Whether the service has shown, created or changed a record. */
export function isSuccess({ kind }: Pick<Answer, 'kind'>): boolean {
  const { read, create, update } = whatAnswersProve[kind];
  return read === 'exists' || create === 'created' || update === 'updated';
}
