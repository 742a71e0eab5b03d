/** The library: the commands as functions, without a terminal. See docs/library.md. */
import type { Diagnostic } from './base/diagnostic.ts';
import type { Ending } from './base/exit-code.ts';
import { toolVersion } from './base/package-file.ts';
import { choiceNamed } from './base/suggestion.ts';
import { parseShard } from './manifest/select.ts';
import { planDocument, type PlanDocument } from './plan/document.ts';
import { formatNames, formats, type ReportFormat } from './report/formats/all.ts';
import { applyDocument, type ApplyDocument, type OutcomeDocument } from './report/formats/json.ts';
import {
  applyReport,
  planReport,
  validationReport,
  type Report,
  type FormatSetting,
} from './report/report.ts';
import { haltDiagnostics } from './report/words/halts.ts';
import { apply as applyRun } from './run/apply.ts';
import { checkManifests } from './run/check.ts';
import { plan as planRun, type PlanRequest } from './run/plan.ts';
import type { Job, RunEnvironment } from './run/world.ts';
import { refuseOtherForm, refuseOtherOptions, type OptionForm } from './settings/given-options.ts';
import { readSettings } from './settings/settings.ts';
import type { GivenSettings } from './settings/values.ts';
import { nodeService } from './terminal/node-context.ts';

export { UsageError } from './base/errors.ts';
export type { ApplyDocument, Diagnostic, Ending, OutcomeDocument, PlanDocument, ReportFormat };

/** The flags of a command. As in the commands, the environment and rollcall.yaml supply the flags that are left out. */
export interface Options
  extends Omit<GivenSettings, 'nameOf' | 'headers' | 'config'>, Given<'config', string> {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the environment of the process. */
  readonly env?: RunEnvironment['env'] | undefined;
  /** When the signal aborts, no further change is started; changes under way are completed. */
  readonly signal?: AbortSignal | undefined;
  /** Replacements for time, randomness, the network and the files of this machine. */
  readonly world?: Partial<Pick<RunEnvironment, 'clock' | 'random' | 'connect' | 'files'>> | undefined;
}

type Given<Name extends string, Value> = { readonly [name in Name]?: Value | undefined };

export type PlanOptions = Options &
  Given<'target' | 'exclude', readonly string[]> &
  Given<'shard', string> &
  Given<'keepGoing', boolean> &
  Given<'maxCreates' | 'maxUpdates' | 'maxDeletes', number>;

export type ApplyOptions = PlanOptions &
  Given<'failFast', boolean> & {
    /** This function confirms the plan before the first write. Without the function, the plan needs no confirmation. */
    readonly confirm?: ((plan: PlanDocument) => Promise<boolean> | boolean) | undefined;
  };

/** Callers may share an object of options, so each function accepts the options of the others. */
const optionForms = {
  config: 'a string',
  environment: 'a string',
  variables: 'an object',
  vars: 'an array of strings',
  strict: 'a boolean',
  capabilities: 'an array of strings',
  contractOnly: 'a boolean',
  allow: 'an array of strings',
  url: 'a string',
  token: 'a string',
  tokenFile: 'a string',
  timeoutSeconds: 'a number',
  waitSeconds: 'a number',
  concurrency: 'a number',
  insecureHttp: 'a boolean',
  caFile: 'a string',
  clientCert: 'a string',
  clientKey: 'a string',
  headers: 'an object of strings',
  env: 'an object',
  signal: 'an AbortSignal',
  world: 'an object',
  target: 'an array of strings',
  exclude: 'an array of strings',
  shard: 'a string',
  keepGoing: 'a boolean',
  maxCreates: 'a whole number from 0',
  maxUpdates: 'a whole number from 0',
  maxDeletes: 'a whole number from 0',
  failFast: 'a boolean',
  confirm: 'a function',
} as const satisfies Readonly<Record<keyof ApplyOptions, OptionForm>>;

/** The result of a command. It contains no secret. */
export interface Result {
  readonly ending: Ending;
  readonly diagnostics: readonly Diagnostic[];
  /** Returns the text of a report, as with `--report`; `{ commentKey: { key } }` corresponds to `--comment-key`. */
  readonly report: (format: ReportFormat, setting?: Pick<FormatSetting, 'commentKey'>) => Promise<string>;
}

/** `plan` is the output of `plan -o json`, and `run` is the output of `apply -o json`. If `plan` or `run` is undefined, the diagnostics say why. */
export type Planned = Result & Given<'plan', PlanDocument>;
export type Applied = Planned & Given<'run', ApplyDocument>;

/** Checks manifests, and sends nothing. Like the other functions, rejects with a UsageError for impossible options. */
export async function validate(paths: readonly string[], options: Options = {}): Promise<Result> {
  refuseInvalid(paths, options);
  const settings = await settingsOf(paths, options, 'manifests');
  const report = validationReport(await checkManifests(settings, jobFor(options)));
  return resultOf(report, report.valid ? 'done' : 'invalid');
}

/** Compares the declared resources with the service. Creates and changes nothing. */
export async function plan(paths: readonly string[], options: PlanOptions = {}): Promise<Planned> {
  refuseInvalid(paths, options);
  const { ending, ...ended } = await planRun(await requestOf(paths, options), jobFor(options));
  return { ...resultOf(planReport(ended), ending), plan: ended.result && planDocument(ended.result) };
}

/** Plans and applies: creates missing resources, and makes the changes that `allow` and the capabilities permit. */
export async function apply(paths: readonly string[], options: ApplyOptions = {}): Promise<Applied> {
  refuseInvalid(paths, options);
  const { confirm: asked, failFast } = options;
  const confirm =
    asked &&
    (async (made: Parameters<typeof planDocument>[0]) => {
      const answer: unknown = await asked(planDocument(made));
      refuseOtherForm('the answer of confirm', answer, 'a boolean');
      return answer === true;
    });
  const request = { ...(await requestOf(paths, options)), failFast, confirm };
  const { ending, ...ended } = await applyRun(request, jobFor(options));
  const report = applyReport(ended);
  const run = report.kind === 'apply' ? applyDocument(report) : undefined;
  return { ...resultOf(report, ending), plan: ended.result && planDocument(ended.result.plan), run };
}

function resultOf(report: Report, ending: Ending): Result {
  return {
    ending,
    diagnostics: report.diagnostics,
    report: async (kind, more = {}) => {
      refuseOtherForm('format', kind, 'a string');
      const format = choiceNamed(kind, formatNames, `there is no format ${JSON.stringify(kind)}`);
      refuseOtherOptions(more, { commentKey: 'an object' });
      return (await formats[format]())(report, more);
    },
  };
}

async function requestOf(paths: readonly string[], options: PlanOptions): Promise<PlanRequest> {
  const { target = [], exclude = [], shard, keepGoing } = options;
  return {
    settings: await settingsOf(paths, options, 'service'),
    selection: { target, exclude, ...(shard !== undefined && { shard: parseShard(shard, 'shard') }) },
    keepGoing,
    maxCreates: options.maxCreates,
    maxUpdates: options.maxUpdates,
    maxDeletes: options.maxDeletes,
  };
}

/** Throws a UsageError for arguments that a program without types can pass. */
function refuseInvalid(paths: readonly string[], options: Options): void {
  refuseOtherForm('paths', paths, 'an array of strings');
  refuseOtherOptions(options, optionForms);
}

function settingsOf(paths: readonly string[], options: Options, use: 'manifests' | 'service') {
  const headers = Object.entries(options.headers ?? {}).map(([name, value]) => ({ name, value }));
  return readSettings({ ...options, headers, nameOf: (value) => value }, jobFor(options), use, paths);
}

function jobFor({ env = process.env, signal, world }: Options): Job {
  return {
    ...nodeService,
    env,
    // Each run has its own signal, so that its listeners do not stay on the caller's signal after the run.
    interruptible: () => ({ signal: AbortSignal.any(signal ? [signal] : []), urgent: AbortSignal.any([]) }),
    toolVersion: toolVersion(),
    emit: () => {},
    haltWords: haltDiagnostics,
    ...world,
  };
}
