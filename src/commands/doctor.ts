import { destinationLabel } from '../base/destination.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { endingOfInterrupt, type Ending } from '../base/exit-code.ts';
import { createStyle } from '../report/formats/lines.ts';
import { doctorChecks } from '../report/words/doctor.ts';
import { isTokenDenied, isHealthy } from '../report/words/rights.ts';
import { doctorJson, doctorText, requiredRoleBlueprint, type Diagnosis } from '../report/formats/doctor.ts';
import { printableLine } from '../report/printable.ts';
import { createdByContract, kinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Release } from '../kinds/release.ts';
import type { Answer } from '../service/answer.ts';
import { isStarting, withOutageWait } from '../service/outage.ts';
import { readKindRights, type KindRightsReading } from '../service/kind-rights.ts';
import { probe, type ProbeResult } from '../service/probe.ts';
import { releaseIn, releaseRequest } from '../service/release.ts';
import { whoAmI, type WhoAmI } from '../service/who-am-i.ts';
import { checkManifests, hasErrors } from '../run/check.ts';
import { withService, type Service } from '../run/connect.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import {
  reportInvalid,
  settingsFromFlags,
  verbosityOf,
  type ProjectFlags,
  type ServiceFlags,
} from './flags.ts';
import { narratedJob, type NarratedJob } from './narrator.ts';

export interface DoctorOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'text' | 'json';
  /** Whether to print the smallest role that is sufficient for rollcall, instead of checking the service. */
  readonly role?: boolean;
}

/** `rollcall doctor`: sends harmless requests to the service, and explains the answers. */
export async function doctor(options: DoctorOptions, context: Context): Promise<Ending> {
  const values = await settingsFromFlags(options, context.env);
  if (options.role === true) return printRole(await readSettings(values, context, 'names'), context);
  const job = narratedJob(context, verbosityOf(options, context.env));
  const settings = await readSettings(values, context, 'service');
  if (settings.service === undefined) return reportInvalid(settings.diagnostics, context);
  const examined = await checkServiceState(settings.service, job, {
    declared: settings.contractOnly ? undefined : () => checkedKinds(settings, context),
    configured: settings.release,
  });
  if (examined.kind === 'interrupted') return examined.ending;
  const { diagnosis } = examined;
  const { checks } = diagnosis;
  const manifests = settings.paths.length === 0 ? ['MANIFESTS'] : [];
  const next = commandLine('plan', [...manifests, ...sharedFlags(options)], context);
  context.stdout.write(
    options.output === 'json'
      ? doctorJson(diagnosis)
      : doctorText(diagnosis, createStyle(context.stdout), next),
  );
  if (isHealthy(checks)) return 'done';
  return isTokenDenied(checks) ? 'denied' : 'failed';
}

/** Prints the role. No request is sent, because the role does not depend on the token. */
async function printRole(settings: Settings, context: Context): Promise<Ending> {
  const { release, diagnostics, ...reach } = settings;
  if (hasErrors(diagnostics)) return reportInvalid(diagnostics, context);
  const declared = await declaredKinds(settings, context);
  if (declared.kind === 'invalid') return reportInvalid(declared.diagnostics, context);
  const used = declared.kinds;
  context.stdout.write(requiredRoleBlueprint(reach, release, used.length === 0 ? undefined : used));
  return 'done';
}

/** The declared kinds. Returns undefined if there are no manifests, or if the manifests are invalid; reports invalid manifests. */
async function checkedKinds(
  settings: Settings,
  context: Context,
): Promise<readonly Kind<ResourceType>[] | undefined> {
  if (settings.paths.length === 0) return undefined;
  const declared = await declaredKinds(settings, context);
  if (declared.kind === 'known') return declared.kinds;
  context.stderr.write(
    'The manifests are invalid, so only applications and users were checked: `rollcall validate` shows the errors.\n',
  );
  return undefined;
}

type DeclaredKinds =
  | { readonly kind: 'known'; readonly kinds: readonly Kind<ResourceType>[] }
  | { readonly kind: 'invalid'; readonly diagnostics: readonly Diagnostic[] };

/** The kinds that the manifests of rollcall.yaml declare. Secrets are not read. */
async function declaredKinds(settings: Settings, context: Context): Promise<DeclaredKinds> {
  if (settings.paths.length === 0) return { kind: 'known', kinds: [] };
  const { diagnostics, counts } = await checkManifests(settings, context, {
    secrets: 'assumed',
    isCheckOnly: true,
  });
  return hasErrors(diagnostics)
    ? { kind: 'invalid', diagnostics }
    : { kind: 'known', kinds: kinds.filter((kind) => counts.has(kind)) };
}

type KindsReader = () => Promise<readonly Kind<ResourceType>[] | undefined>;

export type ServiceCheck =
  | { readonly kind: 'examined'; readonly diagnosis: Diagnosis }
  | { readonly kind: 'interrupted'; readonly ending: Ending };

/** Checks the service and the token. With --wait, waits for the service. Without `declared`, sends only documented requests. */
export function checkServiceState(
  settings: ServiceSettings,
  job: NarratedJob,
  { declared, configured }: { declared?: KindsReader | undefined; configured?: Release | undefined } = {},
): Promise<ServiceCheck> {
  return withService(settings, job, async (service) => {
    const { send, signal } = service;
    const { proxy } = settings;
    const destination = destinationOf(settings);
    const probed = await interpretAsPlan(await probeWithWait(service, job), service);
    const canBeAsked = probed.stage === 'denied' || probed.stage === 'well';
    const identity: Partial<WhoAmI> = canBeAsked && declared ? await whoAmI(send, signal) : {};
    // A documented look-up that succeeds shows that the token is valid, even if other requests are denied.
    const isAnswered = probed.stage === 'well' && identity.finding && identity.finding.kind !== 'valid';
    const trustedIdentity: Partial<WhoAmI> = isAnswered
      ? { ...identity, finding: { kind: 'unknown' } }
      : identity;
    const isKnown = trustedIdentity.finding?.kind === 'valid';
    const release = isKnown ? (releaseIn(await send(releaseRequest, signal)) ?? null) : undefined;
    const declaredKindsIfKnown = isKnown ? await declared?.() : undefined;
    const checked = declaredKindsIfKnown ?? createdByContract;
    const isSuperuser = trustedIdentity.finding?.kind === 'valid' && trustedIdentity.finding.superuser;
    const rightsReading: Partial<KindRightsReading> =
      isKnown && !isSuperuser ? await readKindRights(checked, send, signal) : {};
    if (signal.aborted) {
      job.stderr.write(`The check of ${printableLine(destinationLabel(destination))} was interrupted.\n`);
      return { kind: 'interrupted', ending: endingOfInterrupt(signal) };
    }
    const checks = doctorChecks({
      ...probed,
      service: destination.service,
      proxy: proxy?.origin,
      finding: trustedIdentity.finding,
      kinds: checked,
      areDeclared: declaredKindsIfKnown !== undefined,
      release,
      configured,
      rights: rightsReading.rights,
      now: job.clock.now(),
    });
    const releaseRequests = isKnown ? [`${releaseRequest.method} ${releaseRequest.path}`] : [];
    const beyondContract = [
      ...(trustedIdentity.asked ?? []),
      ...releaseRequests,
      ...(rightsReading.asked ?? []),
    ];
    const diagnosis = { ...destination, checks, beyondContract };
    return { kind: 'examined', diagnosis };
  });
}

async function probeWithWait(
  { send, pacing, settings, signal }: Service,
  { clock }: NarratedJob,
): Promise<TimedProbe> {
  const ask = async (): Promise<TimedProbe> => {
    const startedAt = clock.now();
    const found = await probe(send, signal);
    return { ...found, durationMs: clock.now() - startedAt };
  };
  const first = await ask();
  if (!settings.wait.isExplicit || !isUnavailable(first.answer)) return first;
  pacing.note(first.answer, 1);
  if (await pacing.waitForTurn()) return ask();
  return { ...first, answer: withOutageWait(first.answer, pacing.outage) };
}

/** Interprets an answer as a plan would: a 404 without `detail` may mean "absent". */
async function interpretAsPlan(found: TimedProbe, { client, pacing, signal }: Service): Promise<TimedProbe> {
  if (found.stage !== 'wrong place' || found.answer.form === undefined) return found;
  return (await client.evidence.isApiThere({ pacing, signal })) ? { ...found, stage: 'well' } : found;
}

interface TimedProbe extends ProbeResult {
  readonly durationMs: number;
}

/** Whether no program listens at the address yet, or a proxy reports that the service is not available yet. */
function isUnavailable(answer: Answer): boolean {
  return answer.kind === 'unreachable_for_now' || isStarting(answer);
}

export function commandLine(
  command: string,
  flags: readonly string[],
  { env }: Pick<Context, 'env'>,
): string {
  const rollcall = env['npm_command'] === 'exec' ? 'npx rollcall' : 'rollcall';
  return [rollcall, command, ...flags.map((word) => (word.startsWith('--') ? word : shellWord(word)))].join(
    ' ',
  );
}

/** The flags of `doctor` that `plan` accepts too. A header is shown with `…` as its value, because the value may be a secret. */
export function sharedFlags(options: Readonly<Partial<ProjectFlags & ServiceFlags>>): string[] {
  const { verbose: _, quiet: __, header = [], ...flags } = options;
  const { output: ___, role: ____, ...shared } = { output: '', role: false, ...flags };
  const words = Object.entries(shared).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((item) => (typeof item === 'string' ? [flag, item] : []));
  });
  return [...words, ...header.flatMap((text) => ['--header', `${text.split(':', 1)[0] ?? ''}: …`])];
}

export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
