import type { Destination } from '../base/destination.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { declaredNames, withoutIds } from '../kinds/named.ts';
import { Selector, shardIn } from '../manifest/select.ts';
import { planDocument, type PlanDocument } from '../plan/document.ts';
import { digestOf } from '../plan/manifest-digest.ts';
import { haltDiagnostics } from '../report/words/halts.ts';
import type { Plan } from '../plan/plan.ts';
import type { Resource } from '../kinds/resource.ts';
import { planChecked, type Planned as MadePlan } from '../run/plan.ts';
import { destinationOf } from '../settings/service-settings.ts';
import { Manifests, type ValidManifests } from './manifests.ts';
import { guarded, jobFor, nameOf, settingsOf, type ServiceOptions } from './service.ts';

export interface PlanOptions extends ServiceOptions {
  /** What to call the service in plans and reports, beside its URL: `production`. */
  readonly environment?: string;
  /** Only the addresses like one of these, such as `application.*`; all by default. */
  readonly target?: readonly string[];
  /** None of the addresses like one of these. */
  readonly exclude?: readonly string[];
  /** One of n parts of the roll, written as `1/8`. */
  readonly shard?: string;
  /** Whether what keeps a single resource from being planned stops that one alone: `summary.not_planned` counts them. */
  readonly keepGoing?: boolean;
  /** There is no plan where it would do more: creates, changes or deletes. Of deletes the limit is ten otherwise, and a tenth of a kind. */
  readonly maxCreates?: number;
  readonly maxUpdates?: number;
  readonly maxDeletes?: number;
}

/** A plan, with the manifests that it was made from: what `apply` takes. */
export interface Planned {
  readonly kind: 'planned';
  /** A document without secrets: schemas/plan.schema.json. */
  readonly plan: PlanDocument;
  readonly manifests: ValidManifests;
}

/** There is no plan: something could not be looked up, it would do more than it may, or the signal aborted. Nothing was changed. */
export interface NotPlanned extends Destination {
  readonly kind: 'failed';
  /** Why. */
  readonly diagnostics: readonly Diagnostic[];
  readonly manifests: ValidManifests;
}

/** What the service held, with its secrets: it is not to be seen from outside, and what exists is changed only from there. */
const seenBy = new WeakMap<PlanDocument, Pick<MadePlan, 'observed' | 'permission'>>();

/** What a plan saw that was made here and may change what exists; nothing of any other, such as a copy. */
export function seenFor(document: PlanDocument): Pick<MadePlan, 'observed' | 'permission'> | undefined {
  return seenBy.get(document);
}

/** Looks up what the manifests declare, and compares. Creates and changes nothing. Rejects with a UsageError when the options are wrong. */
export async function plan(
  manifests: ValidManifests,
  options: PlanOptions = {},
): Promise<Planned | NotPlanned> {
  const loaded = Manifests.revealValid(manifests);
  const { target = [], exclude = [], shard } = options;
  const selector = new Selector({
    target,
    exclude,
    ...(shard !== undefined && { shard: shardIn(shard, nameOf('shard')) }),
  });
  const selected = loaded.resources.filter(({ address }) => selector.has(address));
  const scope = selector.scope(selected.length, loaded, nameOf);
  const { service: settings, own } = await settingsOf(options);
  const service = { ...settings, environment: options.environment, hide: loaded.hide };
  const resources = await guarded(selected, own);
  if (service.contractOnly) refuseNames(resources);
  const manifestDigest = digestOf(loaded.resources.map((resource) => withoutIds(resource)));
  const manner = {
    ...(options.keepGoing && { keepGoing: true }),
    mostCreates: options.maxCreates,
    mostUpdates: options.maxUpdates,
    mostDeletes: options.maxDeletes,
  };
  const scoped = { resources, manifestDigest, ...(scope && { scope }) };
  const { result, halt } = await planChecked(scoped, service, manner, jobFor(options));
  if (result === undefined || halt !== undefined) {
    const diagnostics = halt ? haltDiagnostics(halt) : [];
    return { kind: 'failed', ...destinationOf(service), diagnostics, manifests };
  }
  const document = planDocument(result);
  const { observed, permission } = result;
  seenBy.set(document, { observed, permission });
  return { kind: 'planned', plan: document, manifests: withLookedUp(manifests, result) };
}

/** The manifests with the ids that a plan has looked up for their names. */
function withLookedUp(manifests: ValidManifests, { changes }: Plan): ValidManifests {
  const resolved = new Map(
    changes.flatMap(({ resource }) =>
      declaredNames(resource).length > 0 ? [[resource.address, resource] as const] : [],
    ),
  );
  if (resolved.size === 0) return manifests;
  const loaded = Manifests.reveal(manifests);
  const resources = loaded.resources.map((resource) => resolved.get(resource.address) ?? resource);
  return new Manifests('valid', { ...loaded, resources });
}

/** The manifests may have been read without this option. */
function refuseNames(resources: readonly Resource[]): void {
  const named = resources.find((resource) => declaredNames(resource).length > 0);
  if (named === undefined) return;
  throw new UsageError(
    `${named.address} has a name in place of an id, and with \`contractOnly\` none is looked up`,
    'Write the id, or plan without `contractOnly`.',
  );
}
