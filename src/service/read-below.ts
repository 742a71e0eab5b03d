import { isJsonList, parseJson, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { classifyAnswer } from './answer.ts';
import type { Transport } from './transport.ts';
import { judgeAnswer, type JudgedAnswer } from './judged-answer.ts';
import { whatAnswersProve, type ReadProof } from './what-answers-prove.ts';

export type DependentsReading = JudgedAnswer & {
  readonly proof: ReadProof;
  readonly uses: readonly JsonValue[];
};

export type DocumentReading = JudgedAnswer & { readonly proof: ReadProof; readonly document: JsonObject };

export async function readDependentsOf(
  send: Transport,
  { update }: Kind,
  name: string,
  pk: string,
  signal: AbortSignal | undefined,
): Promise<DependentsReading> {
  const exchange = await send({ method: 'GET', path: `${update.path(name, pk)}used_by/` }, signal);
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'uses' }));
  const uses = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  const isList = uses !== undefined && isJsonList(uses);
  return { proof: whatAnswersProve[answer.kind].read, uses: isList ? uses : [], answer, ...rest };
}

export async function readBelow(
  send: Transport,
  { update }: Kind,
  name: string,
  pk: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<DocumentReading> {
  const exchange = await send({ method: 'GET', path: `${update.path(name, pk)}${path}` }, signal);
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'document' }));
  return { proof: whatAnswersProve[answer.kind].read, document: answer.body ?? {}, answer, ...rest };
}
