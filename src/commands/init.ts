import { formatPlace } from '../base/source.ts';
import { UsageError } from '../base/errors.ts';
import { packageFileText } from '../base/package-file.ts';
import { choiceNamed } from '../base/suggestion.ts';
import { endingOfInterrupt, type Ending } from '../base/exit-code.ts';
import { doctorText, type Diagnosis } from '../report/formats/doctor.ts';
import { isHealthy } from '../report/words/rights.ts';
import { createStyle } from '../report/formats/lines.ts';
import { printableLine, withoutEmpty } from '../report/printable.ts';
import { isLoopback, readBaseUrl } from '../settings/base-url.ts';
import { nonEmpty, environmentValue } from '../settings/environment.ts';
import { defaultConfigFile, environmentNames, isInFolderOf } from '../settings/config.ts';
import { readSettings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { commandLine, checkServiceState, shellWord } from './doctor.ts';
import { settingsFromFlags } from './flags.ts';
import {
  defaultEnvironment,
  defaultTokenEnv,
  rollcallSourceIn,
  initFiles,
  mergeRemark,
  mergesMayUpdate,
  pipelines,
  type InitAnswers,
  type InitOptions,
} from './init-files.ts';
import { narratedJob } from './narrator.ts';
import { tryWrite } from './new-files.ts';
import { noConfig, type ChosenConfig } from '../settings/values.ts';

/** `rollcall init`: writes the first files of a project without overwriting any file, and checks the service. */
export async function init(
  folder: string | undefined,
  options: InitOptions,
  context: Context,
): Promise<Ending> {
  const base = folder === undefined || folder === '.' ? '' : `${folder.replace(/\/+$/, '')}/`;
  await refuseTerraformFolder(folder, base, options, context);
  const interruption = context.interruptible();
  const { signal } = interruption;
  const kept = await existingConfig(base, options, context);
  const answers = await answersFrom(options, kept, base, signal, context);
  if (signal.aborted) {
    context.stderr.write('Interrupted: nothing was written.\n');
    return endingOfInterrupt(signal);
  }
  let failed = false;
  const ignored = await context.files.kindOf(`${base}.gitignore`);
  const dependency = await dependencyFor(base, context);
  for (const { path, text } of initFiles({ ...answers, dependency })) {
    const filename = base + path;
    const create = async (): Promise<void> => {
      const isNew = await context.createFile(filename, text);
      context.stdout.write(`${isNew ? 'wrote' : 'kept '}  ${printableLine(filename)}\n`);
    };
    failed = !(await tryWrite(filename, 'cannot write', create, context)) || failed;
  }
  if (failed) return 'failed';
  const checked = await checkService(answers, kept, options, {
    ...context,
    interruptible: () => interruption,
  });
  if (typeof checked === 'string') return checked;
  const healthy = checked === undefined || isHealthy(checked.checks);
  context.stdout.write(`\n${await pipelineRemarks({ ...answers, dependency }, kept, base, context)}`);
  if (ignored !== 'absent')
    context.stdout.write('Check that .gitignore lists plan.json, reports, token files and secrets/.\n\n');
  const cd = base === '' ? '' : `cd ${shellWord(base.slice(0, -1))} && `;
  const next = commandLine(healthy ? 'plan' : 'doctor', envFlag(answers.environment), context);
  context.stdout.write(`Next: ${printableLine(cd)}${next}\n`);
  return healthy ? 'done' : 'failed';
}

/** Throws a UsageError if the user probably meant `terraform init`. */
async function refuseTerraformFolder(
  folder: string | undefined,
  base: string,
  { url, manifests, pipeline }: InitOptions,
  { files }: Context,
): Promise<void> {
  if (url !== undefined || manifests !== undefined || pipeline !== undefined) return;
  if ((await files.kindOf(`${base}rollcall.yaml`)) === 'file')
    throw new UsageError(
      `${base}rollcall.yaml exists already, so there is nothing to set up`,
      'Continue with `rollcall plan`. To add a pipeline: rollcall init --pipeline github',
    );
  if (folder !== undefined) return;
  const here = await files.entriesIn('.').catch(() => []);
  const terraform = here.find(({ name }) => name.endsWith('.tf'));
  if (terraform)
    throw new UsageError(
      `this folder belongs to Terraform: ${terraform.name} is in it`,
      'rollcall does not read *.tf files. Name a folder for the files of rollcall (rollcall init roll), or this folder (rollcall init .).',
    );
}

/** The dependency on rollcall for a new package.json; undefined if the folder or the working directory has a package.json. */
export async function dependencyFor(
  base: string,
  { files }: Pick<Context, 'files'>,
  lockfile: () => string = () => packageFileText('../.package-lock.json'),
): Promise<string | undefined> {
  const kinds = await Promise.all([`${base}package.json`, 'package.json'].map((name) => files.kindOf(name)));
  if (kinds.some((kind) => kind !== 'absent')) return undefined;
  try {
    return rollcallSourceIn(lockfile());
  } catch {
    return undefined; // npm did not install rollcall
  }
}

async function pipelineRemarks(
  { pipeline, tokenEnv, url, environment, manifests, dependency, allowsUpdates }: InitAnswers,
  kept: ChosenConfig | undefined,
  base: string,
  { files }: Context,
): Promise<string> {
  if (pipeline === 'none') return '';
  const isAbsent = async (name: string): Promise<boolean> => (await files.kindOf(base + name)) === 'absent';
  const lines = withoutEmpty(
    `The pipeline needs ${tokenEnv} as a secret: see the top of its file.`,
    environment !== undefined &&
      environment !== defaultEnvironment &&
      `The pipeline is for the environment ${environment}.`,
    mergeRemark(allowsUpdates === true, kept?.allow),
    allowsUpdates &&
      kept &&
      !kept.capabilities?.includes('update') &&
      `Add capabilities: [update] to ${base}rollcall.yaml: otherwise the pipeline fails.`,
    kept?.manifests.length === 0 &&
      `The pipeline takes the manifests from ${base}rollcall.yaml: add manifests: [${manifests ?? 'manifests'}] there.`,
    dependency === undefined &&
      (await isAbsent('package.json')) &&
      `The pipeline runs npm ci, and there is no package.json. Create one: npm install --save-dev git+<the URL of rollcall's repository>`,
    (await isAbsent('package-lock.json')) &&
      'Commit the package-lock.json that npm install writes: it pins rollcall.',
    isLoopback(new URL(url).hostname) &&
      `The pipeline will not reach ${url}, because that address is this machine.`,
  );
  return `${lines.map(printableLine).join('\n')}\n\n`;
}

/**
 * Returns the settings of `production`, or of the first environment, from an existing rollcall.yaml; undefined if there is no
 * such file. Throws a UsageError if the file is invalid or contradicts the new files.
 */
async function existingConfig(
  folder: string,
  options: InitOptions,
  { files, env }: Pick<Context, 'files' | 'env'>,
): Promise<ChosenConfig | undefined> {
  const file = folder + defaultConfigFile;
  if ((await files.kindOf(file)) === 'absent') return undefined;
  const names = await environmentNames(file, files);
  const environment = names.find((name) => name === defaultEnvironment) ?? names[0];
  const values = { ...(await settingsFromFlags(options, env)), config: file, environment };
  const settings = await readSettings(values, { files, env: { ...env, ROLLCALL_ENV: '' } }, 'names');
  const [fault] = settings.diagnostics;
  if (fault)
    throw new UsageError(
      `${file} exists already, and is invalid: ${fault.summary} (${fault.range ? formatPlace(fault.range) : file})`,
      'Correct or remove the file first. `rollcall validate` reports all problems of the file.',
    );
  const { config } = settings;
  if (config) refuseContradictions(config, folder, options);
  return config;
}

function refuseContradictions(
  kept: ChosenConfig,
  folder: string,
  { url, tokenEnv, manifests, pipeline = 'none', merges }: InitOptions,
): void {
  const file = folder + defaultConfigFile;
  const isDifferent = {
    '--url': url && kept.url && readBaseUrl(url, true) !== readBaseUrl(kept.url, true),
    '--token-env': tokenEnv !== undefined && tokenEnv !== (kept.token_env ?? defaultTokenEnv),
    '--manifests':
      manifests !== undefined && kept.manifests.length > 0 && !kept.manifests.includes(folder + manifests),
    '--merges': merges === 'create' && kept.allow !== undefined && kept.allow.length > 0,
  };
  const differingFlags = Object.entries(isDifferent).flatMap(([flag, is]) => (is ? [flag] : []));
  if (differingFlags.length > 0)
    throw new UsageError(
      `${file} exists already, and differs in ${differingFlags.join(', ')}`,
      'Leave out the flag, so that the value is taken from the file; or change the file first.',
    );
  if (pipeline !== 'none' && kept.token_file !== undefined && kept.token_env === undefined)
    throw new UsageError(
      `${file} names a token_file, but a pipeline gets its token from a variable`,
      'Name the variable with token_env in rollcall.yaml, with or without token_file.',
    );
}

async function answersFrom(
  { yes = false, url, tokenEnv, manifests, pipeline, merges, insecureHttp = false }: InitOptions,
  kept: ChosenConfig | undefined,
  base: string,
  signal: AbortSignal,
  context: Context,
): Promise<InitAnswers> {
  const ask = async (given: string | undefined, question: string, otherwise: string): Promise<string> => {
    if (given !== undefined) return given;
    if (yes || context.ask === undefined || signal.aborted) return otherwise;
    return (await context.ask(`${question} [${otherwise}] `, signal)) || otherwise;
  };
  const knownUrl = url ?? kept?.url ?? nonEmpty(context.env['ROLLCALL_URL']);
  const givenUrl = knownUrl ?? (await askUrl(yes, signal, context));
  if (givenUrl === '' && !signal.aborted)
    throw new UsageError(
      'no service URL is given',
      'Use --url, such as: rollcall init --url https://id.example.com',
    );
  const baseUrl = signal.aborted ? '' : readBaseUrl(givenUrl, insecureHttp);
  const keptTokenEnv = kept && (kept.token_env ?? defaultTokenEnv);
  const variable = await ask(
    tokenEnv ?? keptTokenEnv,
    'The environment variable that holds the token:',
    defaultTokenEnv,
  );
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable) || looksLikeToken(variable))
    throw new UsageError(
      'this is not the name of an environment variable', // the text is not quoted, because it may be the token
      'Give the name of the variable, not the token: letters, digits and _.',
    );
  const written = await ask(pipeline, `A pipeline file (${pipelines.join(', ')}):`, 'none');
  const noPipeline = `there is no pipeline file for ${JSON.stringify(written)}`;
  const chosenPipeline = choiceNamed(written, pipelines, noPipeline);
  const givenMerges = merges ?? (chosenPipeline === 'none' ? 'create' : undefined);
  const allowed = await ask(
    givenMerges,
    'What may a merge do: create resources, or update them too? (create, update):',
    'create',
  );
  if (manifests !== undefined && !(await isInFolderOf(manifests, base + defaultConfigFile, context.files)))
    throw new UsageError(
      `--manifests ${JSON.stringify(manifests)} is not inside the folder of rollcall.yaml`,
      'Name a path inside the folder. Other manifests can be named on the command line: rollcall plan PATH',
    );
  // The first manifest is written only if there is no manifest yet.
  const elsewhere =
    manifests ?? kept?.manifests.find((path) => path.replace(/\/+$/, '') !== `${base}manifests`);
  return {
    url: baseUrl,
    tokenEnv: variable,
    manifests: elsewhere,
    environment: kept ? kept.environment : defaultEnvironment,
    pipeline: chosenPipeline,
    allowsUpdates: mergesMayUpdate(allowed),
  };
}

/** Asks again after an empty answer, but not forever, because every answer is empty after the end of the input. */
async function askUrl(yes: boolean, signal: AbortSignal, { ask }: Context): Promise<string> {
  if (yes || ask === undefined) return '';
  for (let tries = 0; tries < 3 && !signal.aborted; tries += 1) {
    const answer = await ask('The URL of the service, such as https://id.example.com: ', signal);
    if (answer !== '') return answer;
  }
  return '';
}

/** Whether a text looks like a token, not like the name of a variable: it is long, or has mixed case and digits but no `_`. */
function looksLikeToken(text: string): boolean {
  return (
    text.length > 40 || (!text.includes('_') && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text))
  );
}

/** Checks the service if its token is known. Returns an ending if the check was interrupted. */
async function checkService(
  { url, tokenEnv, environment }: InitAnswers,
  kept: ChosenConfig | undefined,
  options: InitOptions,
  context: Context,
): Promise<Diagnosis | Ending | undefined> {
  const file = options.tokenFile ?? kept?.token_file;
  if (file === undefined && nonEmpty(environmentValue(context.env, tokenEnv)) === undefined) {
    context.stdout.write(
      `\nThe service was not checked: ${tokenEnv} is not set here. Set it, then: ${commandLine('doctor', envFlag(environment), context)}\n`,
    );
    return undefined;
  }
  const config = kept ?? { ...noConfig, token_env: tokenEnv };
  const values = { ...(await settingsFromFlags(options, context.env)), url, config };
  // The check must use the token from the variable `tokenEnv`.
  const other = tokenEnv === defaultTokenEnv ? {} : { ROLLCALL_TOKEN: '', ROLLCALL_TOKEN_FILE: '' };
  const env = { ...context.env, ...other };
  const { service } = await readSettings(values, { ...context, env }, 'service');
  if (service === undefined) return undefined;
  const checked = await checkServiceState(service, narratedJob(context, options));
  if (typeof checked !== 'string')
    context.stdout.write(`\n${doctorText(checked, createStyle(context.stdout))}`);
  return checked;
}

function envFlag(environment: string | undefined): string[] {
  return environment === undefined ? [] : ['--env', environment];
}
