import type { Problem } from './diagnostic.ts';
import { standardInput, type Files } from './files.ts';

/** Virtual file systems, some of whose files contain secrets, such as a process's environment variables. */
const systemFolders = ['/proc', '/sys', '/dev'] as const;

export function systemFolderOf(realPath: string): string | undefined {
  return systemFolders.find((folder) => isBelow(realPath, folder));
}

export function isBelow(realPath: string, folder: string): boolean {
  return `${realPath}/`.startsWith(`${folder.replace(/\/+$/, '')}/`);
}

/** Resolves a path that a file contains, relative to the folder of this file. In a file, the path `-` is an ordinary file name. */
export function resolveFromFile(filename: string, path: string): string {
  if (path.startsWith('/')) return path;
  const whole = filename.replace(/[^/]*$/, '') + path;
  return whole === standardInput ? `./${whole}` : whole;
}

const magic = /[*?[\]{}!()]/;

/** The folder that contains all possible matches of a glob, with a trailing slash unless empty. Undefined if the path is not a glob. */
export function globFolder(path: string): string | undefined {
  const at = path.search(magic);
  return at === -1 ? undefined : path.slice(0, path.lastIndexOf('/', at) + 1);
}

export const linkLeadsOutside: Problem = {
  code: 'link-outside',
  summary: 'this link leads out of the folder',
  detail: 'Name the target of the link on the command line.',
};

/**
 * Whether a path is, or passes through, a symlink whose target is neither in the symlink's own folder nor in the working
 * directory. A pull request could add such a symlink to make a pipeline read any file of its machine and quote it in a message. A
 * pull request cannot add folders above the project, so only the last part of an absolute path, and its parts in the working
 * directory, are checked.
 */
export async function isLinkOutside(path: string, files: Files): Promise<boolean> {
  const realPath = await files.realPath(path);
  // Another check refuses to read system folders, with a better message.
  if (systemFolderOf(realPath) !== undefined) return false;
  const project = await files.realPath('.');
  if (isBelow(realPath, project)) return false;
  let folder = path.startsWith('/') ? '/' : '.';
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  for (const [index, step] of steps.entries()) {
    const parent = await files.realPath(folder);
    // `posix.join` would resolve `link/..` to the folder that contains the link.
    folder = `${folder.replace(/\/$/, '')}/${step}`;
    const isPlanted = !path.startsWith('/') || index === steps.length - 1 || isBelow(parent, project);
    if (step === '..' || !isPlanted) continue;
    const inside = await files.realPath(folder);
    if (!isBelow(inside, parent) && !isBelow(inside, project)) return true;
  }
  return false;
}
