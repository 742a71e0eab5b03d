import type { Answer } from './answer.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

export function isDenial(answer: Pick<Answer, 'kind'> | undefined): boolean {
  return answer !== undefined && whatAnswersProve[answer.kind].read === 'denied';
}
