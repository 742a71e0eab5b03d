import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { raw } from 'jq-wasm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { initFiles } from '../../src/commands/init-files.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { nodeHere } from '../support/action-here.ts';
import { cli, root } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';
import { GitProject } from '../support/git-project.ts';
import { serveComments, type CommentsApi } from '../support/comments-api.ts';
import { rollcallHere } from '../support/here.ts';
import { serveResidents, type Resident, type Residents } from '../support/resident.ts';
import { done, isConditionTrue, interpolated, runAction, runSteps } from '../support/workflow-runner.ts';
import type { Ran, Uses, Workflow } from '../support/workflow-runner.ts';

let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ node: nodeHere, rollcall: rollcallHere, gh });
});
afterAll(() => residents.close());

let folder: string;
let repository: GitProject;
let service: SandboxServer;
let github: CommentsApi;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  for (const name of ['repository/manifests', 'artifacts', 'bin'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['node', 'rollcall', 'gh']) residents.install(join(folder, 'bin', name), name);
  repository = new GitProject(join(folder, 'repository'));
  repository.git('init', '--quiet', '--initial-branch=main');
  write('manifests/apps.yaml', wiki);
  merged();
  const tokens = [{ token: 'viewer', add_applications: false, add_users: false }, { token: 'creator' }];
  service = await serveSandbox(seedSandbox({ tokens }).sandbox, { port: 0, latencyMs: 0 });
  github = await serveComments();
});
afterEach(async () => {
  await Promise.all([service.close(), github.close()]);
  rmSync(folder, { recursive: true });
});

const wiki = 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n';

function write(name: string, text: string): void {
  writeFileSync(join(folder, 'repository', name), text);
}

/** Merges the current files into the default branch. */
function merged(): void {
  repository.git('update-ref', 'refs/remotes/origin/main', repository.commit());
}

/** The parts of an event that expressions use. */
interface TriggeredBy {
  readonly event_name: string;
  readonly base_ref: string;
  readonly event: object;
}

const ofPullRequest = (from: string): TriggeredBy => ({
  event_name: 'pull_request',
  base_ref: 'main',
  event: { number: 7, pull_request: { number: 7, head: { sha: 'c0ffee', repo: { full_name: from } } } },
});
const ofPush = { event_name: 'push', base_ref: '', event: { ref: 'refs/heads/main' } };
const ofSchedule = { event_name: 'schedule', base_ref: '', event: { schedule: '17 3 * * *' } };

/** Runs the jobs of a workflow, each in its own checkout. The result contains only jobs that ran. */
async function runWorkflow(workflow: Workflow, event: TriggeredBy): Promise<Record<string, Ran>> {
  const needs: Record<string, Ran> = {};
  const fork = JSON.stringify(event).includes('mallory');
  for (const [name, definition] of Object.entries(workflow.jobs)) {
    const contexts = {
      github: { repository: 'acme/roll', token: 'github-canary', ...event },
      vars: { ROLLCALL_URL: service.url },
      secrets: fork ? {} : { ROLLCALL_TOKEN: definition.environment === 'production' ? 'creator' : 'viewer' },
      needs,
    };
    const needed = definition.needs === undefined ? done : needs[definition.needs];
    if (needed === undefined || !isConditionTrue(definition.if, contexts, needed.failed)) continue;
    const workspace = mkdtempSync(join(folder, 'job-'));
    repository.commit();
    cpSync(repository.folder, workspace, { recursive: true });
    writeFileSync(join(folder, 'event.json'), JSON.stringify(event.event));
    const env = {
      GITHUB_API_URL: github.url,
      GITHUB_REPOSITORY: 'acme/roll',
      GITHUB_BASE_REF: contexts.github.base_ref,
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    };
    const job = { workspace, temp: join(folder, `${name}-temp`), env, contexts };
    const { ran, contexts: after } = await runSteps(definition.steps, job, uses);
    const outputs = Object.entries(definition.outputs ?? {}).map(([key, value]) => [
      key,
      interpolated(value, after),
    ]);
    needs[name] = { ...ran, outputs: Object.fromEntries(outputs) };
  }
  return needs;
}

const uses: Uses = async (step, given, job) => {
  const artifact = join(folder, 'artifacts', given['name'] ?? '');
  const place = join(job.workspace, given['path'] ?? '');
  switch (step.uses?.split('@')[0]) {
    case 'actions/checkout':
    case 'actions/setup-node':
      return done;
    case 'actions/upload-artifact':
      cpSync(place, artifact);
      return done;
    case 'actions/download-artifact':
      cpSync(artifact, join(place, 'plan.json'));
      return done;
    case '<owner>/rollcall':
      return runAction(given, job);
    default:
      throw new Error(`nothing here does ${step.uses ?? 'a step without uses'}`);
  }
};

describe('the example workflow for GitHub', () => {
  const workflow = parse(readFileSync(join(root, 'examples/pipelines/github.yaml'), 'utf8')) as Workflow; // these tests check it by running it

  test.runIf(inFull)(
    'shows the changes in a comment on a pull request, and applies everything on merge',
    async () => {
      write('manifests/new.yaml', 'version: 1\napplications: [{ slug: new, name: New }]\n');
      const planned = await runWorkflow(workflow, ofPullRequest('acme/roll'));
      expect(Object.keys(planned)).toEqual(['plan']);
      expect(planned['plan']?.failed).toBe(false);
      expect(github.comments.map(({ body }) => body.split('\n')[3])).toEqual([
        expect.stringContaining('Plan: 1 to add'),
      ]);
      expect(github.comments[0]?.body).toContain('application.new');
      expect(github.comments[0]?.body).not.toContain('application.wiki');
      expect(readdirSync(join(folder, 'artifacts'))).toEqual([]);

      merged();
      const pushed = await runWorkflow(workflow, ofPush);
      expect(Object.keys(pushed)).toEqual(['plan', 'apply']);
      expect(pushed['apply']?.log).toContain('Resources: 2 added');

      const again = await runWorkflow(workflow, ofPush);
      expect(Object.keys(again)).toEqual(['plan']);
      expect(again['plan']?.log).toContain('No changes.');
    },
  );

  test.runIf(inFull)('fails in the nightly run if something differs', async () => {
    await runWorkflow(workflow, ofPush);
    expect(await runWorkflow(workflow, ofSchedule)).toMatchObject({ drift: { failed: false } });
    write('manifests/apps.yaml', 'version: 1\napplications: [{ slug: wiki, name: Other }]\n');
    const ran = await runWorkflow(workflow, ofSchedule);
    expect(Object.keys(ran)).toEqual(['drift']);
    expect(ran).toMatchObject({
      drift: { failed: true, code: 2, log: expect.stringContaining('differs') as string },
    });
    expect(github.requests).toEqual([]);
  });

  test.runIf(inFull)('applies nothing if something changed between the plan and the approval', async () => {
    const { apply, ...planOnly } = workflow.jobs;
    expect(await runWorkflow({ jobs: planOnly }, ofPush)).toMatchObject({
      plan: { outputs: { changes: 'true' } },
    });
    await fetch(`${service.url}/api/v3/core/applications/`, {
      method: 'POST',
      headers: { authorization: 'Bearer creator', 'content-type': 'application/json' },
      body: JSON.stringify({ slug: 'wiki', name: 'Wiki' }),
    });
    const { needs, if: condition, ...alone } = apply ?? { steps: [] };
    expect([needs, condition]).toEqual(['plan', expect.stringContaining('needs.plan.outputs.changes')]);
    expect(await runWorkflow({ jobs: { apply: alone } }, ofPush)).toMatchObject({
      apply: { failed: true, code: 5 },
    });
  });

  test('checks the pull request of a fork with the executable, without a secret and without a comment', async ({
    skip,
  }) => {
    skip(!inFull);
    rmSync(join(folder, 'bin/node'));
    const ran = await runWorkflow(workflow, ofPullRequest('mallory/roll'));
    expect(ran).toMatchObject({ validate: { failed: false } });
    expect([Object.keys(ran), github.requests]).toEqual([['validate'], []]);
    write('manifests/apps.yaml', 'version: 1\nusers: [{ username: carol, name: "${env:CAROL}" }]\n');
    expect(await runWorkflow(workflow, ofPullRequest('mallory/roll'))).toMatchObject({
      validate: { failed: false },
    });
    write('manifests/apps.yaml', 'version: 1\nusers: [{ user: carol }]\n');
    expect(await runWorkflow(workflow, ofPullRequest('mallory/roll'))).toMatchObject({
      validate: { failed: true, code: 3 },
    });
  });
});

describe('the workflow that init writes', () => {
  test.runIf(inFull).each([
    [false, 'An apply would change nothing.', 'Resources: 0 added, 0 changed', { failed: true, code: 2 }],
    [true, 'Plan: 0 to add, 1 to change', 'Resources: 0 added, 1 changed', { failed: false }],
  ])(
    'writes the expected comment with allowsUpdates set to %s: %s',
    async (allowsUpdates, comment, applied, drift) => {
      const given = { url: service.url, tokenEnv: 'ROLLCALL_TOKEN', environment: 'production' };
      const files = initFiles({ ...given, pipeline: 'github', allowsUpdates });
      const init = parse(files.at(-1)?.text ?? '') as Workflow; // these tests check it by running it
      write('rollcall.yaml', files[0]?.text ?? '');
      program('npm', '#!/bin/sh\n[ "$*" = ci ]\n');
      program('npx', `#!/bin/sh\n[ "$1 $2" = '--no rollcall' ] && shift 2 && exec rollcall "$@"\n`);
      merged();
      expect(await runWorkflow(init, ofPush)).toMatchObject({ apply: { failed: false } });
      write('manifests/apps.yaml', wiki.replace('Wiki', 'Handbook'));
      await runWorkflow(init, ofPullRequest('acme/roll'));
      expect(github.comments[0]?.body).toContain(comment);
      merged();
      expect((await runWorkflow(init, ofPush))['apply']?.log).toContain(applied);
      expect(await runWorkflow(init, ofSchedule)).toMatchObject({ drift });
    },
  );

  test('plans a pull request with the rollcall that the project installs', async ({ skip }) => {
    skip(!inFull);
    const files = initFiles({
      url: service.url,
      tokenEnv: 'ROLLCALL_TOKEN',
      environment: 'production',
      pipeline: 'github',
    });
    write('rollcall.yaml', files[0]?.text ?? '');
    const workflow = parse(files.at(-1)?.text ?? '') as Workflow; // these tests check it by running it
    program('npm', '#!/bin/sh\n[ "$*" = ci ]\n');
    program('npx', `#!/bin/sh\n[ "$1 $2" = '--no rollcall' ] && shift 2 && exec rollcall "$@"\n`);

    // One run uses the executable.
    for (const name of ['node', 'rollcall']) rmSync(join(folder, 'bin', name));
    symlinkSync(cli, join(folder, 'bin/rollcall'));
    await runWorkflow(workflow, ofPullRequest('acme/roll'));
    rmSync(join(folder, 'bin/rollcall'));
    residents.install(join(folder, 'bin/rollcall'), 'rollcall');
    write('manifests/more.yaml', 'version: 1\nusers: [{ username: carol, name: Carol }]\n');
    const planned = await runWorkflow(workflow, ofPullRequest('acme/roll'));
    expect(Object.keys(planned)).toEqual(['plan']);
    expect(planned['plan']).toMatchObject({ failed: false, log: expect.not.stringContaining('::warning::') });
    expect(github.comments.map(({ body }) => body.split('\n')[3])).toEqual([
      expect.stringContaining('Plan: 1 to add'),
    ]);

    github.fail('GET', 403, '{}');
    github.fail('POST', 403, '{}');
    const unshown = await runWorkflow(workflow, ofPullRequest('acme/roll'));
    expect(unshown['plan']).toMatchObject({
      failed: false,
      log: expect.stringContaining('::warning::The plan'),
    });

    merged();
    const pushed = await runWorkflow(workflow, ofPush);
    expect(pushed['apply']?.log).toContain('Resources: 2 added');
    expect(await runWorkflow(workflow, ofSchedule)).toMatchObject({ drift: { failed: false } });
    const dependabot = ofPullRequest('acme/roll');
    Object.assign(dependabot.event, {
      pull_request: { head: { repo: { full_name: 'acme/roll' } }, user: { login: 'dependabot[bot]' } },
    });
    for (const event of [ofPullRequest('mallory/roll'), dependabot]) {
      const checked = await runWorkflow(workflow, event);
      expect(checked).toMatchObject({ validate: { failed: false } });
      expect(Object.keys(checked)).toEqual(['validate']);
    }

    // In a merge queue, the merge is planned without a comment.
    write('manifests/more.yaml', 'version: 1\nusers: [{ username: dave, name: Dave }]\n');
    const requests = github.requests.length;
    const queued = await runWorkflow(workflow, {
      event_name: 'merge_group',
      base_ref: '',
      event: {},
    });
    expect(Object.keys(queued)).toEqual(['plan']);
    expect(queued['plan']).toMatchObject({
      failed: false,
      log: expect.stringContaining('user.dave') as string,
    });
    expect(github.requests).toHaveLength(requests);

    // The nightly run finds removed entries for a week, even in a repository that is younger than a week.
    write('manifests/more.yaml', 'version: 1\nusers: []\n');
    write('manifests/apps.yaml', 'version: 1\napplications: []\n');
    expect(await runWorkflow(workflow, ofSchedule)).toMatchObject({
      drift: {
        failed: true,
        code: 2,
        log: expect.stringContaining('application.wiki is no longer') as string,
      },
    });
    write('manifests/apps.yaml', wiki);
    write('manifests/more.yaml', 'version: 1\nusers: [{ username: carol, name: Carol }]\n');
    vi.stubEnv('GIT_COMMITTER_DATE', new Date(Date.now() - 14 * 86_400_000).toISOString());
    repository.commit();
    vi.unstubAllEnvs();
    expect(await runWorkflow(workflow, ofSchedule)).toMatchObject({ drift: { failed: false } });
    write('manifests/more.yaml', 'version: 1\nusers: []\n');
    expect(await runWorkflow(workflow, ofSchedule)).toMatchObject({
      drift: { failed: true, code: 2, log: expect.stringContaining('is no longer declared') as string },
    });
    // The nightly run finds missing records too.
    write(
      'manifests/more.yaml',
      'version: 1\nusers: [{ username: carol, name: Carol }]\napplications: [{ slug: later, name: L }]\n',
    );
    expect(await runWorkflow(workflow, ofSchedule)).toMatchObject({ drift: { failed: true, code: 2 } });
  });
});

function program(name: string, text: string): void {
  writeFileSync(join(folder, 'bin', name), text);
  chmodSync(join(folder, 'bin', name), 0o755);
}

/** The part of GitHub's `gh api` that the workflow uses. */
const gh: Resident = async ({ args, cwd, env, stdout }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      paginate: { type: 'boolean' },
      method: { type: 'string' },
      field: { type: 'string' },
      jq: { type: 'string' },
    },
  });
  const [name = '', file] = (values.field ?? '').split('=@');
  const query = values.paginate ? '?per_page=100&page=1' : '';
  const response = await fetch(`${env['GITHUB_API_URL']}/${positionals[1]}${query}`, {
    method: values.method ?? (file ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${env['GH_TOKEN']}` },
    ...(file && { body: JSON.stringify({ [name]: readFileSync(resolve(cwd, file), 'utf8') }) }),
  });
  const answer = await response.text();
  if (!response.ok) return 1;
  stdout(`${await raw(answer, values.jq ?? '.', ['-r'])}\n`);
  return 0;
};
