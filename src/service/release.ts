import { isJsonObject, parseJson, textOf } from '../base/json.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { probedKind } from './probe.ts';
import { readAnswer, type Answer } from './answer.ts';
import type { Pacing } from './pacing.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';
import { whatAnswersProve } from './what-answers-prove.ts';

/** Answers every valid token. It is none of the documented operations, and changes nothing. */
export const releaseRequest: HttpRequest = { method: 'GET', path: '/api/v3/admin/version/' };

/** The release that the service names; nothing where it is not the service that answered, or does not say. */
export function releaseIn(exchange: Exchange): Release | undefined {
  if (exchange.kind !== 'answered' || exchange.status !== 200) return undefined;
  const body = parseJson(exchange.body);
  return isJsonObject(body) ? readRelease(textOf(body['version_current'])) : undefined;
}

const tries = 3;

/** Asks the service which release it has, and again while it is away. Nothing where it does not say: rules do without. */
export async function askRelease(
  send: Transport,
  pacing: Pacing,
  signal: AbortSignal,
): Promise<Release | undefined> {
  let attempt: number | undefined = 1;
  while (attempt !== undefined && (await pacing.turn())) {
    const exchange = await send(releaseRequest, signal);
    const release = releaseIn(exchange);
    const answer = answerIn(exchange, release);
    pacing.note(answer, attempt);
    // A page in place of an answer is one that will come again.
    if (whatAnswersProve[answer.kind].read !== 'nothing' || answer.kind === 'unusable_success')
      return release;
    attempt = await pacing.again({ attempt, most: tries, answer, isFree: false });
  }
  return undefined;
}

/** The answer as the pacing of a run takes note of it. */
function answerIn(exchange: Exchange, release: Release | undefined): Answer {
  return release === undefined ? readAnswer(exchange, probedKind, '') : { kind: 'found', status: 200 };
}
