import { diagnosticFor, type Diagnostic } from '../diagnostic.ts';
import { standardInput, type FileKind, type Files } from '../files.ts';

export interface FoundManifests {
  /** Each file once, in code-unit order. */
  readonly filenames: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Turns the paths of a command line (files, folders, globs, `-`) into the manifests to read. */
export async function findManifests(paths: readonly string[], files: Files): Promise<FoundManifests> {
  const search = new Search(files);
  for (const path of paths) await search.expand(path);
  return { filenames: [...search.found.values()].toSorted(), diagnostics: search.diagnostics };
}

class Search {
  /** By real path, so that one file under two names is one. */
  readonly found = new Map<string, string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly #searched = new Set<string>();
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  report(path: string, code: Diagnostic['code'], summary: string, detail: string): void {
    this.diagnostics.push(diagnosticFor(path, { code, summary, detail }));
  }

  expand(path: string): Promise<void> {
    return this.#guarded(path, () => this.#expand(path));
  }

  async #expand(path: string): Promise<void> {
    if (path === standardInput) {
      this.found.set(standardInput, standardInput);
      return;
    }
    switch (await this.#files.kindOf(path)) {
      case 'file':
        return this.#add(path);
      case 'folder':
        if ((await this.#addBelow(path, [])) === 0 && this.diagnostics.length === 0) {
          this.#reportNothing(path, 'no *.yaml or *.yml file is in this folder');
        }
        return;
      case 'other':
        this.report(
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
    if (!/[*?[\]{}!()]/.test(pattern)) {
      const detail = 'Check the path; it is taken from the folder in which the command runs.';
      this.report(pattern, 'file-not-found', 'no such file or folder', detail);
      return;
    }
    const matched = await this.#files.glob(pattern);
    const root = pattern.replace(/[^/]*[*?[\]{}!()].*$/s, '') || '.';
    for (const path of matched.toSorted()) {
      await this.#guarded(path, async () => {
        const kind = await this.#files.kindOf(path);
        if (kind !== 'folder') await this.#addInside(path, kind, await this.#files.realPath(root));
      });
    }
    if (matched.length === 0) this.#reportNothing(pattern, 'no file matches this pattern');
  }

  /** Adds a file that was not named itself, if it is one and lies in the folder that was. */
  async #addInside(path: string, kind: FileKind, root: string): Promise<number> {
    if (!`${await this.#files.realPath(path)}/`.startsWith(`${root.replace(/\/+$/, '')}/`)) {
      this.report(
        path,
        'link-outside',
        'this link leads out of the folder',
        'Name what it leads to on the command line.',
      );
      return 0;
    }
    if (kind !== 'file') {
      this.report(path, 'file-unreadable', 'this is neither a file nor a folder', 'Remove it, or rename it.');
      return 0;
    }
    await this.#add(path);
    return 1;
  }

  /**
   * Hidden files and folders are passed over, and so is a folder that was searched before.
   * `above` holds the folders on the way here, the first one first.
   */
  async #addBelow(folder: string, above: readonly string[]): Promise<number> {
    const realPath = await this.#files.realPath(folder);
    if (above.includes(realPath)) {
      this.report(folder, 'link-loop', 'this link leads back to a folder that it is in', 'Remove the link.');
      return 0;
    }
    if (this.#searched.has(realPath)) return 0;
    this.#searched.add(realPath);
    const root = above[0] ?? realPath;
    let added = 0;
    for (const name of (await this.#files.namesIn(folder)).toSorted()) {
      if (name.startsWith('.')) continue;
      const path = `${folder.replace(/\/+$/, '')}/${name}`;
      await this.#guarded(path, async () => {
        const kind = await this.#files.kindOf(path);
        if (kind !== 'folder' && !/\.ya?ml$/.test(name)) return;
        const inside = await this.#files.realPath(path);
        if (kind === 'folder' && `${inside}/`.startsWith(`${root.replace(/\/+$/, '')}/`)) {
          added += await this.#addBelow(path, [...above, realPath]);
        } else {
          added += await this.#addInside(path, kind, root);
        }
      });
    }
    return added;
  }

  /** What cannot be read is reported, and the search goes on. */
  async #guarded(path: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.report(path, 'file-unreadable', 'this cannot be read', why);
    }
  }

  async #add(filename: string): Promise<void> {
    const realPath = await this.#files.realPath(filename);
    if (!this.found.has(realPath)) this.found.set(realPath, filename.replace(/^(\.\/+)+(?=.)/, ''));
  }

  #reportNothing(path: string, summary: string): void {
    this.report(path, 'no-manifests', summary, 'A run without manifests would do nothing, so it is refused.');
  }
}
