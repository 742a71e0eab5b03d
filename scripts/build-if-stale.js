// Builds where there is no build, or where something that it is made of is newer: `npm ci` has done one already.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a build reads. Its folders as well: they are newer where a file of theirs is gone. */
const read = ['src', 'schemas', 'scripts', 'package.json', 'tsconfig.json'];
/** What a build writes last. */
const written = 'bin/rollcall.cjs';

/** @param {string} root */
export function isStale(root) {
  const built = changedAt(join(root, written));
  return read.some((name) => newestOf(join(root, name)) > built);
}

/** @param {string} path @returns {number} */
function newestOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  const inner = stat.isDirectory() ? readdirSync(path).filter((name) => name !== 'generated') : [];
  return Math.max(stat.mtimeMs, ...inner.map((name) => newestOf(join(path, name))));
}

/** @param {string} path */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (isStale(root)) {
    const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
    process.exitCode = build.status ?? 1;
  }
}
