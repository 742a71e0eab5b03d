import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { readBaseUrl } from './base-url.ts';
import type { ChosenConfig } from './config.ts';
import { readCaFile } from './ca-file.ts';
import { readClientCertificate, type ClientCertificate } from './client-certificate.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { readHeaders, type ExtraHeader } from './headers.ts';
import { readProxy, type ProxySettings } from './proxy.ts';
import type { Secret } from './secret.ts';
import { readToken } from './token.ts';

/** How to reach the service. */
export interface ServiceSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly token: Secret;
  readonly timeoutMs: number;
  /** How long a service that is away is waited for. */
  readonly wait: WaitSettings;
  /** How many requests are under way at a time, at the most. */
  readonly concurrency: number;
  /** None when it is reached directly. */
  readonly proxy?: ProxySettings;
  /** Authorities to trust, in PEM, in addition to those of Node. */
  readonly certificates?: readonly string[];
  readonly client?: ClientCertificate;
  readonly headers: readonly ExtraHeader[];
  /** How to log each request; none: not at all. */
  readonly log?: 'text' | 'json';
  /** No progress, remarks or warnings, only results and errors. */
  readonly quiet: boolean;
}

export interface WaitSettings {
  readonly milliseconds: number;
  /** Whether it was given, and is not just the default. */
  readonly isAsked: boolean;
}

/** What is sent with every request, and must never be printed. */
export function secretsOf({ token, headers, proxy, client }: ServiceSettings): string[] {
  return [
    ...[token, ...headers.flatMap(({ secrets }) => secrets)].map((secret) => secret.reveal()),
    ...passwordsIn(proxy?.authorization?.reveal() ?? ''),
    ...(client ? keysIn(client.key.reveal()) : []),
  ];
}

/** Of a Proxy-Authorization header: its value, the user and the password, and the password. */
function passwordsIn(authorization: string): string[] {
  const [, encoded] = /^Basic (.+)$/.exec(authorization) ?? [];
  if (encoded === undefined) return [];
  const credentials = Buffer.from(encoded, 'base64').toString();
  return [encoded, credentials, credentials.slice(credentials.indexOf(':') + 1)];
}

/** What stands between the lines that every key has. */
function keysIn(pem: string): string[] {
  return Array.from(pem.matchAll(/-----BEGIN [^-]+-----([^-]+)-----END/g), ([, key = '']) => key.trim());
}

/** The flags as they were typed. */
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

const defaultTimeout = '60';
const defaultWait = '60';
/** A ceiling: how many requests are really under way follows from what the service bears. */
const defaultConcurrency = 16;

/** A flag beats the environment, which beats the file. Throws a UsageError that says what is missing or wrong. */
export async function readServiceSettings(
  flags: ServiceFlags,
  env: Environment,
  config: ChosenConfig,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<ServiceSettings> {
  const url = flags.url ?? nonEmpty(env['ROLLCALL_URL']) ?? config.url;
  if (url === undefined) {
    throw new UsageError(
      'no service URL is given',
      'Set ROLLCALL_URL, use --url, or choose an environment of rollcall.yaml with --env.',
    );
  }
  const insecureHttp = flags.insecureHttp ?? false;
  const baseUrl = readBaseUrl(url, insecureHttp);
  const proxy = readProxy(baseUrl, env, insecureHttp);
  return {
    baseUrl,
    ...(proxy && { proxy }),
    ...(flags.caFile !== undefined && { certificates: await readCaFile(flags.caFile, env, files) }),
    ...(await clientOf(flags, env, files)),
    headers: readHeaders(flags.header ?? [], env),
    token: await readToken(flags.tokenFile, env, config, files),
    timeoutMs: wholeNumber('--timeout', flags.timeout ?? defaultTimeout, 1, 3600) * 1000,
    wait: {
      milliseconds: wholeNumber('--wait', flags.wait ?? defaultWait, 0, 86_400) * 1000,
      isAsked: flags.wait !== undefined,
    },
    concurrency: concurrencyOf(flags, env, config),
    ...logOf(flags, env),
    quiet: flags.quiet ?? false,
  };
}

async function clientOf(
  { clientCert, clientKey }: ServiceFlags,
  env: Environment,
  files: Pick<Files, 'read'>,
): Promise<Pick<ServiceSettings, 'client'>> {
  if (clientCert !== undefined)
    return { client: await readClientCertificate(clientCert, clientKey, env, files) };
  if (clientKey === undefined) return {};
  throw new UsageError('--client-key needs --client-cert', 'A key is of no use without its certificate.');
}

function logOf({ verbose }: ServiceFlags, env: Environment): Pick<ServiceSettings, 'log'> {
  const variable = nonEmpty(env['ROLLCALL_LOG']);
  if (variable === 'json') return { log: 'json' };
  if (variable === 'debug' || verbose) return { log: 'text' };
  if (variable === undefined) return {};
  throw new UsageError(`ROLLCALL_LOG cannot be ${JSON.stringify(variable)}`, 'It can be debug or json.');
}

function concurrencyOf(flags: ServiceFlags, env: Environment, config: ChosenConfig): number {
  if (flags.concurrency !== undefined) return wholeNumber('--concurrency', flags.concurrency, 1, 1000);
  const variable = nonEmpty(env['ROLLCALL_CONCURRENCY']);
  if (variable !== undefined) return wholeNumber('ROLLCALL_CONCURRENCY', variable, 1, 1000);
  return config.concurrency ?? defaultConcurrency;
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
