// The step of action.yml that runs rollcall. The inputs become arguments and variables of a process: no shell reads them.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const { env } = process;
/** Those that action.yml hands over; a job may have variables of its own that begin alike. */
const inputs = new Set(
  ['COMMAND', 'PATHS', 'ENVIRONMENT', 'URL', 'TOKEN', 'PLAN_FILE', 'ARGS', 'ROLLCALL'].map(
    (name) => `INPUT_${name}`,
  ),
);
const command = input('COMMAND');
const folder = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'rollcall-'));
const report = join(folder, 'report.md');
const planFile = resolve(input('PLAN_FILE') || join(folder, 'plan.json'));

/** @type {Readonly<Record<string, readonly string[]>>} */
const commands = {
  validate: [],
  plan: ['--out', planFile, '--detailed-exitcode'],
  apply: input('PLAN_FILE') === '' ? [] : ['--plan', planFile],
};
const flags = Object.hasOwn(commands, command) ? commands[command] : undefined;
const program = programOf(input('ROLLCALL'));
if (flags === undefined) {
  refuse(`the input command cannot be ${JSON.stringify(command)}. It can be plan, apply or validate.`);
} else if (program !== undefined) {
  const reports = ['--report', `markdown=${report}`, '--report', 'github=-'];
  const paths = lines(input('PATHS'));
  run(program, [
    command,
    ...flags,
    ...reports,
    ...lines(input('ARGS')),
    ...(paths.length > 0 ? ['--', ...paths] : []),
  ]);
}

/** @param {string} name */
function input(name) {
  return env[`INPUT_${name}`] ?? '';
}

/** @param {string} text */
function lines(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** @param {string} message */
function refuse(message) {
  console.log(`::error title=rollcall::${message}`);
  ended(3);
}

/**
 * Of the project only where it was asked for: a pull request can change that one, and it is given the token.
 * @param {string} which
 */
function programOf(which) {
  if (which === 'action') return fileURLToPath(new URL('../bin/rollcall.cjs', import.meta.url));
  if (which !== 'project') {
    refuse(`the input rollcall cannot be ${JSON.stringify(which)}. It can be action or project.`);
    return undefined;
  }
  try {
    const ownFile = createRequire(join(process.cwd(), 'package.json')).resolve('rollcall/package.json');
    return join(ownFile, '../bin/rollcall.cjs');
  } catch {
    refuse('rollcall is not installed in the project. Run npm ci before, with rollcall in its package.json.');
    return undefined;
  }
}

/** @param {string} script @param {readonly string[]} args */
function run(script, args) {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env: childEnvironment() });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => child.kill(signal));
  child.once('error', (error) => refuse(`rollcall cannot be started: ${JSON.stringify(error.message)}`));
  child.once('close', (code) => ended(code ?? 1));
}

/** An input beats a variable of the job. */
function childEnvironment() {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !inputs.has(name)));
  if (input('TOKEN') !== '') delete kept['ROLLCALL_TOKEN_FILE'];
  const given = {
    ROLLCALL_TOKEN: input('TOKEN'),
    ROLLCALL_URL: input('URL'),
    ROLLCALL_ENV: input('ENVIRONMENT'),
  };
  return { ...kept, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) };
}

/** @param {number} code */
function ended(code) {
  const planned = command === 'plan' && (code === 0 || code === 2);
  output('exit-code', String(code));
  output('changes', planned ? String(code === 2) : '');
  output('plan-file', planned ? planFile : '');
  output('report', existsSync(report) ? report : '');
  process.exitCode = planned ? 0 : code;
}

/** @param {string} name @param {string} value */
function output(name, value) {
  const end = randomUUID();
  const file = env['GITHUB_OUTPUT'];
  if (file) appendFileSync(file, `${name}<<${end}\n${value}\n${end}\n`);
}
