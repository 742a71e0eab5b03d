import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Dispatcher, MockAgent } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { ProxyError } from '../../src/service/proxy-error.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
});

/** A server that calls a function for each connection once a request has arrived. */
async function serverThat(onRequest: (socket: Socket) => void): Promise<string> {
  const listening = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => onRequest(socket));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`; // a TCP server's address is an object
}

const timeoutMs = 60_000;

async function post(baseUrl: string): Promise<Exchange> {
  const transport = undiciTransport({ baseUrl, timeoutMs, authorization: 'Bearer t' });
  const exchange = await transport.send({ method: 'POST', path: '/x/', body: '{"a":1}' });
  await transport.close();
  return exchange;
}

describe('a request over a real socket', () => {
  test('returns status, headers and body', async () => {
    const url = await serverThat((socket) =>
      socket.end('HTTP/1.1 201 Created\r\nX-Authentik-Id: abc\r\nContent-Length: 2\r\n\r\n{}'),
    );
    expect(await post(url)).toEqual({
      kind: 'answered',
      status: 201,
      headers: { 'x-authentik-id': 'abc', 'content-length': '2' },
      body: '{}',
    });
  });

  test('may have its own time limit, no longer than the general one', async () => {
    const url = await serverThat(() => {});
    const timed = async (ofAllMs: number, ownMs: number): Promise<string | undefined> => {
      const transport = undiciTransport({ baseUrl: url, timeoutMs: ofAllMs, authorization: 'Bearer t' });
      const exchange = await transport.send({ method: 'GET', path: '/x/', timeoutMs: ownMs });
      await transport.close();
      return 'error' in exchange ? exchange.error.name : undefined;
    };
    const endless = 3_600_000; // longer than the time limit of a test
    expect(await timed(endless, 200)).toBe('TimeoutError');
    expect(await timed(200, endless)).toBe('TimeoutError');
  });

  test.each([
    ['http', true],
    ['https', undefined],
  ])('may have reached a TLS port if the answer is a 400 over %s://: %s', async (scheme, likeTlsPort) => {
    const dispatcher = new MockAgent();
    dispatcher.get(`${scheme}://id.example.com`).intercept({ path: '/x/' }).reply(400, 'no');
    const baseUrl = `${scheme}://id.example.com`;
    const { send } = undiciTransport({ baseUrl, timeoutMs, authorization: 'Bearer t', dispatcher });
    const answer = await send({ method: 'GET', path: '/x/' });
    expect(answer).toMatchObject({ kind: 'answered', status: 400 });
    expect('likeTlsPort' in answer && answer.likeTlsPort).toBe(likeTlsPort);
    await dispatcher.close();
  });

  test('may have reached a TLS port if the connection closes without an answer, but not after an earlier answer', async () => {
    let connections = 0;
    const baseUrl = await serverThat((socket) => {
      connections += 1;
      socket.end(connections === 2 ? 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n' : '');
    });
    const { send, close } = undiciTransport({ baseUrl, timeoutMs, authorization: 'Bearer t' });
    const request = { method: 'POST', path: '/x/', body: '{}' } as const;
    expect(await send(request)).toMatchObject({ kind: 'lost', likeTlsPort: true });
    expect(await send(request)).toMatchObject({ kind: 'answered' });
    const last = await send(request);
    expect(last).toMatchObject({ kind: 'lost' });
    expect(last).not.toHaveProperty('likeTlsPort');
    await close();
  });

  test('does not follow a redirect', async () => {
    const url = await serverThat((socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
    );
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 302 });
  });
});

/** Ends each request with this error before it has a connection. */
class Failing extends Dispatcher {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override dispatch(_options: unknown, handler: Dispatcher.DispatchHandler): boolean {
    // undici has no controller either if a request has no connection.
    handler.onResponseError?.(undefined as unknown as Dispatcher.DispatchController, this.#error);
    return true;
  }
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

test.each<[string, Error, boolean]>([
  ['no connection', withCode('ECONNREFUSED'), true],
  ['no such host', withCode('ENOTFOUND'), false],
  ['a bad certificate', withCode('CERT_HAS_EXPIRED'), false],
  ['no connection to the proxy', new ProxyError('http://p', { cause: withCode('ECONNREFUSED') }), true],
  [
    'a bad certificate of the proxy',
    new ProxyError('http://p', { cause: withCode('CERT_HAS_EXPIRED') }),
    false,
  ],
  ['a proxy without a connection', new ProxyError('http://p', { status: 502 }), true],
  ['a proxy that asks for a password', new ProxyError('http://p', { status: 407 }), false],
])('a request that failed because of %s (%s) may succeed later: %s', async (_, error, transient) => {
  const options = { baseUrl: 'https://id.example.com', timeoutMs, authorization: 'Bearer t' };
  const { send } = undiciTransport({ ...options, dispatcher: new Failing(error) });
  expect(await send({ method: 'GET', path: '/x/' })).toEqual({ kind: 'never_sent', error, transient });
});

test('a request that was interrupted before it was sent may succeed later', async () => {
  const options = { baseUrl: 'https://id.example.com', timeoutMs, authorization: 'Bearer t' };
  const { send } = undiciTransport({ ...options, dispatcher: new Failing(new Error('not reached')) });
  const signal = AbortSignal.abort(new Error('stop'));
  expect(await send({ method: 'GET', path: '/x/' }, signal)).toMatchObject({
    kind: 'never_sent',
    transient: true,
  });
});
