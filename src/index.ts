/** The library: what the commands do, by the same code and without a terminal. Explained in docs/library.md. */
import type { Diagnostic } from './base/diagnostic.ts';
import type { Ending } from './base/exit-code.ts';
import { toolVersion } from './base/package-file.ts';
import { shardIn } from './manifest/select.ts';
import { planDocument, type PlanDocument } from './plan/document.ts';
import { formats, type ReportFormat } from './report/formats/all.ts';
import { applyDocument, type ApplyDocument, type OutcomeDocument } from './report/formats/json.ts';
import { applyReport, planReport, validationReport, type Report, type Setting } from './report/report.ts';
import { haltDiagnostics } from './report/words/halts.ts';
import { apply as applyRun } from './run/apply.ts';
import { check } from './run/check.ts';
import { plan as planRun, type PlanRequest } from './run/plan.ts';
import type { Job, World } from './run/world.ts';
import { readSettings } from './settings/settings.ts';
import type { Values } from './settings/values.ts';
import { nodeService } from './terminal/node-context.ts';

export { UsageError } from './base/errors.ts';
export type { ApplyDocument, Diagnostic, Ending, OutcomeDocument, PlanDocument, ReportFormat };

/** What flags say. What is left out is taken from the environment and rollcall.yaml, as the commands take it. */
export interface Options extends Omit<Values, 'nameOf' | 'headers' | 'config'>, Given<'config', string> {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What is read in place of the environment of the process. */
  readonly env?: World['env'] | undefined;
  /** When it aborts, nothing more is begun; what is under way is settled. */
  readonly signal?: AbortSignal | undefined;
  /** What takes the place of time, chance, the network and the files of this machine. */
  readonly world?: Partial<Pick<World, 'clock' | 'random' | 'connect' | 'files'>> | undefined;
}

type Given<Name extends string, Value> = { readonly [name in Name]?: Value | undefined };

export type PlanOptions = Options &
  Given<'target' | 'exclude', readonly string[]> &
  Given<'shard', string> &
  Given<'keepGoing', boolean> &
  Given<'maxCreates' | 'maxUpdates' | 'maxDeletes', number>;

export type ApplyOptions = PlanOptions &
  Given<'failFast', boolean> & {
    /** Asked where there is something to write, before it is; without it, nobody is asked. */
    readonly confirm?: ((plan: PlanDocument) => Promise<boolean> | boolean) | undefined;
  };

/** How it ended. It holds no secret. */
export interface Result {
  /** The exit code of the command, by name. */
  readonly ending: Ending;
  readonly diagnostics: readonly Diagnostic[];
  /** Gives what `--report` writes; `{ commentKey: { key } }` does what `--comment-key` does. */
  readonly report: (format: ReportFormat, setting?: Pick<Setting, 'commentKey'>) => Promise<string>;
}

/** `plan` is what `plan -o json` prints, `run` what `apply -o json` does. Where there is none, the diagnostics say why. */
export type Planned = Result & Given<'plan', PlanDocument>;
export type Applied = Planned & Given<'run', ApplyDocument>;

/** Reads and checks manifests, and sends nothing. Like the others, it rejects with a UsageError where the options cannot be right. */
export async function validate(paths: readonly string[], options: Options = {}): Promise<Result> {
  const settings = await settingsOf(paths, options, 'manifests');
  const report = validationReport(await check(settings, jobFor(options)));
  return resultOf(report, report.valid ? 'done' : 'invalid');
}

/** Looks up what manifests declare, and compares. Creates and changes nothing. */
export async function plan(paths: readonly string[], options: PlanOptions = {}): Promise<Planned> {
  const { ending, ...ended } = await planRun(await requestOf(paths, options), jobFor(options));
  return { ...resultOf(planReport(ended), ending), plan: ended.result && planDocument(ended.result) };
}

/** Plans, and carries that out: creates what is missing, and changes what `allow` and the capabilities let it. */
export async function apply(paths: readonly string[], options: ApplyOptions = {}): Promise<Applied> {
  const { confirm: asked, failFast } = options;
  const confirm = asked && (async (made: Parameters<typeof planDocument>[0]) => asked(planDocument(made)));
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
    report: async (kind, more) => (await formats[kind]())(report, { toolVersion: toolVersion(), ...more }),
  };
}

async function requestOf(paths: readonly string[], options: PlanOptions): Promise<PlanRequest> {
  const { target = [], exclude = [], shard, keepGoing } = options;
  return {
    settings: await settingsOf(paths, options, 'service'),
    selection: { target, exclude, ...(shard !== undefined && { shard: shardIn(shard, 'shard') }) },
    keepGoing,
    mostCreates: options.maxCreates,
    mostUpdates: options.maxUpdates,
    mostDeletes: options.maxDeletes,
  };
}

function settingsOf(paths: readonly string[], options: Options, use: 'manifests' | 'service') {
  const headers = Object.entries(options.headers ?? {}).map(([name, value]) => ({ name, value }));
  return readSettings({ ...options, headers, nameOf: (value) => value }, jobFor(options), use, paths);
}

function jobFor({ env = process.env, signal, world }: Options): Job {
  return {
    ...nodeService,
    env,
    // A signal for this run alone, so that its listeners do not stay on the caller's signal after the run.
    interruptible: () => ({ signal: AbortSignal.any(signal ? [signal] : []), urgent: AbortSignal.any([]) }),
    toolVersion: toolVersion(),
    emit: () => {},
    haltWords: haltDiagnostics,
    ...world,
  };
}
