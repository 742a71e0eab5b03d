import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from './cli.ts';

/** What became of a pipeline. */
export interface Pipeline {
  /** The jobs that ran, and whether each passed. */
  readonly jobs: Readonly<Record<string, boolean>>;
  readonly log: string;
}

interface Checkout {
  /** A repository of git, with .gitlab-ci.yml. */
  readonly repository: string;
  /** The folder of the programs that jobs find before others. */
  readonly bin: string;
}

const packageFile = createRequire(import.meta.url).resolve('gitlab-ci-local/package.json');
const runner = join(packageFile, '../dist/index.js');

/** It is made for Node.js 22, and misses no more than this in 20. */
const union = 'Set.prototype.union ??= function (other) { return new Set([...this, ...other]); };';

/** It copies the checkout by rsync, which need not be here: all but the copies themselves. */
const rsync = `#!/bin/bash
from=\${@: -2:1} to=\${@: -1}
mkdir -p "$to" && tar -C "$from" --exclude=./.gitlab-ci-local -cf - . | tar -C "$to" -xf -
`;

/** Runs the pipeline of a checkout as GitLab's runner would, on this machine and without its image, with variables of GitLab and of the project. */
export async function runPipeline(
  checkout: Checkout,
  variables: Readonly<Record<string, string>>,
): Promise<Pipeline> {
  // GitLab's runner cleans a checkout that it takes again.
  rmSync(join(checkout.repository, '.gitlab-ci-local/builds'), { recursive: true, force: true });
  const flags = ['--force-shell-executor', '--shell-isolation', '--no-artifacts-to-source'];
  const { stdout, stderr } = await asked(checkout, flags, variables);
  const ends = stdout.matchAll(/^ (PASS|FAIL) {2}(\S+(?: \[.*?\])?)/gm);
  const jobs = Object.fromEntries(Array.from(ends, ([, end, name = '']) => [name, end === 'PASS']));
  return { jobs, log: stdout + stderr };
}

/** What is wrong with a file for GitLab, by the schema that GitLab publishes; empty where nothing is. */
export async function gitlabComplaints(checkout: Checkout): Promise<string[]> {
  const { code, stdout, stderr } = await asked(checkout, ['--list-csv-all'], {});
  if (code === 0) return [];
  const said = stdout + stderr;
  const found = Array.from(said.matchAll(/^\t• (.* at .*)$/gm), ([, complaint = '']) => complaint);
  return found.length > 0 ? found : [said];
}

async function asked(
  { repository, bin }: Checkout,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): ReturnType<typeof run> {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'rsync'), rsync);
  chmodSync(join(bin, 'rsync'), 0o755);
  const given = Object.entries(variables).flatMap(([name, value]) => ['--variable', `${name}=${value}`]);
  const flags = ['--home', bin, '--no-color', ...args, ...given];
  return run(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(union)}`, runner, ...flags],
    {
      cwd: repository,
      env: {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        GCL_IGNORE_PREDEFINED_VARS: Object.keys(variables).join(','),
      },
    },
  );
}
