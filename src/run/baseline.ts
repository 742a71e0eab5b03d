import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import { baselineWarning, compareWithBaseline, type Comparison } from '../manifest/baseline.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import { Selector, type Selection } from '../manifest/select.ts';
import type { Settings } from '../settings/settings.ts';
import { checkManifests } from './check.ts';
import type { RunEnvironment } from './world.ts';

export interface BaselineRequest {
  /** A folder that contains an earlier state of the working directory. */
  readonly path: string;
  readonly files: Files;
  readonly changedOnly: boolean;
  readonly settingsIn: (files: Files) => Promise<Settings | Diagnostic>;
}

export async function readBaseline(
  { path, files, settingsIn }: BaselineRequest,
  settings: Settings,
  selection: Selection,
  manifests: LoadedManifests,
  world: Pick<RunEnvironment, 'files' | 'env'>,
): Promise<{ readonly comparison: Comparison; readonly diagnostics: readonly Diagnostic[] }> {
  // A glob of the run must match a resource that is still declared, so the baseline has its own selector.
  const selector = new Selector(selection);
  const before = await manifestsIn(files, settingsIn, settings, world);
  const { alterations, noLongerDeclared } = compareWithBaseline(before, manifests, (address) =>
    selector.has(address),
  );
  return {
    comparison: { baseline: { path, noLongerDeclared }, alterations },
    diagnostics: baselineWarning(path, before),
  };
}

/** Reads the manifests of the baseline with the baseline's own settings, but without secrets. */
async function manifestsIn(
  files: Files,
  settingsIn: BaselineRequest['settingsIn'],
  { policy, hide, release }: Settings,
  world: Pick<RunEnvironment, 'files' | 'env'>,
): Promise<Pick<LoadedManifests, 'resources' | 'addresses' | 'diagnostics'>> {
  const then = await settingsIn(withFallback(files, world.files));
  const noManifests = { resources: [], addresses: new Set<Address>() };
  if ('code' in then) return { ...noManifests, diagnostics: [then] };
  if (then.paths.length === 0) return { ...noManifests, diagnostics: then.diagnostics };
  const settings = {
    ...then,
    strict: false,
    policy: { ...then.policy, ownSecrets: policy.ownSecrets },
    hide: [...new Set([...then.hide, ...hide])],
    // Both states of the manifests are for the same service, so the release is the same.
    ...(release && { release }),
  };
  return checkManifests(
    settings,
    { ...world, files },
    { secrets: 'assumed', isWarningReported: () => false },
  );
}

/** Reads a file from `fallback` if the baseline does not contain it. */
function withFallback(files: Files, fallback: Files): Files {
  const at = async (path: string): Promise<Files> =>
    (await files.kindOf(path)) === 'absent' ? fallback : files;
  return {
    ...fallback,
    kindOf: async (path) => (await at(path)).kindOf(path),
    realPath: async (path) => (await at(path)).realPath(path),
    read: async (path, maxBytes) => (await at(path)).read(path, maxBytes),
    entriesIn: async (folder) => (await at(folder)).entriesIn(folder),
  };
}
