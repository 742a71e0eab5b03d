import type { Diagnostic } from '../base/diagnostic.ts';
import { loadManifests, type LoadedManifests } from '../manifest/load-manifests.ts';
import { select, selected, type Scoped, type Selection } from '../manifest/select.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import { manifestsOf, type Settings } from '../settings/settings.ts';
import type { Ended } from './result.ts';
import type { Job, World } from './world.ts';

/**
 * Reads and checks the manifests; what is wrong with the settings is among the diagnostics. `secrets` says whether what `${env:NAME}`
 * and `${file:PATH}` in them stand for is read. Throws a UsageError when no manifest is named.
 */
export async function check(
  settings: Settings,
  { files, env }: Pick<World, 'files' | 'env'>,
  secrets: 'read' | 'assumed' = 'read',
): Promise<LoadedManifests> {
  const { configFile, variables, strict, policy, diagnostics } = settings;
  const loaded = await loadManifests(manifestsOf(settings), {
    ...policy,
    files,
    env,
    strict,
    secrets,
    ...(configFile !== undefined && { settingsFile: configFile }),
    ...(variables && { variables }),
  });
  return { ...loaded, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

/** Everything that is known before a request is sent. */
type Checked = {
  readonly known: Pick<Ended<never>, 'diagnostics' | 'filenames' | 'service' | 'environment'>;
} & (
  | { readonly kind: 'invalid' }
  | { readonly kind: 'ready'; readonly scoped: Scoped; readonly service: ServiceSettings }
);

/** Checks what a run is about, and tells what is wrong with it. */
export async function checkScope(settings: Settings, selection: Selection, job: Job): Promise<Checked> {
  const { service, nameOf } = settings;
  const loaded = await check(settings, job);
  const { resources, filenames } = loaded;
  const diagnostics = withoutOthersWarnings(loaded.diagnostics, selection);
  const known = { diagnostics, filenames, ...(service && destinationOf(service)) };
  const isValid = service !== undefined && !hasErrors(diagnostics);
  job.tell({ kind: 'checked', isValid, manifests: { ...loaded, diagnostics } });
  if (!isValid) return { kind: 'invalid', known };
  return { kind: 'ready', known, scoped: selected(resources, selection, nameOf), service };
}

/** Leaves out the warnings about resources that the run is not about. Errors stay: they end the run in any case. */
function withoutOthersWarnings(
  diagnostics: readonly Diagnostic[],
  selection: Selection,
): readonly Diagnostic[] {
  const warned = diagnostics.flatMap(({ address, severity }) =>
    address !== undefined && severity === 'warning' ? [{ address }] : [],
  );
  const ofRun = new Set(select(warned, selection).items.map(({ address }) => address));
  return diagnostics.filter(
    ({ severity, address }) => severity === 'error' || address === undefined || ofRun.has(address),
  );
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
