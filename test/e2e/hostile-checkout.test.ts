import { chmodSync, cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { rollcall, type Ended } from '../support/cli.ts';
import { gitEnv, GitProject, standIn } from '../support/git-project.ts';
import { endedHere } from '../support/here.ts';
import { inFull } from '../support/effort.ts';

let service: SandboxServer;
beforeAll(async () => {
  const { sandbox } = seedSandbox({ applications: [{ slug: 'wiki', name: 'Wiki' }] });
  service = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
});
afterAll(() => service.close());

/** A program that leaves a mark where it was run, and what runs it in a shell. */
let mark: string;
let script: string;
let runsIt: string;
beforeEach(() => {
  const folder = temporaryFolder();
  mark = join(folder, 'mark');
  script = `#!/bin/sh\necho "$0 $*" >> '${mark}'\n`;
  writeFileSync(join(folder, 'x.sh'), script, { mode: 0o755 });
  runsIt = `sh '${join(folder, 'x.sh')}'`;
});

function whatRan(): string {
  return existsSync(mark) ? readFileSync(mark, 'utf8') : '';
}

function users(...names: readonly string[]): string {
  return `version: 1\nusers:\n${names.map((name) => `  - { username: ${name}, name: N }\n`).join('')}`;
}

const roll = { 'rollcall.yaml': 'version: 1\nmanifests: [m]\n', 'm/users.yaml': users('ann', 'bob') };

/** A roll that has changed since its first commit, on a branch. */
function changed(project = GitProject.create()): GitProject {
  project.commit(roll);
  project.git('checkout', '--quiet', '-b', 'branch');
  project.commit({ 'm/users.yaml': users('ann', 'zoe') });
  return project;
}

/** A clone of it that has no file of before, and would ask `url` for them. */
function partialClone(url?: string): GitProject {
  const origin = changed();
  origin.git('config', 'uploadpack.allowFilter', 'true');
  const clone = new GitProject();
  const from = pathToFileURL(origin.folder).href;
  clone.git('clone', '--quiet', '--filter=blob:none', '--branch=branch', from, '.');
  if (url !== undefined) clone.git('config', 'remote.origin.url', url);
  return clone;
}

interface Where {
  readonly folder?: string;
  readonly ref?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function planned(
  project: GitProject,
  { folder = '.', ref = 'origin/main', env = {} }: Where,
  ...args: readonly string[]
): Promise<Ended> {
  return endedHere(['plan', '--since', ref, '--url', service.url, ...args], {
    cwd: project.path(folder),
    env: { ...gitEnv, ROLLCALL_TOKEN: 'sandbox-token', ...env },
  });
}

const sinceMain = /In this change, since \S+ \(\w{7}\): 1 added, 1 no longer declared\./;

describe('a folder of the checkout that looks like a bare repository', () => {
  /** A clone of a branch on which somebody has committed one, as `roll/`, whose settings name a program that is committed too. */
  function planted(): GitProject {
    const donor = partialClone();
    const settings = { 'remote.origin.uploadpack': 'sh x.sh', 'core.worktree': '.', 'core.bare': 'false' };
    for (const [name, value] of Object.entries(settings)) donor.git('config', name, value);
    const project = GitProject.create();
    project.commit(Object.fromEntries(Object.entries(roll).map(([name, text]) => [`roll/${name}`, text])));
    project.git('checkout', '--quiet', '-b', 'branch');
    for (const name of ['HEAD', 'config', 'objects', 'refs', 'packed-refs'])
      cpSync(donor.path('.git', name), project.path('roll', name), { recursive: true });
    project.commit({
      'roll/refs/heads/kept': `${donor.git('rev-parse', 'HEAD')}\n`,
      'roll/objects/info/alternates': `${donor.path('.git/objects')}\n`,
      'roll/x.sh': script,
      'roll/m/users.yaml': users('ann', 'zoe'),
    });
    const clone = new GitProject();
    clone.git('clone', '--quiet', '--branch=branch', project.folder, '.');
    return clone;
  }

  test.runIf(inFull)(
    'is a folder like others: nothing of it runs, and the plan is that of the repository around it',
    async () => {
      const clone = planted();
      for (const [folder, args] of [
        ['roll', []],
        ['roll', ['--changed-only']],
        ['roll/m', ['.']],
        ['roll/refs/heads', ['../../m', '--config', '../../rollcall.yaml']],
        ['.', ['roll/m']],
      ] as const) {
        const { code, stdout, stderr } = await planned(clone, { folder }, ...args);
        expect({ folder, code, stderr, ran: whatRan() }).toEqual({ folder, code: 0, stderr: '', ran: '' });
        expect(stdout).toMatch(sinceMain);
      }
    },
  );

  test.runIf(inFull)('is one to the executable as well, whatever its variables say to git', async () => {
    const cwd = planted().path('roll');
    const env = { ...gitEnv, ROLLCALL_TOKEN: 'sandbox-token', GIT_DIR: cwd, GIT_WORK_TREE: cwd };
    const { code, stdout } = await rollcall(['plan', '--since', 'origin/main', '--url', service.url], {
      cwd,
      env,
    });
    expect({ code, ran: whatRan() }).toEqual({ code: 0, ran: '' });
    expect(stdout).toMatch(sinceMain);
  });
});

describe('a clone that lacks the files of before does not fetch them', () => {
  test.runIf(inFull).each([
    ['its own remote, with an uploadpack', undefined],
    ['ssh', 'ssh://host/path'],
    ['ext', 'ext::sh x.sh'],
    ['a remote helper', 'none::x'],
    ['git, through a proxy', 'git://host/path'],
  ])('from %s', async (_, url) => {
    const clone = partialClone(url);
    const settings = {
      'remote.origin.uploadpack': runsIt,
      'core.sshCommand': runsIt,
      'core.gitProxy': runsIt,
      'credential.helper': `!${runsIt}`,
      'protocol.allow': 'always',
      'protocol.ext.allow': 'always',
      'protocol.file.allow': 'always',
    };
    for (const [name, value] of Object.entries(settings)) clone.git('config', name, value);
    writeFileSync(clone.path('x.sh'), script);
    // An older git does not know that variable.
    for (const env of [{}, standIn('unset GIT_NO_LAZY_FETCH; git "$@"')]) {
      const { code, stderr } = await planned(clone, { env }, '--changed-only');
      expect({ code, ran: whatRan() }).toEqual({ code: 3, ran: '' });
      expect(stderr).toContain('error: git does not have what the revision holds: ');
      expect(stderr).toContain('Clone the repository anew, in full.');
    }
  });
});

describe('the settings of the repository, also those that it includes from the checkout, run nothing', () => {
  test('as filters, helpers, hooks, pagers and aliases', async () => {
    const project = changed();
    const program = (command: string): string => JSON.stringify(command);
    project.commit({
      '.gitattributes': '*.yaml diff=x filter=x merge=x\n',
      '.gitconfig': [
        `[core]\nfsmonitor = ${program(runsIt)}\nhooksPath = hooks\npager = ${program(runsIt)}\neditor = ${program(runsIt)}`,
        `alternateRefsCommand = ${program(runsIt)}\naskPass = ${program(runsIt)}`,
        `[diff]\nexternal = ${program(runsIt)}\n[diff "x"]\ntextconv = ${program(runsIt)}\ncommand = ${program(runsIt)}`,
        `[filter "x"]\nclean = ${program(runsIt)}\nsmudge = ${program(runsIt)}\nprocess = ${program(runsIt)}\nrequired`,
        `[alias]\nrev-parse = ${program(`!${runsIt}`)}\ncat-file = ${program(`!${runsIt}`)}`,
        `[pager]\ncat-file = ${program(runsIt)}\nls-tree = ${program(runsIt)}\nrev-parse = ${program(runsIt)}`,
        `[gpg]\nprogram = ${program(runsIt)}\n[log]\nshowSignature\n`,
      ].join('\n'),
      ...Object.fromEntries(
        ['post-index-change', 'reference-transaction'].map((hook) => [`hooks/${hook}`, script]),
      ),
    });
    for (const hook of ['post-index-change', 'reference-transaction'])
      chmodSync(project.path('hooks', hook), 0o755);
    project.git('config', 'include.path', '../.gitconfig');
    const { code, stdout } = await planned(project, { ref: 'main' });
    expect({ code, ran: whatRan() }).toEqual({ code: 0, ran: '' });
    expect(stdout).toMatch(sinceMain);
    // This one makes git read the index.
    const { code: refused } = await planned(project, { ref: ':m/users.yaml' });
    expect({ refused, ran: whatRan() }).toEqual({ refused: 3, ran: '' });
  });

  test('as those of a submodule, in it and around it', async () => {
    const inner = changed();
    const outer = GitProject.create();
    outer.commit(roll);
    const file = ['-c', 'protocol.file.allow=always'];
    outer.git(...file, 'submodule', '--quiet', 'add', '-b', 'branch', inner.folder, 'inner');
    outer.commit({ 'm/users.yaml': users('ann', 'zoe') });
    outer.git('config', '--file', '.gitmodules', 'submodule.inner.update', `!${runsIt}`);
    outer.git('config', 'submodule.inner.update', `!${runsIt}`);
    outer.git('config', 'submodule.recurse', 'true');
    outer.git('config', '--file', '.git/modules/inner/config', 'core.fsmonitor', runsIt);
    for (const [folder, ref] of [
      ['.', 'main~1'],
      ['inner', 'origin/main'],
    ] as const) {
      const { code, stdout } = await planned(outer, { folder, ref });
      expect({ folder, code, ran: whatRan() }).toEqual({ folder, code: 0, ran: '' });
      expect(stdout).toMatch(sinceMain);
    }
  });

  test('in a clone that borrows its objects from another', async () => {
    const clone = new GitProject();
    clone.git('clone', '--quiet', '--shared', '--branch=branch', changed().folder, '.');
    clone.git('config', 'core.alternateRefsCommand', runsIt);
    const { code, stdout } = await planned(clone, {});
    expect({ code, ran: whatRan() }).toEqual({ code: 0, ran: '' });
    expect(stdout).toMatch(sinceMain);
  });
});

describe('a file of before that is too large', () => {
  const refused = /the manifests of main \(\w{7}\) were not valid/;

  test.runIf(inFull)('is not held in memory by git', async () => {
    const project = GitProject.create();
    project.write({ ...roll, 'm/large.yaml': '' });
    truncateSync(project.path('m/large.yaml'), 150 * 1024 * 1024);
    project.git('config', 'core.compression', '1');
    project.git('config', 'core.bigFileThreshold', '1m'); // to put it into a pack
    project.commit();
    project.git('config', '--unset', 'core.bigFileThreshold');
    rmSync(project.path('m/large.yaml'));
    const { code, stdout, stderr } = await planned(project, {
      ref: 'main',
      env: standIn('ulimit -v 120000; git "$@"'),
    });
    expect({ code, stdout: stdout + stderr }).toEqual({ code: 0, stdout: expect.stringMatching(refused) });
  });

  test.runIf(inFull)('is not read to its end', async () => {
    const large = `read id; echo "$id blob 1073741824"; head -c 1073741825 /dev/zero && echo whole >> '${mark}'`;
    const gigabyte = standIn(`case "$*" in *cat-file*) ${large};; *) git "$@";; esac`);
    const { code, stdout, stderr } = await planned(changed(), { ref: 'main', env: gigabyte });
    expect({ code, stdout: stdout + stderr, ran: whatRan() }).toEqual({
      code: 0,
      stdout: expect.stringMatching(refused),
      ran: '',
    });
  });
});
