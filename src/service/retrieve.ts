import type { Client, Reading } from './client.ts';
import type { Pacing } from './pacing.ts';

const tries = 5;

/** Retrieves an application, again where an answer proves nothing. The last reading is the result. */
export async function retrieve(slug: string, client: Client, pacing: Pacing): Promise<Reading> {
  for (let attempt = 1; ; attempt += 1) {
    await pacing.turn();
    const reading = await client.retrieveApplication(slug);
    if (reading.proof !== 'nothing' || attempt === tries) return reading;
    if (!(await pacing.backOff(attempt, reading.answer))) return reading;
  }
}
