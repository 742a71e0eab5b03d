import type { Answer } from './answer.ts';
import { whatAnswersProve, type Proof } from './what-answers-prove.ts';

export interface JudgedAnswer {
  readonly answer: Answer;
  /** The scope that must stop after this answer. */
  readonly stop?: NonNullable<Proof['stop']>;
}

/** A judged answer that also contains `Given` if its proof is `Wanted`. */
export type ProvenAnswer<All extends string, Wanted extends All, Given> = JudgedAnswer &
  (({ readonly proof: Wanted } & Given) | { readonly proof: Exclude<All, Wanted> });

export function judgeAnswer(answer: Answer): JudgedAnswer {
  const { stop } = whatAnswersProve[answer.kind];
  return { answer, ...(stop && { stop }) };
}
