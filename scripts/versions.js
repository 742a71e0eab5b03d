/**
 * Runs the tests on the oldest Node.js that package.json allows, and on every line of releases since; npm fetches what is
 * not there. Versions given as arguments take their place; all other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';

/** @type {{ engines: { node: string } }} */
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [oldest = ''] = /[\d.]+$/.exec(engines.node) ?? [];
const given = process.argv.slice(2);
const isVersion = (/** @type {string} */ argument) => /^\d+(\.\d+)*$/.test(argument);
const versions = given.some(isVersion) ? given.filter(isVersion) : [oldest, '22', '24', '26'];
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...given.filter((argument) => !isVersion(argument))];

for (const version of versions) {
  const asked = ['--yes', '--package', `node@${version}`, '--', 'node', '-p', 'process.execPath'];
  const node = spawnSync('npx', asked, { encoding: 'utf8' }).stdout.trim();
  console.log(node === '' ? `\nNode ${version} cannot be had.` : `\nNode ${version}: ${node}`);
  // Not by npx, whose own settings would reach the npx that tests run; and first in the path, for what they run by name.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
  if (node === '' || spawnSync(node, vitest, { stdio: 'inherit', env }).status !== 0) process.exitCode = 1;
}
