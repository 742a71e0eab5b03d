import type { Kind } from '../kinds/kind.ts';
import { timedOut, type Answer } from './answer.ts';
import { mostOutagesSpared, waitedInVain } from './outage.ts';
import type { Client, Reading, SelfReading } from './client.ts';
import type { Pacing } from './pacing.ts';
import type { ReadProof } from './what-answers-prove.ts';

/** How often something is asked at the most; in silence, each try takes the whole time limit. */
export interface Tries {
  readonly answered: number;
  readonly inSilence: number;
}

export const triesOfOne: Tries = { answered: 5, inSilence: 2 };

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
  return untilProven(() => client.read(kind, name, signal), pacing, triesOfOne);
}

/** Asks whose the token is, as often as a record is looked up. */
export function retrieveSelf(
  client: Pick<Client, 'readSelf'>,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<SelfReading | undefined> {
  return untilProven(() => client.readSelf(signal), pacing, triesOfOne);
}

/** Asks something, and again if the answer proves nothing. Returns what came of it last, or nothing if no request was sent. */
export async function untilProven<Result extends { readonly proof: ReadProof; readonly answer: Answer }>(
  ask: () => Promise<Result>,
  pacing: Pacing,
  tries: Tries,
): Promise<Result | undefined> {
  let result: Result | undefined;
  let attempt: number | undefined = 1;
  let spared = 0;
  while (attempt !== undefined && (await pacing.turn())) {
    result = await ask();
    const { answer } = result;
    pacing.note(answer, attempt);
    if (result.proof !== 'nothing') return result;
    const most = timedOut(answer) ? tries.inSilence : tries.answered;
    const next = await pacing.again({ attempt, most, answer, isFree: spared < mostOutagesSpared });
    if (next === attempt) spared += 1;
    attempt = next;
  }
  return result && { ...result, answer: waitedInVain(result.answer, pacing.outage) };
}
