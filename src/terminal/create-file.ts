import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foundAt } from './replace-file.ts';

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

/**
 * Writes files that only their owner can read, and their folders: all of them, or none. Gives the names that something has already;
 * then none is written. Each comes to be as a whole, and in place of nothing.
 */
export async function createPrivateFiles(texts: ReadonlyMap<string, string>): Promise<string[]> {
  const taken: string[] = [];
  for (const filename of texts.keys()) if (await foundAt(filename)) taken.push(filename);
  if (taken.length > 0) return taken;
  const created: string[] = [];
  try {
    for (const [filename, text] of texts) {
      if (await createWhole(filename, text)) created.push(filename);
      else taken.push(filename); // by somebody else, meanwhile
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

/** Under another name first: the name is given to a whole file, and only where nothing has it. */
async function createWhole(filename: string, text: string): Promise<boolean> {
  const folder = dirname(filename);
  await makeFolder(folder);
  const temporary = join(folder, `.rollcall-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, filename);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // what fs rejects with
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
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
