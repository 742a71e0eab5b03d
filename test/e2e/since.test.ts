import { symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { rollcall, type Ended } from '../support/cli.ts';
import { gitEnv, GitProject, standIn } from '../support/git-project.ts';
import { endedHere } from '../support/here.ts';
import { inFull } from '../support/effort.ts';

let service: SandboxServer;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { sandbox } = seedSandbox({ applications: [{ slug: 'wiki', name: 'Wiki' }] });
  service = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
  env = { ...gitEnv, ROLLCALL_URL: service.url, ROLLCALL_TOKEN: 'sandbox-token' };
});
afterAll(() => service.close());

function users(...names: readonly string[]): string {
  return `version: 1\nusers:\n${names.map((name) => `  - { username: ${name}, name: N }\n`).join('')}`;
}

/** A roll in a folder of a repository, as it grew on a branch and, meanwhile, on main. */
function grown(): GitProject {
  const project = GitProject.create();
  project.write({
    'roll/rollcall.yaml': 'version: 1\nmanifests: [manifests]\n',
    'roll/manifests/apps.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n',
    'roll/manifests/two\nlines -- and Grüße.yaml': users('ann', 'bob'),
    'roll/manifests/store/more.txt': users('carl', 'dora'),
    'roll/manifests/secret.yaml':
      "version: 1\nusers: [{ username: sec, name: N, attributes: { key: '${file:store/key}' } }]\n",
    'roll/manifests/store/key': 'canary-key',
  });
  symlinkSync('store/more.txt', project.path('roll/manifests/linked.yaml'));
  project.commit();
  project.git('checkout', '--quiet', '-b', 'branch');
  project.commit({
    'roll/manifests/apps.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki 2 }]\n',
    'roll/manifests/two\nlines -- and Grüße.yaml': users('ann', 'zoe'),
    'roll/manifests/store/more.txt': users('carl'),
  });
  project.git('checkout', '--quiet', 'main');
  project.commit({ 'roll/manifests/later.yaml': users('later') });
  project.git('checkout', '--quiet', 'branch');
  return project;
}

describe('plan --since in a repository', () => {
  let project: GitProject;
  beforeAll(() => {
    project = grown();
  });

  const planned = (folder: string, ...args: readonly string[]): Promise<Ended> =>
    endedHere(['plan', '--since', 'main', '--changed-only', '--url', service.url, ...args], {
      cwd: project.path(folder),
      env,
    });
  const commit = (): string => project.git('rev-parse', '--short=7', 'main~1');

  test('reports what the branch changes, and not what main has done meanwhile', async () => {
    const { code, stdout, stderr } = await planned('roll');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Plan for ${service.url}
Only what has been added or altered: 2 of the 5 declared resources.

In this change, since main (${commit()}): 1 added, 1 altered, 2 no longer declared.

  ! application.wiki is altered; it differs and is left as it is  manifests/apps.yaml:2
      name
        before    "Wiki"
        now       "Wiki 2"
        observed  "Wiki"

  + user.zoe is added  manifests/two\\nlines -- and Grüße.yaml:4
      username  "zoe"
      name      "N"

No longer declared, and left as it is: user.bob, user.dora

To change what differs, turn on both switches: \`capabilities: [update]\` in rollcall.yaml or \`--capability update\`, and \`--allow update\`. As a command: \`rollcall apply --capability update --allow update\`.

1 to create, 0 to create if absent, 1 differs, 0 in sync.

Plan: 1 to add, 0 to change, 0 to destroy.
`);
  });

  test.each([
    ['roll/manifests', ['two\nlines -- and Grüße.yaml'], '1 added, 1 no longer declared'],
    ['roll/manifests', ['linked.yaml'], '1 no longer declared'],
    ['roll/manifests/store', ['../*.yaml'], '1 added, 1 altered, 2 no longer declared'],
    ['.', ['roll/manifests'], '1 added, 1 altered, 2 no longer declared'],
  ])('sees the repository from the folder %j, where %j is named', async (folder, paths, counts) => {
    const { stdout, stderr } = await planned(folder, ...paths);
    expect(stderr).toBe('');
    expect(stdout).toContain(`In this change, since main (${commit()}): ${counts}.\n`);
  });

  test.runIf(inFull)('is there in the executable', async () => {
    const cwd = project.path('roll');
    const ran = await rollcall(['apply', '--yes', '--since', 'main', '--changed-only', '-o', 'json'], {
      cwd,
      env,
    });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      scope: { changed_only: true },
      outcomes: expect.arrayContaining([
        expect.objectContaining({ address: 'user.zoe', outcome: 'created' }),
      ]) as unknown,
    });
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    [
      'a commit that is not there',
      ['--since', 'origin/\u001b[2J::error::x'],
      {},
      String.raw`error: --since cannot be "origin/\u001b[2J::error::x": git has no such commit here`,
    ],
    [
      'an option of git',
      ['--since=--output=owned'],
      {},
      'error: --since cannot be "--output=owned": git has no such commit here',
    ],
    [
      'no git',
      ['--since', 'main'],
      { PATH: '/nowhere' },
      'error: the command git cannot be run: it is not on the PATH',
    ],
    [
      'a repository of somebody else',
      ['--since', 'main'],
      standIn('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; git "$@"'),
      'error: git cannot tell what has changed here\n    git says: fatal: detected dubious ownership in repository',
    ],
  ])('refuses %s with 3, and writes its reports all the same', async (_, args, more, message) => {
    const report = project.path('report.md');
    const ran = await endedHere(['plan', ...args, '--report', 'github=-'], {
      cwd: project.path('roll'),
      env: { ...env, ...more, GITHUB_STEP_SUMMARY: report },
    });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(message);
    expect(ran.stdout).toMatch(/^::error title=invalid-usage::/);
  });
});
