import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { root, run } from '../support/cli.ts';
import { gitlabComplaints, runPipeline, type Pipeline } from '../support/gitlab-runner.ts';
import { rollcallHere } from '../support/here.ts';
import { serveResidents, type Residents } from '../support/resident.ts';

let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ rollcall: rollcallHere });
});
afterAll(() => residents.close());

let repository: string;
let bin: string;
let service: SandboxServer;
beforeEach(async () => {
  repository = temporaryFolder();
  bin = join(temporaryFolder(), 'bin');
  mkdirSync(bin);
  residents.install(join(bin, 'rollcall'), 'rollcall');
  program('npm', '[ "$*" = ci ]');
  program('npx', `[ "$1 $2" = '--no rollcall' ] && shift 2 && exec rollcall "$@"`);
  const tokens = [{ token: 'viewer', add_applications: false, add_users: false }, { token: 'creator' }];
  service = await serveSandbox(seedSandbox({ tokens }).sandbox, { port: 0, latencyMs: 0 });
  write('rollcall.yaml', 'version: 1\nmanifests: [manifests]\nenvironments: { production: {} }\n');
  write('manifests/apps.yaml', manifest(12));
  await git('init', '--quiet', '--initial-branch=main');
  return () => service.close();
});

function program(name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}

function write(name: string, text: string): void {
  mkdirSync(join(repository, name, '..'), { recursive: true });
  writeFileSync(join(repository, name), text);
}

const manifest = (count: number): string =>
  `version: 1\napplications:\n${Array.from({ length: count }, (_, index) => `  - { slug: app-${index}, name: A }\n`).join('')}`;

async function git(...args: readonly string[]): Promise<string> {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  const { code, stdout, stderr } = await run('git', [...who, ...args], { cwd: repository });
  if (code !== 0) expect.fail(stderr);
  return stdout.trim();
}

/** Commits all that is there, with an example as the pipeline's file. */
async function commit(example: string): Promise<string> {
  const text = readFileSync(join(root, 'examples/pipelines', example), 'utf8');
  write('.gitlab-ci.yml', text.replaceAll('https://id.example.com', service.url));
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'a commit');
  return git('rev-parse', 'HEAD');
}

const ofPush = { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'main', CI_DEFAULT_BRANCH: 'main' };

/** The token that may create is one of the environment `production` alone, which the job `apply` names. */
function runWith(variables: Readonly<Record<string, string>>): Promise<Pipeline> {
  return runPipeline({ repository, bin }, { ROLLCALL_URL: service.url, ...variables });
}

describe('the example of shards for GitLab', () => {
  test('creates all of the roll, and joins the reports', async () => {
    await commit('gitlab-shards.yaml');
    const { jobs, log } = await runWith({ ...ofPush, ROLLCALL_TOKEN: 'creator' });
    const shards = Array.from({ length: 8 }, (_, index) => `apply: [${index + 1}/8]`);
    expect(jobs).toEqual(Object.fromEntries([...shards, 'report'].map((name) => [name, true])));
    expect(log).toContain('Apply complete! Resources: 12 added');
  });
});

test('files for GitLab would be found wrong if they were', async () => {
  const text = readFileSync(join(root, 'examples/pipelines/gitlab.yaml'), 'utf8');
  write('.gitlab-ci.yml', text.replace('artifacts:', 'artefacts:'));
  expect(await gitlabComplaints({ repository, bin })).toEqual([
    expect.stringContaining("'artefacts' property is not expected to be here"),
  ]);
});
