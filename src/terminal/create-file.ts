import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a whole file and its folders, unless something has this name: then false. If it fails, no part of the file is left. */
export async function createFile(filename: string, text: string): Promise<boolean> {
  await makeFolder(dirname(filename));
  const file = await open(filename, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined; // what fs rejects with
    throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(filename, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return true;
}

/** One folder at a time: `mkdir` with `recursive` never ends below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // what fs rejects with
  });
}
