import { observedPlan } from '../run/observed-plan.ts';
import { selected } from '../run/prepare.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { planDocument, type PlanDocument } from '../plan/document.ts';
import { guardResources } from './guard-resources.ts';
import { Manifests, type ValidManifests } from './manifests.ts';
import { withServiceOf, type ServiceOptions } from './service.ts';

export interface PlanOptions extends ServiceOptions {
  /** Only the addresses like one of these, such as `application.*`; all by default. */
  readonly target?: readonly string[];
  /** None of the addresses like one of these. */
  readonly exclude?: readonly string[];
  /** One of n parts of the roll, written as `1/8`. */
  readonly shard?: string;
}

/** A plan, with the manifests that it was made from: what `apply` takes. */
export interface Planned {
  readonly kind: 'planned';
  /** A document without secrets: schemas/plan.schema.json. */
  readonly plan: PlanDocument;
  readonly manifests: ValidManifests;
}

/** There is no plan: something could not be looked up, or the signal aborted. Nothing was changed. */
export interface NotPlanned {
  readonly kind: 'failed';
  /** Why: their codes are among `service-denied`, `service-unreachable`, `service-unexpected` and `interrupted`. */
  readonly diagnostics: readonly Diagnostic[];
  readonly manifests: ValidManifests;
}

/** Looks up what the manifests declare, and compares. Creates nothing. Rejects with a UsageError when the options are wrong. */
export async function plan(
  manifests: ValidManifests,
  options: PlanOptions = {},
): Promise<Planned | NotPlanned> {
  const scoped = selected(Manifests.reveal(manifests).resources, options);
  const result = await withServiceOf(options, async (service, context) => {
    const resources = await guardResources(scoped.resources, options, service.settings);
    return observedPlan({ ...scoped, resources }, service, context);
  });
  return result.kind === 'planned'
    ? { kind: 'planned', plan: planDocument(result.plan), manifests }
    : { kind: 'failed', diagnostics: result.diagnostics, manifests };
}
