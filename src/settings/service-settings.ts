import type { Destination } from '../base/destination.ts';
import { UsageError } from '../base/errors.ts';
import type { Capability, AllowedOperations, Risk } from '../kinds/capability.ts';
import type { HiddenFieldNames } from '../kinds/hide.ts';
import { readBaseUrl } from './base-url.ts';
import { acceptedRisks, permittedCapabilities, readCapabilities } from './capabilities.ts';
import { readCaFile, readClientCertificate, type ClientCertificate } from './certificates.ts';
import { nonEmpty } from './environment.ts';
import { readHeaders, type ExtraHeader } from './headers.ts';
import { readProxy, type ProxySettings } from './proxy.ts';
import type { Secret } from './secret.ts';
import { readToken, refuseTokenMismatch } from './token.ts';
import { bounds, type NumberName, type SettingSources, type GivenSettings, wholeNumber } from './values.ts';

export interface ServiceSettings extends AllowedOperations {
  readonly baseUrl: string;
  readonly environment?: string | undefined;
  readonly token: Secret;
  readonly timeoutMs: number;
  readonly wait: {
    readonly milliseconds: number;
    /** Whether the user set the waiting time. */
    readonly isExplicit: boolean;
  };
  readonly concurrency: number;
  readonly proxy?: ProxySettings | undefined;
  /** Trusted certificate authorities in PEM, in addition to Node's. */
  readonly certificates?: readonly string[] | undefined;
  readonly client?: ClientCertificate | undefined;
  readonly headers: readonly ExtraHeader[];
  /** Fields whose values are not shown when they come from the service. */
  readonly hide?: HiddenFieldNames | undefined;
  readonly allow: readonly Capability[];
  readonly acceptedRisks?: readonly Risk[];
}

export function destinationOf({ baseUrl, environment }: ServiceSettings): Destination {
  return { service: baseUrl, environment };
}

export function secretsOf({ token, headers = [], proxy, client }: Partial<ServiceSettings>): string[] {
  const parts = [...headers, ...(proxy ? [proxy] : []), ...(client ? [client] : [])];
  const secrets = [...(token ? [token] : []), ...parts.flatMap((part) => part.secrets)];
  return secrets.map((secret) => secret.reveal());
}

export async function readServiceSettings(sources: SettingSources): Promise<ServiceSettings> {
  const { values, env, config, files } = sources;
  const { nameOf, insecureHttp = false, caFile } = values;
  const url = values.url ?? nonEmpty(env['ROLLCALL_URL']) ?? config.url;
  if (url === undefined)
    throw new UsageError(
      'no service URL is given',
      typeof values.config === 'object'
        ? `Set ROLLCALL_URL, or use ${nameOf('url')}.`
        : `Set ROLLCALL_URL, use ${nameOf('url')}, or choose an environment of rollcall.yaml with ${nameOf('environment')}.`,
    );
  // The URLs in rollcall.yaml were checked when it was read.
  const source = values.url === undefined ? 'ROLLCALL_URL' : nameOf('url');
  const baseUrl = readBaseUrl(url, insecureHttp, nameOf('insecureHttp'), source);
  const token = await readToken(sources);
  if (baseUrl !== env['ROLLCALL_SANDBOX']) {
    refuseUrlMismatch(baseUrl, sources);
    await refuseTokenMismatch(token, sources);
  }
  const reach = readCapabilities(sources);
  return {
    ...reach,
    baseUrl,
    environment: config.environment,
    hide: config.hide,
    proxy: readProxy(baseUrl, env, insecureHttp, nameOf('insecureHttp')),
    certificates: caFile === undefined ? undefined : await readCaFile(caFile, env, files),
    client: await readClientCertificate(sources),
    headers: readHeaders(values.headers ?? [], nameOf),
    token,
    timeoutMs: numberSetting('timeoutSeconds', values) * 1000,
    wait: {
      milliseconds: numberSetting('waitSeconds', values) * 1000,
      isExplicit: values.waitSeconds !== undefined,
    },
    concurrency: concurrencyOf(sources),
    allow: permittedCapabilities(sources, reach),
    acceptedRisks: acceptedRisks(values),
  };
}

/** Throws a UsageError if ROLLCALL_URL is not the URL of the chosen environment. */
function refuseUrlMismatch(baseUrl: string, { values, config }: SettingSources): void {
  const { url: given, nameOf } = values;
  const { environment, url } = config;
  if (given !== undefined || url === undefined) return;
  const ownValue = readBaseUrl(url, true);
  if (ownValue === baseUrl) return;
  throw new UsageError(
    `ROLLCALL_URL is ${baseUrl}, and the environment ${JSON.stringify(environment)} is at ${ownValue}`,
    `Unset ROLLCALL_URL, or choose one of the two URLs with ${nameOf('url')}.`,
  );
}

function concurrencyOf({ values, env, config }: SettingSources): number {
  const variable = nonEmpty(env['ROLLCALL_CONCURRENCY']);
  if (values.concurrency === undefined && variable !== undefined)
    return wholeNumber('ROLLCALL_CONCURRENCY', variable, bounds.concurrency);
  return numberSetting('concurrency', values, config.concurrency);
}

function numberSetting(name: NumberName, values: GivenSettings, fallback = bounds[name][2]): number {
  return wholeNumber(values.nameOf(name), values[name] ?? fallback, bounds[name]);
}
