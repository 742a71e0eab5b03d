import { answerWords, outageWords } from '../report/words/answers.ts';
import { inline } from '../report/printable.ts';
import { requestLine } from '../report/formats/events.ts';
import { createClient, type Client } from '../service/client.ts';
import { probe } from '../service/probe.ts';
import { createPacing, longestPauseMs, type Pacing } from '../service/pacing.ts';
import { redacting } from '../service/redact.ts';
import { givingUp } from '../service/give-up.ts';
import { logging } from '../service/request-log.ts';
import type { Transport } from '../service/transport.ts';
import { secretsOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { ServiceContext } from './context.ts';

/** What a command needs to talk to the service. */
export interface Service {
  readonly client: Client;
  /** For requests that are neither a look-up nor a create. */
  readonly send: Transport;
  readonly pacing: Pacing;
  readonly settings: ServiceSettings;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
}

/** A shorter pause is not mentioned. */
const noticeableMs = 2000;
/** A service that has just come back should not be missed because a question from before is still open. */
const longestProbeMs = 10_000;
/** Many requests may fail at once; one remark in a while is enough. */
const remarkEveryMs = 10_000;

/** Runs something with a connection to the service, and closes the connection in the end. */
export async function withService<Result>(
  settings: ServiceSettings,
  context: ServiceContext,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const { signal, urgent } = context.interruptible();
  const connection = await context.connect(settings);
  const { clock } = context;
  const send = guarded(connection.send, settings, context, urgent);
  let quietUntil = 0;
  let isAway = false;
  let saidUntil = 0;
  const pacing = createPacing({
    clock,
    random: context.random,
    concurrency: settings.concurrency,
    signal,
    onRetry: (answer) => {
      if (settings.quiet || clock.now() < quietUntil || signal.aborted) return;
      quietUntil = clock.now() + remarkEveryMs;
      context.stderr.write(`Trying again: ${inline(answerWords(answer).summary)}.\n`);
    },
    patience: {
      waitMs: settings.wait.milliseconds,
      fromTheStart: settings.wait.isAsked,
      ask: async () => (await probe(send, signal, longestProbeMs)).answer,
      onNews: (news) => {
        isAway = news.kind === 'away';
        if (!settings.quiet) context.stderr.write(`${inline(outageWords(news))}\n`);
      },
    },
    onPause: (milliseconds, { status }) => {
      const isTooLong = milliseconds > longestPauseMs;
      if (milliseconds < noticeableMs || settings.quiet || (isAway && !isTooLong)) return;
      // Several requests that are under way are told of one pause.
      const until = clock.now() + milliseconds;
      if (until - saidUntil < noticeableMs) return;
      saidUntil = until;
      const end = isTooLong ? ', which is too long: the run ends' : '';
      context.stderr.write(
        `The service asks to wait ${Math.ceil(milliseconds / 1000)} s (${status})${end}.\n`,
      );
    },
  });
  try {
    return await use({ client: createClient(send), send, pacing, settings, signal });
  } finally {
    await connection.close();
  }
}

/** A transport whose answers hold no secret, which gives up when it is urgent, and which logs if that is wanted. */
function guarded(
  send: Transport,
  settings: ServiceSettings,
  { clock, stderr }: ServiceContext,
  urgent: AbortSignal,
): Transport {
  const { log } = settings;
  const safe = givingUp(redacting(send, secretsOf(settings)), urgent);
  return log === undefined
    ? safe
    : logging(safe, clock, (request) => stderr.write(requestLine(request, log)));
}
