import type { Problem } from './diagnostic.ts';
import { standardInput, type Files } from './files.ts';

/** Folders of files that the system makes up itself. Some of them hold secrets, such as the environment of a process. */
const systemFolders = ['/proc', '/sys', '/dev'] as const;

/** The folder of the system that a real path lies in. */
export function systemFolderOf(realPath: string): string | undefined {
  return systemFolders.find((folder) => isBelow(realPath, folder));
}

/** Whether a real path is that of a folder, or lies below it. */
export function isBelow(realPath: string, folder: string): boolean {
  return `${realPath}/`.startsWith(`${folder.replace(/\/+$/, '')}/`);
}

/** A path that a file names, from the folder of that file, as the working directory sees it; `-` is no more than a name there. */
export function beside(filename: string, path: string): string {
  if (path.startsWith('/')) return path;
  const whole = filename.replace(/[^/]*$/, '') + path;
  return whole === standardInput ? `./${whole}` : whole;
}

const magic = /[*?[\]{}!()]/;

/** The folder that all files lie in which a glob can match, with a slash at its end or empty; none where the path is no glob. */
export function globFolder(path: string): string | undefined {
  const at = path.search(magic);
  return at === -1 ? undefined : path.slice(0, path.lastIndexOf('/', at) + 1);
}

/** What is said of a link that is not followed. */
export const linkOutside: Problem = {
  code: 'link-outside',
  summary: 'this link leads out of the folder',
  detail: 'Name what it leads to on the command line.',
};

/**
 * Whether a file or folder that is named is a link, or lies behind one, to what lies neither below the folder of the link nor below
 * the working directory. A pull request can plant such a link, to have any file of the machine that runs the pipeline read, and
 * quoted in a message. It cannot plant the folders above the project: of an absolute path, only its end and what lies in the
 * working directory is looked at.
 */
export async function leadsOutside(path: string, files: Files): Promise<boolean> {
  const realPath = await files.realPath(path);
  // Reading it is refused elsewhere, with a better message.
  if (systemFolderOf(realPath) !== undefined) return false;
  const project = await files.realPath('.');
  if (isBelow(realPath, project)) return false;
  let folder = path.startsWith('/') ? '/' : '.';
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  for (const [index, step] of steps.entries()) {
    const parent = await files.realPath(folder);
    // Not joined by `posix.join`, which takes `link/..` for the folder of the link.
    folder = `${folder.replace(/\/$/, '')}/${step}`;
    const isPlanted = !path.startsWith('/') || index === steps.length - 1 || isBelow(parent, project);
    if (step === '..' || !isPlanted) continue;
    const inside = await files.realPath(folder);
    if (!isBelow(inside, parent) && !isBelow(inside, project)) return true;
  }
  return false;
}
