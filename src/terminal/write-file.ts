import { randomBytes } from 'node:crypto';
import { constants, fstatSync, write, type Stats } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Writes a new file, and creates missing folders. Returns false if the name is taken. A failure leaves no part of the file. */
export async function createFile(filename: string, text: string): Promise<boolean> {
  await makeFolder(dirname(filename));
  const file = await open(filename, 'wx').catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await writeAndClose(file, text);
  } catch (error) {
    await rm(filename, { force: true });
    throw error;
  }
  return true;
}

/**
 * Writes either all of the new files or none, and creates missing folders. Only the owner can read the files. Returns the names
 * that are taken; if there are any, no file is written. Each file appears atomically and replaces nothing.
 */
export async function createPrivateFiles(texts: ReadonlyMap<string, string>): Promise<string[]> {
  const taken: string[] = [];
  for (const filename of texts.keys()) if (await entryTypeAt(filename)) taken.push(filename);
  if (taken.length > 0) return taken;
  const created: string[] = [];
  try {
    for (const [filename, text] of texts) {
      await makeFolder(dirname(filename));
      try {
        // Unlike a rename, a link replaces nothing.
        await writeWhole(filename, text, 0o600, link);
        created.push(filename);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        taken.push(filename); // another process has created the file meanwhile
      }
    }
    if (taken.length > 0) await removeAll(created);
    return taken;
  } catch (error) {
    await removeAll(created);
    throw error;
  }
}

async function removeAll(filenames: readonly string[]): Promise<void> {
  for (const filename of filenames) await rm(filename, { force: true });
}

/** Writes a file that only its owner can read. Replaces an existing file, but refuses a link and anything that is not a file. */
export async function writePrivateFile(filename: string, text: string): Promise<void> {
  const found = await entryTypeAt(filename);
  if (found && !found.isFile()) throw new Error(notReplacedError(found));
  await replaceFile(filename, text, 0o600);
}

/** Writes a report to a file (keeping its mode), a pipe, a terminal, /dev/null or a descriptor such as /dev/fd/3. Refuses a link. */
export async function writeReport(filename: string, text: string): Promise<void> {
  const descriptor = descriptorNamed(filename);
  if (descriptor !== undefined) {
    const openFile = fstatSync(descriptor, { bigint: true });
    return openFile.isFile() || openFile.isSocket()
      ? writeToOpen(descriptor, text)
      : writeFile(filename, text, existingFileFlags);
  }
  const found = await entryTypeAt(filename);
  if (found?.isFIFO() || found?.isCharacterDevice()) return writeFile(filename, text, existingFileFlags);
  if (found && !found.isFile()) throw new Error(notReplacedError(found));
  await replaceFile(filename, text, found && found.mode & 0o777);
}

/** Opening with these flags neither creates nor empties the file. */
const existingFileFlags = { flag: constants.O_WRONLY };

/** The number of an open descriptor, from one of its Unix names. `-` is standard output, number 1. */
export function descriptorNamed(filename: string): number | undefined {
  if (filename === '-' || filename === '/dev/stdout') return 1;
  if (filename === '/dev/stderr') return 2;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(filename) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Writes to a descriptor by its number: opening its path again would start at the beginning of the file. */
async function writeToOpen(descriptor: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;)
    written += (await promisify(write)(descriptor, bytes, written)).bytesWritten;
}

/** Replaces a file. Without `mode`, the new file gets the default mode of the process. */
async function replaceFile(filename: string, text: string, mode?: number): Promise<void> {
  const folder = dirname(filename);
  if (!(await isFolder(folder))) throw new Error(`there is no folder ${folder}`);
  await writeWhole(filename, text, mode, rename);
}

/** Writes a temporary file and renames it, so that nobody reads half of a file, and the old file survives a full disk. */
async function writeWhole(
  filename: string,
  text: string,
  mode: number | undefined,
  giveName: (temporary: string, filename: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(filename), `.rollcall-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeAndClose(await open(temporary, 'wx', mode ?? 0o666), text, mode);
    await giveName(temporary, filename);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Writes a new file, waits until it is on the disk, and closes it. */
async function writeAndClose(file: FileHandle, text: string, mode?: number): Promise<void> {
  try {
    // The umask may have removed permissions.
    if (mode !== undefined && ((await file.stat()).mode & 0o777) !== mode) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync().catch((error: unknown) => {
      // From Node.js 26 on, fsync is not allowed under its permission model.
      if (codeOf(error) !== 'ERR_ACCESS_DENIED') throw error;
    });
  } finally {
    await file.close();
  }
}

/** The type of the entry at a path. A link is not followed. */
async function entryTypeAt(filename: string): Promise<Stats | undefined> {
  return lstat(filename).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

function notReplacedError(found: Stats): string {
  if (found.isSymbolicLink()) return 'this is a symbolic link: name its target instead';
  return found.isDirectory() ? 'this name is a folder' : 'this name is not a file';
}

/** Makes a folder and its parents one by one, because recursive `mkdir` never returns below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code; // fs rejects with such errors
}
