import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { glob } from 'tinyglobby';
import type { Files } from '../files.ts';

/** The file system of this machine. */
export const nodeFiles: Files = {
  async kindOf(path) {
    try {
      const found = await stat(path);
      return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
    } catch (error) {
      if (isMissing(error)) return 'absent';
      throw error;
    }
  },
  realPath: (path) => realpath(path),
  read: (path) => readFile(path),
  namesIn: (folder) => readdir(folder),
  glob: (pattern) => glob(pattern, { expandDirectories: false }),
  async readStandardInput() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // no encoding is set
    return Buffer.concat(chunks);
  },
};

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException; // what fs rejects with
  return code === 'ENOENT' || code === 'ENOTDIR';
}
