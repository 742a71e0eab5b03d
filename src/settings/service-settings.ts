import { UsageError } from '../errors.ts';
import type { Files } from '../files.ts';
import { readBaseUrl } from './base-url.ts';
import { nonEmpty, type Environment } from './environment.ts';
import type { Secret } from './secret.ts';
import { readToken } from './token.ts';

/** How to reach the service. */
export interface ServiceSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly token: Secret;
  readonly timeoutMs: number;
  /** How many requests are under way at a time, at the most. */
  readonly concurrency: number;
}

/** The flags as they were typed. */
export interface ServiceFlags {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly timeout?: string;
  readonly concurrency?: string;
  readonly insecureHttp?: boolean;
}

const defaultTimeout = '60';
/** A small installation creates no faster when it is asked for more at once. */
const defaultConcurrency = '4';

/** A flag beats the environment. Throws a UsageError that says what is missing or wrong. */
export async function readServiceSettings(
  flags: ServiceFlags,
  env: Environment,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<ServiceSettings> {
  const url = flags.url ?? nonEmpty(env['ROLLCALL_URL']);
  if (url === undefined) throw new UsageError('no service URL is given', 'Set ROLLCALL_URL, or use --url.');
  return {
    baseUrl: readBaseUrl(url, flags.insecureHttp ?? false),
    token: await readToken(flags.tokenFile, env, files),
    timeoutMs: wholeNumber('--timeout', flags.timeout ?? defaultTimeout, 1, 3600) * 1000,
    concurrency:
      flags.concurrency !== undefined
        ? wholeNumber('--concurrency', flags.concurrency, 1, 1000)
        : wholeNumber(
            'ROLLCALL_CONCURRENCY',
            nonEmpty(env['ROLLCALL_CONCURRENCY']) ?? defaultConcurrency,
            1,
            1000,
          ),
  };
}

/** Reads a number from a flag or a variable, or throws a UsageError that names it. */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(
    `${name} cannot be ${JSON.stringify(text)}`,
    `It takes a whole number from ${least} to ${most}.`,
  );
}
