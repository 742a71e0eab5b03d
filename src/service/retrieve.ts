import type { Kind } from '../kinds/kind.ts';
import type { Answer } from './answer.ts';
import type { Client, Reading } from './client.ts';
import { readOwn } from './own-type.ts';
import type { SelfReading } from './read-self.ts';
import type { Pacing } from './pacing.ts';
import { maxTries, retryUntilProven } from './retries.ts';
import type { InconclusiveRead } from './readable-kinds.ts';

/**
 * Looks up a record, and tries again if an answer proves nothing. Returns the last reading, or nothing if no request was sent:
 * after an interruption, for a pause that is too long, or if the service did not come back.
 */
export async function retrieve(
  kind: Kind,
  name: string,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<Reading | undefined> {
  const reading = await readOwn(kind, name, client, pacing, signal);
  // Where some records of a kind were shown, one that is not shown says nothing of the others.
  const unread = client.readable.hasRead(kind)
    ? undefined
    : await unreadOptionally(kind, reading, client, pacing, signal);
  if (unread) client.readable.markUnreadable(kind, unread);
  return reading;
}

/** A look-up that is not documented and came to no data, where the run goes on without: the record may be there or not. */
export async function unreadOptionally(
  kind: Kind,
  reading: Pick<Reading, 'proof' | 'answer'> | undefined,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<InconclusiveRead | undefined> {
  if (kind.lookUp.isDocumented || reading === undefined) return undefined;
  const { proof, answer } = reading;
  if (proof === 'exists' || proof === 'absent' || answer.ids) return undefined;
  return (await isOptionalRead(answer, client, pacing, signal)) ? { proof, answer } : undefined;
}

/**
 * Whether a run goes on without an answer to a read that is not documented: the documented API is there and takes the token, so that the
 * service does not offer this, or not to this token.
 */
export async function isOptionalRead(
  answer: Answer,
  { evidence, readable }: Pick<Client, 'evidence' | 'readable'>,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<boolean> {
  const options = { pacing, signal };
  switch (answer.kind) {
    case 'unreachable':
    case 'unreachable_for_now':
      return false;
    case 'not_offered':
      return answer.status === undefined || evidence.isApiThere(options);
    case 'denied':
      readable.isTokenRefused ||= await evidence.isTokenRefused(options);
      return !readable.isTokenRefused;
    default:
      // A service that does not come back will not take creates either.
      if (answer.waitedMs !== undefined || signal?.aborted) return false;
      return evidence.isApiThere(options);
  }
}

/** Asks whose the token is, as often as a record is looked up. */
export function retrieveSelf(
  client: Pick<Client, 'readSelf'>,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<SelfReading | undefined> {
  return retryUntilProven(() => client.readSelf(signal), pacing, maxTries.lookUp);
}
