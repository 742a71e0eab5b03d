import { isIncomplete, type Outcome } from '../apply/outcome.ts';
import { destinationName } from '../base/destination.ts';
import { UsageError } from '../base/errors.ts';
import { addressNamed, declaredNames } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { changeDocument, type ChangeDocument, type PlanDocument } from '../plan/document.ts';
import { planFrom } from '../plan/read-document.ts';
import { madeReady } from '../plan/make-plan.ts';
import { applyPlanned } from '../run/apply.ts';
import type { ApplyRun } from '../run/result.ts';
import { pendingIn, reachOfPlan, type Plan } from '../plan/plan.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { Manifests, type ValidManifests } from './manifests.ts';
import { seenFor, type Planned } from './plan.ts';
import { guarded, jobFor, settingsOf, type ServiceOptions } from './service.ts';

export interface ApplyOptions extends ServiceOptions {
  /** Whether the first resource that fails ends the run. */
  readonly failFast?: boolean;
}

/** What became of a plan: of each of its changes, in its order. */
export interface Applied extends Omit<ApplyRun, 'plan' | 'outcomes' | 'saved'> {
  /** `complete` when all that the plan creates is there as declared, as far as this run can tell; the outcomes say what is not. */
  readonly kind: 'complete' | 'incomplete';
  readonly plan: PlanDocument;
  readonly outcomes: readonly AppliedOutcome[];
  readonly manifests: ValidManifests;
}

/** What became of one change. */
export interface AppliedOutcome extends Omit<Outcome, 'change'> {
  readonly change: ChangeDocument;
}

/**
 * Creates what a plan says is missing, and nothing twice. Changes what it says differs, where `allow` is given here too. What the
 * service refuses or leaves open is in the outcomes; what a bug throws once it has begun is the `error`. Rejects with a UsageError when the options are wrong, or lead to another
 * service than the plan's.
 */
export async function apply(planned: Planned, options: ApplyOptions = {}): Promise<Applied> {
  refuseUnplanned(planned);
  const { plan, manifests } = planned;
  const { failFast } = options;
  const { service, own } = await settingsOf({
    ...options,
    capabilities: options.capabilities ?? plan.capabilities ?? [],
    contractOnly: options.contractOnly ?? plan.contract_only ?? false,
  });
  if (plan.service !== service.baseUrl) {
    throw new UsageError(
      `this plan was made for ${destinationName(plan)}, and the service is ${service.baseUrl}`,
      'Plan and apply with the same service.',
    );
  }
  const { resources: loaded, hide } = Manifests.revealValid(manifests);
  const resources = await guarded(loaded, own);
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const job = jobFor(options);
  refuseNames(resources, plan);
  const model = planFrom(plan, ({ address }) => declared.get(address));
  const seen = seenFor(plan);
  refuseUpdates(model, service, seen !== undefined);
  const { result } = await applyPlanned(
    madeReady(model, seen?.observed ?? new Map(), seen?.permission ?? 'none'),
    { ...service, hide, ...reachOfPlan(model) },
    { failFast, mostDeletes: Number.POSITIVE_INFINITY }, // `plan` has held it to its limits
    job,
  );
  if (result === undefined)
    throw new Error('a plan that is within its limits, of which nobody is asked, is always applied');
  const { plan: _, saved: __, outcomes, ...run } = result;
  return {
    kind: run.error || outcomes.some((outcome) => isIncomplete(outcome)) ? 'incomplete' : 'complete',
    ...run,
    plan,
    outcomes: outcomes.map((outcome) => ({ ...outcome, change: changeDocument(outcome.change) })),
    manifests,
  };
}

/** What exists is changed only where this call allows it too, and as the plan saw it: that is not in its document. */
function refuseUpdates(plan: Plan, { allow }: ServiceSettings, isKnown: boolean): void {
  const change = pendingIn(plan).find(({ action }) => action !== 'create');
  if (change === undefined) return;
  const { resource, action } = change;
  const what = `the plan would ${action} ${resource.address}`;
  if (!allow.some((allowed) => allowed === action))
    throw new UsageError(
      `${what}, and this call does not allow it`,
      `Give \`allow: ['${action}']\` to apply as well.`,
    );
  if (isKnown) return;
  throw new UsageError(
    `${what}, and it is not the one that plan made`,
    'Pass what plan gave, and no copy of it. A plan in a file is for `rollcall apply --plan`.',
  );
}

/** A program without types may pass a plan that failed. */
function refuseUnplanned({ kind }: { readonly kind: unknown }): void {
  if (kind === 'planned') return;
  throw new UsageError('there is no plan to apply', 'Pass what plan gave, when its kind is `planned`.');
}

/** A program may put other manifests in the place of those that `plan` gave. */
function refuseNames(resources: readonly Resource[], { resource_changes: changes }: PlanDocument): void {
  const planned = new Set(
    changes.flatMap(({ address, change }) => (change.actions[0] === 'not-planned' ? [] : address)),
  );
  const named = resources.find(
    (resource) =>
      planned.has(resource.address) &&
      declaredNames(resource).some((name) => {
        // What the same plan makes has its id once it is there.
        const made = addressNamed(name);
        return name.id === undefined && !(made !== undefined && planned.has(made));
      }),
  );
  if (named === undefined) return;
  throw new UsageError(
    `${named.address} has a name in place of an id, which was not looked up`,
    'Pass all that plan gave: its manifests hold the ids.',
  );
}
