import type { LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { asError } from '../base/errors.ts';
import { ProxyError } from './proxy-error.ts';

export interface AgentOptions {
  /** How long each step may take: to connect, to be given a tunnel, to shake hands. */
  readonly timeoutMs: number;
  readonly proxy?: Proxy;
  /** Authorities to trust, in PEM, in addition to those of Node. */
  readonly certificates?: readonly string[];
  /** The client certificate, in PEM. It is shown to a service that asks for one, never to a proxy. */
  readonly client?: { readonly certificate: string; readonly key: string };
  /** In place of the system's resolver. */
  readonly lookup?: LookupFunction;
}

interface Proxy {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The value of the Proxy-Authorization header. */
  readonly authorization?: string;
}

/**
 * How long an unused connection is kept if the service does not say. A request that is sent while the service closes the
 * connection is lost, and many servers close after 2 s.
 */
const keepAliveTimeout = 1000;

/** undici's agent for a service. Through a proxy it asks for a tunnel, for http:// as well, so that every answer is the service's own. */
export function createAgent({ timeoutMs, proxy, certificates, client, lookup }: AgentOptions): Dispatcher {
  function connectOptions(shown: AgentOptions['client']): { timeout: number } {
    const secureContext = contextWith(certificates, shown);
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

/** Where the proxy closes the connection, undici would ask it for a tunnel again, without an end. */
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
function contextWith(
  certificates: AgentOptions['certificates'],
  client: AgentOptions['client'],
): tls.SecureContext | undefined {
  if (!certificates && !client) return undefined;
  return tls.createSecureContext({
    ...(certificates && { ca: [...trustedAnyway(), ...certificates] }),
    ...(client && { cert: client.certificate, key: client.key }),
  });
}

/** Newer releases of Node can list what they trust, which may include the system's authorities. */
function trustedAnyway(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: () => string[] }; // the types are of an older release
  return getCACertificates?.() ?? tls.rootCertificates;
}
