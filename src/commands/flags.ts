import { UsageError } from '../base/errors.ts';
import { shardIn } from '../manifest/select.ts';
import type { PlanRequest } from '../run/plan.ts';
import { nonEmpty, type Environment } from '../settings/environment.ts';
import { headerFlag } from '../settings/headers.ts';
import { readSettings } from '../settings/settings.ts';
import { bounds, wholeNumber, type NameOf, type NumberName, type Values } from '../settings/values.ts';
import { variableFlags } from '../settings/variables.ts';
import type { Context } from '../terminal/context.ts';

type Texts<Name extends string> = { readonly [name in Name]?: string };
type Lists<Name extends string> = { readonly [name in Name]?: readonly string[] };
type Switches<Name extends string> = { readonly [name in Name]?: boolean };

/** The flags that every command understands which reads manifests, as they were typed. */
export type ProjectFlags = Texts<'config' | 'env'> & Lists<'var' | 'vars'> & Switches<'strict'>;

/** Those of every command that talks to the service. */
export type ServiceFlags = Texts<
  'url' | 'tokenFile' | 'timeout' | 'wait' | 'concurrency' | 'caFile' | 'clientCert' | 'clientKey'
> &
  Lists<'header'> &
  Switches<'insecureHttp' | 'verbose' | 'quiet'>;

/** Those of the commands that plan: also which of the declared resources they are about, and how many they may create. */
export type RunFlags = ProjectFlags &
  ServiceFlags &
  Lists<'target' | 'exclude'> &
  Texts<'shard' | 'maxCreates'>;

/** What flags say of the settings. Throws a UsageError that names the flag that is wrong. */
export async function valuesOf(flags: ProjectFlags & ServiceFlags, env: Environment): Promise<Values> {
  const { env: environment, var: assignments = [], timeout, wait, header = [], ...same } = flags;
  return {
    ...same,
    environment,
    variables: await variableFlags(assignments),
    timeoutSeconds: numberOf('timeoutSeconds', timeout),
    waitSeconds: numberOf('waitSeconds', wait),
    concurrency: numberOf('concurrency', flags.concurrency),
    headers: header.map((written) => headerFlag(written, env)),
    nameOf: flagOf,
  };
}

/** What paths and flags ask of a plan or an apply. Throws a UsageError that says what is wrong. */
export async function requestOf(
  paths: readonly string[],
  flags: RunFlags,
  context: Context,
): Promise<PlanRequest> {
  const { target = [], exclude = [], shard, maxCreates } = flags;
  return {
    selection: { target, exclude, ...(shard !== undefined && { shard: shardIn(shard, flagOf('shard')) }) },
    mostCreates:
      maxCreates === undefined ? undefined : wholeNumber('--max-creates', maxCreates, [0, 1_000_000]),
    settings: await readSettings(await valuesOf(flags, context.env), context, 'service', paths),
  };
}

/** How a command talks on stderr while it works. */
export interface Voice {
  /** No progress, remarks or warnings, only results and errors. */
  readonly quiet: boolean;
  /** How to log each request; none: not at all. */
  readonly log?: 'text' | 'json';
}

export function voiceOf({ verbose, quiet = false }: ServiceFlags, env: Environment): Voice {
  const variable = nonEmpty(env['ROLLCALL_LOG']);
  if (variable === 'json') return { quiet, log: 'json' };
  if (variable === 'debug' || verbose) return { quiet, log: 'text' };
  if (variable === undefined) return { quiet };
  throw new UsageError(`ROLLCALL_LOG cannot be ${JSON.stringify(variable)}`, 'It can be debug or json.');
}

function numberOf(name: NumberName, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flagOf(name), text, bounds[name]);
}

const oddFlags: Readonly<Record<string, string>> = {
  environment: '--env',
  timeoutSeconds: '--timeout',
  waitSeconds: '--wait',
  headers: '--header',
};

const flagOf: NameOf = (value) =>
  oddFlags[value] ?? `--${value.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
