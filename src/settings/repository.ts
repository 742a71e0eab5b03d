import { posix } from 'node:path';
import { shownStandardInput, standardInput, type Files } from '../base/files.ts';
import { isBelow } from '../base/path-rules.ts';
import { nonEmpty, type EnvironmentVariables } from './environment.ts';

/** Variables that contain the checkout folder of a pipeline: GitHub and Gitea, GitLab, Azure, Bitbucket. */
const checkoutVariables = [
  'GITHUB_WORKSPACE',
  'CI_PROJECT_DIR',
  'BUILD_SOURCESDIRECTORY',
  'BITBUCKET_CLONE_DIR',
];

/** Converts a relative or absolute path to a path relative to the repository root. */
export type PathInRepository = (path: string) => string;

/** Makes paths relative to the pipeline's checkout that contains the working directory; other paths stay unchanged. */
export async function pathsInRepository(
  env: EnvironmentVariables,
  files: Pick<Files, 'realPath'>,
): Promise<PathInRepository> {
  // A variable may name the folder of another job, which does not exist here.
  const realPathOf = (path: string): Promise<string | undefined> =>
    files.realPath(path).catch(() => undefined);
  const workingDirectory = await realPathOf('.');
  for (const name of checkoutVariables) {
    const folder = nonEmpty(env[name]);
    const root = folder && (await realPathOf(folder));
    if (workingDirectory && root && isBelow(workingDirectory, root))
      return (path) => pathFromRoot(path, workingDirectory, root);
  }
  return (path) => path;
}

function pathFromRoot(path: string, here: string, root: string): string {
  if (path === standardInput || path === shownStandardInput) return path;
  const fullPath = posix.resolve(here, path);
  return isBelow(fullPath, root) ? posix.relative(root, fullPath) : path;
}
