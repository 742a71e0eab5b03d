import type { LookupFunction, Socket } from 'node:net';
import * as tls from 'node:tls';
import { buildConnector, Pool } from 'undici';
import { ProxyError } from './proxy-error.ts';
import { skipInterimAnswers } from './skip-interim-answers.ts';

export interface DialerOptions {
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

interface Dialer {
  readonly connect: buildConnector.connector;
  /** Ends every connection, also those that are still being made: undici would wait for them. */
  readonly close: () => Promise<void>;
}

/** Makes the connections to the service, directly or through a proxy. */
export function createDialer({ timeoutMs, proxy, certificates, client, lookup }: DialerOptions): Dialer {
  const options = { timeout: timeoutMs, ...(lookup && { lookup }) };
  const sockets = new Set<Socket>();

  function dialing(shown: DialerOptions['client']): buildConnector.connector {
    const secureContext = contextWith(certificates, shown);
    const connector = buildConnector({ ...options, ...(secureContext && { secureContext }) });
    return (target, callback) => {
      // The types leave out that it returns the socket at once.
      const socket = connector(target, callback) as unknown as Socket;
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // After a TLS alert the socket ends without an error, so undici would not report the alert.
      socket.once('error', (error) => socket.destroy(error));
    };
  }

  function destroySockets(): void {
    for (const socket of sockets) socket.destroy();
  }

  const dial = dialing(client);
  if (proxy === undefined)
    return { connect: withoutInterimAnswers(dial), close: async () => destroySockets() };

  const pool = new Pool(proxy.origin, { connect: dialing(undefined) });
  async function connectThrough(
    through: Proxy,
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    let tunnel: Socket;
    try {
      tunnel = await openTunnel(target, through, pool, timeoutMs);
    } catch (error) {
      callback(error as ProxyError, null); // it rejects with nothing else
      return;
    }
    if (target.protocol === 'https:') dial({ ...target, httpSocket: tunnel }, callback);
    else callback(null, tunnel);
  }

  return {
    connect: withoutInterimAnswers((target, callback) => void connectThrough(proxy, target, callback)),
    close: async () => {
      const destroyed = pool.destroy();
      destroySockets();
      await destroyed;
    },
  };
}

function withoutInterimAnswers(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) skipInterimAnswers(socket);
      callback(...result);
    });
}

/**
 * Asks the proxy for a tunnel, for http:// as well, so that every answer is the service's own. Rejects with a ProxyError only:
 * for errors with some codes undici dials again without an end. Its own ProxyAgent does so too, so it is not used.
 */
async function openTunnel(
  { host = '', port, protocol }: buildConnector.Options,
  { origin, authorization }: Proxy,
  pool: Pool,
  timeoutMs: number,
): Promise<Socket> {
  const authority = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
  let status: number;
  let socket: Socket;
  try {
    const answer = await pool.connect({
      path: authority,
      headers: {
        host: authority,
        ...(authorization !== undefined && { 'proxy-authorization': authorization }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = answer.statusCode;
    socket = answer.socket as Socket; // the connector above gave it
  } catch (thrown) {
    throw new ProxyError(origin, { cause: thrown instanceof Error ? thrown : new Error(String(thrown)) });
  }
  if (status >= 200 && status < 300) {
    if (!socket.destroyed) return socket;
    throw new ProxyError(origin, { cause: new Error('it closed the tunnel at once') });
  }
  socket.on('error', () => {}).destroy();
  throw new ProxyError(origin, { status });
}

/** One context for all connections: reading all authorities for each connection takes longer than connecting. */
function contextWith(
  certificates: DialerOptions['certificates'],
  client: DialerOptions['client'],
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
