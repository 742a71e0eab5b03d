import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kustomization } from '@kubernetes-models/flux-cd/kustomize.toolkit.fluxcd.io/v1';
import { CronJob, Job, type ICronJob, type IJob } from 'kubernetes-models/batch/v1';
import { PersistentVolumeClaim } from 'kubernetes-models/v1';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { root, run, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';
import { rollcallHere } from '../support/here.ts';
import { commandOf, runJob, type JobEnd, type Pod, type PodEnd } from '../support/job-controller.ts';
import { serveResidents, type Residents } from '../support/resident.ts';

const names = ['kubernetes-shards.yaml', 'kubernetes-merge.yaml', 'kubernetes-gitops.yaml'] as const;
type Name = (typeof names)[number];

interface Found {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The documents of an example. What stands for a name of the user's is replaced by one. */
function documents(name: Name, change: (text: string) => string = String): Found[] {
  const text = readFileSync(join(root, 'examples/pipelines', name), 'utf8').replaceAll('<run>', '3f2c1ab-7');
  return parseAllDocuments(change(text)).map((document) => document.toJS() as Found); // checked by the first tests
}

/** The Jobs of an example; that of a CronJob is one. */
function jobs(name: Name, change: (text: string) => string = String): IJob[] {
  // What is of a kind is as its schema says.
  return documents(name, change).flatMap((document) => {
    if (document.kind === 'Job') return [document as IJob];
    return document.kind === 'CronJob' ? [(document as ICronJob).spec?.jobTemplate as IJob] : [];
  });
}

const kinds = {
  Job: { model: Job, from: 'kubernetes-models/batch/v1' },
  CronJob: { model: CronJob, from: 'kubernetes-models/batch/v1' },
  PersistentVolumeClaim: { model: PersistentVolumeClaim, from: 'kubernetes-models/v1' },
  Kustomization: {
    model: Kustomization,
    from: '@kubernetes-models/flux-cd/kustomize.toolkit.fluxcd.io/v1',
  },
};

/** What is wrong by the schemas of Kubernetes and Flux; those allow fields that nobody knows, so their types are asked as well. */
async function complaints(all: readonly Found[]): Promise<string[]> {
  const found: string[] = [];
  const lines: string[] = [];
  for (const document of all.filter(({ apiVersion }) => !apiVersion.startsWith('kustomize.config.k8s.io/'))) {
    const { model, from } = kinds[document.kind as keyof typeof kinds]; // another would be undefined, and throw
    try {
      new model(document as never).validate();
    } catch (error) {
      found.push(String(error));
    }
    const type = `import('${from}').I${document.kind}`;
    lines.push(`export const document${lines.length}: ${type} = ${JSON.stringify(document)};`);
  }
  const folder = temporaryFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'documents.ts'), lines.join('\n'));
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    '',
  ];
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [...flags, 'documents.ts'], {
    cwd: folder,
  });
  return [...found, ...stdout.split('\n').filter((line) => line.includes('error'))];
}

describe('the files for Kubernetes', () => {
  test.runIf(inFull)('have nothing wrong with them, by the schemas of Kubernetes and Flux', async () => {
    expect(await complaints(names.flatMap((name) => documents(name)))).toEqual([]);
  });

  test.runIf(inFull)('would be found wrong if they were', async () => {
    const wrong = [
      documents('kubernetes-shards.yaml', (text) => text.replace('completions: 8', 'completions: eight')),
      documents('kubernetes-merge.yaml', (text) => text.replace('backoffLimit:', 'backofLimit:')),
      documents('kubernetes-gitops.yaml', (text) =>
        text.replace('Forbid', 'Never').replace('prune:', 'prunes:'),
      ),
    ];
    expect(await complaints(wrong.flat())).toEqual([
      expect.stringContaining('completions must be integer'),
      expect.stringContaining('concurrencyPolicy'),
      expect.stringContaining('required property prune'),
      expect.stringContaining("'string' is not assignable to type 'number'"),
      expect.stringContaining('"backofLimit"'),
      expect.stringContaining('"Never"'),
      expect.stringContaining('prune'),
    ]);
  });

  test('let no pod do more than it needs to', () => {
    const templates = names.flatMap((name) => jobs(name)).flatMap(({ spec }) => spec?.template ?? []);
    expect(templates).toHaveLength(4);
    for (const { spec } of templates) {
      expect(spec).toMatchObject({
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: { requests: {}, limits: {} },
          },
        ],
      });
    }
  });
});

let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ rollcall: rollcallHere });
});
afterAll(() => residents.close());

let folder: string;
let service: SandboxServer;
beforeEach(async () => {
  folder = temporaryFolder();
  for (const name of ['roll', 'results', 'secrets', 'bin']) mkdirSync(join(folder, name));
  residents.install(join(folder, 'bin/rollcall'), 'rollcall');
  writeFileSync(join(folder, 'secrets/token'), 'creator-canary');
  writeFileSync(join(folder, 'secrets/viewer'), 'viewer-canary');
  const viewer = { token: 'viewer-canary', add_applications: false, add_users: false };
  service = await serveSandbox(seedSandbox({ tokens: [viewer, { token: 'creator-canary' }] }).sandbox, {
    port: 0,
    latencyMs: 0,
  });
  return () => service.close();
});

/** Manifests as a volume of a ConfigMap holds them: links to the files of a hidden folder. */
function mountManifests(files: Readonly<Record<string, string>>): void {
  const mount = join(folder, 'roll/manifests');
  rmSync(mount, { recursive: true, force: true });
  mkdirSync(join(mount, '..2026_11_22'), { recursive: true });
  symlinkSync('..2026_11_22', join(mount, '..data'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(mount, '..data', name), text);
    symlinkSync(`..data/${name}`, join(mount, name));
  }
}

const roll = (count: number, more = ''): string =>
  `version: 1\napplications:\n${Array.from({ length: count }, (_, index) => `  - { slug: app-${index}, name: A }\n`).join('')}${more}`;

/** The Jobs of an example, with this machine's folders and service in place of the cluster's. */
function jobsHere(name: Name, change: (text: string) => string = String): IJob[] {
  return jobs(name, (text) =>
    change(text)
      .replaceAll('https://id.example.com', service.url)
      .replaceAll('/run/secrets/rollcall/', `${folder}/secrets/`)
      .replaceAll(/(?<=["=])\/results\//g, `${folder}/results/`),
  );
}

/** Runs a pod's one container. Its entry is that of the image, if it has no command. */
async function runPod(pod: Pod): Promise<Ended & PodEnd> {
  const [program = '', ...args] = commandOf(pod);
  const entry = pod.container.command === undefined ? ['rollcall', program] : [program];
  const ended = await run('/usr/bin/env', [...entry, ...args], {
    cwd: join(folder, pod.container.workingDir ?? '/'),
    env: { ...pod.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` },
  });
  return { ...ended, exitCode: ended.code ?? 1 };
}

/** What the pods of a Job printed, and how it ended. */
async function logged(
  job: IJob | undefined,
  start: (pod: Pod) => Promise<Ended & PodEnd> | PodEnd = runPod,
): Promise<JobEnd & { readonly log: string }> {
  if (job?.spec === undefined) expect.fail('there is no such Job');
  let log = '';
  const end = await runJob(job.spec, async (pod) => {
    const ended = await start(pod);
    if ('stdout' in ended) log += ended.stdout + ended.stderr;
    return ended;
  });
  return { ...end, log };
}

describe('the Indexed Job', () => {
  const everyIndex = [0, 1, 2, 3, 4, 5, 6, 7];

  test.runIf(inFull)('creates all of the roll, and the Job after it joins the results', async () => {
    mountManifests({ 'apps.yaml': roll(40) });
    const applied = await logged(jobsHere('kubernetes-shards.yaml')[0]);
    expect(applied).toMatchObject({ kind: 'Complete', succeeded: everyIndex });
    expect(applied.log.match(/"outcome":"created"/g)).toHaveLength(40);
    const merged = await logged(jobsHere('kubernetes-merge.yaml')[0]);
    expect(merged).toMatchObject({ kind: 'Complete', pods: [[0]] });
    expect(merged.log).toContain('Apply complete! Resources: 40 added');
    const document: unknown = JSON.parse(readFileSync(join(folder, 'results/3f2c1ab-7/apply.json'), 'utf8'));
    expect(document).toMatchObject({ summary: { created: 40 } });
  });

  test('gives up an index at once that would fail again, tries others again, and ends as the worst', async ({
    skip,
  }) => {
    skip(!inFull);
    mountManifests({ 'apps.yaml': roll(40, '  - { slug: refused, name: R, provider: 99 }\n') });
    const applied = await logged(jobsHere('kubernetes-shards.yaml')[0], (pod) => {
      if (pod.index === 1 && pod.attempt <= 5) return { exitCode: 143, disrupted: true };
      if (pod.index === 3 && pod.attempt <= 2) return { exitCode: 137 };
      return runPod(pod);
    });
    expect(applied).toMatchObject({ kind: 'Failed', failed: [2] });
    const [, evicted, refused, killed, ...others] = applied.pods;
    expect({ evicted, refused, killed }).toEqual({
      evicted: [143, 143, 143, 143, 143, 0],
      refused: [6],
      killed: [137, 137, 0],
    });
    expect(others).toEqual(others.map(() => [0]));
    const merged = await logged(jobsHere('kubernetes-merge.yaml')[0]);
    expect(merged).toMatchObject({ kind: 'Failed', pods: [[6]] });
    expect(merged.log).toMatch(/x application\.refused {2}rejected[^]*Resources: 40 added/);
  });

  test('is not tried again where the token is denied, or a manifest is wrong', async ({ skip }) => {
    skip(!inFull);
    mountManifests({ 'apps.yaml': roll(40) });
    const token = (text: string): string => text.replaceAll('rollcall/token', 'rollcall/viewer');
    const denied = await logged(jobsHere('kubernetes-shards.yaml', token)[0]);
    expect(denied.pods).toEqual(everyIndex.map(() => [4]));
    mountManifests({ 'apps.yaml': 'version: 1\nusers: [{ user: alice }]\n' });
    const invalid = await logged(jobsHere('kubernetes-shards.yaml')[0]);
    expect(invalid.pods).toEqual(everyIndex.map(() => [3]));
    const merged = await logged(jobsHere('kubernetes-merge.yaml')[0]);
    expect(merged).toMatchObject({ kind: 'Failed', pods: [[1]] });
    expect(merged.log).toContain('shard-8.json holds no result, only why there is none');
  });

  test('names the parts that left nothing, and takes none of a former run for them', async ({ skip }) => {
    skip(!inFull);
    mountManifests({ 'apps.yaml': roll(40) });
    await logged(jobsHere('kubernetes-shards.yaml')[0]);
    const next = (text: string): string => text.replaceAll('3f2c1ab-7', '3f2c1ab-8');
    const killed = await logged(jobsHere('kubernetes-shards.yaml', next)[0], (pod) => {
      if (pod.index === 4) return { exitCode: 137 };
      if (pod.index > 0) return runPod(pod);
      return runPod({ ...pod, env: { ...pod.env, ROLLCALL_URL: `${service.url}/elsewhere` } });
    });
    expect(killed.failed).toEqual([0, 4]);
    expect([killed.pods[0], killed.pods[4]]).toEqual([
      [1, 1, 1],
      [137, 137, 137],
    ]);
    const merged = await logged(jobsHere('kubernetes-merge.yaml', next)[0]);
    expect(merged.pods).toEqual([[1]]);
    expect(merged.log).toMatch(/shard-1\.json holds no result, only why there is none: there is no such API/);
    rmSync(join(folder, 'results/3f2c1ab-8/shard-1.json'));
    expect((await logged(jobsHere('kubernetes-merge.yaml', next)[0])).log).toContain(
      'shard 1 of 8 is missing',
    );
  });
});

test('docs/scale.md makes the second Job when the first has ended', async () => {
  const [, script = ''] =
    /^```bash\n([^]*?)^```$/m.exec(readFileSync(join(root, 'docs/scale.md'), 'utf8')) ?? [];
  const log = join(folder, 'log');
  // The Job ends while the script sleeps, and says before that it will.
  const kubectl = `case $1 in
  get) [ -e ${folder}/slept ] && echo FailureTarget Failed || echo FailureTarget ;;
  *) echo "kubectl $*" >> ${log} && grep -E '^  name: rollcall-(apply|merge)' >> ${log} ;;
esac`;
  const programs = { kubectl, sleep: `echo "sleep $*" >> ${log} && touch ${folder}/slept` };
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  const cwd = join(root, 'examples/pipelines');
  expect(await run('bash', ['-euc', script], { cwd, env })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
    'kubectl apply -f -',
    '  name: rollcall-apply-3f2c1ab-7',
    'sleep 10',
    'kubectl apply -f -',
    '  name: rollcall-merge-3f2c1ab-7',
  ]);
});

describe('the Jobs for GitOps', () => {
  test.runIf(inFull)('apply the ConfigMap, and find what has come to differ since', async () => {
    mountManifests({
      'applications.yaml': roll(3),
      'users.yaml': 'version: 1\nusers: [{ username: alice, name: A }]\n',
    });
    const [apply, drift] = jobsHere('kubernetes-gitops.yaml');
    const applied = await logged(apply);
    expect(applied).toMatchObject({ kind: 'Complete', pods: [[0]] });
    expect(applied.log).toContain('Resources: 4 added');
    expect((await logged(drift)).pods).toEqual([[0]]);
    mountManifests({
      'applications.yaml': roll(3).replace('name: A', 'name: Another'),
      'users.yaml': 'version: 1\nusers: []\n',
    });
    const differing = await logged(drift);
    expect(differing).toMatchObject({ kind: 'Failed', pods: [[2]] });
    expect(differing.log).toContain('application.app-0 differs');
    mountManifests({ 'applications.yaml': 'version: 2\n' });
    expect((await logged(apply)).pods).toEqual([[3]]);
  });

  test('are made anew by Argo CD and Flux when the manifests change', () => {
    const [kustomization, job] = documents('kubernetes-gitops.yaml');
    expect(kustomization).toMatchObject({ configMapGenerator: [{ name: 'manifests' }] });
    expect(job).toMatchObject({
      metadata: {
        annotations: {
          'argocd.argoproj.io/hook': 'PostSync',
          'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
          'kustomize.toolkit.fluxcd.io/force': 'Enabled',
        },
      },
      spec: { template: { spec: { volumes: [{ configMap: { name: 'manifests' } }, {}] } } },
    });
    // Flux would make a Job again that is gone.
    expect(job).not.toHaveProperty('spec.ttlSecondsAfterFinished');
  });
});
