import { isJsonObject, parseJson } from '../base/json.ts';
import { UsageError } from '../base/errors.ts';
import { packageFileText } from '../base/package-file.ts';
import { joinWords } from '../kinds/all.ts';
import type { ServiceFlags } from './flags.ts';

export const defaultEnvironment = 'production';
export const defaultTokenEnv = 'ROLLCALL_TOKEN';

export interface InitOptions extends ServiceFlags {
  readonly yes?: boolean;
  readonly tokenEnv?: string;
  readonly manifests?: string;
  readonly pipeline?: string;
  /** The changes that a pipeline may make after a merge: `create` for creates only, `update` for creates and updates. */
  readonly merges?: string;
}

/** The answers from which the first files of a project are made. */
export interface InitAnswers {
  readonly url: string;
  readonly tokenEnv: string;
  readonly manifests?: string | undefined;
  readonly environment: string | undefined;
  readonly pipeline: Pipeline;
  readonly allowsUpdates?: boolean;
  /** The npm source of rollcall for a new package.json; undefined if a package.json exists or the source is unknown. */
  readonly dependency?: string | undefined;
}

const pipelineExamples = {
  github: { example: 'github-npm.yaml', path: '.github/workflows/rollcall.yaml' },
  gitlab: { example: 'gitlab.yaml', path: '.gitlab-ci.yml' },
} as const;

export const pipelines = ['github', 'gitlab', 'none'] as const;
type Pipeline = (typeof pipelines)[number];

export function mergesMayUpdate(allowed: string): boolean {
  if (allowed === 'update' || allowed === 'create') return allowed === 'update';
  throw new UsageError(
    `merges cannot be allowed to ${JSON.stringify(allowed)}`,
    'Choose `create`, or choose `update` to change existing resources too. For deletes: rollcall help capabilities.',
  );
}

/** What a pipeline may do after a merge: its --allow counts, or otherwise the environment's `allow` in an existing rollcall.yaml. */
export function mergeRemark(allowsUpdates: boolean, allowedByConfig: readonly string[] = []): string {
  if (allowsUpdates)
    return 'Merges may change existing resources: --allow update in the pipeline, and capabilities: [update] in rollcall.yaml.';
  if (allowedByConfig.length > 0)
    return `Merges may ${joinWords(allowedByConfig)} existing resources: see allow in rollcall.yaml.`;
  return 'Merges create missing resources, and change nothing that exists. To allow changes: rollcall help capabilities.';
}

interface InitFile {
  readonly path: string;
  readonly text: string;
}

export function initFiles(answers: InitAnswers): InitFile[] {
  const { manifests, dependency, pipeline, allowsUpdates } = answers;
  const files: InitFile[] = [{ path: 'rollcall.yaml', text: configText(answers) }];
  if (manifests === undefined)
    files.push({ path: 'manifests/applications.yaml', text: exampleText('project/applications.yaml') });
  files.push({ path: '.gitignore', text: exampleText('project/gitignore') });
  if (dependency !== undefined) files.push({ path: 'package.json', text: packageText(dependency) });
  if (pipeline !== 'none') {
    const text = pipelineText(pipelineExamples[pipeline].example, answers);
    files.push({ path: pipelineExamples[pipeline].path, text: allowsUpdates ? allowUpdates(text) : text });
  }
  return files;
}

function exampleText(name: string): string {
  return packageFileText(`examples/pipelines/${name}`);
}

function fillTemplate(name: string, { tokenEnv, url }: InitAnswers): string {
  return exampleText(name)
    .replaceAll('ROLLCALL_TOKEN', () => tokenEnv)
    .replaceAll("'https://id.example.com'", () => JSON.stringify(url));
}

function configText(answers: InitAnswers): string {
  const { manifests, allowsUpdates } = answers;
  const text = fillTemplate('project/rollcall.yaml', answers).replace('[manifests]', (path) =>
    manifests === undefined ? path : `[${JSON.stringify(manifests)}]`,
  );
  return allowsUpdates ? text.replace(/^# (capabilities:\n)# ( {2}- update )/m, '$1$2') : text;
}

const packageText = (dependency: string): string =>
  `${JSON.stringify({ private: true, devDependencies: { rollcall: dependency } }, undefined, 2)}\n`;

/** Returns the URL of rollcall in npm's lockfile, because the name alone may mean another package; undefined if the URL has a password. */
export function rollcallSourceIn(lockfile: string): string | undefined {
  const lock = parseJson(lockfile);
  const packages = isJsonObject(lock) ? lock['packages'] : undefined;
  const entry = isJsonObject(packages) ? packages['node_modules/rollcall'] : undefined;
  const resolved = isJsonObject(entry) ? entry['resolved'] : undefined;
  if (typeof resolved !== 'string' || !URL.canParse(resolved)) return undefined;
  const { protocol, username, password, search } = new URL(resolved);
  const isPublic = password === '' && search === '' && (username === '' || protocol === 'git+ssh:');
  return isPublic && /^(?:git\+(?:ssh|https)|https):$/.test(protocol) ? resolved : undefined;
}

function pipelineText(name: string, answers: InitAnswers): string {
  const { environment } = answers;
  return fillTemplate(name, answers).replaceAll(/^( *ROLLCALL_ENV: )production\n/gm, (_, key: string) =>
    environment === undefined ? '' : `${key}${yamlWord(environment)}\n`,
  );
}

/** Allows the plans and applies of a pipeline to change existing records. The nightly run of the pipeline is not changed. */
function allowUpdates(pipeline: string): string {
  return pipeline.replaceAll(
    /rollcall (?:plan --strict(?= --(?:out|baseline))|apply --plan plan\.json)/g,
    '$& --allow update',
  );
}

/** Writes a text so that YAML parses it as a string, not as a number or boolean. */
function yamlWord(text: string): string {
  return /^[a-z][\w-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/.test(text)
    ? text
    : JSON.stringify(text);
}
