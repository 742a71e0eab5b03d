import { interruptedBy, type Ending } from '../base/exit-code.ts';
import { diagnosticsText } from '../report/formats/text.ts';
import type { DoctorCheck } from '../report/doctor-check.ts';
import { doctorChecks } from '../report/doctor-checks.ts';
import { rightsNames } from '../report/doctor-rights.ts';
import { doctorText, type Diagnosis } from '../report/doctor-text.ts';
import { jsonText } from '../report/formats/json.ts';
import { createStyle } from '../report/printable.ts';
import type { ResourceType } from '../kinds/all.ts';
import { isStarting } from '../service/outage.ts';
import { probe, type Probe } from '../service/probe.ts';
import { parseRetryAfter } from '../service/retry-after.ts';
import { whoAmI, type WhoAmI } from '../service/who-am-i.ts';
import {
  readServiceSettings,
  type ServiceFlags,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { readSettings, type ProjectFlags, type Settings } from '../settings/settings.ts';
import { commandLine } from './command-line.ts';
import { guarded } from '../run/connect.ts';
import type { Context } from '../run/context.ts';
import { hasErrors, load } from '../run/prepare.ts';

export interface DoctorOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'text' | 'json';
  /** Sends nothing but the three operations. */
  readonly contractOnly?: boolean;
}

export const doctorFormatVersion = '1.0';

/** `rollcall doctor`: asks the service harmless things, and says what that tells. */
export async function doctor(options: DoctorOptions, context: Context): Promise<Ending> {
  const project = await readSettings(options, context.env, context.files);
  const { config, diagnostics } = project;
  if (config === undefined) {
    context.stderr.write(diagnosticsText(diagnostics, createStyle(context.stderr.colours)));
    return 'invalid';
  }
  const settings = await readServiceSettings(options, context.env, config, context.files);
  const { signal } = context.interruptible();
  const waitMs = settings.wait.isAsked ? settings.wait.milliseconds : 0;
  const declared = (): Promise<ReadonlySet<ResourceType> | undefined> =>
    declaredTypes(options, project, context);
  const questions = { waitMs, ...(options.contractOnly !== true && { beyondContract: { declared } }) };
  const diagnosis = await examine(settings, questions, signal, context);
  if (signal.aborted) return interruptedBy(signal);
  const { service, checks, beyondContract } = diagnosis;
  context.stdout.write(
    options.output === 'json'
      ? jsonText({
          format_version: doctorFormatVersion,
          service,
          healthy: isHealthy(checks),
          checks,
          beyond_contract: beyondContract,
        })
      : doctorText(diagnosis, createStyle(context.stdout.colours), commandLine('plan', options.env, context)),
  );
  if (isHealthy(checks)) return 'done';
  return isDenied(checks) ? 'denied' : 'failed';
}

export function isHealthy(checks: readonly DoctorCheck[]): boolean {
  return checks.every(({ status }) => status !== 'fail');
}

function isDenied(checks: readonly DoctorCheck[]): boolean {
  const rights = new Set<DoctorCheck['name']>(rightsNames);
  return checks.some(({ name, status }) => status === 'fail' && rights.has(name));
}

/** The types that the manifests of rollcall.yaml declare; nothing where there are none, or where they are faulty. */
async function declaredTypes(
  options: DoctorOptions,
  project: Settings,
  context: Context,
): Promise<ReadonlySet<ResourceType> | undefined> {
  if ((project.config?.manifests ?? []).length === 0) return undefined;
  const { resources, diagnostics } = await load([], options, project, context);
  return hasErrors(diagnostics) ? undefined : new Set(resources.map(({ kind }) => kind.type));
}

export interface Questions {
  /** For how long to wait for a service that is only starting. */
  readonly waitMs: number;
  /** What else to ask once the service answers; left out, nothing is asked but the three operations. */
  readonly beyondContract?: {
    /** The types that are declared, where that is known. */
    declared(): Promise<ReadonlySet<ResourceType> | undefined>;
  };
}

/** Probes the service, for as long as it is only starting and there is time to wait, and asks it about the token. */
export async function examine(
  settings: ServiceSettings,
  { waitMs, beyondContract }: Questions,
  signal: AbortSignal,
  context: Context,
): Promise<Diagnosis> {
  const { clock } = context;
  const { baseUrl: service, proxy } = settings;
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
        const canBeAsked = found.stage === 'denied' || found.stage === 'well';
        const who: Partial<WhoAmI> = canBeAsked && beyondContract ? await whoAmI(send, signal) : {};
        const declared = who.finding?.kind === 'valid' ? await beyondContract?.declared() : undefined;
        const checks = doctorChecks({
          ...found,
          service,
          ...(proxy && { proxy: proxy.origin }),
          ...(who.finding && { finding: who.finding }),
          ...(declared && { declared }),
          durationMs: now - startedAt,
          now,
        });
        return { service, checks, beyondContract: who.asked ?? [] };
      }
      if (!said && !settings.quiet) context.stderr.write(`Waiting for ${service} to start.\n`);
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
