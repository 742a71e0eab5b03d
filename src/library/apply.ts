import { isIncomplete } from '../apply/outcome.ts';
import { carryOut } from '../run/carry-out.ts';
import { eventLog, type TimedEvent } from '../run/event-log.ts';
import { UsageError } from '../base/errors.ts';
import type { ApplyRun } from '../report/apply-document.ts';
import { guardResources } from './guard-resources.ts';
import { Manifests, type ValidManifests } from './manifests.ts';
import type { Planned } from './plan.ts';
import { withServiceOf, type ServiceOptions } from './service.ts';

export interface ApplyOptions extends ServiceOptions {
  /** Told what happens, when it happens. What it throws ends the run as the signal would, and rejects in the end. */
  readonly onEvent?: (event: TimedEvent) => void;
  /** Whether the first resource that fails ends the run. */
  readonly failFast?: boolean;
}

/** What became of a plan: of each of its changes, in its order. */
export interface Applied extends Omit<ApplyRun, 'declared' | 'saved'> {
  /** `complete` when all that the plan creates is there as declared, as far as this run can tell; the outcomes say what is not. */
  readonly kind: 'complete' | 'incomplete';
  readonly manifests: ValidManifests;
}

/**
 * Creates what a plan says is missing, and nothing twice. What the service refuses or leaves open is in the outcomes.
 * Rejects with a UsageError when the options are wrong, or lead to another service than the plan's.
 */
export async function apply({ plan, manifests }: Planned, options: ApplyOptions = {}): Promise<Applied> {
  const { failFast = false, onEvent = () => {} } = options;
  const { resources } = Manifests.reveal(manifests);
  const faulty = new AbortController();
  const signal = AbortSignal.any([faulty.signal, ...(options.signal ? [options.signal] : [])]);
  const tell = (event: TimedEvent): void => {
    try {
      onEvent(event);
    } catch (error) {
      faulty.abort(error);
    }
  };
  const {
    declared: _,
    saved: __,
    ...run
  } = await withServiceOf({ ...options, signal }, async (service, context) => {
    const { baseUrl } = service.settings;
    if (plan.service !== baseUrl)
      throw new UsageError(
        `this plan was made for ${plan.service}, and the service is ${baseUrl}`,
        'Plan and apply with the same service.',
      );
    const events = eventLog(context, tell);
    events.planned(plan);
    const guarded = await guardResources(resources, options, service.settings);
    const { result } = await carryOut(plan, guarded, service, context, { events, failFast });
    events.finished(result);
    return result;
  });
  faulty.signal.throwIfAborted();
  return {
    kind: run.outcomes.some((outcome) => isIncomplete(outcome)) ? 'incomplete' : 'complete',
    ...run,
    manifests,
  };
}
