import { posix } from 'node:path';
import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { failureReason } from '../base/errors.ts';
import { standardInput, type FolderEntry, type FileKind, type Files } from '../base/files.ts';
import { globFolder, isBelow, isLinkOutside, linkLeadsOutside, systemFolderOf } from '../base/path-rules.ts';

interface FoundManifests {
  /** The files found, without duplicates, in code-unit order. */
  readonly filenames: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the files to read for the paths of a command line (files, folders, globs, `-`), except the configuration file. */
export async function findManifests(
  paths: readonly string[],
  files: Files,
  settingsFile?: string,
): Promise<FoundManifests> {
  const settings = settingsFile && (await files.realPath(settingsFile).catch(() => undefined));
  const search = new Search(files, settings);
  for (const path of paths) await search.expand(path);
  const { diagnostics } = search;
  // If the search was aborted, it found thousands of files by mistake, so no file is read.
  const isWhole = diagnostics.every(({ code }) => code !== 'too-many-files');
  return { filenames: isWhole ? [...search.found.values()].toSorted() : [], diagnostics };
}

/** A search through more entries probably covers a whole disk or the packages of a project. */
const maxEntries = 50_000;

/** A search that stops at a limit and never leaves the folder where it started. */
class Search {
  /** Filenames by real path, so that a file with two names is read once. */
  readonly found = new Map<string, string>();
  readonly diagnostics: Diagnostic[] = [];
  /** The number of manifests below each searched folder, by its real path. */
  readonly #manifestCounts = new Map<string, number>();
  readonly #files: Files;
  readonly #settingsPath: string | undefined;
  #isSettingsFound = false;
  #remainingEntries = maxEntries;

  constructor(files: Files, settings: string | undefined) {
    this.#files = files;
    this.#settingsPath = settings;
  }

  expand(path: string): Promise<void> {
    return this.#reportUnreadable(path, () => this.#expand(path));
  }

  async #expand(path: string): Promise<void> {
    if (path === standardInput) {
      this.found.set(standardInput, standardInput);
      return;
    }
    const kind = await this.#files.kindOf(path);
    switch (kind) {
      case 'file':
        if (!(await this.#refusesLink(path))) await this.#addFile(path);
        return;
      case 'folder': {
        const realPath = await this.#files.realPath(path);
        if (this.#refusesSystemFolder(path, realPath) || (await this.#refusesLink(path))) return;
        if ((await this.#addFolder(path, realPath, [])) === 0 && this.diagnostics.length === 0)
          this.#reportNothing(path, 'no *.yaml or *.yml file is in this folder');
        return;
      }
      case 'other':
        this.#report(
          path,
          'file-unreadable',
          'this is not a file or folder',
          'Name a YAML file, a folder of YAML files, a glob, or - for standard input.',
        );
        return;
      case 'absent':
        return this.#expandPattern(path);
    }
  }

  async #expandPattern(pattern: string): Promise<void> {
    const folder = globFolder(pattern);
    if (folder === undefined) {
      const detail =
        'Check the path. Relative paths start at the folder in which the command runs, and those in rollcall.yaml at its folder.';
      this.#report(pattern, 'file-not-found', 'no such file or folder', detail);
      return;
    }
    const before = this.diagnostics.length;
    let added = 0;
    if ((await this.#files.kindOf(folder || '.')) === 'folder') {
      const root = await this.#files.realPath(folder || '.');
      if (this.#refusesSystemFolder(folder, root) || (await this.#refusesLink(folder || '.'))) return;
      const matched = await this.#glob(folder, pattern.slice(folder.length), root);
      for (const path of matched.toSorted())
        await this.#reportUnreadable(path, async () => {
          added += await this.#addMatch(path, await this.#files.kindOf(path), root);
        });
    }
    if (added === 0 && this.diagnostics.length === before)
      this.#reportNothing(pattern, 'no file matches this pattern');
  }

  /** Adds a match of a glob if it is a file inside `root` after following links. */
  async #addMatch(path: string, kind: FileKind, root: string): Promise<number> {
    const realPath = await this.#files.realPath(path);
    if (!isBelow(realPath, root)) {
      this.diagnostics.push(diagnosticFor(path, linkLeadsOutside));
      return 0;
    }
    if (kind !== 'file') {
      const detail = 'Remove the file from the folder, or change the file extension.';
      this.#report(path, 'file-unreadable', 'this is not a file or folder', detail);
      return 0;
    }
    if (realPath === this.#settingsPath) {
      this.#isSettingsFound = true;
      return 0;
    }
    this.#add(path, realPath);
    return 1;
  }

  /** Returns the number of manifests in a folder; `parentPaths` are the real paths of its parent folders, outermost first. */
  async #addFolder(folder: string, realPath: string, parentPaths: readonly string[]): Promise<number> {
    if (parentPaths.includes(realPath)) {
      this.#reportLoop(folder);
      return 0;
    }
    const known = this.#manifestCounts.get(realPath);
    if (known !== undefined) return known;
    const root = parentPaths[0] ?? realPath;
    let added = 0;
    for (const { name, kind: itself } of await this.#entriesIn(folder, realPath)) {
      if (name.startsWith('.') || (itself === 'file' && !isYaml(name))) continue;
      const path = `${folder.replace(/\/+$/, '')}/${name}`;
      await this.#reportUnreadable(path, async () => {
        const kind = itself === 'link' ? await this.#files.kindOf(path) : itself;
        if (kind !== 'folder' && !isYaml(name)) return;
        const inside = itself === 'folder' ? posix.join(realPath, name) : await this.#files.realPath(path);
        if (kind === 'folder' && isBelow(inside, root))
          added += await this.#addFolder(path, inside, [...parentPaths, realPath]);
        else added += await this.#addMatch(path, kind, root);
      });
    }
    this.#manifestCounts.set(realPath, added);
    return added;
  }

  async #addFile(path: string): Promise<void> {
    const realPath = await this.#files.realPath(path);
    if (realPath === this.#settingsPath) {
      const detail = 'Name the manifests instead, or list them under `manifests` in this file.';
      this.#report(path, 'forbidden-file', 'this is the configuration file, not a manifest', detail);
    } else this.#add(path, realPath);
  }

  #add(filename: string, realPath: string): void {
    if (!this.found.has(realPath)) this.found.set(realPath, filename.replace(/^(\.\/+)+(?=.)/, ''));
  }

  async #refusesLink(path: string): Promise<boolean> {
    const isOutside = await isLinkOutside(path, this.#files);
    if (isOutside) this.diagnostics.push(diagnosticFor(path, linkLeadsOutside));
    return isOutside;
  }

  #refusesSystemFolder(path: string, realPath: string): boolean {
    const folder = systemFolderOf(realPath);
    if (folder === undefined) return false;
    const detail = 'That folder shows the state of the system. Name a folder of manifests.';
    this.#report(path, 'forbidden-file', `nothing in ${folder} is a manifest`, detail);
    return true;
  }

  /** The sorted entries of a folder; empty for a virtual file system, and after the limit is reached. */
  async #entriesIn(folder: string, realPath: string): Promise<readonly FolderEntry[]> {
    if (this.#remainingEntries < 0 || systemFolderOf(realPath) !== undefined) return [];
    const entries = await this.#files.entriesIn(folder);
    this.#remainingEntries -= entries.length;
    if (this.#remainingEntries >= 0) return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#report(
      folder,
      'too-many-files',
      `more than ${maxEntries} files and folders are below the named folder`,
      'Name the folder of the manifests, or a narrower pattern. The search ended here.',
    );
    return [];
  }

  /** The files that match a glob, also through links that stay within `root`, the real path of the folder. */
  async #glob(folder: string, pattern: string, root: string): Promise<readonly string[]> {
    const realPaths = new Map<string, string>();
    const look = async (below: string): Promise<readonly FolderEntry[]> => {
      const path = posix.join(folder, below).replace(/(?<=.)\/$/, '');
      const shown: FolderEntry[] = [];
      await this.#reportUnreadable(path, async () => {
        const realPath = realPaths.get(path) ?? (await this.#files.realPath(path));
        realPaths.set(path, realPath);
        if (!isBelow(realPath, root)) this.diagnostics.push(diagnosticFor(path, linkLeadsOutside));
        else if (isLinkLoop(path, realPath, realPaths)) this.#reportLoop(path);
        else shown.push(...(await this.#visibleEntries(path, realPath, realPaths)));
      });
      return shown;
    };
    // Reads one folder at a time, because the glob library would read all folders at the same time.
    let before: Promise<unknown> = Promise.resolve();
    const names = await this.#files.glob(folder || '.', pattern, (below) => {
      const shown = before.then(() => look(below));
      before = shown;
      return shown;
    });
    return names.map((name) => folder + name);
  }

  async #visibleEntries(
    folder: string,
    realPath: string,
    realPaths: Map<string, string>,
  ): Promise<FolderEntry[]> {
    const shown: FolderEntry[] = [];
    for (const { name, kind } of await this.#entriesIn(folder, realPath)) {
      const path = posix.join(folder, name);
      if (kind === 'folder') realPaths.set(path, posix.join(realPath, name));
      const isFolder =
        kind === 'folder' || (kind === 'link' && (await this.#files.kindOf(path)) === 'folder');
      // Pipes and sockets are included, so that they are reported if a glob matches them.
      shown.push({ name, kind: isFolder ? 'folder' : 'file' });
    }
    return shown;
  }

  #report(path: string, code: Diagnostic['code'], summary: string, detail: string): void {
    this.diagnostics.push(diagnosticFor(path, { code, summary, detail }));
  }

  #reportLoop(path: string): void {
    this.#report(path, 'link-loop', 'this link leads back to a folder that contains it', 'Remove the link.');
  }

  #reportNothing(path: string, summary: string): void {
    const words = summary + (this.#isSettingsFound ? ', except the configuration file' : '');
    this.#report(path, 'no-manifests', words, 'A run without manifests would do nothing, and is refused.');
  }

  async #reportUnreadable(path: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.#report(path, 'file-unreadable', 'this cannot be read', failureReason(error));
    }
  }
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}

/** Whether a link leads to a parent folder of itself. */
function isLinkLoop(path: string, realPath: string, realPaths: ReadonlyMap<string, string>): boolean {
  const parent = posix.dirname(path);
  const isRoot = parent === path || !realPaths.has(parent);
  return !isRoot && (realPaths.get(parent) === realPath || isLinkLoop(parent, realPath, realPaths));
}
