import type { Address } from '../base/diagnostic.ts';
import type { Resource } from '../kinds/resource.ts';
import { Selector, type Scope, type Selection } from '../manifest/select.ts';
import type { Since } from '../manifest/since.ts';
import { ManifestDigest } from '../plan/manifest-digest.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { check, hasErrors, inputsOf, type RefuseOutputs } from './check.ts';
import type { Ended } from './result.ts';
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
}

/** Everything that is known before a request is sent. */
type Checked = {
  readonly known: Pick<Ended<never>, 'diagnostics' | 'filenames' | 'service' | 'environment'>;
} & (
  | { readonly kind: 'invalid' }
  | { readonly kind: 'ready'; readonly scoped: Scoped; readonly service: ServiceSettings }
);

/**
 * Checks what a run is about, and tells what is wrong with it. Of what it is not about, warnings are left out; errors stay: they
 * end the run in any case. `wasAsked`: the service, for its release.
 */
export async function checkScope(
  { settings, selection, since, refuseOutputs }: ScopeRequest,
  job: Job,
  wasAsked = false,
): Promise<Checked> {
  const { service, nameOf } = settings;
  const selector = new Selector(selection);
  const digest = new ManifestDigest();
  const manifests = await check(settings, job, {
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
  job.tell({ kind: 'checked', isValid, manifests: { ...manifests, diagnostics }, wasAsked });
  if (!isValid) return { kind: 'invalid', known };
  const scope = selector.scope(resources.length, manifests, nameOf);
  const scoped = {
    resources,
    manifestDigest: digest.toString(),
    ...(scope && { scope }),
    ...(compared && { since: compared.since }),
  };
  if (!since?.changedOnly) return { kind: 'ready', known, scoped, service };
  return {
    kind: 'ready',
    known,
    scoped: {
      ...scoped,
      resources: resources.filter(({ address }) => !isLeftOut(address)),
      scope: { ...(scope ?? { ...selection, declared }), changed_only: true },
    },
    service,
  };
}
