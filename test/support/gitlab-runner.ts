import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from './canary.ts';
import { root, run } from './cli.ts';
import { evaluateExpression } from './expressions.ts';

type Variables = Readonly<Record<string, string | number>>;

interface Rule {
  readonly if?: string;
  readonly when?: 'never' | 'always';
}

export interface GitLabJob {
  readonly stage: string;
  readonly rules?: readonly Rule[];
  readonly environment?: string;
  readonly variables?: Variables;
  readonly script: readonly string[];
  readonly after_script?: readonly string[];
  readonly artifacts?: {
    readonly paths?: readonly string[];
    readonly reports?: Readonly<Record<string, string>>;
  };
}

export interface GitLabFile {
  readonly stages: readonly string[];
  readonly workflow: { readonly rules: readonly Rule[] };
  readonly default: { readonly image: string; readonly before_script: readonly string[] };
  readonly variables: Variables;
  readonly jobs: Readonly<Record<string, GitLabJob>>;
}

/** Parses a pipeline file of GitLab. Keys that are not GitLab keywords are jobs. */
export function gitlabFile(text: string): GitLabFile {
  const { stages, workflow, default: defaults, variables, ...jobs } = parse(text) as Record<string, unknown>;
  return { stages, workflow, default: defaults, variables, jobs } as GitLabFile; // tests check the example by running it
}

export const gitlabExample = readFileSync(join(root, 'examples/pipelines/gitlab.yaml'), 'utf8');

export interface Pipeline {
  /** The jobs that ran, and whether each passed. */
  readonly jobs: Readonly<Record<string, boolean>>;
  readonly log: string;
  /** Reads a file from the artifacts or reports of a job. */
  readonly artifact: (job: string, name: string) => string;
}

interface Checkout {
  /** A git repository with the branch of the pipeline. */
  readonly repository: string;
  /** A folder that comes first in the search path of the jobs. */
  readonly bin: string;
  /** Returns the project's variables for a job with this environment. */
  readonly secrets: (environment: string | undefined) => Variables;
}

/** Runs the scripts of a pipeline with bash, stage by stage, each job in its own clone. */
export async function runPipeline(
  file: GitLabFile,
  { repository, bin, secrets }: Checkout,
  given: Variables,
): Promise<Pipeline> {
  const folder = temporaryFolder();
  const jobs: Record<string, boolean> = {};
  let log = '';
  const artifact = (job: string, name: string): string =>
    readFileSync(join(folder, 'artifacts', job, name), 'utf8');
  if (!runs(file.workflow.rules, given)) return { jobs, log, artifact };
  for (const stage of file.stages) {
    if (Object.values(jobs).includes(false)) break;
    const before = Object.keys(jobs);
    for (const [name, job] of Object.entries(file.jobs)) {
      if (job.stage !== stage || !runs(job.rules, given)) continue;
      const env = strings({ ...secrets(job.environment), ...file.variables, ...given, ...job.variables });
      const workspace = mkdtempSync(join(folder, 'job-'));
      await cloned(repository, workspace, env['GIT_DEPTH'] ?? '20');
      for (const done of before)
        copyAll(join(folder, 'artifacts', done), workspace, file.jobs[done]?.artifacts?.paths);
      const shell = async (lines: readonly string[]): Promise<boolean> => {
        const path = `${bin}:${process.env['PATH'] ?? ''}`;
        const ended = await run('bash', ['-eo', 'pipefail', '-c', lines.join('\n')], {
          cwd: workspace,
          env: { ...env, CI_PROJECT_DIR: workspace, PATH: path },
        });
        log += ended.stdout + ended.stderr;
        return ended.code === 0;
      };
      jobs[name] = await shell([...file.default.before_script, ...job.script]);
      if (job.after_script) await shell(job.after_script);
      const { paths = [], reports = {} } = job.artifacts ?? {};
      copyAll(workspace, join(folder, 'artifacts', name), [...paths, ...Object.values(reports)]);
    }
  }
  return { jobs, log, artifact };
}

/** Whether the first matching rule lets the job run. A job without rules always runs. */
function runs(rules: readonly Rule[] | undefined, variables: Variables): boolean {
  if (rules === undefined) return true;
  const valueAt = ([name = '']: readonly string[]): string | number | null =>
    variables[name.slice(1)] ?? null;
  const first = rules.find(
    (rule) => rule.if === undefined || Boolean(evaluateExpression(rule.if, { valueAt })),
  );
  return first !== undefined && first.when !== 'never';
}

/** Clones the repository. `depth` is the variable GIT_DEPTH; 0 means the whole history. */
async function cloned(repository: string, workspace: string, depth: string): Promise<void> {
  const part = depth === '0' ? [] : [`--depth=${depth}`];
  const { code, stderr } = await run('git', ['clone', '--quiet', ...part, `file://${repository}`, workspace]);
  if (code !== 0) throw new Error(stderr);
}

function copyAll(from: string, to: string, names: readonly string[] = []): void {
  for (const name of names) {
    if (!existsSync(join(from, name))) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    cpSync(join(from, name), join(to, name));
  }
}

function strings(variables: Variables): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}
