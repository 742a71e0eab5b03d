import { BlockList, isIP } from 'node:net';
import { UsageError } from '../base/errors.ts';
import { isLoopback } from './base-url.ts';
import { nonEmpty, type EnvironmentVariables } from './environment.ts';
import { Secret } from './secret.ts';

export interface ProxySettings {
  /** Scheme, host and port, without user and password. */
  readonly origin: string;
  readonly authorization?: Secret;
  /** Texts to redact: the value of the header, the password, and `user:password`. */
  readonly secrets: readonly Secret[];
}

/** The proxy, from the variables that curl reads; requests to localhost also use the proxy, unless NO_PROXY names localhost. */
export function readProxy(
  baseUrl: string,
  env: EnvironmentVariables,
  insecureHttp: boolean,
  insecureOptionName = '--insecure-http',
): ProxySettings | undefined {
  const { protocol, hostname, port } = new URL(baseUrl);
  const secure = protocol === 'https:';
  const name = setVariableName(secure ? 'HTTPS_PROXY' : 'HTTP_PROXY', env);
  const exceptions = env[setVariableName('NO_PROXY', env) ?? ''] ?? '';
  if (name === undefined || isProxyExempt(hostname, port || (secure ? '443' : '80'), exceptions))
    return undefined;
  const proxy = parseProxy(name, env[name] ?? '');
  if (!secure && !insecureHttp && !isLoopback(new URL(proxy.origin).hostname))
    throw new UsageError(
      `the token would be sent to the proxy ${proxy.origin} unencrypted`,
      `Bypass the proxy with NO_PROXY=${hostname}, or use ${insecureOptionName} if the connection is protected by other means.`,
    );
  return proxy;
}

/** The name of the variable that is set, in lower or upper case; lower case takes precedence. */
function setVariableName(name: string, env: EnvironmentVariables): string | undefined {
  return [name.toLowerCase(), name].find((setName) => nonEmpty(env[setName]) !== undefined);
}

function parseProxy(name: string, text: string): ProxySettings {
  const invalidProxy = (problem: string): UsageError =>
    new UsageError(
      `${name} ${problem}`,
      'Write it as http://user:password@host:port, and percent-encode special characters: %40 for an @ in the password.',
    );
  const fullUrl = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(fullUrl)) throw invalidProxy('is not a URL');
  const { protocol, origin, username, password } = new URL(fullUrl);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw invalidProxy('is not the URL of an http:// or https:// proxy');
  if (username === '' && password === '') return { origin, secrets: [] };
  try {
    const decodedPassword = decodeURIComponent(password);
    const credentials = `${decodeURIComponent(username)}:${decodedPassword}`;
    const sent = Buffer.from(credentials).toString('base64');
    const secrets = [sent, credentials, decodedPassword].map((part) => new Secret(part));
    return { origin, authorization: new Secret(`Basic ${sent}`), secrets };
  } catch {
    throw invalidProxy('contains a % that does not encode a character');
  }
}

/** Whether NO_PROXY matches a host: by name, parent domain, address, CIDR range, or `*`. */
function isProxyExempt(hostname: string, port: string, exceptions: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return exceptions
    .split(/[\s,]+/)
    .some((entry) => entry === '*' || (entry !== '' && matchesException(entry, host, port)));
}

function matchesException(entry: string, host: string, port: string): boolean {
  const [, name = entry, entryPort = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (entryPort !== port) return false;
  const hostPattern = name
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .toLowerCase();
  const family = isIP(host);
  if (family === 0) return hostPattern !== '' && (host === hostPattern || host.endsWith(`.${hostPattern}`));
  const [network = '', prefix] = hostPattern.split('/');
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (isIP(network) !== family || !(length <= bits)) return false;
  const list = new BlockList();
  list.addSubnet(network, length, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
