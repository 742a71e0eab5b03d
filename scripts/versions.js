/** Runs the tests on each Node.js of scripts/nodes.js. Versions given as arguments take their place; all other arguments go to vitest. */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fetched, versionsOf } from './nodes.js';

const { versions, others } = versionsOf(process.argv.slice(2));

for (const version of versions) {
  const node = fetched(`node@${version}`, 'node');
  console.log(node === '' ? `\nNode ${version} cannot be had.` : `\nNode ${version}: ${node}`);
  // Not by npx, whose own settings would reach the npx that tests run; and first in the path, for what they run by name.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...others];
  if (node === '' || spawnSync(node, vitest, { stdio: 'inherit', env }).status !== 0) process.exitCode = 1;
}
