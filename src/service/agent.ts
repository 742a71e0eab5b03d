import type { LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { asError } from '../base/errors.ts';
import { ProxyError } from './proxy-error.ts';

export interface AgentOptions {
  /** The time limit of each step: connecting, opening a tunnel, the TLS handshake. */
  readonly timeoutMs: number;
  readonly proxy?: Proxy;
  /** Trusted authorities in PEM, in addition to Node's. */
  readonly certificates?: readonly string[];
  /** The client certificate in PEM. It is presented to a service that requests it, never to a proxy. */
  readonly client?: { readonly certificate: string; readonly key: string };
  /** In place of the system's resolver. */
  readonly lookup?: LookupFunction;
}

interface Proxy {
  readonly origin: string;
  readonly authorization?: string;
}

/**
 * How long to keep an idle connection if the service does not say. A request sent while the service closes the connection is lost,
 * and many servers close after 2 s.
 */
const keepAliveTimeout = 1000;

/** undici's agent for a service. Through a proxy it opens a tunnel, for http:// too, so that every answer comes from the service. */
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

/** If the proxy closes the connection, undici would ask it for a tunnel again and again. */
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

/** One context for all connections: reading all authorities for each connection takes longer than connecting. */
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

/** Newer releases of Node can list the trusted certificates, which may include the system's. */
function defaultCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: () => string[] }; // the types are of an older release
  return getCACertificates?.() ?? tls.rootCertificates;
}
