import { destinationLabel } from '../base/destination.ts';
import { diagnosticFor, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { readOrUsageError, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Capability } from '../kinds/capability.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import type { Scope, Selection } from '../manifest/select.ts';
import { resourceForDisplay, type ChangeDocument, type PlanDocument } from '../plan/document.ts';
import { parsePlan } from '../plan/read-document.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import type { Halt } from './result.ts';

type OpenedPlan =
  | { readonly kind: 'opened'; readonly plan: PlanDocument }
  /** The plan must not be applied at all, or not to this service. */
  | Extract<Halt, { readonly kind: 'refused' }>;

const maxBytes = 256 * 1024 * 1024;

/** Opens a saved plan for a service for which the given capabilities are enabled. Throws a UsageError if the file is not a plan. */
export async function openPlan(
  filename: string,
  files: Files,
  { contractOnly, capabilities }: Settings,
  service: ServiceSettings,
): Promise<OpenedPlan> {
  const read = parsePlan(await readOrUsageError('the plan', filename, textOf(filename, files)));
  if (read.kind === 'no_plan')
    throw new UsageError(`${filename} is not a saved plan`, 'Save one with `rollcall plan --out FILE`.');
  if (read.kind === 'refused')
    return stalePlanHalt(filename, { summary: `this plan cannot be applied: ${read.why}` });
  const { plan } = read;
  const destination = destinationOf(service);
  if (plan.service !== destination.service || plan.environment !== destination.environment) {
    return stalePlanHalt(filename, {
      summary: `this plan was made for ${destinationLabel(plan)}, but this run uses ${destinationLabel(destination)}`,
      detail: `Apply it ${plan.environment === undefined ? 'with its URL' : `with --env ${plan.environment}`}, or make a new plan.`,
    });
  }
  const off = plan.capabilities?.find((capability) => !capabilities.includes(capability));
  if (off !== undefined) {
    return stalePlanHalt(filename, {
      summary: `this plan was made with the capability ${JSON.stringify(off)}, which is not turned on here`,
      detail: 'Turn on the same capabilities, or make a new plan.',
    });
  }
  if (contractOnly && !plan.contract_only) {
    return stalePlanHalt(filename, {
      summary: 'this plan was made without contract_only, but this run uses contract_only',
      detail: 'Apply the plan without contract_only, or make a new plan with contract_only.',
    });
  }
  const missing = missingPermission(filename, plan, service);
  return missing ? { kind: 'refused', isStale: false, diagnostics: [missing] } : { kind: 'opened', plan };
}

/** The first risk or change of a saved plan that this run does not allow. */
function missingPermission(
  filename: string,
  { accepts = [], resource_changes: changes }: PlanDocument,
  { allow, acceptedRisks = [] }: ServiceSettings,
): Diagnostic | undefined {
  const risk = accepts.find((each) => each !== 'way-in' && !acceptedRisks.includes(each));
  if (risk !== undefined)
    return diagnosticFor(filename, {
      code: 'not-allowed',
      summary: `the plan accepts the risk \`${risk}\`, which this run does not accept`,
      detail: `Accept the risk with --allow ${risk}, or make a plan without it.`,
    });
  for (const change of changes) {
    const missing = permissionsFor(change).find((permission) => !allow.includes(permission));
    if (missing === undefined) continue;
    const verb = change.change.actions[0] === missing ? missing : `${missing} bindings of`;
    return diagnosticOf(resourceForDisplay(change), undefined, {
      code: 'not-allowed',
      summary: `the plan would ${verb} it, which this run may not do`,
      detail: `Allow the change with --allow ${missing}, or make a plan without this change.`,
    });
  }
  return undefined;
}

/** What the run of a saved plan must allow for a change. An update may also delete bindings. */
function permissionsFor({ change, deletes_bindings: isDeleting }: ChangeDocument): readonly Capability[] {
  const [action] = change.actions;
  if (action !== 'update' && action !== 'delete') return [];
  return isDeleting ? [action, 'delete'] : [action];
}

export function stalePlanHalt(
  filename: string,
  problem: Pick<Problem, 'summary' | 'detail'>,
): Extract<Halt, { readonly kind: 'refused' }> {
  const diagnostic = diagnosticFor(filename, { detail: '', ...problem, code: 'stale-plan' });
  return { kind: 'refused', isStale: true, diagnostics: [diagnostic] };
}

export function settingsForPlan(plan: PlanDocument, settings: Settings, service: ServiceSettings): Settings {
  const { capabilities = [], contract_only: contractOnly = false, accepts: acceptedRisks = [] } = plan;
  const needed = new Set(plan.resource_changes.flatMap(permissionsFor));
  const allow = service.allow.filter((permission) => needed.has(permission));
  const reach = { capabilities, contractOnly, acceptedRisks };
  return { ...settings, ...reach, service: { ...service, ...reach, allow } };
}

export function selectionOf({ scope }: PlanDocument): Selection {
  const { target = [], exclude = [], shard }: Partial<Scope> = scope ?? {};
  return { target, exclude, ...(shard && { shard }) };
}

async function textOf(filename: string, files: Files): Promise<string> {
  const bytes = await files.read(filename, maxBytes + 1);
  if (bytes.length > maxBytes) throw new Error('it is too large');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
