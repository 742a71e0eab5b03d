/**
 * Packs the release, and on each Node.js of scripts/nodes.js has each package manager install it into an empty project and
 * run it there. Versions given as arguments take their place. npm fetches the managers, and those the dependencies: this
 * needs the registry that npm is set up with, and so is no test.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetched, versionsOf } from './nodes.js';

const managers = [
  { name: 'npm', package: undefined, add: ['npm', 'install'], run: ['npm', 'exec', '--no', '--'] },
  { name: 'pnpm', package: 'pnpm@12', add: ['pnpm', 'add'], run: ['pnpm', 'exec'] },
  { name: 'Yarn 1', package: 'yarn@1', add: ['yarn', 'add'], run: ['yarn', '--silent'] },
  // It makes no node_modules, and lets a package load what it declares alone.
  { name: 'Yarn 4', package: '@yarnpkg/cli-dist@4', add: ['yarn', 'add'], run: ['yarn'] },
];

const root = fileURLToPath(new URL('..', import.meta.url));
/** @type {{ version: string }} */
const { version: release } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const library = `import { loadManifests } from 'rollcall';\nconsole.log((await loadManifests(['manifests'])).kind, process.version);\n`;
/** What is run where it is installed: a command line, its exit code, and what it prints among other things. */
const checks = (/** @type {string} */ version) =>
  /** @type {const} */ ([
    ['rollcall --version', 0, release],
    ['rollcall validate manifests', 0, 'Valid'],
    ['rollcall sandbox -- rollcall plan manifests --detailed-exitcode', 2, 'Plan: 7 to add'],
    ['node library.js', 0, `valid v${version}`],
  ]);

const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
const { PATH: path = '', ...caller } = process.env;
// The managers would take the settings of the npm that runs this for their own.
const inherited = Object.fromEntries(Object.entries(caller).filter(([name]) => !/^npm_/i.test(name)));
const registry = printed('npm', ['config', 'get', 'registry']);
const settings = {
  npm_config_registry: registry,
  npm_config_store_dir: join(folder, 'pnpm'),
  YARN_CACHE_FOLDER: join(folder, 'yarn'),
  YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
  YARN_NPM_REGISTRY_SERVER: registry,
  YARN_ENABLE_TELEMETRY: '0',
};
// Without the scripts: the command that runs this has built what is packed.
const tarball = join(folder, printed('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]));
const programs = managers.map(({ package: name, add: [program = ''] }) =>
  name === undefined ? program : fetched(name, program),
);
/** @type {string[]} */
const rows = [];
for (const version of versionsOf(process.argv.slice(2)).versions) {
  const node = fetched(`node@${version}`, 'node');
  for (const [index, manager] of managers.entries()) {
    const program = programs[index] ?? '';
    const missing = node === '' ? `Node ${version}` : program === '' ? manager.package : undefined;
    const ended = missing === undefined ? tried(manager, version, node, program) : `${missing} cannot be had`;
    if (ended !== 'runs') process.exitCode = 1;
    rows.push(`| ${version} | ${manager.name} | ${ended} |`);
    console.error(rows.at(-1));
  }
}
rmSync(folder, { recursive: true });
console.log(['| Node.js | installed by | rollcall |', '|---|---|---|', ...rows].join('\n'));

/**
 * @param {(typeof managers)[number]} manager
 * @param {string} version
 * @param {string} node
 * @param {string} program
 */
function tried(manager, version, node, program) {
  const project = join(folder, `project-${rows.length}`);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  writeFileSync(join(project, 'library.js'), library);
  const PATH = [dirname(node), dirname(program), path].join(delimiter);
  const options = {
    cwd: project,
    env: { ...inherited, ...settings, PATH },
    encoding: /** @type {const} */ ('utf8'),
  };
  const [command = '', ...add] = manager.add;
  const installed = spawnSync(command, [...add, `rollcall@file:${tarball}`], options);
  if (installed.status !== 0) return failed('cannot be installed', installed);
  cpSync(join(root, 'examples/manifests'), join(project, 'manifests'), { recursive: true });
  const [runner = '', ...before] = manager.run;
  for (const [line, code, words] of checks(version)) {
    const ran = spawnSync(runner, [...before, ...line.split(' ')], options);
    if (ran.status !== code || !ran.stdout.includes(words)) return failed(`fails at \`${line}\``, ran);
  }
  return 'runs';
}

/**
 * @param {string} what
 * @param {{ status: number | null, stdout: string, stderr: string }} ended
 */
function failed(what, { status, stdout, stderr }) {
  console.error(stdout + stderr);
  return `${what} (${status})`;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function printed(command, args) {
  return spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, PATH: path },
  }).stdout.trim();
}
