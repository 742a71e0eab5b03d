import { usageDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import { parseShard } from '../manifest/select.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import type { Detail } from '../report/report.ts';
import type { PlanRequest } from '../run/plan.ts';
import { baselineFiles } from '../settings/baseline.ts';
import type { EnvironmentVariables } from '../settings/environment.ts';
import { parseHeaderFlag } from '../settings/headers.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import {
  bounds,
  wholeNumber,
  type SettingName,
  type NumberName,
  type GivenSettings,
} from '../settings/values.ts';
import { checkManifests, inputFilesOf } from '../run/check.ts';
import { parseVariableFlags } from '../settings/variables.ts';
import type { Context } from '../terminal/context.ts';

type Texts<Name extends string> = { readonly [name in Name]?: string };
type Lists<Name extends string> = { readonly [name in Name]?: readonly string[] };
type Switches<Name extends string> = { readonly [name in Name]?: boolean };

/** The flags of every command that reads manifests, as they were typed. */
export type ProjectFlags = Texts<'config' | 'env'> &
  Lists<'var' | 'vars' | 'capability' | 'allow'> &
  Switches<'strict' | 'contractOnly'>;

/** The flags of every command that talks to the service. */
export type ServiceFlags = Texts<
  'url' | 'tokenFile' | 'timeout' | 'wait' | 'concurrency' | 'caFile' | 'clientCert' | 'clientKey'
> &
  Lists<'header'> &
  Switches<'insecureHttp' | 'verbose' | 'quiet'>;

/** The flags of commands that plan, including the selection of resources and the limits. */
export type RunFlags = ProjectFlags &
  ServiceFlags &
  Lists<'target' | 'exclude' | 'resend'> &
  Texts<'shard' | 'maxCreates' | 'maxUpdates' | 'maxDeletes' | 'baseline'> &
  Switches<'changedOnly' | 'keepGoing'>;

export type DetailFlags = Switches<'compact'>;

/** The level of detail that `--compact` or `--no-compact` asks for; undefined if neither flag was given. */
export function detailFromFlags({ compact }: DetailFlags): Detail | undefined {
  if (compact === undefined) return undefined;
  return compact ? 'lines' : 'all';
}

/** Converts flags to settings. Throws a UsageError that mentions the wrong flag. */
export async function settingsFromFlags(
  flags: ProjectFlags & ServiceFlags,
  env: EnvironmentVariables,
): Promise<GivenSettings> {
  const { env: environment, var: assignments = [], capability, timeout, wait, header = [], ...same } = flags;
  return {
    ...same,
    environment,
    variables: parseVariableFlags(assignments),
    capabilities: capability,
    timeoutSeconds: numberOf('timeoutSeconds', timeout),
    waitSeconds: numberOf('waitSeconds', wait),
    concurrency: numberOf('concurrency', flags.concurrency),
    headers: header.map((written) => parseHeaderFlag(written, env)),
    nameOf: flagOf,
  };
}

/** Makes the request for a plan or apply from paths and flags. Throws a UsageError for a wrong path or flag. */
export async function requestFromFlags(
  paths: readonly string[],
  flags: RunFlags,
  context: Context,
): Promise<PlanRequest> {
  const { target = [], exclude = [], shard, baseline, changedOnly = false, keepGoing } = flags;
  const values = await settingsFromFlags(flags, context.env);
  refuseMissingBaseline(paths, values, flags);
  const settingsIn = (files: Files): Promise<Settings | Diagnostic> =>
    readSettings(values, { ...context, files }, 'names', paths).catch((error: unknown) => {
      if (error instanceof UsageError) return usageDiagnostic(error);
      throw error;
    });
  return {
    selection: { target, exclude, ...(shard !== undefined && { shard: parseShard(shard, flagOf('shard')) }) },
    maxCreates: limitOf('--max-creates', flags.maxCreates),
    maxUpdates: limitOf('--max-updates', flags.maxUpdates),
    maxDeletes: limitOf('--max-deletes', flags.maxDeletes),
    ...(keepGoing && { keepGoing }),
    ...(flags.resend && { resend: flags.resend }),
    settings: await readSettings(values, context, 'service', paths),
    ...(baseline !== undefined && {
      baseline: {
        path: baseline,
        files: await baselineFiles(baseline, context.files),
        changedOnly,
        settingsIn,
      },
    }),
  };
}

/** The files that a failed run would have read. Reads neither secrets nor standard input. */
export async function inputFiles(
  paths: readonly string[],
  flags: RunFlags,
  { env, files }: Pick<Context, 'env' | 'files'>,
): Promise<readonly string[]> {
  const world = { env, files: { ...files, readStandardInput: async () => new Uint8Array() } };
  // A wrong value of these flags may have ended the run, but they do not decide which files it reads.
  const { allow: _, capability: _c, timeout: _t, wait: _w, concurrency: _n, ...deciding } = flags;
  const settings = await readSettings(await settingsFromFlags(deciding, env), world, 'manifests', paths);
  if (settings.paths.length === 0) return inputFilesOf(settings);
  return inputFilesOf(
    settings,
    await checkManifests(settings, world, { secrets: 'assumed', isCheckOnly: true }),
  );
}

function limitOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flag, text, [0, 1_000_000]);
}

/** Throws a UsageError if a source of manifests cannot have a baseline. */
function refuseMissingBaseline(
  paths: readonly string[],
  { config, vars = [] }: GivenSettings,
  { baseline, changedOnly }: Pick<RunFlags, 'baseline' | 'changedOnly'>,
): void {
  if (changedOnly && baseline === undefined)
    throw new UsageError(
      '--changed-only needs --baseline',
      'Name a folder with an earlier state of this folder, as made by: git worktree add --detach .before origin/main.',
    );
  if (baseline !== undefined && [config, ...vars, ...paths].includes(standardInput))
    throw new UsageError(
      '--baseline cannot compare manifests from standard input',
      'Name a file that exists in this folder and in the folder of --baseline.',
    );
}

function numberOf(name: NumberName, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flagOf(name), text, bounds[name]);
}

const irregularFlags: Readonly<Record<string, string>> = {
  environment: '--env',
  variables: '--var',
  timeoutSeconds: '--timeout',
  waitSeconds: '--wait',
  headers: '--header',
  capabilities: '--capability',
};

const flagOf: SettingName = (value) =>
  irregularFlags[value] ?? `--${value.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export function reportInvalid(
  diagnostics: readonly Diagnostic[],
  { stderr }: Pick<Context, 'stderr'>,
): 'invalid' {
  stderr.write(diagnosticsText(diagnostics, createStyle(stderr)));
  return 'invalid';
}
