import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runRollcall } from '../../scripts/action/run.js';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { nodeHere } from '../support/action-here.ts';
import { root } from '../support/cli.ts';
import { GitProject } from '../support/git-project.ts';
import { serveComments, type CommentsApi } from '../support/comments-api.ts';
import { inFull, someOf } from '../support/effort.ts';
import { serveResidents, type Residents } from '../support/resident.ts';
import { runAction, type Job, type Ran } from '../support/workflow-runner.ts';

const token = 'service-canary';
const apps = 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n';

let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ node: nodeHere });
});
afterAll(() => residents.close());

let folder: string;
let service: SandboxServer;
let github: CommentsApi;
let job: Job;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  for (const name of ['workspace/manifests', 'temp', 'bin'])
    mkdirSync(join(folder, name), { recursive: true });
  residents.install(join(folder, 'bin/node'), 'node');
  write('manifests/apps.yaml', apps);
  service = await serveSandbox(seedSandbox({ tokens: [{ token }] }).sandbox, { port: 0, latencyMs: 0 });
  github = await serveComments();
  job = {
    workspace: join(folder, 'workspace'),
    temp: join(folder, 'temp'),
    env: {
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/roll',
      GITHUB_RUN_ID: '42',
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      PATH: searchPath(),
    },
    contexts: { github: { token: 'github-canary' } },
  };
  ofEvent({ pull_request: { number: 7, head: { sha: 'c0ffee' } } });
});
afterEach(async () => {
  await Promise.all([service.close(), github.close()]);
  rmSync(folder, { recursive: true });
});

/** The steps find a `node` that runs in this process. */
function searchPath(): string {
  return `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
}

/** The steps find the real Node.js, and so run the executable. */
function wholly(): void {
  rmSync(join(folder, 'bin/node'));
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, 'workspace', name), text);
}

function ofEvent(event: object): void {
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
}

function run(inputs: Readonly<Record<string, string>>, changed: Partial<Job> = {}): Promise<Ran> {
  return runAction({ paths: 'manifests', url: service.url, token, ...inputs }, { ...job, ...changed });
}

describe('the GitHub action', () => {
  test.each(someOf(['in this process', 'wholly'], 0))(
    'plans, and shows the plan as a comment, %s',
    async (how) => {
      if (how === 'wholly') wholly();
      const { failed, outputs, log, summary } = await run({ command: 'plan' });
      expect({ failed, ...outputs }).toMatchObject({ failed: false, 'exit-code': '2', changes: 'true' });
      expect(log).toContain('Plan: 1 to add');
      expect(summary).toContain('Plan: 1 to add');
      expect(github.comments).toHaveLength(1);
      expect(github.comments[0]?.body).toMatch(
        /^<!-- rollcall plan service=http%3A.* config=rollcall\.yaml -->\n### rollcall plan for `http:.*`\n\n\*\*Plan: 1 to add/,
      );
      expect(github.comments[0]?.body).toContain(
        '<sub>Made for c0ffee by [this run](https://github.example/acme/roll/actions/runs/42).</sub>',
      );
    },
  );

  test.runIf(inFull)('updates its own comment, however many others there are', async () => {
    const others = Array.from({ length: 230 }, (_, id) => ({
      id,
      body: `No. ${id}`,
      user: { login: 'alice', type: 'User' as const },
    }));
    github.comments.push(...others.slice(0, 120));
    await run({ command: 'plan' });
    github.comments.push(...others.slice(120));
    write('manifests/more.yaml', 'version: 1\nusers: [{ username: carol }]\n');
    await run({ command: 'plan' });
    const bodies = github.comments.map(({ body }) => body).filter((body) => !body.startsWith('No.'));
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain('Plan: 2 to add');
  });

  test("does not change a person's comment that contains the marker", async () => {
    await run({ command: 'plan' });
    const [first] = github.comments.splice(0);
    const forged = { id: 1, body: first?.body ?? '', user: { login: 'mallory', type: 'User' as const } };
    github.comments.push(forged);
    await run({ command: 'plan' });
    expect(github.comments).toHaveLength(2);
    expect(github.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  });

  test('writes a new comment if it may not change its existing one', async () => {
    await run({ command: 'plan' });
    github.fail('PATCH', 403, '{"message":"Forbidden"}');
    await run({ command: 'plan' });
    expect(github.comments).toHaveLength(2);
  });

  test.runIf(inFull)('applies the plan that it saved, after which a new plan has no changes', async () => {
    const { outputs } = await run({ command: 'plan', 'plan-file': 'plan.json' });
    expect(outputs['plan-file']).toBe(join(folder, 'workspace/plan.json'));
    const applied = await run({ command: 'apply', 'plan-file': 'plan.json' });
    expect(applied).toMatchObject({ failed: false, outputs: { 'exit-code': '0', changes: '' } });
    expect(applied.summary).toContain('Resources: 1 added');
    const again = await run({ command: 'plan' });
    expect(again).toMatchObject({ failed: false, outputs: { 'exit-code': '0', changes: 'false' } });
    expect(github.comments.map(({ body }) => body.split(' ')[2])).toEqual(['plan', 'apply']);
  });

  test.runIf(inFull)(
    'fails because of --fail-on, but not because of creates, and shows the plan in both cases',
    async () => {
      const drift = { command: 'plan', args: '--fail-on\ndiffers', 'plan-file': 'plan.json' };
      const created = { 'exit-code': '0', changes: 'true', 'plan-file': join(folder, 'workspace/plan.json') };
      expect(await run(drift)).toMatchObject({ failed: false, outputs: created });
      await run({ command: 'apply', args: '--yes' });
      write('manifests/apps.yaml', apps.replace('name: Wiki', 'name: Other'));
      const failed = await run({ ...drift, args: '--fail-on=differs' });
      expect(failed).toMatchObject({
        failed: true,
        code: 2,
        outputs: { 'exit-code': '2', changes: 'false' },
      });
      expect(failed.log).toContain('::error file=manifests/apps.yaml,line=2');
      expect(failed.outputs['plan-file']).toBe(created['plan-file']);
      const changed = await run({ ...drift, args: '--fail-on=differs\n--capability=update\n--allow=update' });
      expect(changed).toMatchObject({ failed: true, outputs: { ...created, 'exit-code': '2' } });
    },
  );

  test.runIf(inFull)('refuses a stale plan with exit code 5', async () => {
    await run({ command: 'plan', 'plan-file': 'plan.json' });
    const apply = { command: 'apply', 'plan-file': 'plan.json' };
    await run(apply);
    expect(await run(apply)).toMatchObject({ failed: true, code: 5, outputs: { 'exit-code': '5' } });
  });

  test('applies nothing without a saved plan or --yes', async () => {
    expect(await run({ command: 'apply' })).toMatchObject({ failed: true, code: 3 });
    expect(await run({ command: 'apply', args: '--yes' })).toMatchObject({ failed: false, code: 0 });
  });

  test.runIf(inFull)('fails for an invalid manifest, shows its problems, and saves no plan', async () => {
    const { outputs } = await run({ command: 'plan', 'plan-file': 'plan.json' });
    expect(outputs['plan-file']).not.toBe('');
    write('manifests/apps.yaml', 'version: 1\napplications: [{ slug: a b, name: A }]\n');
    const broken = await run({ command: 'plan', 'plan-file': 'plan.json' });
    expect(broken).toMatchObject({ failed: true, code: 3 });
    expect(broken.outputs).toMatchObject({ 'exit-code': '3', changes: '', 'plan-file': '' });
    expect(broken.log).toContain('::error file=manifests/apps.yaml,line=2');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('There is no plan.');
  });

  test('validates without a service, a token or a comment', async () => {
    const { failed, log } = await run({ command: 'validate', url: '', token: '', comment: 'false' });
    expect({ failed, requests: github.requests }).toEqual({ failed: false, requests: [] });
    expect(log).toContain('Valid');
  });

  const config = 'version: 1\nenvironments: { live: { url: https://id.example.com, token_env: LIVE } }\n';

  test('uses its inputs, even if the job or rollcall.yaml sets other values', async () => {
    write('rollcall.yaml', config);
    const env = { ...job.env, ROLLCALL_URL: 'https://x.example.com', ROLLCALL_TOKEN: 'other-canary' };
    const given = { environment: 'live', comment: 'false', 'plan-file': 'plan.json' };
    const planned = await run({ command: 'plan', ...given }, { env });
    expect(planned).toMatchObject({ failed: false, outputs: { 'exit-code': '2' } });
    expect(planned.log).toContain(`Plan for live (${service.url})`);
    expect(await run({ command: 'apply', ...given }, { env })).toMatchObject({ failed: false });
    const { failed, log } = await run({ command: 'plan', url: '', token: '', ...given }, { env });
    expect(failed).toBe(true);
    expect(log).toContain('ROLLCALL_URL is https://x.example.com, and the environment "live" is at');
  });

  test.each([
    ['plan', ['--env=live', '--url=https://a.example.com', '--token-file=-'], undefined],
    ['apply', ['--env=live', '--url=https://a.example.com', '--token-file=-'], undefined],
    ['validate', ['--env=live'], token],
  ])(
    'passes the token of %s only to rollcall, and names the service by flags',
    async (command, flags, inEnv) => {
      const inputs = { COMMAND: command, ENVIRONMENT: 'live', URL: 'https://a.example.com', TOKEN: token };
      const env = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name}`, value]));
      const started: Parameters<Parameters<typeof runRollcall>[0]['start']>[] = [];
      const start = async (...given: (typeof started)[0]): Promise<number> => {
        started.push(given);
        return 0;
      };
      const step = { env: { ...env, INPUT_ROLLCALL: 'action', RUNNER_TEMP: job.temp }, cwd: job.workspace };
      await runRollcall({ ...step, print: () => {}, start });
      const [, args, variables, input] = started[0] ?? expect.fail('nothing was started');
      expect(args.filter((arg) => /^--(?:env|url|token)/.test(arg))).toEqual(flags);
      expect([variables['ROLLCALL_TOKEN'], input]).toEqual([inEnv, token]);
      expect(JSON.stringify([args, { ...variables, ROLLCALL_TOKEN: '' }])).not.toContain(token);
    },
  );

  test('keeps separate comments for two sets of manifests, told apart by their paths or by a key', async ({
    skip,
  }) => {
    skip(!inFull);
    for (const place of ['one', 'two']) {
      mkdirSync(join(job.workspace, place));
      write(`${place}/rollcall.yaml`, config);
      write(`${place}/apps.yaml`, apps);
      const inputs = { command: 'plan', paths: 'apps.yaml', environment: 'live', 'working-directory': place };
      for (const key of ['', 'staff']) await run({ ...inputs, 'comment-key': key });
      await run(inputs);
    }
    expect(github.comments.map(({ body }) => body.split('\n', 1)[0]?.replace(/ service=\S+/, ''))).toEqual([
      '<!-- rollcall plan environment=live config=one%2Frollcall.yaml -->',
      '<!-- rollcall plan key=staff -->',
      '<!-- rollcall plan environment=live config=two%2Frollcall.yaml -->',
    ]);
  });

  test('writes no comment without a pull request', async () => {
    ofEvent({ ref: 'refs/heads/main' });
    expect(await run({ command: 'plan' })).toMatchObject({ failed: false });
    expect(github.requests).toEqual([]);
  });

  test.each([
    ['denies writing, as for a fork', 'POST', 403, '{"message":"Resource not accessible by integration"}'],
    ["answers with a proxy's web page", 'GET', 502, '<!DOCTYPE html>\n<title>Bad Gateway</title>'],
    ['answers with a web page and status 200', 'GET', 200, '<!DOCTYPE html>\n::error::x'],
    ['returns no list', 'GET', 200, '{"message":"\\n::error::x"}'],
    ['redirects elsewhere', 'GET', 302, ''],
  ])('warns and does not fail if the API %s', async (_, method, status, text) => {
    github.fail(method, status, text);
    const { failed, log } = await run({ command: 'plan' });
    expect(failed).toBe(false);
    expect(log).toMatch(/^::warning title=rollcall::The report is not shown in the pull request: /m);
    expect(log).not.toMatch(/^::error/m);
  });

  test.each(['', 'two\nlines'])('warns if the token for the comment is %j', async (bad) => {
    const { failed, log } = await run({ command: 'plan', 'github-token': bad });
    expect(failed).toBe(false);
    expect(log).toContain('the input github-token is not a valid token');
    expect(log).not.toContain('two');
  });

  test.each(
    someOf(
      [
        { command: 'plan; touch owned' },
        { command: 'sandbox' },
        { command: '__proto__' },
        { command: 'plan\n::error::owned' },
        { rollcall: '../owned' },
        { paths: '$(touch owned)' },
        { paths: '`touch owned`' },
        { paths: 'manifests; touch owned' },
        { paths: 'manifests" && touch owned && "' },
        { paths: '--out=owned' },
        { paths: "'\n$IFS\n*" },
        { environment: '$(touch owned)' },
        { environment: '--out=owned' },
        { args: '--var\nx=$(touch owned)\n--nope;touch owned' },
        { 'plan-file': '$(touch owned)/plan.json' },
        { url: '$(touch owned)' },
        { token: '$(touch owned)' },
      ],
      6,
    ),
  )('passes %j literally, without a shell', async (inputs) => {
    const { failed, outputs, log } = await run({ ...inputs, comment: 'false' });
    expect(failed).toBe(true);
    expect(outputs['exit-code']).toMatch(/^[1-9]$/);
    expect(readdirSync(job.workspace)).toEqual(['manifests']);
    expect(log).not.toMatch(/^::error::owned/m);
  });

  test('compares with the commit at which the branch left the branch that `since` names, in any folder', async () => {
    const repository = new GitProject(join(folder, 'workspace'));
    repository.git('init', '--quiet', '--initial-branch=main');
    repository.commit({ 'roll/manifests/apps.yaml': apps });
    repository.git('checkout', '--quiet', '-b', 'branch');
    repository.commit({ 'roll/manifests/new.yaml': apps.replaceAll(/wiki/gi, 'new') });
    const given = { command: 'plan', since: 'main', 'changed-only': 'true', 'working-directory': 'roll' };
    for (const _ of ['once', 'again']) {
      const { failed, log } = await run(given);
      expect({ failed, log }).toMatchObject({
        failed: false,
        log: expect.stringContaining('1 added.') as string,
      });
      expect(log).not.toContain('application.wiki');
    }
    expect(repository.git('status', '--porcelain', '--', 'roll')).toBe('');

    const unknown = await run({ ...given, since: 'origin/$(touch owned)' });
    expect(unknown).toMatchObject({ failed: true, code: 3 });
    expect(unknown.log).toContain('::error title=rollcall::git finds no common ancestor');
    expect(await run({ ...given, since: '--output=owned' })).toMatchObject({ failed: true, code: 3 });
    expect(readdirSync(join(job.workspace, 'roll'))).toEqual(['manifests']);
  });

  test('passes an output of several lines as one output', async () => {
    const name = 'plan\nchanges=false\nx<<y.json';
    const { outputs } = await run({ command: 'plan', 'plan-file': name });
    expect(outputs).toMatchObject({ changes: 'true', 'plan-file': join(job.workspace, name) });
  });

  test.runIf(inFull)(
    'masks the tokens for the service and for GitHub in outputs, files, summary, comment and log',
    async () => {
      const ran = [
        await run({ command: 'plan', args: '-v', 'plan-file': 'plan.json' }),
        await run({ command: 'apply', args: '-v', 'plan-file': 'plan.json' }),
        await run({ command: 'plan', url: 'https://user@[', args: '-v' }),
      ];
      github.fail('GET', 500, '');
      ran.push(await run({ command: 'plan', token: 'other-canary' }));
      expect(ran.map(({ code }) => code)).toEqual([0, 0, 3, 4]);
      expect(JSON.stringify([ran, github.comments, github.requests])).not.toContain('canary');
      const written = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
      expect(written.length).toBeGreaterThan(10);
      expect(written.filter((text) => text.includes('canary'))).toEqual([]);
    },
  );

  test('interrupts rollcall when the job is cancelled, and waits for its end', async ({ skip }) => {
    skip(!inFull);
    wholly();
    let asked = (): void => {};
    const slow = createServer(() => asked()).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as AddressInfo; // a TCP server's address is an object
    const started: Job['started'] = (child) => (asked = () => child.kill('SIGINT'));
    const cancelled = await run({ command: 'plan', url: `http://127.0.0.1:${port}` }, { started });
    slow.close();
    slow.closeAllConnections();
    expect(cancelled.outputs['exit-code']).toBe('130');
  });
});

describe('the rollcall that the action runs', () => {
  test('is built if it is not built yet, without install scripts and without the token', async ({ skip }) => {
    skip(!inFull);
    wholly();
    const own = join(folder, 'action');
    symlinkSync(join(root, 'scripts'), join(mkdirSync(own, { recursive: true }) ?? own, 'scripts'));
    const npm = join(folder, 'bin/npm');
    writeFileSync(
      npm,
      `#!/bin/sh\necho "npm $*" && env | grep -c canary\ncase "$*" in *build) ln -s ${join(root, 'bin')} bin;; esac\n`,
    );
    chmodSync(npm, 0o755);
    const env = { ...job.env, GITHUB_ACTION_PATH: own };
    const first = await run({ command: 'plan' }, { env });
    expect(first.log).toMatch(/^npm ci --ignore-scripts .*\n0\nnpm run --silent build\n0\n/);
    expect(first.outputs['exit-code']).toBe('2');
    expect((await run({ command: 'plan' }, { env })).log).not.toContain('npm ');
  });

  test("is the project's version on request", async () => {
    const missing = await run({ command: 'plan', rollcall: 'project' });
    expect(missing).toMatchObject({ failed: true, outputs: { 'exit-code': '3' } });
    expect(missing.log).toContain('::error title=rollcall::rollcall is not installed in the project.');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/rollcall'));
    const found = await run({ command: 'plan', rollcall: 'project' });
    expect(found.outputs['exit-code']).toBe('2');
  });
});
