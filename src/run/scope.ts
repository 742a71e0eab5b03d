import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { JsonObject } from '../base/json.ts';
import { isNewerThanKnown, type Release } from '../kinds/release.ts';
import { addressOfName, declaredNames, canBeReferenced } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { checkByRelease } from '../manifest/load-manifests.ts';
import { Selector, type Scope, type Selection } from '../manifest/select.ts';
import type { Comparison } from '../manifest/baseline.ts';
import { resendTargets } from '../manifest/resend.ts';
import type { PlanDocument } from '../plan/document.ts';
import { manifestDigestOf } from '../plan/manifest-digest.ts';
import { resentAddresses } from '../plan/resend.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { checkManifests, hasErrors, inputFilesOf, type FindOverwrittenInputs } from './check.ts';
import { withService, type Service } from './connect.ts';
import type { RunResult, JobResult, StoppedRun, FinishedJob } from './result.ts';
import { readBaseline, type BaselineRequest } from './baseline.ts';
import type { Job } from './world.ts';

export interface ScopeRequest {
  readonly settings: Settings;
  readonly selection: Selection;
  readonly baseline?: BaselineRequest | undefined;
  readonly refuseOutputs?: FindOverwrittenInputs | undefined;
  readonly resend?: readonly string[];
  /** The saved plan to apply. The run selects the same resources as the saved plan, and fails if the manifests differ. */
  readonly saved?: { readonly plan: PlanDocument; readonly staleResult: () => StoppedRun };
}

export interface ScopedResources {
  readonly resources: readonly Resource[];
  /** The selected resources; undefined if all resources are selected. */
  readonly scope?: Scope;
  /** The declared resources that are not selected, but that selected resources may refer to. */
  readonly elsewhere?: Pick<ReadonlySet<Address>, 'has'>;
  readonly manifestDigest: () => string;
  readonly resend?: ReadonlySet<Address>;
  readonly comparison?: Comparison;
  readonly configured?: Release | undefined;
  /** Returns errors that depend on existing records and on the release, and keeps the warnings, with those in `unseen`. The release is undefined if the service does not report it. */
  readonly checkByRelease?: (
    release: Release | undefined,
    existing: ReadonlyMap<Address, JsonObject>,
    unseen: readonly Diagnostic[],
  ) => readonly Diagnostic[];
}

/** Checks settings and manifests before anything is sent, then calls a function with the scope and the service. */
export async function runInScope<Result>(
  request: ScopeRequest,
  job: Job,
  use: (scoped: ScopedResources, service: Service) => Promise<RunResult<Result>>,
): Promise<FinishedJob<Result>> {
  const checked = await checkScope(request, job);
  if ('ending' in checked) return checked;
  const { known, scoped, service: reached, secrets } = checked;
  const { strict, contractOnly, release: configured } = request.settings;
  let late: readonly Diagnostic[] = [];
  const checkWithService: ScopedResources['checkByRelease'] = (release, existing, unseen) => {
    if (release && isNewerThanKnown(release)) job.emit({ kind: 'later_release', release });
    const found = [
      ...checkByRelease(scoped.resources, release ?? configured, strict, existing),
      // With --strict these stay warnings, because they are about the token and not about the manifests.
      ...unseen,
    ];
    const isFirst = late.length === 0; // a second plan of the run finds the same warnings
    late = found.filter(({ severity }) => severity === 'warning');
    if (isFirst && late.length > 0) job.emit({ kind: 'warned', diagnostics: late });
    return found.filter(({ severity }) => severity === 'error');
  };
  const rest = await withService(
    reached,
    job,
    (service) =>
      use(contractOnly ? scoped : { ...scoped, configured, checkByRelease: checkWithService }, service),
    secrets,
  );
  return { ...known, ...rest, diagnostics: [...known.diagnostics, ...late] };
}

interface CheckedScope {
  readonly known: Omit<JobResult<never>, 'result' | 'halt'>;
  readonly scoped: ScopedResources;
  readonly service: ServiceSettings;
  readonly secrets: readonly string[];
}

/**
 * Determines the scope of a run, and reports problems in the manifests, but no warnings about unselected resources. Ends the job if
 * the manifests are invalid or differ from those of the saved plan.
 */
async function checkScope(
  { settings, selection, baseline, refuseOutputs, saved, resend = [] }: ScopeRequest,
  job: Job,
): Promise<CheckedScope | FinishedJob<never>> {
  const { service, nameOf } = settings;
  const selector = new Selector(selection);
  const loaded = await checkManifests(settings, job, {
    ...(!settings.contractOnly && { release: 'asked later' as const }),
    isWarningReported: (address) => selector.has(address),
  });
  const { filenames, addresses } = loaded;
  const declared = loaded.resources.length;
  const relevant = loaded.resources.filter(
    (resource) => selector.has(resource.address) || mayBeIncluded(resource, selection),
  );
  const manifests = { ...loaded, resources: relevant };
  const resources = relevant.filter(({ address }) => selector.has(address));
  const included = relevant.filter(({ address }) => !selector.has(address) && !selector.excludes(address));
  const clashes = (await refuseOutputs?.(inputFilesOf(settings, manifests))) ?? [];
  const isValid = service !== undefined && clashes.length === 0 && !hasErrors(manifests.diagnostics);
  const compared =
    baseline && isValid ? await readBaseline(baseline, settings, selection, manifests, job) : undefined;
  const alterations = baseline?.changedOnly ? compared?.comparison.alterations : undefined;
  // Without --baseline, only the saved plan says which entries have changed since.
  const changed = saved?.plan.scope?.changed_only
    ? new Set(saved.plan.resource_changes.map(({ address }) => address))
    : undefined;
  const isLeftOut = (address: Address): boolean =>
    alterations?.get(address)?.kind === 'same' || changed?.has(address) === false;
  const diagnostics = [...clashes, ...manifests.diagnostics, ...(compared?.diagnostics ?? [])].filter(
    ({ severity, address }) => severity === 'error' || address === undefined || !isLeftOut(address),
  );
  const known = { diagnostics, filenames, ...(service && destinationOf(service)) };
  job.emit({ kind: 'checked', isValid, manifests: { ...manifests, diagnostics } });
  if (!isValid) return { ...known, ending: 'invalid' };
  const manifestDigest = (): string => manifestDigestOf(loaded.resources);
  if (saved && saved.plan.manifest_digest !== manifestDigest()) return { ...known, ...saved.staleResult() };
  const selected = selector.scope(resources.length, { declared, addresses }, nameOf);
  const scope: Scope | undefined =
    baseline?.changedOnly || saved?.plan.scope?.changed_only
      ? { ...(selected ?? { ...selection, declared }), changed_only: true }
      : selected;
  const requested = resources.filter(({ address }) => !isLeftOut(address));
  const unchanged = resources.filter(({ address }) => isLeftOut(address));
  const possibleDependencies = new Map(
    [...included, ...unchanged].map((resource) => [resource.address, resource]),
  );
  const dependencies = referencedResources(requested, possibleDependencies);
  const scoped = {
    resources: [...requested, ...dependencies],
    resend: saved ? resentAddresses(saved.plan) : resendTargets(resend, requested, service.allow),
    elsewhere: addresses,
    manifestDigest,
    ...(scope && {
      scope: saved?.plan.scope ?? {
        ...scope,
        ...(dependencies.length > 0 && { along: dependencies.map(({ address }) => address) }),
      },
    }),
    ...(compared && { comparison: compared.comparison }),
  };
  // All resources of a file share one list.
  const secrets = new Set([...new Set(loaded.resources.map((resource) => resource.secrets))].flat());
  return { known, scoped, service, secrets: [...secrets] };
}

/** Whether unselected dependencies are included: with --target, but not with --shard, because shards are independent. */
function mayBeIncluded({ kind }: Resource, { shard }: Selection): boolean {
  return shard === undefined && canBeReferenced(kind.type);
}

/** The resources to which the selected ones refer, directly or indirectly. */
function referencedResources(
  resources: readonly Resource[],
  others: ReadonlyMap<Address, Resource>,
): readonly Resource[] {
  if (others.size === 0) return [];
  const reached = new Set(resources);
  for (const resource of reached)
    for (const declared of declaredNames(resource)) {
      const address = addressOfName(declared);
      const named = address === undefined ? undefined : others.get(address);
      if (named) reached.add(named);
    }
  return [...reached].slice(resources.length);
}
