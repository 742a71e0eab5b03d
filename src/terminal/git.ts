import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { reasonOf, UsageError } from '../base/errors.ts';
import type { Environment } from '../settings/environment.ts';

/** Where git runs, and with what. */
export interface GitSetting {
  readonly folder: string;
  readonly env: Environment;
  /** How long git may take to answer, in milliseconds. */
  readonly patienceMs: number;
}

interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
  /** What git complains of, in one line; may be empty. */
  readonly complaint: string;
}

/** What git gets of the environment: where it is, and where its user has settings such as `safe.directory`. */
const passed = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'SUDO_UID',
] as const;

/**
 * The settings of a repository can name programs that git runs, and rollcall holds a token that they could read. So git asks no remote
 * for the objects that a partial clone lacks (not every release knows GIT_NO_LAZY_FETCH), and reads the commits as they are.
 */
const always = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none', // of an empty file git says that it is outdated
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

/** An empty `fsmonitor` is none in every release; `false` was the name of a program once. */
const settings = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=',
  'core.hooksPath=/dev/null',
  'core.bigFileThreshold=1m', // what is larger is given piece by piece
].flatMap((setting) => ['-c', setting]);

/** A git that runs, starts no other program, and gets no secret of rollcall's. */
export function startGit(
  args: readonly string[],
  { folder, env }: GitSetting,
): ChildProcessWithoutNullStreams {
  const own = passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const git = spawn('git', ['--no-pager', ...settings, ...args], {
    cwd: folder,
    env: { ...Object.fromEntries(own), ...always },
  });
  git.stdin.on('error', () => {}); // it may end before it has read everything
  return git;
}

/** The list of all files in a repository of a million is shorter. */
const mostBytes = 128 * 1024 * 1024;

/** Asks git one question. Rejects with a UsageError where git does not end by itself, or does not stop answering. */
export function askGit(args: readonly string[], setting: GitSetting): Promise<GitAnswer> {
  const { patienceMs } = setting;
  return new Promise((resolve, reject) => {
    let git;
    try {
      git = startGit(args, setting);
    } catch (error) {
      // Node.js was started without the permission to run programs.
      const hint =
        '--since asks git what has changed. Start Node.js with --allow-child-process, or leave --since out.';
      reject(new UsageError(`the command git cannot be run: ${reasonOf(error)}`, hint, { cause: error }));
      return;
    }
    git.stdin.end();
    const stdout: Buffer[] = [];
    let bytes = 0;
    git.stdout.on('data', (chunk: Buffer) => {
      stdout.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) giveUp(git);
    });
    const complaint = complaintsOf(git);
    const patience = setTimeout(() => giveUp(git), patienceMs);
    git.once('error', (error) => {
      clearTimeout(patience);
      const why = 'code' in error && error.code === 'ENOENT' ? 'it is not on the PATH' : reasonOf(error);
      const hint = '--since asks git what has changed. Install it, or use an image that has it.';
      reject(new UsageError(`the command git cannot be run: ${why}`, hint, { cause: error }));
    });
    git.once('close', (code) => {
      clearTimeout(patience);
      if (bytes > mostBytes) {
        const hint = 'The repository holds more files than --since can take. Leave it out.';
        reject(new UsageError(`git answers with more than ${mostBytes / 1024 / 1024} MB`, hint));
      } else if (code === null) reject(gitEnded(complaint(), patienceMs));
      else resolve({ code, stdout: Buffer.concat(stdout).toString(), complaint: complaint() });
    });
  });
}

/** Ends a git. What it has started itself may live on, and keep its output open. */
export function giveUp(git: ChildProcessWithoutNullStreams): void {
  git.kill('SIGKILL');
  git.stdout.destroy();
  git.stderr.destroy();
}

const longestComplaint = 1000;

/** What a git that runs has complained of so far, in one line. */
export function complaintsOf({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let text = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < longestComplaint) text += chunk;
  });
  return () => text.slice(0, longestComplaint).replace(/\s+/g, ' ').trim();
}

/** What to say of a git that was killed, by somebody else or because it took too long. */
export function gitEnded(complaint: string, patienceMs: number): UsageError {
  return new UsageError(
    `git came to no end within ${patienceMs / 1000} s, or was ended`,
    complaint === '' ? 'Run it again, or leave out --since.' : `git says: ${complaint}`,
  );
}

/** What to say where the repository lacks something that it should have. */
export function gitLacks(what: string): UsageError {
  return new UsageError(
    `git does not have what the revision holds: ${what}`,
    'The clone is damaged, or holds only a part, and nothing is fetched. Clone the repository anew, in full.',
  );
}
