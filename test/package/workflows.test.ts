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
  return parse(readFileSync(join(folderOfWorkflows, name), 'utf8')) as Workflow; // ours
}

interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const { version, engines, scripts, dependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as PackageJson; // our own package.json

describe.each(readdirSync(folderOfWorkflows))('the workflow %s', (name) => {
  const { permissions, jobs } = workflow(name);

  test('takes every action at one commit, and says which version that is', () => {
    const text = readFileSync(join(folderOfWorkflows, name), 'utf8');
    const actions = text.match(/^.*\buses:.*$/gm) ?? [];
    for (const action of actions)
      expect(action).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('may write nothing but what its jobs say', () => {
    expect(Object.values(permissions)).not.toContain('write');
    const written = Object.values(jobs).flatMap((job) =>
      Object.entries(job.permissions ?? {}).flatMap(([what, how]) => (how === 'write' ? [what] : [])),
    );
    expect(written).toEqual(name === 'release.yaml' ? ['id-token', 'contents'] : []);
  });

  test('runs scripts that there are', () => {
    const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run: line = '' }) => line));
    const called = lines.flatMap((line) =>
      Array.from(line.matchAll(/npm run ([\w:]+)/g), ([, script = '']) => script),
    );
    for (const script of called) expect(scripts).toHaveProperty([script]);
  });
});

test('the oldest version that is tested is the oldest that is promised', () => {
  const [oldest] = workflow('ci.yaml').jobs['versions']?.strategy?.matrix.node ?? [];
  expect(engines.node).toBe(`>=${oldest}`);
});

// npm takes seconds for each of its steps.
describe.runIf(inFull)('a release', () => {
  const { jobs } = workflow('release.yaml');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
    const left = new Set(['node_modules', '.git', 'build', 'test']);
    cpSync(root, folder, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs a step as the workflow does, without a way to anything beyond this machine. */
  function step(job: string, matching: RegExp, tag = `v${version}`): Promise<Ended> {
    const line = jobs[job]?.steps.find(({ run: text = '' }) => matching.test(text))?.run ?? 'exit 99';
    return run('bash', ['-e', '-o', 'pipefail', '-c', line], {
      cwd: folder,
      env: {
        npm_config_offline: 'true',
        npm_config_cache: join(folder, 'cache'),
        GITHUB_REF_NAME: tag,
        GITHUB_SERVER_URL: 'https://forge.example',
        GITHUB_REPOSITORY: 'someone/rollcall',
      },
    });
  }

  test('is one of the version that its tag names', async () => {
    expect(await step('publish', /GITHUB_REF_NAME/)).toMatchObject({ code: 0 });
    expect(await step('publish', /GITHUB_REF_NAME/, 'v99.0.0')).toMatchObject({ code: 1 });
  });

  test('packs what was checked, and names the repository that it is built in', async () => {
    expect(await step('publish', /npm pkg set/)).toMatchObject({ code: 0 });
    expect(await step('publish', /npm pack/)).toMatchObject({ code: 0 });
    const tarball = readdirSync(folder).find((name) => /^rollcall-.*\.tgz$/.test(name)) ?? '';
    const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      version,
      repository: { type: 'git', url: 'git+https://forge.example/someone/rollcall.git' },
    });
  });

  test('lists what the package depends on, and nothing that is for development', async () => {
    expect(await step('release', /npm sbom/)).toMatchObject({ code: 0 });
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, 'rollcall.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    }; // CycloneDX
    expect(bomFormat).toBe('CycloneDX');
    expect(components).toEqual(
      expect.arrayContaining(
        Object.entries(dependencies).map(
          ([name, exact]) => expect.objectContaining({ name, version: exact }) as object,
        ),
      ),
    );
    expect(components.map(({ name }) => name)).not.toContain('vitest');
    expect(components.length).toBeLessThan(40);
  });
});
