import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { create, extract } from 'tar';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root, run, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Image {
  readonly digest: string;
  readonly config: {
    readonly architecture: string;
    readonly os: string;
    readonly created: string;
    readonly config: {
      readonly Env: readonly string[];
      readonly Entrypoint: readonly string[];
      readonly Cmd: readonly string[];
      readonly User: string;
      readonly WorkingDir: string;
    };
    readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
    readonly history: readonly object[];
  };
  readonly layers: readonly Descriptor[];
  /** A folder into which all layers are unpacked. */
  readonly rootfs: string;
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }; // ours
const type = (what: string): string => `application/vnd.oci.image.${what}`;

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
    expect(config.config).toMatchObject({
      Env: ['PATH=/usr/local/bin:/bin', 'NODE_ENV=production'],
      Cmd: ['--help'],
      User: '1000:1000',
      WorkingDir: '/roll',
    });
    expect(readFileSync(join(rootfs, 'etc/base'), 'utf8')).toBe('below');
    expect(packagesIn(join(rootfs, 'opt/rollcall'))).toEqual(neededPackages());
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

/** Those that the lockfile has for production. */
function neededPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  }; // npm's
  return Object.keys(packages)
    .filter((path) => path !== '' && packages[path]?.dev !== true)
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

/** An image of one file, in a layout that has it for another machine too. */
function baseImage(layout: string, architecture = process.arch === 'x64' ? 'amd64' : process.arch): string {
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  mkdirSync(join(layout, 'etc'));
  writeFileSync(join(layout, 'etc/base'), 'below');
  const tar = create({ cwd: layout, portable: true, sync: true }, ['etc']).read() ?? expect.fail();
  const put = (mediaType: string, content: Buffer | object): Descriptor => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(join(layout, 'blobs', digest.replace(':', '/')), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const config = put(type('config.v1+json'), {
    architecture,
    os: 'linux',
    config: { Env: ['PATH=/usr/local/bin:/bin', 'NODE_ENV=development'], Cmd: ['node'] },
    rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
    history: [{ created_by: 'base' }],
  });
  const mediaType = type('manifest.v1+json');
  const layers = [put(type('layer.v1.tar+gzip'), gzipSync(tar))];
  const own = {
    ...put(mediaType, { schemaVersion: 2, mediaType, config, layers }),
    platform: { architecture, os: 'linux' },
  };
  const other = { ...config, mediaType, platform: { architecture: 's390x', os: 'linux' } };
  const index = put(type('index.v1+json'), { schemaVersion: 2, manifests: [other, own] });
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [index] }));
  return layout;
}

/** Reads a layout as the image specification wants it to be: every blob is what its name, and who refers to it, say. */
function readImage(layout: string): Image {
  const json = (path: string): unknown => JSON.parse(readFileSync(join(layout, path), 'utf8'));
  const referred: string[] = [];
  const blob = ({ mediaType, digest, size }: Descriptor, wanted: string): string => {
    expect(mediaType).toBe(type(wanted));
    const path = join('blobs', digest.replace(':', '/'));
    const bytes = readFileSync(join(layout, path));
    expect({ size: bytes.length, digest: digestOf(bytes) }).toEqual({ size, digest });
    referred.push(basename(path));
    return path;
  };
  expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
  const index = json('index.json') as { manifests: Descriptor[] }; // held to the specification below
  expect(index).toMatchObject({ schemaVersion: 2, mediaType: type('index.v1+json') });
  const [described = expect.fail()] = index.manifests;
  const manifest = json(blob(described, 'manifest.v1+json')) as { config: Descriptor; layers: Descriptor[] }; // likewise
  expect(manifest).toMatchObject({ schemaVersion: 2, mediaType: described.mediaType });
  const config = json(blob(manifest.config, 'config.v1+json')) as Image['config']; // likewise
  const { architecture, os } = config;
  expect(index.manifests).toEqual([
    {
      ...described,
      platform: { architecture, os },
      annotations: { 'org.opencontainers.image.ref.name': version },
    },
  ]);
  expect(config).toMatchObject({
    os: 'linux',
    created: '2023-11-14T22:13:20.000Z',
    rootfs: { type: 'layers' },
  });
  const rootfs = `${layout}-rootfs`;
  mkdirSync(rootfs);
  const diffIds = manifest.layers.map((layer) => {
    const path = join(layout, blob(layer, 'layer.v1.tar+gzip'));
    extract({ file: path, cwd: rootfs, sync: true, preservePaths: false });
    return digestOf(gunzipSync(readFileSync(path)));
  });
  expect(config.rootfs.diff_ids).toEqual(diffIds);
  expect(config.history).toHaveLength(diffIds.length);
  expect(readdirSync(join(layout, 'blobs/sha256')).toSorted()).toEqual(referred.toSorted());
  return { digest: described.digest, config, layers: manifest.layers, rootfs };
}

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), digestOf(readFileSync(path))]));
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
