import { posix } from 'node:path';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';

/** Opens the baseline's files under their paths in the working directory, so that a secret file is also secret in the baseline. */
export async function baselineFiles(baselinePath: string, files: Files): Promise<Files> {
  if ((await files.kindOf(baselinePath).catch(() => 'absent')) !== 'folder')
    throw new UsageError(
      `--baseline cannot be ${JSON.stringify(baselinePath)}: there is no such folder`,
      'Create the folder first: git worktree add --detach .before origin/main.',
    );
  const [here, root] = await Promise.all([files.realPath('.'), files.realPath(baselinePath)]);
  if (here === root)
    throw new UsageError(
      '--baseline cannot be the working directory itself',
      'Name a folder with an earlier state of the working directory, as made by: git worktree add --detach .before origin/main.',
    );
  const [currentRoot, baselineRoot] = withoutCommonEnd(here, root);
  const pathInBaseline = (path: string): string => {
    if (!path.startsWith('/')) return path === '.' ? baselinePath : `${baselinePath}/${path}`;
    return movePath(path, currentRoot, baselineRoot);
  };
  return {
    kindOf: (path) => files.kindOf(pathInBaseline(path)),
    realPath: async (path) => movePath(await files.realPath(pathInBaseline(path)), baselineRoot, currentRoot),
    read: (path, maxBytes) => files.read(pathInBaseline(path), maxBytes),
    entriesIn: (folder) => files.entriesIn(pathInBaseline(folder)),
    glob: (folder, pattern, listFolder) => files.glob(pathInBaseline(folder), pattern, listFolder),
    readStandardInput: (maxBytes) => files.readStandardInput(maxBytes),
  };
}

/** Turns `/repo/roll` and `/repo/.before/roll` into `/repo` and `/repo/.before`, for files next to the working directory. */
function withoutCommonEnd(here: string, root: string): readonly [string, string] {
  const name = posix.basename(here);
  if (name !== posix.basename(root)) return [here, root];
  return withoutCommonEnd(posix.dirname(here), posix.dirname(root));
}

function movePath(path: string, from: string, to: string): string {
  return isBelow(path, from) ? posix.join(to, posix.relative(from, path)) : path;
}
