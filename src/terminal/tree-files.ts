import { posix } from 'node:path';
import type { Entry, FileKind, Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';

/** What a tree of git holds under a name. */
interface TreeEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'submodule';
  readonly id: string;
}

/** Where a path leads, links followed. The real path of what the tree does not hold is outside of it. */
type Found =
  | { readonly kind: 'file' | 'folder' | 'submodule'; readonly realPath: string; readonly id: string }
  | { readonly kind: 'outside'; readonly realPath: string }
  | { readonly kind: 'absent' };

interface Tree {
  /** The real path of the repository. */
  readonly root: string;
  /** The real path of the working directory. */
  readonly folder: string;
  /** What git calls the tree of the root. */
  readonly id: string;
  /** How many bytes the id of an object has. */
  readonly idBytes: number;
  /** At the most so many bytes of an object. */
  readonly read: (id: string, maxBytes: number) => Promise<Uint8Array>;
  /** The file system as it is now, for what lies outside of the repository. */
  readonly outside: Files;
}

/** Beyond what any folder of manifests comes to. */
const maxTreeBytes = 16 * 1024 * 1024;
const maxLinkBytes = 4096;
/** In place of an id, for a folder that holds nothing. */
const noTree = '';
const mostLinks = 40;

/** The files of a repository as a tree of git holds them, with its own links. What lies outside of it is as it is now. */
export function treeFiles(tree: Tree): Files {
  const reader = new TreeReader(tree);
  return {
    kindOf: (path) => reader.kindOf(path),
    realPath: (path) => reader.realPath(path),
    read: (path, maxBytes) => reader.read(path, maxBytes),
    entriesIn: (folder) => reader.entriesIn(folder),
    glob: (folder, pattern, look) => tree.outside.glob(folder, pattern, look), // it sees only what it is shown
    readStandardInput: () => Promise.reject(new Error('standard input has no past')),
  };
}

class TreeReader {
  readonly #tree: Tree;
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  async kindOf(path: string): Promise<FileKind> {
    const found = await this.#find(path);
    switch (found.kind) {
      case 'outside':
        return this.#tree.outside.kindOf(found.realPath);
      case 'submodule':
        return 'folder';
      case 'file':
      case 'folder':
      case 'absent':
        return found.kind;
    }
  }

  async realPath(path: string): Promise<string> {
    return (await this.#existing(path)).realPath;
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    const found = await this.#existing(path);
    if (found.kind === 'outside') return this.#tree.outside.read(found.realPath, maxBytes);
    if (found.kind !== 'file') throw fault('EISDIR');
    return this.#tree.read(found.id, maxBytes);
  }

  async entriesIn(folder: string): Promise<Entry[]> {
    const found = await this.#existing(folder);
    switch (found.kind) {
      case 'outside':
        return this.#tree.outside.entriesIn(found.realPath);
      case 'submodule':
        throw new Error('it is a submodule, and its files are in another repository');
      case 'file':
        throw fault('ENOTDIR');
      case 'folder':
        return Array.from(await this.#folder(found.id), ([name, { kind }]) => ({
          name,
          kind: kind === 'submodule' ? 'folder' : kind,
        }));
    }
  }

  async #existing(path: string): Promise<Exclude<Found, { readonly kind: 'absent' }>> {
    const found = await this.#find(path);
    if (found.kind === 'absent') throw fault('ENOENT');
    return found;
  }

  /** Goes along a path step by step, as the kernel does. Rejects where links lead in a circle. */
  async #find(path: string): Promise<Found> {
    const { root, folder, id, outside } = this.#tree;
    let at = path.startsWith('/') ? '/' : folder;
    const steps = stepsOf(path);
    let links = 0;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const next = posix.join(at, step);
      if (next === root || !isBelow(next, root)) {
        const kind = await outside.kindOf(next);
        if (kind === 'absent') return { kind };
        const real = await outside.realPath(next);
        // A link from without to a file of the repository: that file, as the tree has it.
        if (isBelow(real, root)) steps.push(...stepsOf(posix.relative(root, real)));
        at = isBelow(real, root) ? root : real;
        continue;
      }
      const entry = step === '..' ? undefined : await this.#entryAt(next);
      if (step !== '..' && entry === undefined) return { kind: 'absent' };
      if (entry?.kind !== 'link') {
        at = next;
        continue;
      }
      links += 1;
      if (links > mostLinks) throw fault('ELOOP');
      const target = new TextDecoder().decode(await this.#tree.read(entry.id, maxLinkBytes));
      if (target.startsWith('/')) at = '/';
      steps.push(...stepsOf(target));
    }
    if (at === root) return { kind: 'folder', realPath: root, id };
    if (!isBelow(at, root)) return { kind: 'outside', realPath: at };
    const entry = await this.#entryAt(at);
    // To be somewhere is no question of what the tree holds there.
    if (entry === undefined && at === folder) return { kind: 'folder', realPath: at, id: noTree };
    return entry === undefined || entry.kind === 'link'
      ? { kind: 'absent' }
      : { kind: entry.kind, realPath: at, id: entry.id };
  }

  /** What stands at a real path below the root. */
  async #entryAt(realPath: string): Promise<TreeEntry | undefined> {
    let entry: TreeEntry | undefined = { kind: 'folder', id: this.#tree.id };
    for (const name of posix.relative(this.#tree.root, realPath).split('/')) {
      if (entry?.kind !== 'folder') return undefined;
      entry = (await this.#folder(entry.id)).get(name);
    }
    return entry;
  }

  #folder(id: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known = this.#folders.get(id) ?? this.#readFolder(id);
    this.#folders.set(id, known);
    return known;
  }

  async #readFolder(id: string): Promise<ReadonlyMap<string, TreeEntry>> {
    if (id === noTree) return new Map();
    const bytes = Buffer.from(await this.#tree.read(id, maxTreeBytes + 1));
    if (bytes.length > maxTreeBytes) throw new Error('this folder is too large');
    return new Map(entriesOf(bytes, this.#tree.idBytes));
  }
}

/** The entries of a tree: for each its mode, a blank, its name, a NUL, and its id. */
function* entriesOf(bytes: Buffer, idBytes: number): Generator<[name: string, entry: TreeEntry]> {
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(' ', at);
    const nul = bytes.indexOf(0, at);
    const end = nul + 1 + idBytes;
    if (blank === -1 || nul < blank || end > bytes.length)
      throw new Error('git lists this folder in another form');
    const name = bytes.toString('utf8', blank + 1, nul);
    // No checkout has others, but a tree that was made by hand may.
    if (!/^\.{0,2}$|\//.test(name)) {
      yield [
        name,
        { kind: kindOf(bytes.toString('latin1', at, blank)), id: bytes.toString('hex', nul + 1, end) },
      ];
    }
    at = end;
  }
}

function kindOf(mode: string): TreeEntry['kind'] {
  if (mode === '40000') return 'folder';
  if (mode === '120000') return 'link';
  return mode === '160000' ? 'submodule' : 'file';
}

/** The steps of a path, the last one first. */
function stepsOf(path: string): string[] {
  return path
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .toReversed();
}

/** What Node would reject with. */
function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}
