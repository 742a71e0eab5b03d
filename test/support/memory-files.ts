import { posix } from 'node:path';
import type { Files } from '../../src/base/files.ts';

/** A file system in memory. Paths have slashes, and imply their folders. */
export function memoryFiles(
  contents: Readonly<Record<string, string | Uint8Array>>,
  standardInput = '',
): Files {
  const bytesOf = (content: string | Uint8Array): Uint8Array =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const names = Object.keys(contents);
  const inside = (folder: string): string => (folder === '.' ? '' : `${folder.replace(/\/+$/, '')}/`);
  return {
    kindOf: async (named) => {
      const path = posix.normalize(named);
      if (path in contents) return 'file';
      return names.some((name) => name.startsWith(inside(path))) ? 'folder' : 'absent';
    },
    realPath: async (path) => posix.resolve('/memory', path),
    read: async (path) => {
      const content = contents[posix.normalize(path)];
      if (content === undefined)
        throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), {
          code: 'ENOENT',
        });
      return bytesOf(content);
    },
    entriesIn: async (folder) => {
      const below = names.filter((name) => name.startsWith(inside(folder)));
      const entries = new Set(below.map((name) => name.slice(inside(folder).length).split('/', 1)[0] ?? ''));
      return Array.from(entries, (name) => ({
        name,
        kind: inside(folder) + name in contents ? 'file' : 'folder',
      }));
    },
    glob: async (folder, pattern) => {
      const within = inside(folder);
      const below = names.filter((name) => name.startsWith(within)).map((name) => name.slice(within.length));
      return below.filter((name) => new RegExp(`^${pattern.replace('*', '[^/]*')}$`).test(name));
    },
    readStandardInput: async () => bytesOf(standardInput),
  };
}
