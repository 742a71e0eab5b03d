import { posix } from 'node:path';
import { shownStandardInput, standardInput, type Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';
import { nonEmpty, type Environment } from './environment.ts';

/** What pipelines call the folder that they check the repository out to: GitHub and Gitea, GitLab, Azure, Bitbucket. */
const checkouts = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR', 'BUILD_SOURCESDIRECTORY', 'BITBUCKET_CLONE_DIR'];

/** Gives a path, which is relative to the working directory or absolute, as the repository has it. */
export type PathInRepository = (path: string) => string;

/**
 * Paths from the root of the repository that a pipeline has checked out, with the working directory somewhere in it. A path that
 * leads out of the repository stays as it is, and so do all where there is no such pipeline.
 */
export async function pathsInRepository(
  env: Environment,
  files: Pick<Files, 'realPath'>,
): Promise<PathInRepository> {
  // A variable may be left over from elsewhere.
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
