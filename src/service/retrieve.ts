import { timedOut } from './answer.ts';
import type { Client, Reading } from './client.ts';
import type { Pacing } from './pacing.ts';

const tries = 5;
/** To wait out the time limit over and over helps nobody. */
const triesInSilence = 2;

/**
 * Retrieves an application, again where an answer proves nothing. The last reading is the result;
 * nothing when it was not asked at all: the run was interrupted, or has to pause for too long.
 */
export async function retrieve(
  slug: string,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<Reading | undefined> {
  let reading: Reading | undefined;
  for (let attempt = 1; await pacing.turn(); attempt += 1) {
    reading = await client.retrieveApplication(slug, signal);
    pacing.heed(reading.answer, attempt);
    const most = timedOut(reading.answer) ? triesInSilence : tries;
    if (reading.proof !== 'nothing' || attempt >= most || !(await pacing.backOff(attempt))) break;
  }
  return reading;
}
