import { createClient, type Client } from '../service/client.ts';
import { createPacing, type Pacing } from '../service/pacing.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Context } from './context.ts';

export interface Service {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly settings: ServiceSettings;
}

/** A shorter wait is not worth a word. */
const noticeableMs = 2000;

/** Runs something with a connection to the service, and closes the connection in the end. */
export async function withService<Result>(
  settings: ServiceSettings,
  context: Context,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const connection = context.connect(settings);
  const pacing = createPacing(context.clock, context.random, (milliseconds, { status }) => {
    if (milliseconds < noticeableMs) return;
    const cause = status === undefined ? '' : ` after an answer of ${status}`;
    context.stderr.write(`Waiting ${Math.ceil(milliseconds / 1000)} s${cause}.\n`);
  });
  try {
    return await use({ client: createClient(connection.send), pacing, settings });
  } finally {
    await connection.close();
  }
}
