import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, run, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly steps: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
}

const folderOfWorkflows = join(root, '.github/workflows');

function workflow(name: string): Workflow {
  return parse(readFileSync(join(folderOfWorkflows, name), 'utf8')) as Workflow; // a file of this repository
}

interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const { version, engines, scripts, dependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as PackageJson; // package.json of this repository

describe.each(readdirSync(folderOfWorkflows))('the workflow %s of this repository', (name) => {
  const { permissions, jobs } = workflow(name);

  test('pins every action to a commit, with its version in a comment', () => {
    const text = readFileSync(join(folderOfWorkflows, name), 'utf8');
    const actions = text.match(/^.*\buses:.*$/gm) ?? [];
    for (const action of actions)
      expect(action).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('has write permissions only in jobs that need them', () => {
    expect(Object.values(permissions)).not.toContain('write');
    const written = Object.values(jobs).flatMap((job) =>
      Object.entries(job.permissions ?? {}).flatMap(([what, how]) => (how === 'write' ? [what] : [])),
    );
    expect(written).toEqual(
      name === 'release.yaml' ? ['id-token', 'packages', 'id-token', 'attestations', 'contents'] : [],
    );
  });

  test('runs existing scripts', () => {
    const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run: line = '' }) => line));
    const called = lines.flatMap((line) =>
      Array.from(line.matchAll(/npm run ([\w:]+)/g), ([, script = '']) => script),
    );
    for (const script of called) expect(scripts).toHaveProperty([script]);
  });
});

test('the oldest version of Node.js in the tests is the oldest that the package supports', () => {
  const [oldest] = workflow('ci.yaml').jobs['nodes']?.strategy?.matrix.node ?? [];
  expect(engines.node).toBe(`>=${oldest}`);
  const documented = readFileSync(join(root, 'docs/pipelines.md'), 'utf8');
  expect(documented).toContain(`Node.js ${oldest} or newer`);
});

/** The steps of a release that tests run, each recognized by its content. */
const runHere = {
  tag: ['publish', /GITHUB_REF_NAME/],
  repository: ['publish', /npm pkg set/],
  pack: ['publish', /npm pack/],
  parts: ['release', /npm sbom/],
} as const;

describe('a step of the release workflow', () => {
  const { jobs } = workflow('release.yaml');
  const text = readFileSync(join(folderOfWorkflows, 'release.yaml'), 'utf8');
  const marks = Array.from(text.matchAll(/((?: {6}#.*\n)*) {6}- /g), ([, comments = '']) =>
    comments.includes('# Not run outside GitHub\n'),
  );
  const steps = Object.entries(jobs).flatMap(([job, { steps: all }]) =>
    all.map((step) => ({ job, ...step })),
  );
  const checks = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');

  test.each(
    steps.map((step, index) => ({ ...step, said: step.name ?? step.run ?? step.uses, marked: marks[index] })),
  )('is either run by a test or marked as untestable: $said', ({ job, run: line = '', marked }) => {
    const tested = Object.values(runHere).filter(([name, matching]) => name === job && matching.test(line));
    expect(marked).toBe(tested.length === 0 && (line === '' || !checks.includes(line)));
  });

  test('is in the workflow if a test claims to run it', () => {
    for (const [name, matching] of Object.values(runHere))
      expect(steps.filter(({ job, run: line = '' }) => name === job && matching.test(line))).not.toEqual([]);
  });
});

// Each of these steps takes npm several seconds.
describe.runIf(inFull)('a release', () => {
  const { jobs } = workflow('release.yaml');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
    const left = new Set(['node_modules', '.git', 'build', 'test']);
    cpSync(root, folder, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs a step as the workflow does, but without access beyond this machine. */
  function step(name: keyof typeof runHere, tag = `v${version}`): Promise<Ended> {
    const [job, matching] = runHere[name];
    const line = jobs[job]?.steps.find(({ run: text = '' }) => matching.test(text))?.run ?? 'exit 99';
    return run('bash', ['-e', '-o', 'pipefail', '-c', line], {
      cwd: folder,
      env: {
        npm_config_offline: 'true',
        npm_config_cache: join(folder, 'cache'),
        GITHUB_REF_NAME: tag,
        GITHUB_SERVER_URL: 'https://forge.example',
        GITHUB_REPOSITORY: 'Someone/rollcall',
      },
    });
  }

  test('has the version that its tag names', async () => {
    expect(await step('tag')).toMatchObject({ code: 0 });
    expect(await step('tag', 'v99.0.0')).toMatchObject({ code: 1 });
  });

  test('packs the checked files, and names the repository of the build', async () => {
    expect(await step('repository')).toMatchObject({ code: 0 });
    expect(await step('pack')).toMatchObject({ code: 0 });
    const tarball = readdirSync(folder).find((name) => /^rollcall-.*\.tgz$/.test(name)) ?? '';
    const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      version,
      repository: { type: 'git', url: 'git+https://forge.example/Someone/rollcall.git' },
    });
  });

  test('lists exactly the dependencies of the package', async () => {
    expect(await step('parts')).toMatchObject({ code: 0 });
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, 'rollcall.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: {
        name: string;
        version: string;
        purl: string;
        hashes: { alg: string; content: string }[];
      }[];
    }; // npm writes CycloneDX
    expect(bomFormat).toBe('CycloneDX');
    const needed = productionPackages().map(({ name, version: exact, integrity }) => ({
      name,
      version: exact,
      purl: `pkg:npm/${name}@${exact}`,
      hashes: [
        { alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') },
      ],
    }));
    const listed = components.map(({ name, version: exact, purl, hashes }) => ({
      name,
      version: exact,
      purl,
      hashes,
    }));
    expect(listed.toSorted(byPurl)).toEqual(needed.toSorted(byPurl));
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  });
});

/** The packages in the lockfile that are needed in production. */
function productionPackages(): { name: string; version: string; integrity: string }[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; version: string; integrity: string }>;
  }; // npm writes this form
  return Object.entries(packages).flatMap(([path, { dev = false, version: exact, integrity }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return path === '' || dev ? [] : [{ name, version: exact, integrity }];
  });
}

function byPurl(one: { readonly purl: string }, other: { readonly purl: string }): number {
  return one.purl < other.purl ? -1 : 1;
}
