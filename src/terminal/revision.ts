import { posix } from 'node:path';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Revision } from '../run/world.ts';
import type { Environment } from '../settings/environment.ts';
import { askGit, gitLacks, type GitSetting } from './git.ts';
import { GitObjects } from './git-objects.ts';
import { treeFiles } from './tree-files.ts';

export interface Checkout {
  /** The working directory, in a checkout of git. */
  readonly folder: string;
  readonly env: Environment;
  /** The file system as it is now. */
  readonly files: Files;
  /** How long git may take to answer, in milliseconds; a minute by default. */
  readonly patienceMs?: number;
}

const wholeHistory =
  'The whole history is there with fetch-depth: 0 (actions/checkout), GIT_DEPTH: 0 (GitLab), or git fetch --unshallow.';

/**
 * The commit at which what is checked out left a revision of git, and the files as they stood there. Rejects with a UsageError where
 * git does not know it.
 */
export async function openRevision(
  ref: string,
  { folder, env, files, patienceMs = 60_000 }: Checkout,
): Promise<Revision> {
  const here = await files.realPath(folder);
  const root = await rootAbove(here, files);
  const setting = { folder: root, env, patienceMs };
  await refuseOtherRoot(setting);
  const commit = await branchingPoint(ref, setting);
  const { code, stdout, complaint } = await askGit(['ls-tree', '-rtz', commit], setting);
  if (code !== 0) throw gitLacks(complaint);
  const objects = new GitObjects(setting);
  return {
    commit,
    files: treeFiles({
      root,
      folder: here,
      listing: stdout,
      read: (id, maxBytes) => objects.read(id, maxBytes),
      outside: files,
    }),
    close: () => objects.close(),
  };
}

/**
 * The nearest folder with a `.git`. No commit can hold that name, but it can hold a folder that git itself would take for a bare
 * repository, with settings and all.
 */
async function rootAbove(folder: string, files: Pick<Files, 'kindOf'>): Promise<string> {
  const kind = await files.kindOf(posix.join(folder, '.git')).catch(() => 'absent');
  if (kind !== 'absent') return folder;
  if (folder !== '/') return rootAbove(posix.dirname(folder), files);
  throw notHere('no folder from here upwards holds a .git');
}

/** A git that does not know `safe.bareRepository` takes the root itself for the repository where the `.git` in it is none. */
async function refuseOtherRoot(setting: GitSetting): Promise<void> {
  const root = setting.folder;
  const asked = await askGit(['rev-parse', '--show-toplevel', '--absolute-git-dir'], setting);
  if (asked.code !== 0) throw notHere(`git says: ${asked.complaint}`);
  if (!asked.stdout.startsWith(`${root}\n`) || asked.stdout === `${root}\n${root}\n`)
    throw notHere(`git does not take the .git in ${root} for its repository`);
}

function notHere(why: string): UsageError {
  return new UsageError(
    'git cannot tell what has changed here',
    `${why}. --since works in a checkout of git.`,
  );
}

async function branchingPoint(ref: string, setting: GitSetting): Promise<string> {
  const tip = await commitOf(ref, setting);
  const { code, stdout, complaint } = await askGit(['merge-base', tip, 'HEAD'], setting);
  if (code === 0) return lineIn(stdout);
  const shallow = await askGit(['rev-parse', '--is-shallow-repository'], setting);
  if (lineIn(shallow.stdout) === 'true') {
    throw new UsageError(
      `the commit at which this branch left ${ref} is not here: the clone is shallow`,
      wholeHistory,
    );
  }
  throw new UsageError(
    `${ref} and what is checked out have no commit in common`,
    complaint === '' ? 'Name a revision from which this branch comes.' : `git says: ${complaint}`,
  );
}

async function commitOf(ref: string, setting: GitSetting): Promise<string> {
  // What begins with a dash would be an option to git; it forbids such names itself.
  const isName = !ref.startsWith('-');
  const asked = isName && (await askGit(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], setting));
  if (asked && asked.code === 0) return lineIn(asked.stdout);
  throw new UsageError(
    `--since cannot be ${JSON.stringify(ref)}: git has no such commit here`,
    `Name a branch, a tag or a commit, such as origin/main. A pipeline may have fetched too little. ${wholeHistory}`,
  );
}

function lineIn(output: string): string {
  return output.replace(/\n$/, '');
}
