// Runs rollcall with the inputs of action.yml. The inputs become arguments and variables of a process, so no shell interprets them.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {Readonly<Record<string, string | undefined>>} Variables */

/**
 * @typedef {object} Step The environment of a step.
 * @property {Variables} env
 * @property {string} cwd
 * @property {(line: string) => void} print
 * @property {(script: string, args: readonly string[], env: Variables, input: string) => Promise<number>} start runs a Node.js script with the given standard input, and returns its exit code
 */

/** The variables that action.yml sets. Other variables of the job may also begin with `INPUT_`. */
const inputs = new Set(
  [
    'COMMAND',
    'PATHS',
    'ENVIRONMENT',
    'URL',
    'TOKEN',
    'PLAN_FILE',
    'BASELINE',
    'CHANGED_ONLY',
    'ARGS',
    'ROLLCALL',
    'COMMENT_KEY',
  ].map((name) => `INPUT_${name}`),
);

class Refusal extends Error {}

/**
 * Returns the exit code of the step.
 * @param {Step} step
 * @returns {Promise<number>}
 */
export async function runRollcall({ env, cwd, print, start }) {
  const command = input(env, 'COMMAND');
  const folder = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'rollcall-'));
  const report = join(folder, 'report.md');
  const planFile = resolve(cwd, input(env, 'PLAN_FILE') || join(folder, 'plan.json'));
  const failsOn = lines(input(env, 'ARGS')).some((line) => /^--fail-on(?:=|$)/.test(line));
  let code;
  try {
    const flags = flagsOf(command, planFile, input(env, 'PLAN_FILE') !== '', failsOn);
    const program = programOf(input(env, 'ROLLCALL'), cwd);
    const paths = lines(input(env, 'PATHS'));
    const args = [
      command,
      ...flags,
      '--report',
      `markdown=${report}`,
      '--report',
      'github=-',
      ...inputFlags(env, command),
      ...lines(input(env, 'ARGS')),
      ...(paths.length > 0 ? ['--', ...paths] : []),
    ];
    code = await started(() => start(program, args, childEnvironment(env, command), input(env, 'TOKEN')));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    print(`::error title=rollcall::${error.message}`);
    code = 3;
  }
  const planned = command === 'plan' && (code === 0 || code === 2);
  output(env, 'exit-code', String(code));
  output(env, 'changes', planned ? String(failsOn ? hasChanges(planFile) : code === 2) : '');
  output(env, 'plan-file', planned ? planFile : '');
  output(env, 'report', existsSync(report) ? report : '');
  return planned && !failsOn ? 0 : code;
}

/** @param {string} planFile */
function hasChanges(planFile) {
  if (!existsSync(planFile)) return false; // the arguments name another file
  const { summary } = JSON.parse(readFileSync(planFile, 'utf8'));
  return summary.create + summary.create_if_absent + summary.update > 0;
}

/** @param {Variables} env @param {string} name */
function input(env, name) {
  return env[`INPUT_${name}`] ?? '';
}

/** @param {string} text */
function lines(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * @param {string} command @param {string} planFile @param {boolean} isGiven whether the input names the plan file
 * @param {boolean} failsOn whether exit code 2 means that --fail-on has a finding
 */
function flagsOf(command, planFile, isGiven, failsOn) {
  /** @type {Readonly<Record<string, readonly string[]>>} */
  const commands = {
    validate: [],
    plan: ['--out', planFile, ...(failsOn ? [] : ['--detailed-exitcode'])],
    apply: isGiven ? ['--plan', planFile] : [],
  };
  const flags = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (flags !== undefined) return flags;
  throw new Refusal(
    `the input command cannot be ${JSON.stringify(command)}. It can be plan, apply or validate.`,
  );
}

/**
 * The path of rollcall. The rollcall of the project gets the token and can be changed by a pull request, so it runs only on request.
 * @param {string} which @param {string} cwd
 */
function programOf(which, cwd) {
  if (which === 'action') return fileURLToPath(new URL('../../bin/rollcall.cjs', import.meta.url));
  if (which !== 'project')
    throw new Refusal(`the input rollcall cannot be ${JSON.stringify(which)}. It can be action or project.`);
  try {
    const ownFile = createRequire(join(cwd, 'package.json')).resolve('rollcall/package.json');
    return join(ownFile, '../bin/rollcall.cjs');
  } catch {
    throw new Refusal(
      'rollcall is not installed in the project. Add rollcall to its package.json, and run npm ci before this step.',
    );
  }
}

/** @param {() => Promise<number>} start */
async function started(start) {
  try {
    return await start();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(`rollcall cannot be started: ${JSON.stringify(why)}`);
  }
}

/**
 * The inputs as flags, which override variables of the job and rollcall.yaml. The token is passed on standard input. `validate` sends
 * nothing, so it has no flags for a service.
 * @param {Variables} env @param {string} command
 */
function inputFlags(env, command) {
  const flags = {
    '--env': input(env, 'ENVIRONMENT'),
    '--comment-key': input(env, 'COMMENT_KEY'),
    ...(command !== 'validate' && {
      '--url': input(env, 'URL'),
      '--token-file': input(env, 'TOKEN') && '-',
      '--baseline': input(env, 'BASELINE'),
    }),
  };
  const given = Object.entries(flags).flatMap(([flag, value]) => (value === '' ? [] : `${flag}=${value}`));
  return input(env, 'CHANGED_ONLY') === 'true' ? [...given, '--changed-only'] : given;
}

/** `validate` needs the token as a variable, to find copies of the token in manifests. @param {Variables} env @param {string} command */
function childEnvironment(env, command) {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !inputs.has(name)));
  const token = input(env, 'TOKEN');
  if (command !== 'validate' || token === '') return kept;
  return { ...kept, ROLLCALL_TOKEN: token, ROLLCALL_TOKEN_FILE: '' };
}

/** @param {Variables} env @param {string} name @param {string} value */
function output(env, name, value) {
  const end = randomUUID();
  const file = env['GITHUB_OUTPUT'];
  if (file) appendFileSync(file, `${name}<<${end}\n${value}\n${end}\n`);
}
