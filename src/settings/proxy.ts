import { BlockList, isIP } from 'node:net';
import { UsageError } from '../base/errors.ts';
import { isLoopback } from './base-url.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { Secret } from './secret.ts';

export interface ProxySettings {
  /** Scheme, host and port, without user and password. */
  readonly origin: string;
  /** The value of the Proxy-Authorization header. */
  readonly authorization?: Secret;
  /** Texts to keep out of all output: the header's value, the password, and the user with the password. */
  readonly secrets: readonly Secret[];
}

/**
 * The proxy for a service, from the same variables that curl reads. Only NO_PROXY makes exceptions, even for this machine. Throws a
 * UsageError that shows no password.
 */
export function readProxy(
  baseUrl: string,
  env: Environment,
  insecureHttp: boolean,
  nameOfInsecure = '--insecure-http',
): ProxySettings | undefined {
  const { protocol, hostname, port } = new URL(baseUrl);
  const secure = protocol === 'https:';
  const name = eitherCase(secure ? 'HTTPS_PROXY' : 'HTTP_PROXY', env);
  const exceptions = env[eitherCase('NO_PROXY', env) ?? ''] ?? '';
  if (name === undefined || isExempt(hostname, port || (secure ? '443' : '80'), exceptions)) return undefined;
  const proxy = parseProxy(name, env[name] ?? '');
  if (!secure && !insecureHttp && !isLoopback(new URL(proxy.origin).hostname)) {
    throw new UsageError(
      `the token would be sent to the proxy ${proxy.origin} unencrypted`,
      `Go around it with NO_PROXY=${hostname}, or use ${nameOfInsecure} if the way there is safe by other means.`,
    );
  }
  return proxy;
}

/** The name under which a variable is set; lower case takes precedence. */
function eitherCase(name: string, env: Environment): string | undefined {
  return [name.toLowerCase(), name].find((spelled) => nonEmpty(env[spelled]) !== undefined);
}

function parseProxy(name: string, text: string): ProxySettings {
  const wrong = (what: string): UsageError =>
    new UsageError(
      `${name} ${what}`,
      'Give it as http://user:password@host:port, with %40 for an @ in the password and the like.',
    );
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) throw wrong('is not a URL');
  const { protocol, origin, username, password } = new URL(full);
  if (protocol !== 'http:' && protocol !== 'https:') throw wrong('names no http:// or https:// proxy');
  if (username === '' && password === '') return { origin, secrets: [] };
  try {
    const plain = decodeURIComponent(password);
    const credentials = `${decodeURIComponent(username)}:${plain}`;
    const sent = Buffer.from(credentials).toString('base64');
    const secrets = [sent, credentials, plain].map((part) => new Secret(part));
    return { origin, authorization: new Secret(`Basic ${sent}`), secrets };
  } catch {
    throw wrong('holds a % that begins no character');
  }
}

/** Whether NO_PROXY matches a host: by name, parent domain, address, CIDR range, or `*`. */
function isExempt(hostname: string, port: string, exceptions: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return exceptions
    .split(/[\s,]+/)
    .some((entry) => entry === '*' || (entry !== '' && covers(entry, host, port)));
}

function covers(entry: string, host: string, port: string): boolean {
  const [, name = entry, onlyPort = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (onlyPort !== port) return false;
  const bare = name
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .toLowerCase();
  const family = isIP(host);
  if (family === 0) return bare !== '' && (host === bare || host.endsWith(`.${bare}`));
  const [network = '', prefix] = bare.split('/');
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (isIP(network) !== family || !(length <= bits)) return false;
  const list = new BlockList();
  list.addSubnet(network, length, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
