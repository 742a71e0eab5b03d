import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { create, extract } from 'tar';
import { expect } from 'vitest';
import { root } from './cli.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Image {
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

/** The packages that the lockfile has for production. */
export function productionPackages(): { path: string; name: string; version: string; integrity: string }[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; version: string; integrity: string }>;
  }; // npm's
  return Object.entries(packages).flatMap(([path, { dev = false, version: exact, integrity }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return path === '' || dev ? [] : [{ path, name, version: exact, integrity }];
  });
}

/** An image of one file, in a layout that has it for another machine too. */
export function baseImage(
  layout: string,
  architecture = process.arch === 'x64' ? 'amd64' : process.arch,
): string {
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
export function readImage(layout: string): Image {
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

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
