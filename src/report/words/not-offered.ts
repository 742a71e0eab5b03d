import type { Change } from '../../plan/plan.ts';
import type { Answer } from '../../service/answer.ts';
import { answerWords, type AnswerWords } from './answers.ts';

/** Words for the answer to a change. If the service does not offer a change, the URL is right, because the record was read. */
export function changeAnswerWords({ action, resource: { kind } }: Change, answer: Answer): AnswerWords {
  const { kind: is, status } = answer;
  const isChange = action === 'update' || action === 'delete';
  const isMissingThere = status === 405 || is === 'not_offered' || is === 'no_such_route';
  if (!isChange || !isMissingThere || status === undefined) return answerWords(answer);
  const [method, verb] = action === 'update' ? ['PATCH', 'change'] : ['DELETE', 'delete'];
  return {
    code: 'service-unexpected',
    summary: `the service does not offer to ${verb} ${kind.list} (${status})`,
    advice: `The service answered the read requests, so its URL is right. Allow ${method} ${kind.path} in every proxy in front of the service, or ${verb} the record by hand.`,
  };
}
