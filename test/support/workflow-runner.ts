import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root, run, type RunOptions } from './cli.ts';
import { evaluateExpression, type Value } from './expressions.ts';

export interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

export interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly if?: string;
        readonly needs?: string;
        readonly environment?: string;
        readonly outputs?: Readonly<Record<string, string>>;
        readonly steps: readonly Step[];
      }
    >
  >;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** The environment of a job: folders, the variables of the runner, and the values of `${{ }}`. */
export interface Job {
  readonly workspace: string;
  readonly temp: string;
  readonly env: Readonly<Record<string, string>>;
  readonly contexts: Readonly<Record<string, unknown>>;
  readonly started?: RunOptions['started'];
}

export interface Ran {
  readonly failed: boolean;
  /** The exit code of the first failed step; 0 if no step failed. */
  readonly code: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
  /** The summary that the steps wrote for the run's page. */
  readonly summary: string;
}

/** Runs a step with `uses`. */
export type Uses = (step: Step, given: Readonly<Record<string, string>>, job: Job) => Promise<Ran>;

export const done: Ran = { failed: false, code: 0, outputs: {}, log: '', summary: '' };

export const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action; // tests check it by running it

/** Runs action.yml with these inputs, as GitHub's runner would. */
export async function runAction(given: Readonly<Record<string, string>>, job: Job): Promise<Ran> {
  const defaults = Object.entries(action.inputs).map(([name, { default: text = '' }]) => [
    name,
    interpolated(text, job.contexts),
  ]);
  const inputs: Record<string, string> = { ...Object.fromEntries(defaults), ...given };
  const { ran, contexts } = await runSteps(action.runs.steps, {
    ...job,
    env: { GITHUB_ACTION_PATH: root, ...job.env },
    contexts: { ...job.contexts, inputs },
  });
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    interpolated(value, contexts),
  ]);
  return { ...ran, outputs: Object.fromEntries(outputs) };
}

/** Runs steps in turn. After a failed step, only steps whose `if` allows it are run. */
export async function runSteps(
  steps: readonly Step[],
  job: Job,
  uses?: Uses,
): Promise<{ readonly ran: Ran; readonly contexts: Job['contexts'] }> {
  const results: Record<string, unknown> = {};
  const contexts = { ...job.contexts, steps: results };
  const all: Ran[] = [];
  for (const [index, step] of steps.entries()) {
    if (
      !isConditionTrue(
        step.if,
        contexts,
        all.some(({ failed }) => failed),
      )
    )
      continue;
    const files = join(job.temp, `step-${index}`);
    const given = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([name, value]) => [name, interpolated(String(value), contexts)]),
    );
    const one =
      step.run === undefined
        ? await uses?.(step, given, { ...job, temp: files })
        : await runStep(step, step.run, { ...job, contexts }, files);
    if (one === undefined) throw new Error(`no runner for ${step.uses}`);
    if (step.id !== undefined) results[step.id] = { outputs: one.outputs };
    all.push(one);
  }
  const ran = {
    failed: all.some(({ failed }) => failed),
    code: all.find(({ failed }) => failed)?.code ?? 0,
    outputs: {},
    log: all.map(({ log }) => log).join(''),
    summary: all.map(({ summary }) => summary).join(''),
  };
  return { ran, contexts };
}

/** Runs the script as `shell: bash` does: from a file, ending at the first command that fails. */
async function runStep(step: Step, script: string, job: Job, files: string): Promise<Ran> {
  mkdirSync(files, { recursive: true });
  const [scriptFile, output, summary] = ['script.sh', 'output', 'summary'].map((name) =>
    join(files, name),
  ) as [string, string, string]; // there are as many paths as names
  writeFileSync(scriptFile, interpolated(script, job.contexts));
  for (const file of [output, summary]) writeFileSync(file, '');
  const env = Object.entries(step.env ?? {}).map(([name, value]) => [
    name,
    interpolated(String(value), job.contexts),
  ]);
  const ended = await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', scriptFile], {
    cwd: join(job.workspace, interpolated(step['working-directory'] ?? '.', job.contexts)),
    env: {
      ...job.env,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_WORKSPACE: job.workspace,
      RUNNER_TEMP: job.temp,
      ...Object.fromEntries(env),
    },
    ...(job.started && { started: job.started }),
  });
  const code = ended.code ?? 1;
  return {
    failed: code !== 0,
    code,
    outputs: readOutputs(readFileSync(output, 'utf8')),
    log: ended.stdout + ended.stderr,
    summary: readFileSync(summary, 'utf8'),
  };
}

/** Reads both forms: `name=value`, and `name<<END`, lines, `END`. */
function readOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const pattern = /^(?:([^=<\n]+)<<(.+)\n([^]*?)\n?^\2$|([^=\n]+)=(.*))$/gm;
  for (const [, name, , lines = '', plainName = '', value = ''] of text.matchAll(pattern))
    outputs[name ?? plainName] = name === undefined ? value : lines;
  return outputs;
}

/** Whether an `if` is true. After a failed step, an `if` that does not mention the status of earlier steps is false. */
export function isConditionTrue(
  condition: string | undefined,
  contexts: Job['contexts'],
  failed: boolean,
): boolean {
  const expression = (condition ?? 'success()').replace(/^\$\{\{(.*)\}\}$/, '$1');
  const asked = /\b(?:always|cancelled|failure|success)\(/.test(expression);
  return Boolean(valueOf(asked ? expression : `success() && (${expression})`, contexts, failed));
}

/** A text with each `${{ }}` replaced by its value. */
export function interpolated(text: string, contexts: Job['contexts']): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
    String(valueOf(expression, contexts, false) ?? ''),
  );
}

function valueOf(expression: string, contexts: Job['contexts'], failed: boolean): Value {
  return evaluateExpression(expression, {
    valueAt: ([name = '', ...keys]) => {
      if (!Object.hasOwn(contexts, name)) throw new Error(`unknown context ${name}`);
      const found = keys.reduce<unknown>((value, key) => Object(value)[key], contexts[name]);
      if (typeof found === 'object' && found !== null) throw new Error(`${expression} is not a single value`);
      return found as Value; // the contexts have only such values here
    },
    functions: {
      always: () => true,
      cancelled: () => false,
      failure: () => failed,
      success: () => !failed,
      format: (text, ...given) =>
        String(text).replaceAll(/\{(\d)\}/g, (_, index: string) => String(given[Number(index)] ?? '')),
    },
  });
}
