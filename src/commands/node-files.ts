import { open, readdir, realpath, stat } from 'node:fs/promises';
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
  async read(path, maxBytes) {
    const file = await open(path);
    try {
      return await upTo(maxBytes, file.createReadStream({ end: maxBytes - 1, autoClose: false }));
    } finally {
      await file.close();
    }
  },
  namesIn: (folder) => readdir(folder),
  glob: async (pattern) => {
    const { glob } = await import('tinyglobby');
    return glob(pattern, { expandDirectories: false, onlyFiles: false, absolute: pattern.startsWith('/') });
  },
  readStandardInput: (maxBytes) => upTo(maxBytes, process.stdin),
};

async function upTo(maxBytes: number, stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer; // no encoding is set
    chunks.push(bytes);
    size += bytes.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks);
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException; // what fs rejects with
  return code === 'ENOENT' || code === 'ENOTDIR';
}
