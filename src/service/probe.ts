import type { ResourceType } from '../kinds/all.ts';
import { application } from '../kinds/application.ts';
import type { Kind } from '../kinds/kind.ts';
import { classifyRecordAnswer, type Answer, type AnswerKind } from './answer.ts';
import type { Transport } from './transport.ts';

export interface ProbeResult {
  readonly answer: Answer;
  readonly stage: ProbeStage;
  /** The service's time in milliseconds since the Unix epoch, if the answer contains it. */
  readonly serviceTime?: number;
}

type ProbeStage =
  | 'no connection'
  /** Another program answered, or the service does not have this API at the URL. */
  | 'wrong place'
  | 'denied'
  | 'well';

export const probedKind: Kind<ResourceType> = application;

/** A valid slug that hardly anybody will ever use. */
export const unusedSlug: string = 'rollcall-doctor-asks-for-what-nobody-has';

/** Looks up an application that does not exist. If the service itself answers "not found", everything works. */
export async function probe(send: Transport, signal?: AbortSignal, timeoutMs?: number): Promise<ProbeResult> {
  const path = probedKind.lookUp.path(unusedSlug);
  const request = { method: 'GET', path, ...(timeoutMs !== undefined && { timeoutMs }) } as const;
  const exchange = await send(request, signal);
  const answer = classifyRecordAnswer(exchange, probedKind, unusedSlug);
  const date = exchange.kind === 'answered' ? Date.parse(exchange.headers['date'] ?? '') : Number.NaN;
  return { answer, stage: stageOf(answer.kind), ...(!Number.isNaN(date) && { serviceTime: date }) };
}

function stageOf(kind: AnswerKind): ProbeStage {
  switch (kind) {
    case 'unreachable':
    case 'unreachable_for_now':
    case 'lost':
      return 'no connection';
    case 'denied':
      return 'denied';
    case 'not_found':
    case 'found':
      return 'well';
    default:
      return 'wrong place';
  }
}
