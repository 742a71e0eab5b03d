import { withFormerPaths } from '../service/former-paths.ts';
import { withSettingsAsRecords } from '../service/settings-as-records.ts';
import { createClient, type Client } from '../service/client.ts';
import { documentedOnly } from '../service/documented-only.ts';
import { abortable } from '../service/abortable.ts';
import { hiding } from '../service/hide.ts';
import { createPacing, longestPauseMs, type Pacing } from '../service/pacing.ts';
import { probe } from '../service/probe.ts';
import { withIds } from '../service/record-ids.ts';
import { errorWithout, redacting } from '../service/redact.ts';
import { logging } from '../service/request-log.ts';
import type { Transport } from '../service/transport.ts';
import { secretsOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Job } from './world.ts';

export interface Service {
  readonly client: Client;
  /** For requests other than look-ups and creates. */
  readonly send: Transport;
  readonly pacing: Pacing;
  readonly settings: ServiceSettings;
  /** Aborts when the user interrupts the run, or when an exception is kept. */
  readonly signal: AbortSignal;
  readonly faults: Faults;
  /** Emits an event of the job; an exception of a listener is kept. */
  readonly emit: Job['emit'];
}

/** An old probe should not delay noticing that the service is back. */
const longestProbeMs = 10_000;

/** Runs a function with a connection to the service, and closes the connection. */
export async function withService<Result>(
  settings: ServiceSettings,
  job: Job,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const { clock, random } = job;
  const { signal: interrupted, urgent } = job.interruptible();
  const faults = new Faults();
  const signal = AbortSignal.any([interrupted, faults.signal]);
  const emit: Job['emit'] = (event) => faults.contain(() => job.emit(event), undefined);
  const connection = await job.connect(settings);
  const send = guarded(connection.send, settings, { ...job, emit }, urgent);
  const client = createClient(send, settings);
  const pacing = createPacing({
    clock,
    random,
    concurrency: settings.concurrency,
    signal,
    patience: {
      waitMs: settings.wait.milliseconds,
      fromTheStart: settings.wait.isExplicit,
      ask: async () => {
        const { answer } = await probe(send, signal, longestProbeMs);
        client.evidence.note(answer);
        return answer;
      },
      onNews: (news) => emit({ kind: 'outage', news }),
    },
    onRetry: (answer) => {
      if (!signal.aborted) emit({ kind: 'retry', answer });
    },
    onPause: (milliseconds, answer) =>
      emit({ kind: 'pause', milliseconds, answer, isTooLong: milliseconds > longestPauseMs }),
  });
  try {
    return await use({ client, send, pacing, settings, signal, faults, emit });
  } catch (error) {
    throw errorWithout(secretsOf(settings), error);
  } finally {
    // The result of the run is reported even if closing fails.
    await connection.close().catch(() => {});
  }
}

/** A transport with redacted answers that stops in urgent cases, and emits each request if wanted. */
function guarded(
  send: Transport,
  settings: ServiceSettings,
  { clock, emit, emitsRequests }: Pick<Job, 'clock' | 'emit' | 'emitsRequests'>,
  urgent: AbortSignal,
): Transport {
  const safe = abortable(hiding(redacting(send, secretsOf(settings)), settings.hide ?? []), urgent);
  const logged = emitsRequests
    ? logging(safe, clock, (request) => emit({ kind: 'request', request }), settings.hide)
    : safe;
  return settings.contractOnly
    ? documentedOnly(logged)
    : withSettingsAsRecords(withFormerPaths(withIds(logged)));
}

/** Unexpected exceptions. They end a run with an error; but after `keep`, when something may have been sent, like an interruption. */
class Faults {
  readonly #first = new AbortController();
  #areKept = false;

  keep(): AbortController {
    this.#areKept = true;
    return this.#first;
  }

  get signal(): AbortSignal {
    return this.#first.signal;
  }

  /** Runs a function that the rest of the run does not depend on. */
  contain<Value>(work: () => Value, otherwise: Value): Value {
    try {
      return work();
    } catch (error) {
      if (!this.#areKept) throw error;
      this.#first.abort(error);
      return otherwise;
    }
  }
}
