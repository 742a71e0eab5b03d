import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root, run, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';
import { baseImage, digestOf, productionPackages, readImage } from '../support/oci-image.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }; // ours

// To pack, and to compress, takes seconds.
describe.runIf(inFull)('the image that scripts/image.js writes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is an OCI image layout on top of another, the same bytes each time, which runs rollcall', async () => {
    const base = baseImage(join(folder, 'base'));
    const ended = await write(join(folder, 'one'), '--base', base);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    await write(join(folder, 'two'), '--base', base);
    expect(filesOf(join(folder, 'two'))).toEqual(filesOf(join(folder, 'one')));

    const { config, layers, rootfs, digest } = readImage(join(folder, 'one'));
    expect([layers.length, ended.stdout]).toEqual([2, `${digest}\n`]);
    expect(config.created).toBe('2023-11-14T22:13:20.000Z');
    expect(config.config).toMatchObject({
      Env: ['PATH=/usr/local/bin:/bin', 'NODE_ENV=production'],
      Cmd: ['--help'],
      User: '1000:1000',
      WorkingDir: '/roll',
    });
    expect(readFileSync(join(rootfs, 'etc/base'), 'utf8')).toBe('below');
    expect(packagesIn(join(rootfs, 'opt/rollcall'))).toEqual(
      productionPackages()
        .map(({ path }) => path)
        .toSorted(),
    );
    expect(readdirSync(join(rootfs, 'opt/rollcall'))).not.toContain('src');
    await runs([process.execPath, join(rootfs, config.config.Entrypoint.at(-1) ?? '')]);
  });

  test('starts where there is nothing but what it brings: Node.js, and what that is linked to', async ({
    skip,
  }) => {
    skip(process.platform !== 'linux');
    expect(await write(join(folder, 'image'), '--node', process.execPath)).toMatchObject({ code: 0 });
    const { config, rootfs } = readImage(join(folder, 'image'));
    expect(config.config.Entrypoint[0]).toBe('node');
    const files = readdirSync(rootfs, { recursive: true, encoding: 'utf8' });
    const loader = files.find((path) => /^lib.*\/ld-[^/]*\.so/.test(path)) ?? expect.fail('no loader');
    const libraries = new Set(
      files.filter((path) => /\.so/.test(path)).map((path) => join(rootfs, path, '..')),
    );
    // As the kernel would with the image as its root, which takes more rights than a test should need.
    const linked = [join(rootfs, loader), '--library-path', [...libraries].join(':')];
    const program = join(rootfs, config.config.Entrypoint.at(-1) ?? '');
    await runs([...linked, join(rootfs, 'usr/local/bin/node'), program]);
  });

  test('is refused where the base has none for this machine', async () => {
    const base = baseImage(join(folder, 'base'), 'vax');
    const { code, stderr } = await write(join(folder, 'image'), '--base', base);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${base} holds no OCI image for linux/`);
  });
});

/** The folders of packages below a folder. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^@/]+\/package\.json$/.test(path))
    .map((path) => path.replace('/package.json', ''))
    .toSorted();
}

function write(out: string, ...from: string[]): Promise<Ended> {
  return run(process.execPath, [join(root, 'scripts/image.js'), out, ...from], {
    env: { SOURCE_DATE_EPOCH: '1700000000' },
  });
}

async function runs([program = '', ...before]: readonly string[]): Promise<void> {
  const rollcall = (...args: string[]): Promise<Ended> => run(program, [...before, ...args]);
  expect(await rollcall('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(await rollcall('validate', 'examples/manifests')).toMatchObject({ code: 0 });
  const plan = await rollcall('sandbox', '--', program, ...before, 'plan', 'examples/manifests');
  expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('Plan: 7 to add') as string });
}

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), digestOf(readFileSync(path))]));
}
