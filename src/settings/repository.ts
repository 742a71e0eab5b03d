import { posix } from 'node:path';
import { shownStandardInput, standardInput, type Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';
import { nonEmpty, type Environment } from './environment.ts';

/** The variables in which pipelines have their checkout folder: GitHub and Gitea, GitLab, Azure, Bitbucket. */
const checkouts = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR', 'BUILD_SOURCESDIRECTORY', 'BITBUCKET_CLONE_DIR'];

/** Converts a relative or absolute path to one from the repository's root. */
export type PathInRepository = (path: string) => string;

/**
 * Converts paths to paths from the root of the repository that a pipeline has checked out, if the working directory is in it. Paths
 * outside the repository stay as they are, and so do all paths if there is no pipeline.
 */
export async function pathsInRepository(
  env: Environment,
  files: Pick<Files, 'realPath'>,
): Promise<PathInRepository> {
  // The variable may be left over from another job.
  const realPathOf = (path: string): Promise<string | undefined> =>
    files.realPath(path).catch(() => undefined);
  const here = await realPathOf('.');
  for (const name of checkouts) {
    const folder = nonEmpty(env[name]);
    const root = folder && (await realPathOf(folder));
    if (here && root && isBelow(here, root)) return (path) => fromRoot(path, here, root);
  }
  return (path) => path;
}

function fromRoot(path: string, here: string, root: string): string {
  if (path === standardInput || path === shownStandardInput) return path;
  const whole = posix.resolve(here, path);
  return isBelow(whole, root) ? posix.relative(root, whole) : path;
}
