import type { Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kinds, listed } from '../kinds/all.ts';
import type { Resource } from '../kinds/resource.ts';
import { loadManifests, type LoadedManifests } from '../manifest/load-manifests.ts';
import { select, type Selection } from '../manifest/select.ts';
import type { PlanScope } from '../plan/plan.ts';
import { noConfig } from '../settings/config.ts';
import type { NameOf } from '../settings/values.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Settings } from '../settings/settings.ts';
import type { Ended } from './result.ts';
import type { Job, World } from './world.ts';

/** The resources that a run is about. */
export interface Scoped {
  readonly resources: readonly Resource[];
  readonly scope?: PlanScope;
  /** All that the manifests declare. */
  readonly declared: readonly Resource[];
}

/**
 * Reads and checks the manifests; what is wrong with the settings is among the diagnostics. `secrets` says whether `${env:NAME}`
 * and `${file:PATH}` in them are. Throws a UsageError when no manifest is named.
 */
export async function check(
  { paths, config = noConfig, configFile, variables, strict, own, diagnostics }: Settings,
  { files, env }: Pick<World, 'files' | 'env'>,
  secrets: 'read' | 'unread' = 'read',
): Promise<LoadedManifests> {
  if (paths.length === 0 && diagnostics.length === 0) {
    throw new UsageError(
      'no manifest is named',
      'Name files or folders of YAML, such as: manifests/. Or list them under `manifests` in rollcall.yaml.',
    );
  }
  const { allowEnv, allowFiles } = config;
  const loaded = await loadManifests(paths, {
    files,
    env,
    own,
    strict,
    secrets,
    ...(configFile !== undefined && { settingsFile: configFile }),
    ...(variables && { variables }),
    ...(allowEnv && { allowEnv }),
    ...(allowFiles && { allowFiles }),
  });
  return { ...loaded, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

/** Everything that is known before a request is sent. */
export type Checked = {
  readonly known: Pick<Ended<never>, 'diagnostics' | 'filenames' | 'service'>;
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
  const known = { diagnostics, filenames, ...(service && { service: service.baseUrl }) };
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

const addressForms = listed(kinds.map(({ type, identity }) => `${type}.${identity.toUpperCase()}`));

/** The resources that a run is about. Throws a UsageError when the selection leaves nothing over, or names nothing. */
export function selected(declared: readonly Resource[], selection: Selection, nameOf: NameOf): Scoped {
  const { target, exclude, shard } = selection;
  if (target.length + exclude.length === 0 && shard === undefined) return { resources: declared, declared };
  const { items: resources, unmatched } = select(declared, selection);
  if (unmatched.length > 0) {
    throw new UsageError(
      `no declared resource has an address like ${unmatched.join(' or ')}`,
      didYouMean(unmatched[0] ?? '', [
        ...kinds.map(({ type }) => `${type}.*`),
        ...declared.map(({ address }) => address),
      ]) ?? `Addresses are ${addressForms}; * stands for any text, ? for one character.`,
    );
  }
  if (resources.length === 0 && shard === undefined) {
    throw new UsageError(
      `${nameOf('target')} and ${nameOf('exclude')} leave out every resource`,
      'Exclude less.',
    );
  }
  return { resources, declared, scope: { ...selection, declared: declared.length } };
}
