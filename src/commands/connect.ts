import { requestLine } from '../report/request-line.ts';
import { createClient, type Client } from '../service/client.ts';
import { createPacing, type Pacing } from '../service/pacing.ts';
import { redacting } from '../service/redact.ts';
import { logging } from '../service/request-log.ts';
import type { Transport } from '../service/transport.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Context } from './context.ts';

/** What a command needs to talk to the service. */
export interface Service {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly settings: ServiceSettings;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
}

/** A shorter pause is not worth a word. */
const noticeableMs = 2000;

/** Runs something with a connection to the service, and closes the connection in the end. */
export async function withService<Result>(
  settings: ServiceSettings,
  context: Context,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const signal = context.interruptible();
  const connection = await context.connect(settings);
  const pacing = createPacing({
    clock: context.clock,
    random: context.random,
    concurrency: settings.concurrency,
    signal,
    onPause: (milliseconds, { status }) => {
      if (milliseconds < noticeableMs || settings.quiet) return;
      context.stderr.write(`The service asks to wait ${Math.ceil(milliseconds / 1000)} s (${status}).\n`);
    },
  });
  try {
    const send = redacting(connection.send, settings.token.reveal());
    const client = createClient(settings.log ? logged(send, settings.log, context) : send);
    return await use({ client, pacing, settings, signal });
  } finally {
    await connection.close();
  }
}

function logged(send: Transport, format: 'text' | 'json', { clock, stderr }: Context): Transport {
  return logging(send, clock, (request) => stderr.write(requestLine(request, format)));
}
