import { destinationLabel } from '../base/destination.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { endingOfInterrupt, type Ending } from '../base/exit-code.ts';
import { createStyle } from '../report/formats/lines.ts';
import { doctorChecks } from '../report/words/doctor.ts';
import { isTokenDenied, isHealthy } from '../report/words/rights.ts';
import { doctorJson, doctorText, requiredRoleBlueprint, type Diagnosis } from '../report/formats/doctor.ts';
import { printableLine } from '../report/printable.ts';
import { createdByContract, kinds, type ResourceType } from '../kinds/all.ts';
import { childrenDeclaredBy, declaredChildFields } from '../kinds/access.ts';
import type { Kind } from '../kinds/kind.ts';
import { formerName, isToBeDeleted } from '../kinds/lifecycle.ts';
import { declaredNames } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Release } from '../kinds/release.ts';
import type { Answer } from '../service/answer.ts';
import { isStarting, withOutageWait } from '../service/outage.ts';
import { readKindRights, unviewableLists } from '../service/kind-rights.ts';
import { probe, type ProbeResult } from '../service/probe.ts';
import { releaseIn, releaseRequest } from '../service/release.ts';
import type { Transport } from '../service/transport.ts';
import { whoAmI, type TokenFinding } from '../service/who-am-i.ts';
import { checkManifests, hasErrors } from '../run/check.ts';
import { withService, type Service } from '../run/connect.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { reportInvalid, settingsFromFlags, type ProjectFlags, type ServiceFlags } from './flags.ts';
import { narratedJob, type NarratedJob } from './narrator.ts';

export interface DoctorOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'text' | 'json';
  /** Whether to print the smallest role that is sufficient for rollcall, instead of checking the service. */
  readonly role?: boolean;
}

/** `rollcall doctor`: sends harmless requests to the service, and explains the answers. */
export async function doctor(
  paths: readonly string[],
  options: DoctorOptions,
  context: Context,
): Promise<Ending> {
  const values = await settingsFromFlags(options, context.env);
  if (options.role === true) return printRole(await readSettings(values, context, 'names', paths), context);
  const job = narratedJob(context, options);
  const settings = await readSettings(values, context, 'service', paths);
  if (settings.service === undefined) return reportInvalid(settings.diagnostics, context);
  const diagnosis = await checkServiceState(settings.service, job, {
    declared: settings.contractOnly ? undefined : () => checkedKinds(settings, context),
    configured: settings.release,
  });
  if (typeof diagnosis === 'string') return diagnosis;
  const { checks } = diagnosis;
  const manifests = settings.paths.length === 0 ? ['MANIFESTS'] : paths;
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
  if (hasErrors(declared.diagnostics)) return reportInvalid(declared.diagnostics, context);
  const used = declared.kinds;
  context.stdout.write(requiredRoleBlueprint(reach, release, used.length === 0 ? undefined : used));
  return 'done';
}

/** The declared kinds. Returns undefined if there are no manifests, or if the manifests are invalid; reports invalid manifests. */
async function checkedKinds(settings: Settings, context: Context): Promise<DeclaredKinds | undefined> {
  if (settings.paths.length === 0) return undefined;
  const declared = await declaredKinds(settings, context);
  if (!hasErrors(declared.diagnostics)) return declared;
  context.stderr.write(
    'The manifests are invalid, so only applications and users were checked: `rollcall validate` shows the errors.\n',
  );
  return undefined;
}

interface DeclaredKinds {
  readonly kinds: readonly Kind<ResourceType>[];
  /** The lists that a plan must read, or else it leaves out entries. */
  readonly needed: readonly Pick<Kind, 'path' | 'model'>[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether an entry can be planned if the token may not view records of its kind: a second record of its name would be rejected. */
function canPlanUnseen(resource: Resource): boolean {
  return resource.kind.listing.isUnique && !isToBeDeleted(resource) && formerName(resource) === undefined;
}

/** The kinds that the manifests declare. Secrets are not read. */
async function declaredKinds(settings: Settings, context: Context): Promise<DeclaredKinds> {
  if (settings.paths.length === 0) return { kinds: [], needed: [], diagnostics: [] };
  const { diagnostics, counts, resources } = await checkManifests(settings, context, { secrets: 'assumed' });
  const needed = resources.flatMap((resource) => [
    ...(canPlanUnseen(resource) ? [] : [resource.kind]),
    ...declaredNames(resource).map(({ related }) => related),
    ...childrenDeclaredBy(resource.kind, declaredChildFields(resource)).keys(),
  ]);
  return { kinds: kinds.filter((kind) => counts.has(kind)), needed: [...new Set(needed)], diagnostics };
}

interface CheckOptions {
  /** Reads the kinds to check. Without this function, only documented requests are sent. */
  readonly declared?: (() => ReturnType<typeof checkedKinds>) | undefined;
  readonly configured?: Release | undefined;
}

/** Checks the service and the token. With --wait, waits for the service. Returns an ending if the check was interrupted. */
export function checkServiceState(
  settings: ServiceSettings,
  job: NarratedJob,
  { declared, configured }: CheckOptions = {},
): Promise<Diagnosis | Ending> {
  return withService(settings, job, async (service) => {
    const { signal } = service;
    const destination = destinationOf(settings);
    const probed = await interpretAsPlan(await probeWithWait(service, job), service);
    const beyondContract: string[] = [];
    const ask: Transport = (request) => {
      beyondContract.push(`${request.method} ${request.path}`);
      return service.send(request, signal);
    };
    const canBeAsked = probed.stage === 'denied' || probed.stage === 'well';
    const found = canBeAsked && declared ? await whoAmI(ask) : undefined;
    // A documented look-up that succeeds shows that the token is valid, even if other requests are denied.
    const isContradicted = probed.stage === 'well' && found && found.kind !== 'valid';
    const finding: TokenFinding | undefined = isContradicted ? { kind: 'unknown' } : found;
    const isValid = finding?.kind === 'valid';
    const release = isValid ? (releaseIn(await ask(releaseRequest)) ?? null) : undefined;
    const known = isValid ? await declared?.() : undefined;
    const checked = known?.kinds ?? createdByContract;
    const rights = isValid && !finding.superuser ? await readKindRights(checked, ask) : undefined;
    const denied = rights && known ? await unviewableLists(known.needed, rights, ask) : [];
    if (signal.aborted) {
      job.stderr.write(`The check of ${printableLine(destinationLabel(destination))} was interrupted.\n`);
      return endingOfInterrupt(signal);
    }
    const checks = doctorChecks({
      ...probed,
      service: destination.service,
      proxy: settings.proxy?.origin,
      finding,
      kinds: checked,
      areDeclared: known !== undefined,
      release,
      configured,
      rights,
      denied,
      capabilities: settings.capabilities,
      now: job.clock.now(),
    });
    return { ...destination, checks, beyondContract };
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
