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

/** A git that runs. It gets none of rollcall's own variables, and asks nobody for a password. */
export function startGit(
  args: readonly string[],
  { folder, env }: GitSetting,
): ChildProcessWithoutNullStreams {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('ROLLCALL_'));
  const git = spawn('git', args, {
    cwd: folder,
    env: { ...Object.fromEntries(others), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  });
  git.stdin.on('error', () => {}); // it may end before it has read everything
  return git;
}

/** Asks git one question. Rejects with a UsageError where git does not end by itself. */
export function askGit(args: readonly string[], setting: GitSetting): Promise<GitAnswer> {
  const { patienceMs } = setting;
  return new Promise((resolve, reject) => {
    const git = startGit(args, setting);
    git.stdin.end();
    const stdout: Buffer[] = [];
    git.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
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
      if (code === null) reject(gitEnded(complaint(), patienceMs));
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
