import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @type {{ engines: { node: string } }} */
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [oldest = ''] = /[\d.]+$/.exec(engines.node) ?? [];

const isVersion = (/** @type {string} */ argument) => /^\d+(\.\d+)*$/.test(argument);

/** Those that arguments name, or the oldest Node.js that package.json allows, and every line of releases since. */
export function versionsOf(/** @type {readonly string[]} */ given) {
  const named = given.filter(isVersion);
  const others = given.filter((argument) => !isVersion(argument));
  return { versions: named.length > 0 ? named : [oldest, '22', '24', '26'], others };
}

/** Where a program of a package of the registry is, which npm fetches if it is not there; or an empty text. */
export function fetched(/** @type {string} */ name, /** @type {string} */ program) {
  const asked = ['--yes', '--package', name, '--call', `command -v ${program}`];
  return spawnSync('npx', asked, { encoding: 'utf8' }).stdout.trim();
}
