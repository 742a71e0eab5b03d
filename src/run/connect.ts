import { withFormerPaths } from '../service/former-paths.ts';
import { withSettingsAsRecords } from '../service/settings-as-records.ts';
import { redactorOfLong, type Redactor } from '../base/redactor.ts';
import { Client } from '../service/client.ts';
import { documentedOnly } from '../service/documented-only.ts';
import { abortableTransport } from '../service/abortable.ts';
import { hideFields } from '../service/hide.ts';
import { createPacing, type Pacing } from '../service/pacing.ts';
import { probe } from '../service/probe.ts';
import { withRecordIds } from '../service/record-ids.ts';
import { redactedError, withRedaction } from '../service/redact.ts';
import { withRequestLog, withRequestNames } from '../service/request-log.ts';
import type { Transport } from '../service/transport.ts';
import { secretsOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Job } from './world.ts';

export interface Service extends Pick<Job, 'clock' | 'haltWords' | 'toolVersion'> {
  readonly client: Client;
  /** Sends requests that `client` has no method for. */
  readonly send: Transport;
  readonly pacing: Pacing;
  readonly settings: ServiceSettings;
  /** Redacts the secrets of the settings and of the manifests. */
  readonly redactor: Redactor;
  /** Aborts when the user interrupts the run, or when an unexpected exception occurs. */
  readonly signal: AbortSignal;
  readonly faults: Faults;
  /** Emits an event of the job. An exception in a listener counts as a fault of the run. */
  readonly emit: Job['emit'];
}

/** This limit is short, so that the end of an outage is noticed soon. */
const longestProbeMs = 10_000;

export async function withService<Result>(
  settings: ServiceSettings,
  job: Job,
  task: (service: Service) => Promise<Result>,
  ofManifests: readonly string[] = [],
): Promise<Result> {
  const { clock, random, haltWords, toolVersion } = job;
  const { signal: interrupted, urgent } = job.interruptible();
  const faults = new Faults();
  const signal = AbortSignal.any([interrupted, faults.signal]);
  const emit: Job['emit'] = (event) => faults.runSafely(() => job.emit(event), undefined);
  const connection = await job.connect(settings);
  const own = secretsOf(settings);
  const redactor = redactorOfLong([...own, ...ofManifests]);
  const redacted = withRedaction(connection.send, own, redactor);
  const named = withRequestNames(redacted, redactor, settings.hide);
  const send = secureTransport(named, settings, { ...job, emit }, urgent);
  const client = new Client(send, settings);
  const pacing = createPacing({
    clock,
    random,
    concurrency: settings.concurrency,
    signal,
    outagePolicy: {
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
    onPause: (pause) => emit({ kind: 'pause', ...pause }),
  });
  try {
    const used = { client, send, pacing, settings, redactor, signal, faults };
    return await task({ ...used, emit, clock, haltWords, toolVersion });
  } catch (error) {
    throw redactedError(error, redactor);
  } finally {
    // A failure to close the connection must not hide the result of the run.
    await connection.close().catch(() => {});
  }
}

/** Wraps a transport so that it hides fields, aborts at the second interruption, and logs requests. */
function secureTransport(
  send: Transport,
  settings: ServiceSettings,
  { clock, emit, emitsRequests }: Pick<Job, 'clock' | 'emit' | 'emitsRequests'>,
  urgent: AbortSignal,
): Transport {
  const safe = abortableTransport(hideFields(send, settings.hide ?? []), urgent);
  const logged = emitsRequests
    ? withRequestLog(safe, clock, (request) => emit({ kind: 'request', request }), settings.hide)
    : safe;
  return settings.contractOnly
    ? documentedOnly(logged)
    : withSettingsAsRecords(withFormerPaths(withRecordIds(logged)));
}

/** Collects exceptions. After `keep` is called, an exception ends the run like an interruption, because changes may have been sent. */
class Faults {
  readonly #controller = new AbortController();
  #areKept = false;

  keep(): AbortController {
    this.#areKept = true;
    return this.#controller;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Calls a function that the run does not depend on. If the function throws after a call of `keep`, aborts the run and returns `fallback`. */
  runSafely<Value>(work: () => Value, fallback: Value): Value {
    try {
      return work();
    } catch (error) {
      if (!this.#areKept) throw error;
      this.#controller.abort(error);
      return fallback;
    }
  }
}
