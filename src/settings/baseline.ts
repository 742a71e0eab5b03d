import { posix } from 'node:path';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';

/**
 * The files of the baseline, under the paths of the working directory, so that a file which is secret now also counts as secret
 * there. Rejects with a UsageError if the baseline is not another folder.
 */
export async function filesOfBaseline(path: string, files: Files): Promise<Files> {
  if ((await files.kindOf(path).catch(() => 'absent')) !== 'folder') {
    throw new UsageError(
      `--baseline cannot be ${JSON.stringify(path)}: there is no such folder`,
      'Create one, and name it: git worktree add --detach .before origin/main.',
    );
  }
  const [here, root] = await Promise.all([files.realPath('.'), files.realPath(path)]);
  if (here === root) {
    throw new UsageError(
      '--baseline cannot be the working directory itself',
      'Name a folder with an earlier state of this one, as made by: git worktree add --detach .before origin/main.',
    );
  }
  const [now, then] = withoutCommonEnd(here, root);
  const at = (asked: string): string => {
    if (!asked.startsWith('/')) return asked === '.' ? path : `${path}/${asked}`;
    return moved(asked, now, then);
  };
  return {
    kindOf: (asked) => files.kindOf(at(asked)),
    realPath: async (asked) => moved(await files.realPath(at(asked)), then, now),
    read: (asked, maxBytes) => files.read(at(asked), maxBytes),
    entriesIn: (folder) => files.entriesIn(at(folder)),
    glob: (folder, pattern, look) => files.glob(at(folder), pattern, look),
    readStandardInput: (maxBytes) => files.readStandardInput(maxBytes),
  };
}

/**
 * Turns `/repo/roll` and `/repo/.before/roll` into `/repo` and `/repo/.before`: files next to the working directory are in the
 * baseline too.
 */
function withoutCommonEnd(here: string, root: string): readonly [string, string] {
  const name = posix.basename(here);
  if (name === '' || name !== posix.basename(root)) return [here, root];
  return withoutCommonEnd(posix.dirname(here), posix.dirname(root));
}

/** A real path with one parent folder replaced by another. */
function moved(path: string, from: string, to: string): string {
  return isBelow(path, from) ? posix.join(to, posix.relative(from, path)) : path;
}
