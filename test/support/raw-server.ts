import { readFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Reads a file of test/fixtures/tls/. The certificates are valid until 2999, except the expired one. */
export function tlsFixture(name: string): string {
  return readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
}

export type CertificateName = 'good' | 'expired' | 'other-host';

export interface RawServer {
  readonly port: number;
  /** The number of bytes of requests received on all connections, without the TLS handshakes. */
  readonly received: () => number;
  readonly connections: () => number;
  readonly text: () => string;
  close(): Promise<void>;
}

export interface RawServerOptions {
  /** Uses TLS with this certificate. */
  readonly certificate?: CertificateName;
  /** Called with each new connection before anything is read from it. If it returns true, nothing else is done. */
  readonly onAccept?: (socket: Socket) => boolean;
  /** Called whenever bytes arrive, with all bytes of this connection so far. */
  readonly onBytes?: (socket: Socket, text: string) => void;
}

/** Only the socket below a TLS socket can be reset. */
const underneath = new WeakMap<Socket, Socket>();

/** Ends a connection with a reset. */
export function reset(socket: Socket): void {
  (underneath.get(socket) ?? socket).resetAndDestroy();
}

/** A TCP server with programmable behaviour. */
export async function rawServer({ certificate, onAccept, onBytes }: RawServerOptions): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let received = 0;
  let connections = 0;
  let all = '';
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    if (onAccept?.(socket)) return;
    const stream =
      certificate === undefined
        ? socket
        : new TLSSocket(socket, {
            isServer: true,
            cert: tlsFixture(`${certificate}.pem`),
            key: tlsFixture(`${certificate}.key`),
          });
    if (stream !== socket) underneath.set(stream, socket);
    let text = '';
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      text += chunk.toString('latin1');
      all += chunk.toString('latin1');
      onBytes?.(stream, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // a TCP server's address is an object
    received: () => received,
    connections: () => connections,
    text: () => all,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Whether a request is complete: its head, and a body as long as its Content-Length. */
export function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const [, length = '0'] = /content-length: (\d+)/i.exec(text.slice(0, end)) ?? [];
  return text.length >= end + 4 + Number(length);
}

/** Calls a function once when a request is complete. */
export function whenComplete(then: (socket: Socket) => void): (socket: Socket, text: string) => void {
  const done = new WeakSet<Socket>();
  return (socket, text) => {
    if (done.has(socket) || !isComplete(text)) return;
    done.add(socket);
    then(socket);
  };
}

export interface TestProxy extends RawServer {
  /** The heads of the received CONNECT requests. */
  readonly heads: readonly string[];
}

export interface TestProxyOptions {
  readonly certificate?: CertificateName;
  /** Called instead of opening the tunnel. */
  readonly onConnect?: (socket: Socket) => void;
  /** Called with both sockets of each open tunnel: to the client and to the service. */
  readonly onTunnel?: (client: Socket, upstream: Socket) => void;
}

/** A proxy whose tunnels only reach this machine. */
export async function testProxy({
  certificate,
  onConnect,
  onTunnel,
}: TestProxyOptions = {}): Promise<TestProxy> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const tunnelled = new WeakSet<Socket>();
  const server = await rawServer({
    ...(certificate && { certificate }),
    onBytes: (socket, text) => {
      if (tunnelled.has(socket) || !isComplete(text)) return;
      tunnelled.add(socket);
      heads.push(text);
      if (onConnect) {
        onConnect(socket);
        return;
      }
      const [, host = '', port = ''] = /^CONNECT (\S+):(\d+) HTTP/.exec(text) ?? [];
      if (host !== '127.0.0.1' && host !== 'localhost') {
        socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const upstream = connect({ port: Number(port), host: '127.0.0.1' });
      open.add(upstream);
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') socket.resetAndDestroy();
        else socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      });
      upstream.once('connect', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.on('close', () => upstream.destroy());
        upstream.pipe(socket);
        socket.pipe(upstream);
        onTunnel?.(socket, upstream);
      });
    },
  });
  return {
    ...server,
    heads,
    close: async () => {
      for (const socket of open) socket.destroy();
      await server.close();
    },
  };
}
