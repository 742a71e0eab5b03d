import type { Address } from '../base/address.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { scopedSince, select, selected, type Scoped, type Selection } from '../manifest/select.ts';
import type { Since } from '../manifest/since.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { check, hasErrors } from './check.ts';
import type { Ended } from './result.ts';
import { comparedSince, type SinceRequest } from './since.ts';
import type { Job } from './world.ts';

/** What a run is to be about. */
export interface ScopeRequest {
  readonly settings: Settings;
  readonly selection: Selection;
  /** What the manifests are compared with; without it, they are not. */
  readonly since?: SinceRequest | undefined;
}

/** Everything that is known before a request is sent. */
type Checked = {
  readonly known: Pick<Ended<never>, 'diagnostics' | 'filenames' | 'service' | 'environment'>;
} & (
  | { readonly kind: 'invalid' }
  | { readonly kind: 'ready'; readonly scoped: Scoped; readonly service: ServiceSettings }
);

/** Checks what a run is about, and tells what is wrong with it. */
export async function checkScope({ settings, selection, since }: ScopeRequest, job: Job): Promise<Checked> {
  const { service, nameOf } = settings;
  const manifests = await check(settings, job);
  const { resources, filenames } = manifests;
  const isValid = service !== undefined && !hasErrors(manifests.diagnostics);
  const compared = since && isValid ? await comparedSince(since, { settings, manifests }, job) : undefined;
  const diagnostics = withoutOthersWarnings(
    [...manifests.diagnostics, ...(compared?.diagnostics ?? [])],
    selection,
    since?.changedOnly ? compared?.since.alterations : undefined,
  );
  const known = { diagnostics, filenames, ...(service && destinationOf(service)) };
  job.tell({ kind: 'checked', isValid, manifests: { ...manifests, diagnostics } });
  if (!isValid) return { kind: 'invalid', known };
  const scoped = selected(resources, selection, nameOf);
  if (!since || !compared) return { kind: 'ready', known, scoped, service };
  return {
    kind: 'ready',
    known,
    scoped: scopedSince(scoped, selection, compared.since, since.changedOnly),
    service,
  };
}

/** Leaves out the warnings about resources that the run is not about. Errors stay: they end the run in any case. */
function withoutOthersWarnings(
  diagnostics: readonly Diagnostic[],
  selection: Selection,
  alterations: Since['alterations'] | undefined,
): readonly Diagnostic[] {
  const warned = diagnostics.flatMap(({ address, severity }) =>
    address !== undefined && severity === 'warning' ? [{ address }] : [],
  );
  const ofRun = new Set<Address>();
  for (const { address } of select(warned, selection).items)
    if (alterations?.get(address)?.kind !== 'same') ofRun.add(address);
  return diagnostics.filter(
    ({ severity, address }) => severity === 'error' || address === undefined || ofRun.has(address),
  );
}
