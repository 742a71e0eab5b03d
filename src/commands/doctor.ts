import type { Ending } from '../exit-code.ts';
import { interruptedBy } from '../exit-code.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { doctorChecks, type DoctorCheck } from '../report/doctor-checks.ts';
import { doctorText } from '../report/doctor-text.ts';
import { jsonText } from '../report/json-text.ts';
import { createStyle } from '../report/style.ts';
import { isStarting } from '../service/outage.ts';
import { probe, type Probe } from '../service/probe.ts';
import { parseRetryAfter } from '../service/retry-after.ts';
import {
  readServiceSettings,
  type ServiceFlags,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { readSettings, type ProjectFlags } from '../settings/settings.ts';
import { commandLine } from './command-line.ts';
import { guarded } from './connect.ts';
import type { Context } from './context.ts';

export interface DoctorOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'text' | 'json';
}

export const doctorFormatVersion = '1.0';

/** `rollcall doctor`: asks the service one harmless thing, and says what that tells. */
export async function doctor(options: DoctorOptions, context: Context): Promise<Ending> {
  const { config, diagnostics } = await readSettings(options, context.env, context.files);
  if (config === undefined) {
    context.stderr.write(diagnosticsText(diagnostics, createStyle(context.stderr.colours)));
    return 'invalid';
  }
  const settings = await readServiceSettings(options, context.env, config, context.files);
  const { signal } = context.interruptible();
  const waitMs = settings.wait.isAsked ? settings.wait.milliseconds : 0;
  const examined = await examine(settings, waitMs, signal, context);
  if (signal.aborted) return interruptedBy(signal);
  const { checks, denied } = examined;
  const { baseUrl } = settings;
  context.stdout.write(
    options.output === 'json'
      ? jsonText({
          format_version: doctorFormatVersion,
          service: baseUrl,
          healthy: isHealthy(checks),
          checks,
        })
      : doctorText(
          baseUrl,
          checks,
          createStyle(context.stdout.colours),
          commandLine('plan', options.env, context),
        ),
  );
  if (isHealthy(checks)) return 'done';
  return denied ? 'denied' : 'failed';
}

export interface Examined {
  readonly checks: readonly DoctorCheck[];
  readonly denied: boolean;
}

export function isHealthy(checks: readonly DoctorCheck[]): boolean {
  return checks.every(({ status }) => status !== 'fail');
}

/** Probes the service, for as long as it is only starting and there is time to wait. */
export async function examine(
  settings: ServiceSettings,
  waitMs: number,
  signal: AbortSignal,
  context: Context,
): Promise<Examined> {
  const { clock } = context;
  const until = clock.now() + waitMs;
  const connection = await context.connect(settings);
  try {
    const send = guarded(connection.send, settings, context, signal);
    for (let said = false; ; said = true) {
      const startedAt = clock.now();
      const found = await probe(send, signal);
      const now = clock.now();
      const pauseMs = Math.min(pauseFor(found, now), until - now);
      if (!isAway(found) || pauseMs <= 0 || signal.aborted) {
        const { baseUrl, proxy } = settings;
        const checks = doctorChecks({
          ...found,
          service: baseUrl,
          ...(proxy && { proxy: proxy.origin }),
          durationMs: now - startedAt,
          now,
        });
        return { checks, denied: found.answer.kind === 'denied' };
      }
      if (!said && !settings.quiet) context.stderr.write(`Waiting for ${settings.baseUrl} to start.\n`);
      await clock.sleep(pauseMs, signal);
    }
  } finally {
    await connection.close();
  }
}

/** Nobody listens yet, or what stands in front says that it is not there yet; and nothing else. */
function isAway({ answer }: Probe): boolean {
  return answer.kind === 'unreachable_for_now' || isStarting(answer);
}

const pollMs = 1000;

function pauseFor({ answer: { retryAfter } }: Probe, now: number): number {
  return Math.max(pollMs, retryAfter === undefined ? 0 : (parseRetryAfter(retryAfter, now) ?? 0));
}
