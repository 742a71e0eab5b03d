import type { LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { asError } from '../base/errors.ts';
import { ProxyError } from './proxy-error.ts';

export interface AgentOptions {
  /** The time limit for each of these: connecting, opening a tunnel, and the TLS handshake. */
  readonly timeoutMs: number;
  readonly proxy?: Proxy;
  /** Certificate authorities in PEM that are trusted in addition to those of Node. */
  readonly certificates?: readonly string[];
  /** The client certificate and its key in PEM, for a service that requests them. A proxy never gets them. */
  readonly client?: { readonly certificate: string; readonly key: string };
  /** Resolves host names instead of the system's resolver. */
  readonly lookup?: LookupFunction;
}

interface Proxy {
  readonly origin: string;
  readonly authorization?: string;
}

/**
 * How long to keep an idle connection if the service does not specify it. Many servers close after 2 s, and a request that is
 * sent while the service closes the connection is lost.
 */
const keepAliveTimeout = 1000;

/** An undici agent that also opens a tunnel for http:// if there is a proxy, so that no answer comes from the proxy itself. */
export function createAgent({ timeoutMs, proxy, certificates, client, lookup }: AgentOptions): Dispatcher {
  function connectOptions(shown: AgentOptions['client']): { timeout: number } {
    const secureContext = createContext(certificates, shown);
    return { timeout: timeoutMs, ...(lookup && { lookup }), ...(secureContext && { secureContext }) };
  }
  if (proxy === undefined) return new Agent({ connect: connectOptions(client), keepAliveTimeout });
  const { origin, authorization } = proxy;
  return new ProxyAgent({
    uri: origin,
    ...(authorization !== undefined && { token: authorization }),
    proxyTls: connectOptions(undefined),
    requestTls: connectOptions(client),
    keepAliveTimeout,
    clientFactory: (url, options) =>
      withProxyErrors(origin, new Pool(url, { ...options, headersTimeout: timeoutMs })),
  });
}

/** Turns a closed proxy connection into an error, because undici would otherwise request a tunnel again and again. */
function withProxyErrors(origin: string, pool: Pool): Pool {
  const ask: (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    pool.connect.bind(pool);
  const connect = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const answer = await ask(options).catch((cause: unknown) => {
      throw new ProxyError(origin, { cause: asError(cause) });
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on('error', () => {}).destroy();
    throw new ProxyError(origin, { status: answer.statusCode });
  };
  return Object.assign(pool, { connect });
}

/** One TLS context for all connections, because parsing the certificate authorities takes longer than connecting. */
function createContext(
  certificates: AgentOptions['certificates'],
  client: AgentOptions['client'],
): tls.SecureContext | undefined {
  if (!certificates && !client) return undefined;
  return tls.createSecureContext({
    ...(certificates && { ca: [...defaultCertificates(), ...certificates] }),
    ...(client && { cert: client.certificate, key: client.key }),
  });
}

/** The certificates that Node trusts. Newer releases of Node can include those of the system. */
function defaultCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: () => string[] }; // the types are of an older release
  return getCACertificates?.() ?? tls.rootCertificates;
}
