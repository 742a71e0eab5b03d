import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import { isNamedByOthers } from '../kinds/named.ts';
import { baselineWarning, compareWithBaseline, type Comparison } from '../manifest/baseline.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import { Selector, type Selection } from '../manifest/select.ts';
import type { Settings } from '../settings/settings.ts';
import { check } from './check.ts';
import type { World } from './world.ts';

/** The earlier state to compare the manifests with. */
export interface BaselineRequest {
  /** A folder with an earlier state of the working directory. */
  readonly path: string;
  readonly files: Files;
  readonly changedOnly: boolean;
  /** The settings in these files, or why there are none. */
  readonly settingsIn: (files: Files) => Promise<Settings | Diagnostic>;
}

interface Current {
  readonly settings: Settings;
  readonly selection: Selection;
  readonly manifests: LoadedManifests;
}

interface Compared {
  readonly comparison: Comparison;
  /** A warning if the manifests of the baseline are invalid. */
  readonly diagnostics: readonly Diagnostic[];
}

export async function comparedWithBaseline(
  { path, files, settingsIn }: BaselineRequest,
  { settings, selection, manifests }: Current,
  world: Pick<World, 'files' | 'env'>,
): Promise<Compared> {
  const selector = new Selector(selection);
  const before = await manifestsIn(files, settingsIn, settings, selector, world);
  const { alterations, noLongerDeclared } = compareWithBaseline(before, manifests, (address) =>
    selector.has(address),
  );
  return {
    comparison: { baseline: { path, noLongerDeclared }, alterations },
    diagnostics: baselineWarning(path, before),
  };
}

/** The manifests of the baseline, with its settings; no secret is read for them. */
async function manifestsIn(
  files: Files,
  settingsIn: BaselineRequest['settingsIn'],
  { policy, hide, release }: Settings,
  selector: Selector,
  world: Pick<World, 'files' | 'env'>,
): Promise<Pick<LoadedManifests, 'resources' | 'addresses' | 'diagnostics'>> {
  const then = await settingsIn(firstOf(files, world.files));
  const nothing = { resources: [], addresses: new Set<Address>() };
  if ('code' in then) return { ...nothing, diagnostics: [then] };
  if (then.paths.length === 0) return { ...nothing, diagnostics: then.diagnostics };
  const settings = {
    ...then,
    strict: false,
    policy: { ...then.policy, ownSecrets: policy.ownSecrets },
    hide: [...new Set([...then.hide, ...hide])],
    // The service is the same, so its present release applies.
    ...(release && { release }),
  };
  return check(
    settings,
    { ...world, files },
    {
      secrets: 'assumed',
      isSelected: ({ address, kind }) => selector.has(address) || isNamedByOthers(kind.type),
      isWarningReported: () => false,
    },
  );
}

/** The files of the baseline, and the present ones where it has none, for settings that are kept elsewhere. */
function firstOf(files: Files, now: Files): Files {
  const at = async (path: string): Promise<Files> => ((await files.kindOf(path)) === 'absent' ? now : files);
  return {
    ...now,
    kindOf: async (path) => (await at(path)).kindOf(path),
    realPath: async (path) => (await at(path)).realPath(path),
    read: async (path, maxBytes) => (await at(path)).read(path, maxBytes),
    entriesIn: async (folder) => (await at(folder)).entriesIn(folder),
  };
}
