import { posix } from 'node:path';
import type { Problem } from './diagnostic.ts';
import type { Files } from './files.ts';
import { isBelow, systemFolderOf } from './system-folder.ts';

/** What is said of a link that is not followed. */
export const linkOutside: Problem = {
  code: 'link-outside',
  summary: 'this link leads out of the folder',
  detail: 'Name what it leads to on the command line.',
};

/**
 * Whether a file that is named is a link to what lies neither below the folder of the link nor below the working directory.
 * A pull request can plant such a link, to have any file of the machine that runs the pipeline read, and quoted in a message.
 */
export async function leadsOutside(filename: string, files: Files): Promise<boolean> {
  const realPath = await files.realPath(filename);
  // Whoever reads it refuses that, and says why.
  if (systemFolderOf(realPath) !== undefined) return false;
  if (isBelow(realPath, await files.realPath(posix.dirname(filename)))) return false;
  return !isBelow(realPath, await files.realPath('.'));
}
