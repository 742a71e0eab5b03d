import { posix } from 'node:path';
import type { Diagnostic } from '../base/diagnostic.ts';
import { standardInput, type FileKind, type Files } from '../base/files.ts';
import { globFolder, isBelow, leadsOutside, systemFolderOf } from '../base/path-rules.ts';
import { FolderReader } from './folder-reader.ts';
import { SearchProblems } from './search-problems.ts';

interface FoundManifests {
  /** Each file once, in code-unit order. */
  readonly filenames: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Turns the paths of a command line (files, folders, globs, `-`) into the manifests to read. The file of settings is none. */
export async function findManifests(
  paths: readonly string[],
  files: Files,
  settingsFile?: string,
): Promise<FoundManifests> {
  const settings = settingsFile && (await files.realPath(settingsFile).catch(() => undefined));
  const search = new Search(files, settings);
  for (const path of paths) await search.expand(path);
  const { diagnostics } = search.problems;
  // What a search found that had to be ended is thousands of files that nobody meant, and not all of them.
  const isWhole = diagnostics.every(({ code }) => code !== 'too-many-files');
  return { filenames: isWhole ? [...search.found.values()].toSorted() : [], diagnostics };
}

class Search {
  /** By real path, so that one file under two names is one. */
  readonly found = new Map<string, string>();
  readonly problems = new SearchProblems();
  readonly #searched = new Set<string>();
  readonly #files: Files;
  /** The real path of the file of settings. */
  readonly #settings: string | undefined;
  #metSettings = false;
  readonly #folders: FolderReader;

  constructor(files: Files, settings: string | undefined) {
    this.#files = files;
    this.#settings = settings;
    this.#folders = new FolderReader(files, this.problems);
  }

  expand(path: string): Promise<void> {
    return this.problems.guarded(path, () => this.#expand(path));
  }

  async #expand(path: string): Promise<void> {
    if (path === standardInput) {
      this.found.set(standardInput, standardInput);
      return;
    }
    const kind = await this.#files.kindOf(path);
    switch (kind) {
      case 'file':
        if (!(await this.#refusesLink(path))) await this.#addNamed(path);
        return;
      case 'folder': {
        const realPath = await this.#files.realPath(path);
        if (this.#refusesSystemFolder(path, realPath) || (await this.#refusesLink(path))) return;
        if ((await this.#addBelow(path, realPath, [])) === 0 && this.problems.diagnostics.length === 0)
          this.problems.reportNothing(path, `no *.yaml or *.yml file is in this folder${this.#exception()}`);
        return;
      }
      case 'other':
        this.problems.report(
          path,
          'file-unreadable',
          'this is neither a file nor a folder',
          'Name a YAML file, a folder of them, a glob, or - for standard input.',
        );
        return;
      case 'absent':
        return this.#expandPattern(path);
    }
  }

  async #expandPattern(pattern: string): Promise<void> {
    const folder = globFolder(pattern);
    if (folder === undefined) {
      const detail = 'Check the path; it is taken from the folder in which the command runs.';
      this.problems.report(pattern, 'file-not-found', 'no such file or folder', detail);
      return;
    }
    const before = this.problems.diagnostics.length;
    let added = 0;
    if ((await this.#files.kindOf(folder || '.')) === 'folder') {
      const root = await this.#files.realPath(folder || '.');
      if (this.#refusesSystemFolder(folder, root) || (await this.#refusesLink(folder || '.'))) return;
      const matched = await this.#folders.glob(folder, pattern.slice(folder.length), root);
      for (const path of matched.toSorted())
        await this.problems.guarded(path, async () => {
          added += await this.#addInside(path, await this.#files.kindOf(path), root);
        });
    }
    if (added === 0 && this.problems.diagnostics.length === before)
      this.problems.reportNothing(pattern, `no file matches this pattern${this.#exception()}`);
  }

  /** Adds a file that was not named itself, if it is one and lies in the folder that was. */
  async #addInside(path: string, kind: FileKind, root: string): Promise<number> {
    const realPath = await this.#files.realPath(path);
    if (!isBelow(realPath, root)) {
      this.problems.reportOutside(path);
      return 0;
    }
    if (kind !== 'file') {
      const detail = 'Remove it, or rename it.';
      this.problems.report(path, 'file-unreadable', 'this is neither a file nor a folder', detail);
      return 0;
    }
    if (realPath === this.#settings) {
      this.#metSettings = true;
      return 0;
    }
    this.#add(path, realPath);
    return 1;
  }

  /**
   * Hidden files and folders are passed over, and so is a folder that was searched before.
   * `above` holds the real paths of the folders on the way here, the first one first.
   */
  async #addBelow(folder: string, realPath: string, above: readonly string[]): Promise<number> {
    if (above.includes(realPath)) {
      this.problems.reportLoop(folder);
      return 0;
    }
    if (this.#searched.has(realPath)) return 0;
    this.#searched.add(realPath);
    const root = above[0] ?? realPath;
    let added = 0;
    for (const { name, kind: itself } of await this.#folders.entriesIn(folder, realPath)) {
      if (name.startsWith('.') || (itself === 'file' && !isYaml(name))) continue;
      const path = `${folder.replace(/\/+$/, '')}/${name}`;
      await this.problems.guarded(path, async () => {
        const kind = itself === 'link' ? await this.#files.kindOf(path) : itself;
        if (kind !== 'folder' && !isYaml(name)) return;
        const inside = itself === 'folder' ? posix.join(realPath, name) : await this.#files.realPath(path);
        if (kind === 'folder' && isBelow(inside, root))
          added += await this.#addBelow(path, inside, [...above, realPath]);
        else added += await this.#addInside(path, kind, root);
      });
    }
    return added;
  }

  async #addNamed(path: string): Promise<void> {
    const realPath = await this.#files.realPath(path);
    if (realPath === this.#settings) {
      const detail = 'Name the manifests, or list them under `manifests` in it.';
      this.problems.report(path, 'forbidden-file', 'this is the file of settings, not a manifest', detail);
    } else this.#add(path, realPath);
  }

  #add(filename: string, realPath: string): void {
    if (!this.found.has(realPath)) this.found.set(realPath, filename.replace(/^(\.\/+)+(?=.)/, ''));
  }

  #exception(): string {
    return this.#metSettings ? ', but for the file of settings' : '';
  }

  async #refusesLink(path: string): Promise<boolean> {
    const isOutside = await leadsOutside(path, this.#files);
    if (isOutside) this.problems.reportOutside(path);
    return isOutside;
  }

  #refusesSystemFolder(path: string, realPath: string): boolean {
    const folder = systemFolderOf(realPath);
    if (folder === undefined) return false;
    const detail = 'The system shows itself there. Name a folder of manifests.';
    this.problems.report(path, 'forbidden-file', `nothing in ${folder} is a manifest`, detail);
    return true;
  }
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}
