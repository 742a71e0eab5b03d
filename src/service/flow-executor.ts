import { textOf } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import { classifyAnswer } from './answer.ts';
import type { Pacing } from './pacing.ts';
import { type Transport } from './transport.ts';

/** Whether a flow starts for an anonymous user, or which component it shows instead. */
export type FlowStart =
  | { readonly kind: 'begins' }
  | { readonly kind: 'unavailable'; readonly shows: string }
  | { readonly kind: 'unknown' };

const maxTriesOfStart = 3;

/** Asks the flow executor, without a token or session, whether a flow starts. */
export async function askFlowStart(slug: string, send: Transport, pacing: Pacing): Promise<FlowStart> {
  const path = `/api/v3/flows/executor/${encodeURIComponent(slug)}/?query=`;
  for (let tries = 0; tries < maxTriesOfStart && (await pacing.waitForTurn()); tries += 1) {
    const exchange = await send({ method: 'GET', path, isAnonymous: true });
    const answer = classifyAnswer(exchange, { shape: 'document' });
    pacing.note(answer, tries + 1);
    if (answer.status === 404) return { kind: 'unavailable', shows: 'no such flow' };
    const component = answer.kind === 'found' ? textOf(answer.body?.['component']) : '';
    if (component === '') continue;
    return firstChallenges().has(component) ? { kind: 'begins' } : { kind: 'unavailable', shows: component };
  }
  return { kind: 'unknown' };
}

function firstChallenges(): ReadonlySet<string> {
  return new Set(
    kinds.flatMap(({ login }) => (login?.kind === 'login stage' ? (login.challenge ?? []) : [])),
  );
}
