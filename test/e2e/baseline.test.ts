import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { rollcall, type Ended } from '../support/cli.ts';
import { GitProject } from '../support/git-project.ts';
import { endedHere } from '../support/here.ts';
import { inFull } from '../support/effort.ts';

let service: SandboxServer;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { sandbox } = seedSandbox({ applications: [{ slug: 'wiki', name: 'Wiki' }] });
  service = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
  env = { ROLLCALL_URL: service.url, ROLLCALL_TOKEN: 'sandbox-token' };
});
afterAll(() => service.close());

function users(...names: readonly string[]): string {
  return `version: 1\nusers:\n${names.map((name) => `  - { username: ${name}, name: N }\n`).join('')}`;
}

/** A repository with manifests that changed on a branch. `.before` contains them as they were before. */
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
  project.git('worktree', 'add', '--quiet', '--detach', '.before', 'main');
  return project;
}

describe('plan --baseline with a git worktree', () => {
  let project: GitProject;
  beforeAll(() => {
    project = grown();
  });

  const planned = (folder: string, ...args: readonly string[]): Promise<Ended> =>
    endedHere(['plan', '--changed-only', '--url', service.url, ...args], { cwd: project.path(folder), env });

  test('reports the changes of the branch', async () => {
    const { code, stdout, stderr } = await planned('roll', '--baseline', '../.before/roll');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Plan for ${service.url}
Only added or altered entries: 2 of the 5 declared resources.

In this change, compared with ../.before/roll: 1 added, 1 altered, 2 no longer declared.

  ! application.wiki is altered; the record differs and is left unchanged  manifests/apps.yaml:2
      name
        before    "Wiki"
        now       "Wiki 2"
        observed  "Wiki"

  + user.zoe is added  manifests/two\\nlines -- and Grüße.yaml:4
      username  "zoe"
      name      "N"

No longer declared, and left unchanged: user.bob, user.dora

To change these differences, apply with two flags: \`--capability update --allow update\`. Instead of \`--capability update\`, rollcall.yaml can have \`capabilities: [update]\`.

1 to create, 0 to create if absent, 1 differs, 0 in sync.

Plan: 1 to add, 0 to change, 0 to destroy.
`);
  });

  test.each([
    [
      'roll/manifests',
      '../../.before/roll/manifests',
      ['two\nlines -- and Grüße.yaml'],
      '1 added, 1 no longer declared',
    ],
    ['roll/manifests', '../../.before/roll/manifests', ['linked.yaml'], '1 no longer declared'],
    [
      'roll/manifests/store',
      '../../../.before/roll/manifests/store',
      ['../*.yaml'],
      '1 added, 1 altered, 2 no longer declared',
    ],
    ['.', '.before', ['roll/manifests'], '1 added, 1 altered, 2 no longer declared'],
    ['.', './.before/', ['./roll/manifests/'], '1 added, 1 altered, 2 no longer declared'],
  ])(
    'started in the folder %j compares the manifests with the baseline %j',
    async (folder, baseline, paths, counts) => {
      const { stdout, stderr } = await planned(folder, '--baseline', baseline, ...paths);
      expect(stderr).toBe('');
      expect(stdout).toContain(`In this change, compared with ${baseline}: ${counts}.\n`);
    },
  );

  test('accepts absolute paths in the working directory and next to it', async () => {
    const at = (path: string): string => project.path(path);
    const within = await planned('.', '--baseline', at('.before'), at('roll/manifests'));
    expect(within.stdout).toContain('1 added, 1 altered, 2 no longer declared.\n');
    const beside = await planned(
      'roll/manifests/store',
      '--baseline',
      at('.before/roll/manifests/store'),
      at('roll/manifests'),
    );
    expect(beside.stdout).toContain('1 added, 1 altered, 2 no longer declared.\n');
  });

  test('follows no link that leads out of the baseline', async () => {
    const folder = project.path('.linked');
    mkdirSync(join(folder, 'roll'), { recursive: true });
    symlinkSync('/', join(folder, 'roll/manifests'));
    const { code, stdout } = await planned('.', '--baseline', '.linked', 'roll/manifests', '-o', 'json');
    expect(code).toBe(0);
    expect(stdout).toContain('this link leads out of the folder');
  });

  test.runIf(inFull)('works in the executable', async () => {
    const cwd = project.path('roll');
    const ran = await rollcall(
      ['apply', '--yes', '--baseline', '../.before/roll', '--changed-only', '-o', 'json'],
      {
        cwd,
        env,
      },
    );
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      scope: { changed_only: true },
      outcomes: expect.arrayContaining([
        expect.objectContaining({ address: 'user.zoe', outcome: 'created' }),
      ]) as unknown,
    });
  });

  test('ends with exit code 3 if the folder is missing, and still writes its reports', async () => {
    const report = project.path('report.md');
    const ran = await endedHere(['plan', '--baseline', '\u001B[2J::error::x', '--report', 'github=-'], {
      cwd: project.path('roll'),
      env: { ...env, GITHUB_STEP_SUMMARY: report },
    });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(
      String.raw`error: --baseline cannot be "\u001b[2J::error::x": there is no such folder`,
    );
    expect(ran.stdout).toMatch(/^::error title=invalid-usage::/);
  });
});
