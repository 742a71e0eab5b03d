import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner can read: beside its place first, then moved there, so that no reader meets half of it.
 * What stands there is replaced when it is a file; a link or anything else is refused.
 */
export async function writePrivateFile(filename: string, text: string): Promise<void> {
  const found = await lstat(filename).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs rejects with
    throw error;
  });
  if (found && !found.isFile())
    throw new Error(`${found.isSymbolicLink() ? 'a link' : 'something that is no file'} stands there`);
  const folder = dirname(filename);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`there is no folder ${folder}`);
  const temporary = `${filename}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
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
