import type { Kind } from '../kinds/kind.ts';
import type { Client, Reading } from './client.ts';
import type { SelfReading } from './read-self.ts';
import type { Pacing } from './pacing.ts';
import { triesOf, untilProven } from './retries.ts';
import type { Unreadable } from './types.ts';

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
  const reading = await untilProven(() => client.read(kind, name, signal), pacing, triesOf.lookUp);
  await forgoDenied(kind, reading, client, pacing, signal);
  return reading;
}

/**
 * Forgoes a kind whose records the token may not look up, or that are not offered: what the contract has no way to read can be
 * created without, unless the service might take a second one of the same name. Not where some of them were shown, nor where the
 * service refuses the token itself.
 */
async function forgoDenied(
  kind: Kind,
  reading: Reading | undefined,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<void> {
  const why = reading && unreadableBy(reading);
  const isNeeded = (): boolean =>
    kind.lookUp.isDocumented || !kind.listing.isUnique || client.sight.hasShown(kind);
  if (why === undefined || isNeeded()) return;
  if (why === 'denied' && (await retrieveSelf(client, pacing, signal))?.proof === 'denied') {
    client.sight.isTokenRefused = true;
    return;
  }
  if (!isNeeded()) client.sight.forgo(kind, why);
}

function unreadableBy({ answer: { kind, status } }: Reading): Unreadable | undefined {
  if (kind === 'not_offered') return kind;
  return kind === 'denied' && status === 403 ? kind : undefined;
}

/** Asks whose the token is, as often as a record is looked up. */
export function retrieveSelf(
  client: Pick<Client, 'readSelf'>,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<SelfReading | undefined> {
  return untilProven(() => client.readSelf(signal), pacing, triesOf.lookUp);
}
