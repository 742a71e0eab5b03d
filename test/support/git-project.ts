import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './canary.ts';

/** The developer's own settings of git may require signatures or name `main` differently. */
const gitEnv = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/** A git repository in its own temporary folder. */
export class GitProject {
  readonly folder: string;

  constructor(folder: string = realpathSync(temporaryFolder())) {
    this.folder = folder;
  }

  /** A new repository, on the branch `main`. */
  static create(...options: readonly string[]): GitProject {
    const project = new GitProject();
    project.git('init', '--quiet', '--initial-branch=main', ...options);
    return project;
  }

  git(...args: readonly string[]): string {
    const env = { ...process.env, ...gitEnv };
    return execFileSync('git', args, { cwd: this.folder, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Writes files. A file with null instead of a text is removed. */
  write(files: Readonly<Record<string, string | null>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      if (text === null) rmSync(this.path(name));
      else writeFileSync(this.path(name), text);
    }
  }

  /** Commits all files, and returns the id of the commit. */
  commit(files: Readonly<Record<string, string | null>> = {}): string {
    this.write(files);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'a commit');
    return this.git('rev-parse', 'HEAD');
  }
}
