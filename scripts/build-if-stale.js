// Builds if there is no build, or if an input is newer than the build.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The inputs of a build. A folder is newer than the build if a file was deleted from it. */
const inputs = ['src', 'schemas', 'scripts', 'package.json', 'tsconfig.json'];
/** The file that a build writes last. */
const output = 'bin/rollcall.cjs';

/** @param {string} root */
export function isStale(root) {
  const built = changedAt(join(root, output));
  return inputs.some((name) => newestOf(join(root, name)) > built);
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
