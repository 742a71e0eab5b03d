import { textOf } from '../base/json.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import { probedKind } from './probe.ts';
import { classifyRecordAnswer, type Answer } from './answer.ts';
import type { Pacing } from './pacing.ts';
import { maxTries, retryUntilProven } from './retries.ts';
import { jsonAnswerIn, type Exchange, type HttpRequest, type Transport } from './transport.ts';
import { whatAnswersProve, type ReadProof } from './what-answers-prove.ts';

/** An undocumented request that every valid token may send, and that changes nothing. */
export const releaseRequest: HttpRequest = { method: 'GET', path: '/api/v3/admin/version/' };

/** Returns the release in an answer, or undefined if the service did not report one. */
export function releaseIn(exchange: Exchange): Release | undefined {
  const { status, body = {} } = jsonAnswerIn(exchange) ?? {};
  return status === 200 ? readRelease(textOf(body['version_current'])) : undefined;
}

interface ReleaseReading {
  readonly proof: ReadProof;
  readonly answer: Answer;
  readonly release?: Release;
}

const unasked: ReleaseReading = { proof: 'fault', answer: { kind: 'lost' } };

/** Reads the service's release, with retries during an outage. Returns undefined if the service does not report a release. */
export async function fetchServiceRelease(
  send: Transport,
  pacing: Pacing,
  signal: AbortSignal,
): Promise<Release | undefined> {
  const ask = async (): Promise<ReleaseReading> =>
    signal.aborted ? unasked : readingOf(await send(releaseRequest, signal));
  return (await retryUntilProven(ask, pacing, maxTries.release))?.release;
}

function readingOf(exchange: Exchange): ReleaseReading {
  const release = releaseIn(exchange);
  if (release !== undefined) return { proof: 'exists', answer: { kind: 'found', status: 200 }, release };
  const answer = classifyRecordAnswer(exchange, probedKind, '');
  // A retry helps after a page of a proxy or a cut answer, but not if the service itself names no known release.
  const isComplete = 'version_current' in (jsonAnswerIn(exchange)?.body ?? {});
  return { proof: isComplete ? 'fault' : whatAnswersProve[answer.kind].read, answer };
}
