import { classifyAnswer, type Answer, type ExpectedAnswer } from './answer.ts';
import type { Exchange, Transport } from './transport.ts';
import { whatAnswersProve, type Proof, type ReadProof } from './what-answers-prove.ts';

export interface JudgedAnswer {
  readonly answer: Answer;
  /** Whether the whole run, or only the work on this type, must stop after this answer. */
  readonly stop?: Proof['stop'];
}

/** A judged answer that also contains `Given` if its proof is `Wanted`. */
export type ProvenAnswer<All extends string, Wanted extends All, Given> = JudgedAnswer &
  (({ readonly proof: Wanted } & Given) | { readonly proof: Exclude<All, Wanted> });

export function judgeAnswer(answer: Answer): JudgedAnswer {
  return { answer, stop: whatAnswersProve[answer.kind].stop };
}

/** Sends an undocumented read, and takes data from the answer if the answer is as expected. */
export async function readProven<Given>(
  send: Transport,
  path: string,
  expected: ExpectedAnswer,
  signal: AbortSignal | undefined,
  dataIn: (answer: Answer, exchange: Exchange) => Given,
): Promise<ProvenAnswer<ReadProof, 'exists', Given>> {
  const exchange = await send({ method: 'GET', path }, signal);
  const judged = judgeAnswer(classifyAnswer(exchange, expected));
  const proof = whatAnswersProve[judged.answer.kind].read;
  return proof === 'exists' ? { ...judged, proof, ...dataIn(judged.answer, exchange) } : { ...judged, proof };
}
