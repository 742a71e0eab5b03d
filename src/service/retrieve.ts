import type { Kind } from '../kinds/kind.ts';
import type { Client, Reading, SelfReading } from './client.ts';
import type { Pacing } from './pacing.ts';
import { triesOf, untilProven } from './retries.ts';

/**
 * Looks up a record, and tries again if an answer proves nothing. Returns the last reading, or nothing if no request was sent:
 * after an interruption, for a pause that is too long, or if the service did not come back.
 */
export function retrieve(
  kind: Kind,
  name: string,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<Reading | undefined> {
  return untilProven(() => client.read(kind, name, signal), pacing, triesOf.lookUp);
}

/** Asks whose the token is, as often as a record is looked up. */
export function retrieveSelf(
  client: Pick<Client, 'readSelf'>,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<SelfReading | undefined> {
  return untilProven(() => client.readSelf(signal), pacing, triesOf.lookUp);
}
