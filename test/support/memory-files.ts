import type { Files } from '../../src/files.ts';

/** A file system of texts: paths with slashes, folders as they follow from the paths. */
export function memoryFiles(
  contents: Readonly<Record<string, string | Uint8Array>>,
  standardInput = '',
): Files {
  const bytesOf = (content: string | Uint8Array): Uint8Array =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const names = Object.keys(contents);
  const below = (folder: string): string[] =>
    names.filter((name) => name.startsWith(`${folder.replace(/\/+$/, '')}/`) && /\.ya?ml$/.test(name));
  return {
    kindOf: async (path) => {
      if (path in contents) return 'file';
      return names.some((name) => name.startsWith(`${path.replace(/\/+$/, '')}/`)) ? 'folder' : 'absent';
    },
    read: async (path) => {
      const content = contents[path];
      if (content === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
      return bytesOf(content);
    },
    glob: async (pattern) =>
      names.filter((name) => new RegExp(`^${pattern.replace('*', '[^/]*')}$`).test(name)),
    filesBelow: async (folder) => below(folder),
    readStandardInput: async () => bytesOf(standardInput),
  };
}
