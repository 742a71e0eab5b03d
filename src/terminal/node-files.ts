import type { Dirent } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { callbackify } from 'node:util';
import type { FileSystemAdapter } from 'tinyglobby';
import type { FolderEntry, Files } from '../base/files.ts';

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
      return await readAtMost(maxBytes, piecesOf(file));
    } finally {
      await file.close();
    }
  },
  async entriesIn(folder) {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },
  glob: async (folder, pattern, look) => {
    const { glob } = await import('tinyglobby');
    const cwd = resolve(folder);
    const fs = { readdir: readdirOf((path) => look(relative(cwd, path))) };
    return glob(pattern, { cwd, expandDirectories: false, followSymbolicLinks: false, fs });
  },
  readStandardInput: (maxBytes) => readAtMost(maxBytes, process.stdin),
};

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** A readdir for tinyglobby that returns the entries of `look`. */
function readdirOf(
  look: (folder: string) => Promise<readonly FolderEntry[]>,
): FileSystemAdapter['readdir'] & {} {
  const readEntries = callbackify(async (path: string, _options: unknown) =>
    (await look(path)).map(({ name, kind }) => ({
      name,
      isFile: () => kind === 'file',
      isDirectory: () => kind === 'folder',
      isSymbolicLink: () => kind === 'link',
    })),
  );
  // tinyglobby's type has all overloads of Node's `readdir`, but tinyglobby calls only this overload.
  return readEntries as unknown as FileSystemAdapter['readdir'] & {};
}

/** Reads a file in pieces. A stream is not used because Node's streams take long to load. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let size = 65_536; ; size = 1_048_576) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readAtMost(maxBytes: number, pieces: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of pieces) {
    const bytes = chunk as Buffer; // a stream without an encoding returns buffers
    chunks.push(bytes);
    size += bytes.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks, Math.min(size, maxBytes));
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException; // fs rejects with such errors
  return code === 'ENOENT' || code === 'ENOTDIR';
}
