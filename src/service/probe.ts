import { readAnswer, type Answer } from './answer.ts';
import type { Transport } from './transport.ts';

/** What one harmless request tells of a service. */
export interface Probe {
  readonly answer: Answer;
  /** The time of the service, in milliseconds since the epoch, where it tells. */
  readonly serviceTime?: number;
}

/** Longer than the service lets a slug be: no application can have it. */
const impossibleSlug = `rollcall-doctor-${'x'.repeat(50)}`;

/** Looks up an application that cannot exist: the service's own "not found" shows that all is well. */
export async function probe(send: Transport, signal?: AbortSignal, timeoutMs?: number): Promise<Probe> {
  const path = `/api/v3/core/applications/${impossibleSlug}/`;
  const request = { method: 'GET', path, ...(timeoutMs !== undefined && { timeoutMs }) } as const;
  const exchange = await send(request, signal);
  const answer = readAnswer(exchange, 'retrieveApplication', impossibleSlug);
  const date = exchange.kind === 'answered' ? Date.parse(exchange.headers['date'] ?? '') : Number.NaN;
  return { answer, ...(!Number.isNaN(date) && { serviceTime: date }) };
}
