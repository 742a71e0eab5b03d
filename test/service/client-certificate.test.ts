import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { tlsFixture } from '../support/raw-server.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The service requests a certificate from every client, but also serves clients without one. */
const asking = {
  cert: tlsFixture('good.pem'),
  key: tlsFixture('good.key'),
  requestCert: true,
  rejectUnauthorized: false,
};

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port; // a TCP server's address is an object
}

function isShown(socket: TLSSocket): boolean {
  return Object.keys(socket.getPeerCertificate() ?? {}).length > 0;
}

test('a client certificate is presented only to the service, even if the proxy requests one too', async () => {
  const shown: string[] = [];
  const service = createHttpsServer(asking, ({ socket }, response) => {
    shown.push(`service: ${isShown(socket as TLSSocket)}`); // an HTTPS server has only TLS sockets
    response.end('{}');
  });
  const servicePort = await portOf(service);
  const proxy = createServer(asking, (socket) => {
    shown.push(`proxy: ${isShown(socket)}`);
    socket
      .on('error', () => {})
      .once('data', () => {
        const upstream = connect(servicePort, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          socket.pipe(upstream).pipe(socket);
        });
        upstream.on('error', () => {});
        closing.push(() => upstream.destroy());
      });
  });
  const proxyPort = await portOf(proxy);
  const transport = undiciTransport({
    baseUrl: `https://127.0.0.1:${servicePort}`,
    timeoutMs: 30_000,
    authorization: 'Bearer t',
    certificates: [tlsFixture('ca.pem')],
    client: { certificate: tlsFixture('client.pem'), key: tlsFixture('client.key') },
    proxy: { origin: `https://127.0.0.1:${proxyPort}` },
  });
  const exchange = await transport.send({ method: 'GET', path: '/' });
  await transport.close();
  expect(exchange).toMatchObject({ kind: 'answered', status: 200 });
  expect(shown).toEqual(['proxy: false', 'service: true']);
});
