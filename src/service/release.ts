import { isJsonObject, parseJson, textOf } from '../base/json.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { probedKind } from './probe.ts';
import { readAnswer, type Answer } from './answer.ts';
import type { Pacing } from './pacing.ts';
import { triesOf, untilProven } from './retries.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';
import { whatAnswersProve, type ReadProof } from './what-answers-prove.ts';

/** Answers every valid token. It is none of the documented operations, and changes nothing. */
export const releaseRequest: HttpRequest = { method: 'GET', path: '/api/v3/admin/version/' };

/** The release that the service names; nothing where it is not the service that answered, or does not say. */
export function releaseIn(exchange: Exchange): Release | undefined {
  if (exchange.kind !== 'answered' || exchange.status !== 200) return undefined;
  const body = parseJson(exchange.body);
  return isJsonObject(body) ? readRelease(textOf(body['version_current'])) : undefined;
}

/** What an answer says of the release, and whether to ask again. */
interface ReleaseReading {
  readonly proof: ReadProof;
  readonly answer: Answer;
  readonly release?: Release;
}

const unasked: ReleaseReading = { proof: 'fault', answer: { kind: 'lost' } };

/** Asks the service which release it has, and again while it is away. Nothing where it does not say: rules do without. */
export async function askRelease(
  send: Transport,
  pacing: Pacing,
  signal: AbortSignal,
): Promise<Release | undefined> {
  const ask = async (): Promise<ReleaseReading> =>
    signal.aborted ? unasked : readingOf(await send(releaseRequest, signal));
  return (await untilProven(ask, pacing, triesOf.release))?.release;
}

function readingOf(exchange: Exchange): ReleaseReading {
  const release = releaseIn(exchange);
  if (release !== undefined) return { proof: 'exists', answer: { kind: 'found', status: 200 }, release };
  const answer = readAnswer(exchange, probedKind, '');
  // A page in place of an answer is one that will come again.
  const proof = answer.kind === 'unusable_success' ? 'fault' : whatAnswersProve[answer.kind].read;
  return { proof, answer };
}
