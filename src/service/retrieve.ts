import type { Kind } from '../kinds/kind.ts';
import type { LookUpTarget } from '../kinds/resource.ts';
import { isUnauthenticated, type Answer } from './answer.ts';
import type { LookUpResult, ReadContext } from './client.ts';
import { readOfKind } from './own-type.ts';
import type { TokenUserReading } from './read-self.ts';
import { retryUntilProven } from './retries.ts';
import type { InconclusiveRead } from './readable-kinds.ts';

/**
 * Looks up a record, with retries while the answer proves nothing, and returns the last result. Returns undefined if nothing was
 * sent because the run was interrupted, a pause was too long, or the service was unavailable.
 */
export async function retrieve(
  sought: LookUpTarget,
  context: ReadContext,
): Promise<LookUpResult | undefined> {
  const { kind } = sought;
  const { readable } = context.client;
  const reading = await readOfKind(sought, context);
  // If other records of the kind were readable, the failure shows nothing about the kind.
  const unread = readable.shown.has(kind) ? undefined : await ignorableFailure(kind, reading, context);
  if (unread) readable.unreadable.set(kind, unread);
  return reading;
}

/** Returns a look-up if it failed and the run can continue without knowing whether the record exists. */
export async function ignorableFailure(
  kind: Kind,
  reading: Pick<LookUpResult, 'proof' | 'answer'> | undefined,
  context: ReadContext,
): Promise<InconclusiveRead | undefined> {
  if (kind.lookUp.isDocumented || reading === undefined) return undefined;
  const { proof, answer } = reading;
  if (proof === 'exists' || proof === 'absent' || answer.ids) return undefined;
  return (await isOptionalRead(answer, context)) ? { proof, answer } : undefined;
}

/**
 * Whether the run can continue after this failure of an undocumented read. The run can continue if documented requests succeed:
 * then the service does not offer the read, or denies it to this token.
 */
export async function isOptionalRead(answer: Answer, context: ReadContext): Promise<boolean> {
  const { evidence, readable } = context.client;
  switch (answer.kind) {
    case 'unreachable':
    case 'unreachable_for_now':
      return false;
    case 'not_offered':
      return answer.status === undefined || evidence.isApiThere(context);
    case 'denied':
      readable.isTokenRefused ||= await evidence.isTokenRefused(context, isUnauthenticated(answer));
      return !readable.isTokenRefused;
    default:
      if (answer.waitedMs !== undefined || context.signal?.aborted) return false;
      return evidence.isApiThere(context);
  }
}

export function retrieveTokenUser({
  client,
  pacing,
  signal,
}: ReadContext): Promise<TokenUserReading | undefined> {
  return retryUntilProven(() => client.readSelf(signal), pacing);
}

export async function isSuperuserToken(context: ReadContext): Promise<boolean> {
  const self = await retrieveTokenUser(context);
  return self?.proof === 'exists' && self.isSuperuser;
}
