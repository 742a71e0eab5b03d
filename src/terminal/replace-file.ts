import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a whole file under another name, then renames it: so nobody reads half of it, and a full disk leaves the old file. With
 * a mode the file has exactly that; without one, that of any new file.
 */
export async function replaceFile(filename: string, text: string, mode?: number): Promise<void> {
  const folder = dirname(filename);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`there is no folder ${folder}`);
  const temporary = join(folder, `.rollcall-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode ?? 0o666);
    try {
      // The umask may have taken permissions away.
      if (mode !== undefined && ((await file.stat()).mode & 0o777) !== mode) await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, filename);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes a whole file that only its owner can read. An existing file is replaced; a link or anything else is refused. */
export async function writePrivateFile(filename: string, text: string): Promise<void> {
  const found = await foundAt(filename);
  if (found && !found.isFile()) throw new Error(notReplaced(found));
  await replaceFile(filename, text, 0o600);
}

/** What has this path; of a link, the link itself. */
export async function foundAt(filename: string): Promise<Stats | undefined> {
  return lstat(filename).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs rejects with
    throw error;
  });
}

/** Why something that is not a file is not replaced. */
export function notReplaced(found: Stats): string {
  if (found.isSymbolicLink()) return 'there is a link: name the file that it leads to';
  return found.isDirectory() ? 'there is a folder' : 'there is something that is not a file';
}
