import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { inFull } from '../support/effort.ts';
import { GitProject } from '../support/git-project.ts';
import {
  gitlabExample,
  gitlabFile,
  runPipeline,
  type GitLabFile,
  type Pipeline,
} from '../support/gitlab-runner.ts';
import { rollcallHere } from '../support/here.ts';
import { serveResidents, type Residents } from '../support/resident.ts';

let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ rollcall: rollcallHere });
});
afterAll(() => residents.close());

let project: GitProject;
let bin: string;
let service: SandboxServer;
beforeEach(async () => {
  const tokens = [{ token: 'viewer', add_applications: false, add_users: false }, { token: 'creator' }];
  service = await serveSandbox(seedSandbox({ tokens }).sandbox, { port: 0, latencyMs: 0 });
  bin = join(temporaryFolder(), 'bin');
  mkdirSync(bin);
  residents.install(join(bin, 'rollcall'), 'rollcall');
  program('npm', '[ "$*" = ci ]');
  program('npx', `[ "$1 $2" = '--no rollcall' ] && shift 2 && exec rollcall "$@"`);
  project = GitProject.create();
  project.write({
    'manifests/apps.yaml': manifest(12),
    'rollcall.yaml': 'version: 1\nmanifests: [manifests]\nenvironments: { production: {} }\n',
  });
  return () => service.close();
});

function program(name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}

const manifest = (count: number): string =>
  `version: 1\napplications:\n${Array.from({ length: count }, (_, index) => `  - { slug: app-${index}, name: A }\n`).join('')}`;

/** Commits the current files with the URL of this service, and runs the example pipeline. */
function runAt(variables: Readonly<Record<string, string>>): Promise<Pipeline> {
  project.commit();
  const file: GitLabFile = gitlabFile(gitlabExample.replaceAll('https://id.example.com', service.url));
  // Only the environment has the token with permission to create.
  const secrets = (environment?: string): { ROLLCALL_TOKEN: string } => ({
    ROLLCALL_TOKEN: environment === 'production' ? 'creator' : 'viewer',
  });
  return runPipeline(
    file,
    { repository: project.folder, bin, secrets },
    { CI_DEFAULT_BRANCH: 'main', ...variables },
  );
}

const ofPush = { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'main' };
const ofSchedule = { CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_BRANCH: 'main' };
const ofMergeRequest = (base: string, from = '1'): Record<string, string> => ({
  CI_PIPELINE_SOURCE: 'merge_request_event',
  CI_COMMIT_BRANCH: 'main',
  CI_MERGE_REQUEST_PROJECT_ID: '1',
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: from,
  CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
});

interface Note {
  readonly id: number;
  readonly author: { readonly id: number };
  body: string;
}

/** Serves GitLab's comments on merge request 7 of project 1. There are 100 other comments before them. */
async function serveNotes(): Promise<{ url: string; all: Note[]; close: () => Promise<void> }> {
  const all: Note[] = Array.from({ length: 100 }, (_, id) => ({ id: id + 100, author: { id: 2 }, body: '' }));
  const path = '/projects/1/merge_requests/7/notes';
  const answer = (method: string, url: URL, body: string): object | undefined => {
    if (method === 'GET' && url.pathname === '/user') return { id: 5 };
    const page = Number(url.searchParams.get('page'));
    if (method === 'GET' && url.pathname === path) return all.slice((page - 1) * 100, page * 100);
    const known = all.find(({ id }) => method === 'PUT' && url.pathname === `${path}/${id}`);
    const note = known ?? { id: 1000, author: { id: 5 }, body: '' };
    if (known === undefined && (method !== 'POST' || url.pathname !== path)) return undefined;
    Object.assign(note, JSON.parse(body));
    if (known === undefined) all.push(note);
    return note;
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const allowed = request.headers['private-token'] === 'canary-notes';
      const found = answer(request.method ?? '', new URL(request.url ?? '', 'http://localhost'), body);
      const status = found === undefined ? 404 : 200;
      response.writeHead(allowed ? status : 401).end(JSON.stringify(allowed ? (found ?? {}) : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return {
    url: `http://127.0.0.1:${port}`,
    all,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe('the example pipeline for GitLab', () => {
  test('shows and counts the changes of a merge request, and applies everything on the default branch', async ({
    skip,
  }) => {
    skip(!inFull);
    const base = project.commit();
    project.write({ 'manifests/new.yaml': 'version: 1\nusers: [{ username: zoe, name: Zoe }]\n' });
    const review = await runAt(ofMergeRequest(base));
    expect(review).toMatchObject({
      jobs: { review: true },
      log: expect.stringContaining('user.zoe') as string,
    });
    expect(Object.keys(review.jobs)).toEqual(['review']);
    expect(review.log).not.toContain('application.app-0');
    expect(JSON.parse(review.artifact('review', 'widget.json'))).toEqual({ create: 1, update: 0, delete: 0 });
    expect(review.artifact('review', 'plan.xml')).toContain('<testsuites');
    expect(review.artifact('review', 'plan.html')).toContain('user.zoe');

    const pushed = await runAt(ofPush);
    expect(pushed.jobs).toEqual({ plan: true, apply: true });
    expect(pushed.log).toContain('Resources: 13 added');
    expect(pushed.artifact('apply', 'apply.xml')).toContain('application.app-11');

    project.write({ 'manifests/apps.yaml': manifest(12).replace('name: A', 'name: Other') });
    const drifted = await runAt(ofSchedule);
    expect(drifted.jobs).toEqual({ drift: false });
    expect(drifted.log).toContain('application.app-0 differs');
    expect(drifted.artifact('drift', 'plan.xml')).toContain('failures="1"');
  });

  test('shows the plan in one comment of the merge request, and the next run updates this comment', async ({
    skip,
  }) => {
    skip(!inFull);
    const base = project.commit();
    project.write({ 'manifests/new.yaml': 'version: 1\nusers: [{ username: zoe, name: Zoe }]\n' });
    const without = await runAt(ofMergeRequest(base));
    expect(without.log).toContain('No comment on the merge request: GITLAB_COMMENT_TOKEN is not set.');

    const notes = await serveNotes();
    const given = {
      ...ofMergeRequest(base),
      CI_API_V4_URL: notes.url,
      CI_MERGE_REQUEST_IID: '7',
      GITLAB_COMMENT_TOKEN: 'canary-notes',
    };
    expect((await runAt(given)).jobs).toEqual({ review: true });
    const [marker = ''] = notes.all.at(-1)?.body.split('\n') ?? [];
    expect(notes.all.at(-1)?.body).toContain('user.zoe');
    // A comment by another author with the same marker is not updated.
    notes.all.unshift({ id: 1, author: { id: 9 }, body: `${marker}\nforged` });
    project.write({ 'manifests/new.yaml': 'version: 1\nusers: [{ username: yan, name: Yan }]\n' });
    await runAt(given);
    expect(notes.all.filter(({ author }) => author.id === 5)).toHaveLength(1);
    expect(notes.all[0]?.body).toContain('forged');
    expect(notes.all.at(-1)?.body).toContain('user.yan');

    const refused = await runAt({ ...given, GITLAB_COMMENT_TOKEN: 'wrong' });
    expect(refused.jobs).toEqual({ review: true });
    expect(refused.log).toContain('The plan could not be shown in the merge request.');
    await notes.close();
  });

  test.runIf(inFull)('checks the merge request of a fork without a secret', async () => {
    const base = project.commit();
    project.write({ 'manifests/new.yaml': 'version: 1\nusers: [{ username: zoe, name: "${env:ZOE}" }]\n' });
    const fork = { ...ofMergeRequest(base, '2'), ROLLCALL_TOKEN: '' };
    const checked = await runAt(fork);
    expect(checked.jobs).toEqual({ validate: true });
    expect(checked.artifact('validate', 'validate.xml')).toContain('file="manifests/new.yaml"');
  });

  test('reports removed entries in the nightly run, even in a repository younger than a week', async () => {
    project.write({ 'manifests/apps.yaml': manifest(1) });
    project.commit();
    expect((await runAt(ofPush)).jobs).toEqual({ plan: true, apply: true });
    expect((await runAt(ofSchedule)).jobs).toEqual({ drift: true });
    project.write({ 'manifests/apps.yaml': 'version: 1\napplications: []\n' });
    const found = await runAt(ofSchedule);
    expect(found.jobs).toEqual({ drift: false });
    expect(found.log).toContain('No longer declared, and left unchanged: application.app-0\n');
  });

  test('runs only for merge requests and the default branch', async () => {
    expect((await runAt({ CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'other' })).jobs).toEqual({});
  });
});
