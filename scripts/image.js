/**
 * Writes an image of the packed release as an OCI image layout, without a daemon and without a network:
 *
 *   npm run image -- FOLDER --base LAYOUT   on top of an image with Node.js, such as `skopeo copy` fetches
 *   npm run image -- FOLDER --node PATH     with that Node.js and the libraries it is linked to, and nothing else
 *
 * It starts as the Dockerfile says. The same input gives the same bytes, where the same Node.js compresses them.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { create, extract } from 'tar';

/**
 * @typedef {{ mediaType: string, digest: string, size: number }} Descriptor
 * @typedef {{ architecture: string, os: string, config: { Env?: string[] }, rootfs: { type: string, diff_ids: string[] }, history?: object[] }} Config
 */

const typeOf = (/** @type {string} */ what) => `application/vnd.oci.image.${what}`;
const root = fileURLToPath(new URL('..', import.meta.url));
/** @type {{ version: string, description: string, license: string }} */
const { version, description, license } = json(join(root, 'package.json'));
const created = new Date(Number(process.env['SOURCE_DATE_EPOCH'] ?? 0) * 1000).toISOString();
const platform = { architecture: process.arch === 'x64' ? 'amd64' : process.arch, os: 'linux' };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { base: { type: 'string' }, node: { type: 'string' } },
});
const [out = ''] = positionals;
if (out === '' || (values.base === undefined) === (values.node === undefined)) {
  console.error('usage: npm run image -- FOLDER (--base LAYOUT | --node PATH)');
  process.exitCode = 3;
} else {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(join(out, 'blobs/sha256'), { recursive: true });
  console.log(write(values.base === undefined ? nodeAlone(values.node ?? '') : imageIn(values.base)));
}

/**
 * Adds rollcall to what there is, and returns the digest of the image.
 *
 * @param {{ config: Config, layers: Descriptor[] }} below
 */
function write({ config: base, layers }) {
  const { descriptor, diffId } = layer(putRollcall);
  const { Env, ...start } = startOfDockerfile();
  const names = new Set(Env.map(nameOf));
  const Labels = {
    'org.opencontainers.image.title': 'rollcall',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.licenses': license,
  };
  const kept = (base.config.Env ?? []).filter((line) => !names.has(nameOf(line)));
  const config = {
    ...base,
    created,
    config: { ...base.config, ...start, Env: [...kept, ...Env], Labels },
    rootfs: { type: 'layers', diff_ids: [...base.rootfs.diff_ids, diffId] },
    history: [...(base.history ?? []), { created, created_by: 'scripts/image.js' }],
  };
  const mediaType = typeOf('manifest.v1+json');
  const parts = { config: put(typeOf('config.v1+json'), config), layers: [...layers, descriptor] };
  const manifest = put(mediaType, { schemaVersion: 2, mediaType, ...parts });
  const annotations = { 'org.opencontainers.image.ref.name': version };
  const index = { mediaType: typeOf('index.v1+json'), manifests: [{ ...manifest, platform, annotations }] };
  fs.writeFileSync(join(out, 'index.json'), JSON.stringify({ schemaVersion: 2, ...index }));
  fs.writeFileSync(join(out, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  return manifest.digest;
}

function startOfDockerfile() {
  const last =
    fs
      .readFileSync(join(root, 'Dockerfile'), 'utf8')
      .split(/^FROM .*$/m)
      .at(-1) ?? '';
  const all = (/** @type {string} */ name) =>
    Array.from(last.matchAll(new RegExp(`^${name} (.*)$`, 'gm')), ([, value = '']) => value);
  // Where there is Node.js alone, no `env` looks for it, which the first line of the program asks to.
  const entry = all('ENTRYPOINT').join().replace('"rollcall"', '"node", "/opt/rollcall/bin/rollcall.cjs"');
  return {
    Env: all('ENV'),
    Entrypoint: JSON.parse(entry),
    Cmd: JSON.parse(all('CMD').join()),
    User: all('USER').at(-1),
    WorkingDir: all('WORKDIR').at(-1),
  };
}

/** What `npm pack` packs, and what it depends on, as the lockfile has it. */
function putRollcall(/** @type {string} */ folder) {
  const home = join(folder, 'opt/rollcall');
  fs.mkdirSync(home, { recursive: true });
  // Without the scripts, which would build anew.
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const file = join(folder, execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim());
  extract({ file, cwd: home, strip: 1, sync: true });
  fs.rmSync(file);
  /** @type {{ packages: Record<string, { dev?: boolean }> }} */
  const { packages } = json(join(root, 'package-lock.json'));
  for (const [path, { dev = false }] of Object.entries(packages)) {
    if (path === '' || dev) continue;
    const inner = join(root, path, 'node_modules'); // each of those has a row of its own
    fs.cpSync(join(root, path), join(home, path), { recursive: true, filter: (from) => from !== inner });
  }
  fs.mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  fs.symlinkSync('/opt/rollcall/bin/rollcall.cjs', join(folder, 'usr/local/bin/rollcall'));
  fs.mkdirSync(join(folder, 'roll'));
}

function nodeAlone(/** @type {string} */ node) {
  const linked = execFileSync('ldd', [node], { encoding: 'utf8' }).matchAll(/^\t(?:\S+ => )?(\/\S+) \(/gm);
  const { descriptor, diffId } = layer((folder) => {
    const copied = [['/usr/local/bin/node', node], ...Array.from(linked, ([, path = '']) => [path, path])];
    for (const [path = '', from = ''] of copied) {
      fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
      fs.copyFileSync(from, join(folder, path));
    }
  });
  /** @type {Config} */
  const config = {
    ...platform,
    config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'] },
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created, created_by: 'scripts/image.js --node' }],
  };
  return { config, layers: [descriptor] };
}

function imageIn(/** @type {string} */ layout) {
  const ours = (/** @type {any} */ { platform: { architecture, os } = platform }) =>
    architecture === platform.architecture && os === platform.os;
  let found = json(join(layout, 'index.json')).manifests.find(ours);
  if (found?.mediaType === typeOf('index.v1+json'))
    found = json(join(layout, blobOf(found))).manifests.find(ours);
  if (found?.mediaType !== typeOf('manifest.v1+json'))
    throw new Error(`${layout} holds no OCI image for linux/${platform.architecture}`);
  /** @type {{ config: Descriptor, layers: Descriptor[] }} */
  const { config, layers } = json(join(layout, blobOf(found)));
  for (const each of layers) fs.copyFileSync(join(layout, blobOf(each)), join(out, blobOf(each)));
  return { config: /** @type {Config} */ (json(join(layout, blobOf(config)))), layers };
}

/** What a function puts into a folder, as a layer. @param {(folder: string) => void} fill */
function layer(fill) {
  const folder = fs.mkdtempSync(join(tmpdir(), 'rollcall-'));
  fill(folder);
  const paths = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  for (const path of paths.map((each) => join(folder, each))) {
    const stat = fs.lstatSync(path);
    if (!stat.isSymbolicLink()) fs.chmodSync(path, (stat.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  const same = { portable: true, mtime: new Date(0), noDirRecurse: true };
  const tar = create({ cwd: folder, sync: true, ...same }, paths).read();
  fs.rmSync(folder, { recursive: true });
  if (tar === null) throw new Error('the layer is empty');
  return { descriptor: put(typeOf('layer.v1.tar+gzip'), gzipSync(tar)), diffId: digestOf(tar) };
}

/**
 * @param {string} mediaType
 * @param {object | Buffer} content
 */
function put(mediaType, content) {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const descriptor = { mediaType, digest: digestOf(bytes), size: bytes.length };
  fs.writeFileSync(join(out, blobOf(descriptor)), bytes);
  return descriptor;
}

function blobOf(/** @type {Descriptor} */ { digest }) {
  return join('blobs', digest.replace(':', '/'));
}

function digestOf(/** @type {Buffer} */ bytes) {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function nameOf(/** @type {string} */ line) {
  return line.split('=', 1)[0];
}

/** @param {string} path @returns {any} */
function json(path) {
  return JSON.parse(fs.readFileSync(path, 'utf8'));
}
