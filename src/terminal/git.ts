import {
  execFile,
  spawn,
  type ChildProcessWithoutNullStreams,
  type ExecFileException,
} from 'node:child_process';
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

/** How git is run: it starts no other program, and gets no secret of rollcall's. */
function commandOf(args: readonly string[], { folder, env }: GitSetting) {
  const own = passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const options = { cwd: folder, env: { ...Object.fromEntries(own), ...always } };
  return ['git', ['--no-pager', ...settings, ...args], options] as const;
}

/** A git that runs, and is told more. */
export function startGit(args: readonly string[], setting: GitSetting): ChildProcessWithoutNullStreams {
  const git = spawn(...commandOf(args, setting));
  git.stdin.on('error', () => {}); // it may end before it has read everything
  return git;
}

/** The list of all files in a repository of a million is shorter. */
const mostBytes = 128 * 1024 * 1024;

/** Asks git one question. Rejects with a UsageError where git does not end by itself, or does not stop answering. */
export function askGit(args: readonly string[], setting: GitSetting): Promise<GitAnswer> {
  const { patienceMs } = setting;
  const limits = { maxBuffer: mostBytes, timeout: patienceMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    const [file, whole, options] = commandOf(args, setting);
    try {
      const git = execFile(file, whole, { ...options, ...limits }, (error, stdout, stderr) => {
        const code = error ? error.code : 0;
        const complaint = inOneLine(stderr);
        if (typeof code === 'number') resolve({ code, stdout, complaint });
        else reject(error && code ? noAnswer(error) : gitEnded(complaint, patienceMs));
      });
      git.stdin?.on('error', () => {}).end();
    } catch (error) {
      // Node.js was started without the permission to run programs.
      reject(
        notRun(reasonOf(error), 'Start Node.js with --allow-child-process, or leave --since out.', error),
      );
    }
  });
}

function noAnswer(error: ExecFileException): UsageError {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new UsageError(
      `git answers with more than ${mostBytes / 1024 / 1024} MB`,
      'The repository holds more files than --since can take. Leave it out.',
    );
  const why = error.code === 'ENOENT' ? 'it is not on the PATH' : reasonOf(error);
  return notRun(why, 'Install it, or use an image that has it.', error);
}

function notRun(why: string, whatToDo: string, cause: unknown): UsageError {
  const hint = `--since asks git what has changed. ${whatToDo}`;
  return new UsageError(`the command git cannot be run: ${why}`, hint, { cause });
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
  return () => inOneLine(text);
}

function inOneLine(text: string): string {
  return text.slice(0, longestComplaint).replace(/\s+/g, ' ').trim();
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
