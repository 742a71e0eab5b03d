import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import { isNamedByOthers } from '../kinds/named.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import { Selector, type Selection } from '../manifest/select.ts';
import { alterationsSince, brokenBefore, type Since } from '../manifest/since.ts';
import type { Settings } from '../settings/settings.ts';
import { check } from './check.ts';
import type { Revision, World } from './world.ts';

/** What the manifests are compared with. */
export interface SinceRequest {
  /** A revision of version control, such as `origin/main`. */
  readonly ref: string;
  /** Whether the run is about what has changed since, and nothing else. */
  readonly changedOnly: boolean;
  /** The settings as these files say them, or why there are none. */
  readonly settingsIn: (files: Files) => Promise<Settings | Diagnostic>;
}

/** The manifests as they are, as far as they are selected. */
interface Compared {
  readonly settings: Settings;
  readonly selection: Selection;
  readonly manifests: LoadedManifests;
}

interface ComparedSince {
  readonly since: Since;
  /** That the manifests of the revision were not valid, where that is so. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns what became of every entry since a revision. Rejects with a UsageError where version control cannot say how it was. */
export async function comparedSince(
  { ref, settingsIn }: SinceRequest,
  { settings, selection, manifests }: Compared,
  world: Pick<World, 'files' | 'env' | 'revision'>,
): Promise<ComparedSince> {
  const revision = await world.revision(ref);
  const about = { ref, commit: revision.commit };
  const selector = new Selector(selection);
  const before = await manifestsIn(revision, settingsIn, settings, selector, world);
  const { alterations, noLongerDeclared } = alterationsSince(before, manifests, (address) =>
    selector.has(address),
  );
  return {
    since: { revision: { ...about, noLongerDeclared }, alterations },
    diagnostics: brokenBefore(about, before.diagnostics),
  };
}

/** The manifests as a revision has them, with the settings of that time; no secret is read for them. */
async function manifestsIn(
  { files, close }: Revision,
  settingsIn: SinceRequest['settingsIn'],
  { policy, hide, release }: Settings,
  selector: Selector,
  world: Pick<World, 'files' | 'env'>,
): Promise<Pick<LoadedManifests, 'resources' | 'addresses' | 'diagnostics'>> {
  try {
    const then = await settingsIn(firstOf(files, world.files));
    const nothing = { resources: [], addresses: new Set<Address>() };
    if ('code' in then) return { ...nothing, diagnostics: [then] };
    if (then.paths.length === 0) return { ...nothing, diagnostics: then.diagnostics };
    const settings = {
      ...then,
      strict: false,
      policy: { ...then.policy, own: policy.own },
      hide: [...new Set([...then.hide, ...hide])],
      // The service is one and the same. What it has learnt to take since was no mistake of that time.
      ...(release && { release }),
    };
    return await check(
      settings,
      { ...world, files },
      {
        secrets: 'assumed',
        keep: ({ address, kind }) => selector.has(address) || isNamedByOthers(kind.type),
        warns: () => false,
      },
    );
  } finally {
    await close();
  }
}

/** The files of a revision, and those of now where it has none: settings that are not part of the repository. */
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
