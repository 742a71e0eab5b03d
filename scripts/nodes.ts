/**
 * Packs rollcall, installs it in an empty project, and runs it with the oldest supported Node.js and with each later major version,
 * or with the versions in the arguments. This is not a test, because npm downloads each Node.js and the dependencies.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = process.cwd();
const { version: release, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
}; // our own package.json
const [oldest = ''] = /[\d.]+$/.exec(engines.node) ?? [];
const given = process.argv.slice(2);
const versions = given.length > 0 ? given : [oldest, '22', '24', '26'];

const library = `import { validate } from 'rollcall';\nconsole.log((await validate(['manifests'])).ending);\n`;
/** The commands to run after the installation, each with its exit code and a part of its output. */
const checks = [
  ['rollcall --version', 0, release],
  ['rollcall validate manifests', 0, 'Valid'],
  ['rollcall sandbox -- rollcall plan manifests --detailed-exitcode', 2, 'Plan: 7 to add'],
  ['rollcall sandbox -- rollcall apply manifests --yes', 0, '7 added'],
  ['node library.js', 0, 'done'],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
// Without scripts, because `npm run test:nodes` has already built rollcall.
const packed = outputOf('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
for (const version of versions) {
  const node = outputOf('npx', ['--yes', '--package', `node@${version}`, '--call', 'command -v node']);
  const ended = node === '' ? 'cannot be installed' : installAndRun(node, join(folder, `on-${version}`));
  if (ended !== 'runs rollcall') process.exitCode = 1;
  console.log(`Node.js ${version}: ${ended}`);
}
rmSync(folder, { recursive: true });

function installAndRun(node: string, project: string) {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  writeFileSync(join(project, 'library.js'), library);
  cpSync(join(root, 'examples/manifests'), join(project, 'manifests'), { recursive: true });
  const path = [join(project, 'node_modules/.bin'), dirname(node), process.env['PATH']].join(delimiter);
  const options = {
    cwd: project,
    env: { ...process.env, PATH: path },
    encoding: 'utf8' as const,
  };
  const lines = [[`npm install ${join(folder, packed)}`, 0, ''] as const, ...checks];
  for (const [line, code, words] of lines) {
    const [program = '', ...args] = line.split(' ');
    const { status, stdout, stderr } = spawnSync(program, args, options);
    if (status === code && stdout.includes(words)) continue;
    console.error(stdout + stderr);
    return `fails at \`${line}\` (${status})`;
  }
  return 'runs rollcall';
}

function outputOf(program: string, args: readonly string[]) {
  return spawnSync(program, args, { cwd: root, encoding: 'utf8' }).stdout.trim();
}
