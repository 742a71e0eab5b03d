import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { root, run, type Ended } from '../support/cli.ts';
import { inFull, someOf } from '../support/effort.ts';

interface PackageJson {
  readonly version: string;
  readonly bin: { readonly rollcall: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

const { version, bin, dependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as PackageJson; // package.json of this repository

let folder: string;
/** The files in the package, by path. */
let packed: readonly string[];

/** Packs the package, and installs it as `npm install` would, with only its declared dependencies. */
beforeAll(async () => {
  folder = temporaryFolder();
  const target = join(folder, 'node_modules/rollcall');
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  mkdirSync(target);
  // The scripts of the package would rebuild it, and so delete the program while other tests run it.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  const [tarball] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = tarball.files.map(({ path }) => path);
  await run('tar', ['-xzf', join(folder, tarball.filename), '-C', target, '--strip-components=1']);
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  symlinkSync(join('../rollcall', bin.rollcall), join(folder, 'node_modules/.bin/rollcall'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

describe('the npm package', () => {
  test('contains the program, the library, the schemas and the documents, and nothing else', () => {
    const outside = packed.filter((path) => !/^(bin|dist|schemas)\//.test(path));
    expect(outside.toSorted()).toEqual([
      'LICENSE',
      'README.md',
      ...below('docs').filter((path) => /^docs\/[^/]+\.md$/.test(path)),
      'examples/pipelines/github-npm.yaml',
      'examples/pipelines/gitlab.yaml',
      'examples/pipelines/project/applications.yaml',
      'examples/pipelines/project/gitignore',
      'examples/pipelines/project/rollcall.yaml',
      'package.json',
      ...below('src').filter((path) =>
        /^src\/(?:kinds|sandbox)\/.*\.json$|^src\/report\/page\/|^src\/commands\/completion\//.test(path),
      ),
    ]);
    for (const whole of ['bin', 'schemas']) {
      const found = packed.filter((path) => path.startsWith(`${whole}/`));
      expect(found.toSorted()).toEqual(below(whole));
    }
    const modules = new Set(below('src').map((path) => path.replace(/^src\//, 'dist/').replace(/\.ts$/, '')));
    const notOurs = packed.filter(
      (path) => path.startsWith('dist/') && !modules.has(path.replace(/(\.d\.ts|\.js)$/, '')),
    );
    expect(notOurs).toEqual([]);
    expect(packed).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', bin.rollcall]));
  });

  test('has documents whose links lead to its files or to the repository', () => {
    const dead = packed
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => {
        const text = readFileSync(join(folder, 'node_modules/rollcall', path), 'utf8');
        return Array.from(text.matchAll(/\]\((?!https?:)([^)#]+)/g), ([, link = '']) =>
          normalize(join(dirname(path), link)),
        );
      })
      .filter((path) => !existsSync(join(folder, 'node_modules/rollcall', path)));
    expect(dead.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(
      dead.filter(
        (path) =>
          !/^(\.github\/CONTRIBUTING\.md|\.ci\/Dockerfile|docs\/pictures\/.*|examples\/.*)$/.test(path),
      ),
    ).toEqual([]);
  });

  test.runIf(inFull)('runs with npx after its installation', async () => {
    const { code, stdout, stderr } = await run('npx', ['--no', '--', 'rollcall', '--version'], {
      cwd: folder,
      env: { npm_config_offline: 'true' },
    });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${version}\n` });
  });

  test.runIf(inFull)('validates and prints schemas and help pages after its installation', async () => {
    writeManifest('version: 1\nusers: [{ username: alice, name: Alice }]\n');
    for (const args of [
      ['schema', 'plan'],
      ['help', 'exit-codes'],
      ['validate', 'manifests', '--report', 'html=-'],
    ])
      expect(await installed(args)).toMatchObject({ code: 0, stderr: '' });
  });

  test('loads packages that pnpm links, with output to a pipe', async ({ skip }) => {
    skip(!inFull);
    writeManifest('version: 1\nusers: [{ username: alice, name: Alice }]\n');
    const server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
    const service = ['--url', server.url, '--token-file', join(folder, 'token')];
    writeFileSync(join(folder, 'token'), sandboxToken);
    await installed(['plan', 'manifests', '--out', 'saved.json', ...service]);
    const applied = await installed(['apply', '--plan', 'saved.json', 'manifests', '--yes', ...service]);
    await server.close();
    expect(applied).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(
    someOf(
      [
        ['github', '.github/workflows/rollcall.yaml'],
        ['gitlab', '.gitlab-ci.yml'],
      ] as const,
      1,
    ),
  )('writes the pipeline for %s after its installation', async (pipeline, path) => {
    const args = ['init', pipeline, '--url', 'https://id.example.com', '--pipeline', pipeline];
    expect(await installed(args)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, pipeline, path), 'utf8')).toContain(
      'npx --no rollcall plan --strict --out plan.json',
    );
  });
});

describe('the library of the npm package', () => {
  const example = /```ts\n([^]*?)```/.exec(readFileSync(join(root, 'docs/library.md'), 'utf8'))?.[1] ?? '';

  test.each(someOf(['node16', 'nodenext', 'bundler'], 0))(
    'has types that compile with the strictest flags and the module resolution %s',
    async (moduleResolution) => {
      writeFileSync(join(folder, 'main.ts'), example);
      writeFileSync(join(folder, 'use.ts'), use);
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        verbatimModuleSyntax: true,
        isolatedModules: true,
        skipLibCheck: false,
        target: 'es2023',
        lib: ['es2023'],
        types: ['node'],
        module: moduleResolution === 'bundler' ? 'preserve' : moduleResolution,
        moduleResolution,
      };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['main.ts', 'use.ts'] }),
      );
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const { code, stdout, stderr } = await run(process.execPath, [tsc], { cwd: folder });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    },
  );

  test.runIf(inFull)('works as documented', async () => {
    writeManifest(
      'version: 1\napplications: [{ slug: wiki, name: Wiki, meta_publisher: "${var:publisher}" }]\nusers: [{ username: alice, name: Alice }]\n',
    );
    const server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
    const service = { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: sandboxToken };
    const main = (): Promise<Ended> => run(process.execPath, ['main.js'], { cwd: folder, env: service });
    const first = await main();
    const report = readFileSync(join(folder, 'report.md'), 'utf8');
    const second = await main();
    writeManifest('version: 1\napplications: [{ slug: wiki }]\n');
    const third = await main();
    await server.close();

    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe('application.wiki created\nuser.alice created\n');
    expect(report).toContain('+ application.wiki  created');
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toBe('application.wiki unchanged\nuser.alice unchanged\n');
    expect(third).toMatchObject({ code: 1, stdout: '' });
    expect(third.stderr).toContain(
      'manifests/all.yaml:2:16: error: the field `name` is missing [missing-field]',
    );
  });
});

/** A program that uses the exported types. It shows what they distinguish, and which types are not exported. */
const use = `
import { apply, plan, UsageError, validate, type OutcomeDocument } from 'rollcall';

export async function main(): Promise<string> {
  const checked = await validate(['-'], { strict: true, env: {} });
  if (checked.ending === 'invalid') return checked.diagnostics[0]?.code ?? '';
  const planned = await plan(['-'], { target: ['application.*'] }).catch((error: unknown) => {
    return error instanceof UsageError ? error.hint : undefined;
  });
  if (planned === undefined || typeof planned === 'string') return planned ?? '';
  // @ts-expect-error: there may be no plan
  void planned.plan.summary;
  // @ts-expect-error: a plan has no outcomes
  void planned.run;
  const applied = await apply(['-'], { failFast: true, confirm: ({ summary }) => summary.create < 10 });
  // @ts-expect-error: there is no such format
  void applied.report('pdf');
  return applied.run?.outcomes.map(words).join() ?? applied.diagnostics.map(({ summary }) => summary).join();
}

function words({ address, outcome, pk = '' }: OutcomeDocument): string {
  return address + outcome + pk;
}
`;

/** The files below a folder of the checkout. */
function below(path: string): string[] {
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}

function installed(args: readonly string[]): Promise<Ended> {
  return run(join(folder, 'node_modules/.bin/rollcall'), args, { cwd: folder });
}

function writeManifest(text: string): void {
  mkdirSync(join(folder, 'manifests'), { recursive: true });
  writeFileSync(join(folder, 'manifests/all.yaml'), text);
}
