import type { LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { asError } from '../base/errors.ts';
import { ProxyError } from './proxy-error.ts';

export interface AgentOptions {
  /** The time limit of each phase: connecting, opening a tunnel, TLS handshake. */
  readonly timeoutMs: number;
  readonly proxy?: Proxy;
  /** Certificate authorities in PEM that are trusted in addition to those of Node. */
  readonly certificates?: readonly string[];
  /** The client certificate and its key in PEM, sent only to the service and never to a proxy. */
  readonly client?: { readonly certificate: string; readonly key: string };
  /** Replaces the system's resolver of host names. */
  readonly lookup?: LookupFunction;
}

interface Proxy {
  readonly origin: string;
  readonly authorization?: string;
}

/**
 * The time in milliseconds to keep an idle connection open, unless the service specifies one. Many servers close idle connections
 * after 2 s, and a request that is sent at that moment is lost.
 */
const keepAliveTimeout = 1000;

/** Creates an undici agent. Behind a proxy, http:// requests use a tunnel too, so that the proxy itself never answers them. */
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

/** Throws an error if the proxy refuses a tunnel, because undici would otherwise request the tunnel again and again. */
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

/** The certificate authorities that Node trusts. Newer releases of Node can also trust the authorities of the system. */
function defaultCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: () => string[] }; // the types belong to an older release of Node
  return getCACertificates?.() ?? tls.rootCertificates;
}
