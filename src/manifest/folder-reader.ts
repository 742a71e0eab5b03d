import { posix } from 'node:path';
import type { Entry, Files } from '../base/files.ts';
import { isBelow, systemFolderOf } from '../base/path-rules.ts';
import type { SearchProblems } from './search-problems.ts';

/** More than this is not a folder of manifests, but a whole disk, or a project with all its packages. */
const maxEntries = 50_000;

/** Reads folders for a search that has to end and must not leave the folder in which it began. */
export class FolderReader {
  readonly #files: Files;
  readonly #problems: SearchProblems;
  /** How many more entries may be looked at. */
  #left = maxEntries;

  constructor(files: Files, problems: SearchProblems) {
    this.#files = files;
    this.#problems = problems;
  }

  /** In order; none of a folder of the system, and none when too many were looked at already. */
  async entriesIn(folder: string, realPath: string): Promise<readonly Entry[]> {
    if (this.#left < 0 || systemFolderOf(realPath) !== undefined) return [];
    const entries = await this.#files.entriesIn(folder);
    this.#left -= entries.length;
    if (this.#left >= 0) return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#problems.report(
      folder,
      'too-many-files',
      `more than ${maxEntries} files and folders lie below what is named`,
      'Name the folder of the manifests, or a narrower pattern. The search ended here.',
    );
    return [];
  }

  /** The files below a folder that a glob matches. What links lead to is searched as it is in a folder: within `root`, its real path. */
  async glob(folder: string, pattern: string, root: string): Promise<readonly string[]> {
    const realPaths = new Map<string, string>();
    const look = async (below: string): Promise<readonly Entry[]> => {
      const path = posix.join(folder, below).replace(/(?<=.)\/$/, '');
      const shown: Entry[] = [];
      await this.#problems.guarded(path, async () => {
        const realPath = realPaths.get(path) ?? (await this.#files.realPath(path));
        realPaths.set(path, realPath);
        if (!isBelow(realPath, root)) this.#problems.reportOutside(path);
        else if (leadsBack(path, realPath, realPaths)) this.#problems.reportLoop(path);
        else shown.push(...(await this.#shownOf(path, realPath, realPaths)));
      });
      return shown;
    };
    // One folder at a time: a glob asks for all that it finds at once, however many those are.
    let before: Promise<unknown> = Promise.resolve();
    const names = await this.#files.glob(folder || '.', pattern, (below) => {
      const shown = before.then(() => look(below));
      before = shown;
      return shown;
    });
    return names.map((name) => folder + name);
  }

  /** The entries of a folder, and in place of its links what they lead to. */
  async #shownOf(folder: string, realPath: string, realPaths: Map<string, string>): Promise<Entry[]> {
    const shown: Entry[] = [];
    for (const { name, kind } of await this.entriesIn(folder, realPath)) {
      const path = posix.join(folder, name);
      if (kind === 'folder') realPaths.set(path, posix.join(realPath, name));
      const isFolder =
        kind === 'folder' || (kind === 'link' && (await this.#files.kindOf(path)) === 'folder');
      // Also what is neither: if the glob matches it, that is said.
      shown.push({ name, kind: isFolder ? 'folder' : 'file' });
    }
    return shown;
  }
}

/** Whether a folder is one of those that it lies in. */
function leadsBack(path: string, realPath: string, realPaths: ReadonlyMap<string, string>): boolean {
  const above = posix.dirname(path);
  const isRoot = above === path || !realPaths.has(above);
  return !isRoot && (realPaths.get(above) === realPath || leadsBack(above, realPath, realPaths));
}
