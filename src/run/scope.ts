import type { Address } from '../base/diagnostic.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { isUntried, type Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { checkByRelease } from '../manifest/load-manifests.ts';
import { Selector, type Scope, type Selection } from '../manifest/select.ts';
import type { Since } from '../manifest/since.ts';
import { ManifestDigest } from '../plan/manifest-digest.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { check, hasErrors, inputsOf, type RefuseOutputs } from './check.ts';
import { withService, type Service } from './connect.ts';
import type { Course, Ended, Ran } from './result.ts';
import { comparedSince, type SinceRequest } from './since.ts';
import type { Job } from './world.ts';

/** What a run is to be about. */
export interface ScopeRequest {
  readonly settings: Settings;
  readonly selection: Selection;
  /** What the manifests are compared with; without it, they are not. */
  readonly since?: SinceRequest | undefined;
  readonly refuseOutputs?: RefuseOutputs | undefined;
}

/** The resources that a run is about. */
export interface Scoped {
  readonly resources: readonly Resource[];
  /** None: all that are declared. */
  readonly scope?: Scope;
  /** Of all that the manifests declare. */
  readonly manifestDigest: string;
  /** What became of them since a revision, where that is known. */
  readonly since?: Since;
  /** Returns the errors that only the release of the service decides, once that was asked for; `undefined`: it does not say. */
  readonly checkByRelease?: (release: Release | undefined) => readonly Diagnostic[];
}

/** Checks what a run is about, and does something with it and the service. Nothing is sent before that. */
export async function inScope<Result>(
  request: ScopeRequest,
  job: Job,
  use: (scoped: Scoped, service: Service) => Promise<Course<Result>>,
): Promise<Ran<Result>> {
  const checked = await checkScope(request, job);
  const { known } = checked;
  if (checked.kind === 'invalid') return { ...known, ending: 'invalid' };
  const { scoped, service: reached } = checked;
  const { strict, contractOnly, release: configured } = request.settings;
  const late: Diagnostic[] = [];
  const checkLate = (release: Release | undefined): readonly Diagnostic[] => {
    if (release && isUntried(release)) job.emit({ kind: 'later_release', release });
    const found = checkByRelease(scoped.resources, release ?? configured, strict);
    late.push(...found.filter(({ severity }) => severity === 'warning'));
    if (late.length > 0) job.emit({ kind: 'warned', diagnostics: late });
    return found.filter(({ severity }) => severity === 'error');
  };
  const course = await withService(reached, job, (service) =>
    use(contractOnly ? scoped : { ...scoped, checkByRelease: checkLate }, service),
  );
  return { ...known, ...course, diagnostics: [...known.diagnostics, ...late] };
}

/** Everything that is known before a request is sent. */
type Checked = {
  readonly known: Pick<Ended<never>, 'diagnostics' | 'filenames' | 'service' | 'environment'>;
} & (
  | { readonly kind: 'invalid' }
  | { readonly kind: 'ready'; readonly scoped: Scoped; readonly service: ServiceSettings }
);

/**
 * Checks what a run is about, and reports what is wrong with it. Of what it is not about, warnings are left out; errors stay: they
 * end the run in any case.
 */
async function checkScope(
  { settings, selection, since, refuseOutputs }: ScopeRequest,
  job: Job,
): Promise<Checked> {
  const { service, nameOf } = settings;
  const selector = new Selector(selection);
  const digest = new ManifestDigest();
  const manifests = await check(settings, job, {
    ...(!settings.contractOnly && { release: 'asked later' as const }),
    keep: (resource) => {
      digest.add(resource);
      return selector.has(resource.address);
    },
    warns: (address) => selector.has(address),
  });
  const { resources, filenames, declared } = manifests;
  const clashes = (await refuseOutputs?.(inputsOf(settings, manifests))) ?? [];
  const isValid = service !== undefined && clashes.length === 0 && !hasErrors(manifests.diagnostics);
  const compared =
    since && isValid ? await comparedSince(since, { settings, selection, manifests }, job) : undefined;
  const alterations = since?.changedOnly ? compared?.since.alterations : undefined;
  const isLeftOut = (address: Address): boolean => alterations?.get(address)?.kind === 'same';
  const diagnostics = [...clashes, ...manifests.diagnostics, ...(compared?.diagnostics ?? [])].filter(
    ({ severity, address }) => severity === 'error' || address === undefined || !isLeftOut(address),
  );
  const known = { diagnostics, filenames, ...(service && destinationOf(service)) };
  job.emit({ kind: 'checked', isValid, manifests: { ...manifests, diagnostics } });
  if (!isValid) return { kind: 'invalid', known };
  const selected = selector.scope(resources.length, manifests, nameOf);
  const scope: Scope | undefined = since?.changedOnly
    ? { ...(selected ?? { ...selection, declared }), changed_only: true }
    : selected;
  const scoped = {
    resources: resources.filter(({ address }) => !isLeftOut(address)),
    manifestDigest: digest.toString(),
    ...(scope && { scope }),
    ...(compared && { since: compared.since }),
  };
  return { kind: 'ready', known, scoped, service };
}
