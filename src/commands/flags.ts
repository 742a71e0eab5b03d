import { UsageError } from '../base/errors.ts';
import { shardIn, type Selection } from '../manifest/select.ts';
import { nonEmpty, type Environment } from '../settings/environment.ts';
import { headerFlag } from '../settings/headers.ts';
import { bounds, wholeNumber, type NameOf, type Values } from '../settings/values.ts';
import { variableFlags } from '../settings/variables.ts';

/** The flags that every command understands which reads manifests, as they were typed. */
export interface ProjectFlags {
  readonly config?: string;
  readonly env?: string;
  readonly var?: readonly string[];
  readonly vars?: readonly string[];
  readonly strict?: boolean;
}

/** Those of every command that talks to the service. */
export interface ServiceFlags {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly timeout?: string;
  readonly wait?: string;
  readonly concurrency?: string;
  readonly insecureHttp?: boolean;
  readonly caFile?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly header?: readonly string[];
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

/** Which of the declared resources a run is about, and how many it may create. */
export interface ScopeFlags {
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly shard?: string;
  readonly maxCreates?: string;
}

/** What flags say of the settings. Throws a UsageError that names the flag that is wrong. */
export async function valuesOf(flags: ProjectFlags & ServiceFlags, env: Environment): Promise<Values> {
  const { config, vars, strict, url, tokenFile, insecureHttp, caFile, clientCert, clientKey } = flags;
  const same = { config, vars, strict, url, tokenFile, insecureHttp, caFile, clientCert, clientKey };
  return {
    ...same,
    environment: flags.env,
    variables: await variableFlags(flags.var ?? []),
    timeoutSeconds: numberOf('timeoutSeconds', flags.timeout),
    waitSeconds: numberOf('waitSeconds', flags.wait),
    concurrency: numberOf('concurrency', flags.concurrency),
    headers: (flags.header ?? []).map((header) => headerFlag(header, env)),
    nameOf: flagOf,
  };
}

/** What flags say of the scope of a run. Throws a UsageError that names the flag that is wrong. */
export function selectionOf({ target = [], exclude = [], shard }: ScopeFlags): Selection {
  return { target, exclude, ...(shard !== undefined && { shard: shardIn(shard, flagOf('shard')) }) };
}

/** Reads `--max-creates`; none: no limit. */
export function mostCreates({ maxCreates }: ScopeFlags): number | undefined {
  return maxCreates === undefined ? undefined : wholeNumber('--max-creates', maxCreates, [0, 1_000_000]);
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

function numberOf(name: keyof typeof bounds, text: string | undefined): number | undefined {
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
