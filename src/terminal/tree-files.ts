import { posix } from 'node:path';
import type { Entry, Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';

/** What a commit holds at a path. */
type TreeEntry =
  | { readonly kind: 'file'; readonly id: string }
  | { readonly kind: 'link'; readonly id: string }
  | { readonly kind: 'folder'; readonly entries: Entry[] }
  | { readonly kind: 'submodule' };

/** Where a path leads, links followed. The real path of what the commit does not hold is outside of it. */
type Found = (Exclude<TreeEntry, { readonly kind: 'link' }> | { readonly kind: 'outside' }) & {
  readonly realPath: string;
};

interface Tree {
  /** The real path of the repository. */
  readonly root: string;
  /** The real path of the working directory. */
  readonly folder: string;
  /** What `git ls-tree -rtz` lists. */
  readonly listing: string;
  /** At the most so many bytes of an object. */
  readonly read: (id: string, maxBytes: number) => Promise<Uint8Array>;
  /** The file system as it is now, for what lies outside of the repository. */
  readonly outside: Files;
}

const maxLinkBytes = 4096;
const mostLinks = 40;

/** The files of a repository as a commit holds them, with its own links. What lies outside of it is as it is now. */
export function treeFiles({ root, folder, listing, read, outside }: Tree): Files {
  const tree = treeIn(listing);
  const at = (realPath: string): TreeEntry | undefined => tree.get(posix.relative(root, realPath));

  /** Goes along a path step by step, as the kernel does; none where nothing is there. Rejects where links lead in a circle. */
  async function find(path: string): Promise<Found | undefined> {
    let realPath = path.startsWith('/') ? '/' : folder;
    const steps = stepsOf(path);
    let links = 0;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const next = posix.join(realPath, step);
      if (next === root || !isBelow(next, root)) {
        if ((await outside.kindOf(next)) === 'absent') return undefined;
        realPath = await outside.realPath(next);
        if (!isBelow(realPath, root)) continue;
        // A link from without to a file of the repository: that file, as the tree has it.
        steps.push(...stepsOf(posix.relative(root, realPath)));
        realPath = root;
        continue;
      }
      const entry = at(next);
      if (step !== '..' && entry === undefined) return undefined;
      if (entry?.kind !== 'link') {
        realPath = next;
        continue;
      }
      links += 1;
      if (links > mostLinks) throw fault('ELOOP');
      const target = new TextDecoder().decode(await read(entry.id, maxLinkBytes));
      if (target.startsWith('/')) realPath = '/';
      steps.push(...stepsOf(target));
    }
    if (!isBelow(realPath, root)) return { kind: 'outside', realPath };
    // To be somewhere is no question of what the tree holds there.
    const entry = at(realPath) ?? (isBelow(folder, realPath) ? { kind: 'folder', entries: [] } : undefined);
    return entry === undefined || entry.kind === 'link' ? undefined : { ...entry, realPath };
  }

  async function existing(path: string): Promise<Found> {
    const found = await find(path);
    if (found === undefined) throw fault('ENOENT');
    return found;
  }

  return {
    async kindOf(path) {
      const found = await find(path);
      if (found?.kind === 'outside') return outside.kindOf(found.realPath);
      return found?.kind === 'submodule' ? 'folder' : (found?.kind ?? 'absent');
    },
    realPath: async (path) => (await existing(path)).realPath,
    async read(path, maxBytes) {
      const found = await existing(path);
      if (found.kind === 'outside') return outside.read(found.realPath, maxBytes);
      if (found.kind !== 'file') throw fault('EISDIR');
      return read(found.id, maxBytes);
    },
    async entriesIn(path) {
      const found = await existing(path);
      switch (found.kind) {
        case 'outside':
          return outside.entriesIn(found.realPath);
        case 'submodule':
          throw new Error('it is a submodule, and its files are in another repository');
        case 'file':
          throw fault('ENOTDIR');
        case 'folder':
          return found.entries;
      }
    },
    glob: (path, pattern, look) => outside.glob(path, pattern, look), // it sees only what it is shown
    readStandardInput: () => Promise.reject(new Error('standard input has no past')),
  };
}

/** What a commit holds, by the paths from its root, which are listed after the folders that they are in. */
function treeIn(listing: string): ReadonlyMap<string, TreeEntry> {
  const tree = new Map<string, TreeEntry>([['', { kind: 'folder', entries: [] }]]);
  for (const line of listing.split('\0')) {
    const [mode = '', , id = ''] = line.slice(0, line.indexOf('\t')).split(' ');
    const path = line.slice(line.indexOf('\t') + 1);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const folder = tree.get(path.slice(0, -name.length - 1));
    // No checkout has others, but a tree that was made by hand may.
    if (folder?.kind !== 'folder' || /^\.{0,2}$/.test(name)) continue;
    const entry = entryOf(mode, id);
    tree.set(path, entry);
    folder.entries.push({ name, kind: entry.kind === 'submodule' ? 'folder' : entry.kind });
  }
  return tree;
}

function entryOf(mode: string, id: string): TreeEntry {
  if (mode === '040000') return { kind: 'folder', entries: [] };
  if (mode === '160000') return { kind: 'submodule' };
  return mode === '120000' ? { kind: 'link', id } : { kind: 'file', id };
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
