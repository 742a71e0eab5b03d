import type { LookupFunction, Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { someOf } from '../support/effort.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { undiciTransport, type UndiciTransport } from '../../src/service/undici-transport.ts';
import {
  isWhole,
  rawServer,
  reset,
  testProxy,
  tlsFixture,
  whenWhole,
  type CertificateName,
  type RawServer,
  type RawServerOptions,
  type TestProxy,
  type TestProxyOptions,
} from '../support/raw-server.ts';

// To read all the authorities that Node brings, for each transport anew, takes longer than all the rest.
vi.mock('node:tls', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  rootCertificates: [],
  getCACertificates: undefined,
}));

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

/** The ways to the service: with TLS or without, with a proxy between or without. */
const ways = {
  direct: { secure: false, proxied: false },
  'direct, with TLS': { secure: true, proxied: false },
  'through a proxy': { secure: false, proxied: true },
  'through a proxy, with TLS': { secure: true, proxied: true },
} as const;
type Way = keyof typeof ways;
const wayNames = Object.keys(ways) as Way[]; // Object.keys widens the keys to string
const methods = ['GET', 'POST'] as const;

/** Against hanging: nothing should take as long. */
const guardMs = 60_000;
/** Of a request that meets silence. It is over when that begins, however fast or slow the machine is. */
const limitMs = 3000;
const silenceBegins = (): void => void vi.advanceTimersByTime(limitMs);

interface Setup {
  readonly certificate?: CertificateName;
  readonly certificates?: readonly string[];
  readonly host?: string;
  readonly scheme?: 'http' | 'https';
  /** Some time into the request there is silence, and its time is over at once. */
  readonly silent?: true;
  readonly proxy?: TestProxyOptions;
}

interface World {
  readonly service: RawServer;
  readonly proxy?: TestProxy;
  readonly transport: UndiciTransport;
}

const noSuchHost: LookupFunction = (hostname, _options, callback) => {
  const message = `getaddrinfo ENOTFOUND ${hostname}`;
  callback(Object.assign(new Error(message), { code: 'ENOTFOUND' }), '', 4);
};

async function world(way: Way, service: RawServerOptions, setup: Setup = {}): Promise<World> {
  const { secure, proxied } = ways[way];
  const { certificate = 'good', host = '127.0.0.1', certificates } = setup;
  if (setup.silent) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = await rawServer({ ...(secure && { certificate }), ...service });
  const proxy = proxied ? await testProxy(setup.proxy) : undefined;
  const transport = undiciTransport({
    baseUrl: `${setup.scheme ?? (secure ? 'https' : 'http')}://${host}:${server.port}`,
    authorization: 'Bearer t',
    timeoutMs: setup.silent ? limitMs : guardMs,
    ...(secure && { certificates: certificates ?? [tlsFixture('ca.pem')] }),
    ...(proxy && { proxy: { origin: `http://127.0.0.1:${proxy.port}`, authorization: 'Basic abc' } }),
    ...(host !== '127.0.0.1' && { lookup: noSuchHost }),
  });
  closing.push(transport, server, ...(proxy ? [proxy] : []));
  return { service: server, transport, ...(proxy && { proxy }) };
}

function send({ transport }: World, method: (typeof methods)[number], body = '{"a":1}'): Promise<Exchange> {
  return transport.send({ method, path: '/x/', ...(method === 'POST' && { body }) });
}

/** What both sides say of one request. */
function seen(exchange: Exchange): string {
  if (exchange.kind === 'answered') return `answered ${exchange.status}`;
  if (exchange.kind === 'never_sent') return `never sent, ${exchange.transient ? 'transient' : 'lasting'}`;
  return 'lost';
}

function expectNoContradiction(exchange: Exchange, bytes: number): void {
  if (exchange.kind === 'never_sent') expect(bytes).toBe(0);
  if (exchange.kind === 'answered') expect(bytes).toBeGreaterThan(0);
}

const only = (then: (socket: Socket) => void) => (socket: Socket) => {
  then(socket);
  return true;
};
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const large = JSON.stringify({ a: 'x'.repeat(2 * 1024 * 1024) });
const once = (then: (socket: Socket) => void): NonNullable<RawServerOptions['onBytes']> => {
  const done = new WeakSet<Socket>();
  return (socket) => {
    if (!done.has(socket)) then(socket);
    done.add(socket);
  };
};
const answering = (text: string): RawServerOptions => ({ onBytes: whenWhole((socket) => socket.end(text)) });
const stalling = (text: string): RawServerOptions => ({
  onBytes: whenWhole((socket) => void socket.write(text, silenceBegins)),
});

async function byteByByte(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of text) await new Promise((done) => socket.write(byte, () => setImmediate(done)));
  socket.end();
}

interface Fault {
  readonly service: RawServerOptions;
  readonly setup?: Setup;
  readonly body?: string;
  readonly ways?: readonly Way[];
  /** What may come of it; more than one where the network decides. */
  readonly becomes: RegExp;
}

const plain: readonly Way[] = ['direct', 'through a proxy'];
const secured: readonly Way[] = ['direct, with TLS', 'through a proxy, with TLS'];
const silent = { silent: true } as const;

const faults: Readonly<Record<string, Fault>> = {
  'no fault': { service: answering(ok), becomes: /^answered 200$/ },
  'a host that no one knows, directly': {
    service: {},
    setup: { host: 'nowhere.invalid' },
    ways: ['direct', 'direct, with TLS'],
    becomes: /^never sent, lasting$/,
  },
  'a host that the proxy does not find': {
    service: {},
    setup: { host: 'nowhere.invalid' },
    ways: ['through a proxy', 'through a proxy, with TLS'],
    becomes: /^never sent, transient$/, // a proxy says 502
  },
  'a reset before anything is read': {
    service: { onAccept: only((socket) => socket.resetAndDestroy()) },
    ways: plain,
    becomes: /^lost$|^never sent, transient$/,
  },
  'a reset before the TLS handshake': {
    service: { onAccept: only((socket) => socket.resetAndDestroy()) },
    ways: secured,
    becomes: /^never sent, transient$/,
  },
  'a connection that is closed before anything is read': {
    service: { onAccept: only((socket) => socket.end()) },
    ways: plain,
    becomes: /^lost$|^never sent, transient$/,
  },
  'a reset in the middle of the TLS handshake': {
    service: { onAccept: only((socket) => socket.once('data', () => socket.resetAndDestroy())) },
    ways: secured,
    becomes: /^never sent, transient$/,
  },
  'a TLS handshake that is never answered': {
    service: { onAccept: only((socket) => socket.once('data', silenceBegins)) },
    setup: silent,
    ways: secured,
    becomes: /^never sent, transient$/,
  },
  'a certificate of an unknown authority': {
    service: answering(ok),
    setup: { certificates: [] },
    ways: secured,
    becomes: /^never sent, lasting$/,
  },
  'a certificate that has expired': {
    service: answering(ok),
    setup: { certificate: 'expired' },
    ways: secured,
    becomes: /^never sent, lasting$/,
  },
  'a certificate for another host': {
    service: answering(ok),
    setup: { certificate: 'other-host' },
    ways: secured,
    becomes: /^never sent, lasting$/,
  },
  'plain HTTP where TLS is expected': {
    service: {
      onAccept: only((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
    },
    ways: secured,
    becomes: /^never sent, lasting$/,
  },
  // The request goes out before the answer shows what listens there.
  'TLS where plain HTTP is expected': {
    service: answering(ok),
    setup: { scheme: 'http' },
    ways: secured,
    becomes: /^lost$/,
  },
  'a reset in the middle of a large body': {
    service: { onBytes: once(reset) },
    body: large,
    becomes: /^lost$/,
  },
  'a reset after the whole request': {
    service: { onBytes: whenWhole(reset) },
    becomes: /^lost$/,
  },
  'a connection that is closed in place of an answer': {
    service: { onBytes: whenWhole((socket) => socket.end()) },
    becomes: /^lost$/,
  },
  'a service that never answers': { service: stalling(''), setup: silent, becomes: /^lost$/ },
  'half a head, then silence': { service: stalling('HTTP/1.1 20'), setup: silent, becomes: /^lost$/ },
  'a head, then silence': {
    service: stalling('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n'),
    setup: silent,
    becomes: /^lost$/,
  },
  'a part of the body, then silence': {
    service: stalling('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{"p'),
    setup: silent,
    becomes: /^lost$/,
  },
  'a part of the body, then a reset': {
    service: {
      onBytes: whenWhole((socket) =>
        socket.write('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{"p', () =>
          setTimeout(() => reset(socket), 10),
        ),
      ),
    },
    becomes: /^lost$/,
  },
  'a body that is shorter than its Content-Length': {
    service: answering('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{}'),
    becomes: /^lost$/,
  },
  'a chunked body that is cut short': {
    service: answering('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    becomes: /^lost$/,
  },
  'chunks that are garbage': {
    service: answering('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
    becomes: /^lost$/,
  },
  'two lengths that contradict each other': {
    service: answering('HTTP/1.1 201 Created\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    becomes: /^lost$/,
  },
  'garbage in place of HTTP': { service: answering('SSH-2.0-x\r\n\r\n'), becomes: /^lost$/ },
  'a head without end': {
    service: answering(`HTTP/1.1 201 Created\r\nX-A: ${'x'.repeat(100_000)}\r\n\r\n`),
    becomes: /^lost$/,
  },
  'a body without end': {
    service: {
      onBytes: whenWhole((socket) => {
        const chunk = Buffer.alloc(256 * 1024, ' ');
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n');
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', more);
        more();
      }),
    },
    becomes: /^lost$/,
  },
  'a body that is not JSON': {
    service: answering('HTTP/1.1 201 Created\r\nContent-Length: 6\r\n\r\n<html>'),
    becomes: /^answered 201$/,
  },
  'an answer before the request is whole, and then the rest is read': {
    service: {
      onBytes: once((socket) =>
        socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
      ),
    },
    body: large,
    becomes: /^answered 413$|^lost$/,
  },
  'an answer before the request is whole, and then a reset': {
    service: {
      onBytes: once((socket) => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
        socket.pause();
        setTimeout(() => reset(socket), 10);
      }),
    },
    body: large,
    becomes: /^answered 413$|^lost$/,
  },
  'early hints before the answer': {
    service: answering(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}`),
    becomes: /^answered 200$/,
  },
  'a 100 that nobody asked for': {
    service: answering(`HTTP/1.1 100 Continue\r\n\r\n${ok}`),
    becomes: /^answered 200$/,
  },
  'several interim answers': {
    service: answering(
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\nX-A: b\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${ok}`,
    ),
    becomes: /^answered 200$/,
  },
  'a 100 that comes byte by byte': {
    service: {
      onBytes: whenWhole((socket) => void byteByByte(socket, `HTTP/1.1 100 Continue\r\n\r\n${ok}`)),
    },
    becomes: /^answered 200$/,
  },
  'a 100, and then the end': { service: answering('HTTP/1.1 100 Continue\r\n\r\n'), becomes: /^lost$/ },
  'a 100, and then silence': {
    service: stalling('HTTP/1.1 100 Continue\r\n\r\n'),
    setup: silent,
    becomes: /^lost$/,
  },
  'half a 100, and then silence': {
    service: stalling('HTTP/1.1 100 Cont'),
    setup: silent,
    becomes: /^lost$/,
  },
  'a 100 whose head does not end': {
    service: answering(`HTTP/1.1 100 Continue\r\nX-A: ${'x'.repeat(100_000)}`),
    becomes: /^lost$/,
  },
  'a change of protocol that nobody asked for': {
    service: answering(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n${ok}`),
    becomes: /^lost$/,
  },
};

const cells = Object.entries(faults).flatMap(([name, fault]) =>
  (fault.ways ?? wayNames).flatMap((way) => methods.map((method) => ({ name, way, method, ...fault }))),
);

describe('a request that meets', () => {
  test.each(someOf(cells, 25))(
    '$name, $way: $method',
    async ({ service, setup, body, way, method, becomes }) => {
      const here = await world(way, service, setup);
      const exchange = await send(here, method, body);
      expect(seen(exchange)).toMatch(becomes);
      expectNoContradiction(exchange, here.service.received());
      if (setup?.silent) expect(exchange).toMatchObject({ error: { name: 'TimeoutError' } });
      expect(here.proxy?.heads.length ?? 0).toBeLessThanOrEqual(1);
    },
  );

  test.each(wayNames.flatMap((way) => methods.map((method) => ({ way, method }))))(
    'a port where nobody listens, $way: $method',
    async ({ way, method }) => {
      const here = await world(way, {});
      await here.service.close();
      expect(seen(await send(here, method))).toBe('never sent, transient');
    },
  );
});

test.each([
  ['a host', false],
  ['a proxy', true],
])(
  '%s whose name is missing is an outage once it has answered, and a misspelling before',
  async (_, proxied) => {
    const server = await rawServer(answering(ok));
    const proxy = proxied ? await testProxy() : undefined;
    if (proxy) closing.push(proxy);
    let isMissing = true;
    const transport = undiciTransport({
      baseUrl: `http://${proxied ? '127.0.0.1' : 'service.test'}:${server.port}`,
      ...(proxy && { proxy: { origin: `http://proxy.test:${proxy.port}` } }),
      authorization: 'Bearer t',
      timeoutMs: guardMs,
      lookup: (hostname, options, callback) =>
        isMissing
          ? noSuchHost(hostname, options, callback)
          : callback(null, [{ address: '127.0.0.1', family: 4 }], 4),
    });
    closing.push(transport, server);
    const ask = async (): Promise<string> => seen(await transport.send({ method: 'GET', path: '/x/' }));
    expect(await ask()).toBe('never sent, lasting');
    isMissing = false;
    expect(await ask()).toBe('answered 200');
    isMissing = true;
    expect(await ask()).toBe('never sent, transient');
  },
);

test('a 100 can come before every answer of a connection, and a body that looks like one stays whole', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  const answered = new WeakMap<Socket, number>();
  const here = await world('direct', {
    onBytes: (socket, text) => {
      const requests = text.split('\r\n\r\n').length - 1;
      if (requests === (answered.get(socket) ?? 0)) return;
      answered.set(socket, requests);
      socket.write(`${interim}HTTP/1.1 200 OK\r\nContent-Length: ${interim.length + 1}\r\n\r\n`);
      setTimeout(() => socket.write(interim, () => setTimeout(() => socket.write('.'), 10)), 10);
    },
  });
  const whole = { kind: 'answered', status: 200, body: `${interim}.` };
  expect(await send(here, 'GET')).toMatchObject(whole);
  await untilIdle(); // undici looks at a connection before it uses it again
  expect(await send(here, 'GET')).toMatchObject(whole);
});

const reply = (head: string) => (socket: Socket) => void socket.end(`HTTP/1.1 ${head}\r\n\r\n`);
const refusing = (status: number): TestProxyOptions => ({
  onConnect: reply(`${status} No\r\nContent-Length: 0`),
});

const proxyFaults: Readonly<
  Record<
    string,
    { proxy: TestProxyOptions; becomes: RegExp; status?: number; silent?: true; ways?: readonly Way[] }
  >
> = {
  'wants a password': { proxy: refusing(407), becomes: /^never sent, lasting$/, status: 407 },
  'forbids it': { proxy: refusing(403), becomes: /^never sent, lasting$/, status: 403 },
  'knows no tunnels': { proxy: refusing(405), becomes: /^never sent, lasting$/, status: 405 },
  'cannot reach the service': { proxy: refusing(502), becomes: /^never sent, transient$/, status: 502 },
  'is overloaded': { proxy: refusing(503), becomes: /^never sent, transient$/, status: 503 },
  'waits in vain': { proxy: refusing(504), becomes: /^never sent, transient$/, status: 504 },
  redirects: {
    proxy: { onConnect: reply('302 Found\r\nLocation: http://127.0.0.1:1/') },
    becomes: /^never sent, lasting$/,
    status: 302,
  },
  hangs: { proxy: { onConnect: silenceBegins }, becomes: /^never sent, transient$/, silent: true },
  'closes in place of an answer': {
    proxy: { onConnect: (socket) => socket.end() },
    becomes: /^never sent, transient$/,
  },
  'resets in place of an answer': {
    proxy: { onConnect: (socket) => socket.resetAndDestroy() },
    becomes: /^never sent, transient$/,
  },
  'closes in the middle of its answer': {
    proxy: { onConnect: (socket) => socket.end('HTTP/1.1 200 Conn') },
    becomes: /^never sent/,
  },
  'answers with garbage': {
    proxy: { onConnect: (socket) => socket.end('what?\r\n\r\n') },
    becomes: /^never sent, lasting$/,
  },
  'resets the tunnel that it made': {
    proxy: { onTunnel: (client) => client.resetAndDestroy() },
    becomes: /^never sent, transient$|^lost$/,
  },
  'lets the TLS handshake hang': {
    proxy: { onConnect: (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n', silenceBegins) },
    becomes: /^never sent, transient$/,
    silent: true,
    ways: ['through a proxy, with TLS'],
  },
};

const proxyCells = Object.entries(proxyFaults).flatMap(([name, fault]) =>
  (fault.ways ?? (['through a proxy', 'through a proxy, with TLS'] as const)).flatMap((way) =>
    methods.map((method) => ({ name, way, method, ...fault })),
  ),
);

describe('a request whose proxy', () => {
  test.each(someOf(proxyCells, 10))(
    '$name, $way: $method',
    async ({ proxy, way, method, becomes, status, silent: isSilent }) => {
      const here = await world(way, answering(ok), { proxy, ...(isSilent && silent) });
      const exchange = await send(here, method);
      expect(seen(exchange)).toMatch(becomes);
      expectNoContradiction(exchange, here.service.received());
      expect(here.proxy?.heads).toHaveLength(1); // undici does not dial again on its own
      if (exchange.kind === 'never_sent' && !isSilent && here.service.connections() === 0) {
        expect(exchange.error).toMatchObject({ name: 'ProxyError', ...(status !== undefined && { status }) });
        expect(exchange.error.message).toContain(`the proxy http://127.0.0.1:${here.proxy?.port}`);
      }
    },
  );

  test.each(methods)('is down was never sent: %s', async (method) => {
    for (const way of ['through a proxy', 'through a proxy, with TLS'] as const) {
      const here = await world(way, answering(ok));
      await here.proxy?.close();
      const exchange = await send(here, method);
      expect(seen(exchange)).toBe('never sent, transient');
      expect(exchange).toMatchObject({ error: { name: 'ProxyError' } });
      expect(here.service.connections()).toBe(0);
    }
  });

  test.each(methods)('dies once the request has come is lost: %s', async (method) => {
    for (const way of ['through a proxy', 'through a proxy, with TLS'] as const) {
      let client: Socket | undefined;
      const here = await world(
        way,
        { onBytes: whenWhole(() => client?.resetAndDestroy()) },
        { proxy: { onTunnel: (socket) => (client = socket) } },
      );
      expect(seen(await send(here, method))).toBe('lost');
      expect(here.service.received()).toBeGreaterThan(0);
    }
  });

  test('gets the service and the credentials, and the service gets neither', async () => {
    for (const way of ['through a proxy', 'through a proxy, with TLS'] as const) {
      const here = await world(way, answering(ok));
      expect(seen(await send(here, 'POST'))).toBe('answered 200');
      expect(here.proxy?.heads[0]).toMatch(`CONNECT 127.0.0.1:${here.service.port} HTTP/1.1\r\n`);
      expect(here.proxy?.heads[0]).toMatch(/^proxy-authorization: Basic abc\r$/m);
      expect(here.proxy?.heads[0]).not.toContain('Bearer');
      expect(here.service.text()).not.toMatch(/proxy|Basic/i);
      expect(here.service.text()).toMatch(/^POST \/x\/ HTTP/);
    }
  });

  test.each([
    ['is known', [tlsFixture('ca.pem')], 'answered 200'],
    ['is not known', [], 'never sent, lasting'],
  ])('speaks TLS with a certificate whose authority %s', async (_name, certificates, expected) => {
    const service = await rawServer(answering(ok));
    const proxy = await testProxy({ certificate: 'good' });
    const transport = undiciTransport({
      baseUrl: `http://127.0.0.1:${service.port}`,
      authorization: 'Bearer t',
      timeoutMs: guardMs,
      certificates,
      proxy: { origin: `https://localhost:${proxy.port}` },
      lookup: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    closing.push(transport, service, proxy);
    const exchange = await transport.send({ method: 'GET', path: '/x/' });
    expect(seen(exchange)).toBe(expected);
    expectNoContradiction(exchange, service.received());
  });
});

/** On a busy machine one long pause is one turn of the loop; what goes from hand to hand takes some. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A connection is used again only some turns of the loop after its answer. */
const untilIdle = (): Promise<void> => turns(5);

describe.each(someOf(wayNames, 1))('a connection that is used again, %s', (way) => {
  const keeping = (after: (socket: Socket, requests: number) => void): RawServerOptions => {
    const answered = new WeakMap<Socket, number>();
    return {
      onBytes: (socket, text) => {
        const requests = text.split(' /x/ HTTP/1.1\r\n').length - 1;
        if (requests === (answered.get(socket) ?? 0) || !isWhole(text.slice(text.lastIndexOf(' /x/ '))))
          return;
        answered.set(socket, requests);
        after(socket, requests);
      },
    };
  };

  test.each(methods)(
    'and that the service closed while it was idle: the next %s takes another',
    async (method) => {
      const here = await world(
        way,
        keeping((socket) => {
          socket.write(ok);
          void untilIdle().then(() => socket.end());
        }),
      );
      expect(seen(await send(here, method))).toBe('answered 200');
      await turns(40);
      expect(seen(await send(here, method))).toBe('answered 200');
      expect(here.service.connections()).toBe(2);
    },
  );

  test.each(methods)('and that is reset as the second request comes: %s is lost', async (method) => {
    const here = await world(
      way,
      keeping((socket, requests) => (requests === 1 ? socket.write(ok) : reset(socket))),
    );
    expect(seen(await send(here, method))).toBe('answered 200');
    await untilIdle();
    const before = here.service.received();
    expect(seen(await send(here, method))).toBe('lost');
    expect(here.service.received()).toBeGreaterThan(before);
    expect(here.service.connections()).toBe(1);
  });

  test.each(methods)(
    'and that the service closes at the moment of the next %s: what never came was never sent, or is lost',
    async (method) => {
      let last: Socket | undefined;
      const here = await world(
        way,
        keeping((socket) => {
          last = socket;
          socket.write(ok);
        }),
      );
      for (let round = 0; round < 20; round += 1) {
        expect(seen(await send(here, method))).toBe('answered 200');
        await untilIdle();
        const before = here.service.received();
        if (last && round % 2 === 0) reset(last);
        else last?.end();
        const exchange = await send(here, method);
        expectNoContradiction(exchange, here.service.received() - before);
        if (exchange.kind !== 'answered') await untilIdle();
        else last?.destroy();
        await turns(2);
      }
    },
  );
});

describe('a request that is given up before it has a connection', () => {
  test.each(wayNames.filter((way) => ways[way].secure || ways[way].proxied))(
    'is never written later, %s',
    async (way) => {
      let open = (): void => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      const here = await world(way, answering(ok), {
        proxy: {
          onConnect: (socket) => {
            void gate.then(() => socket.end('HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n'));
          },
        },
      });
      const interruption = new AbortController();
      const sending = here.transport.send({ method: 'POST', path: '/x/', body: '{}' }, interruption.signal);
      interruption.abort('SIGINT');
      expect(seen(await sending)).toBe('never sent, transient');
      open();
      await turns(20);
      expect(here.service.received()).toBe(0);
    },
  );

  test('does not keep the program from ending: to close ends what is being connected', async () => {
    const here = await world(
      'direct, with TLS',
      { onAccept: only((socket) => socket.once('data', silenceBegins)) },
      silent,
    );
    expect(seen(await send(here, 'POST'))).toBe('never sent, transient');
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    await here.service.close();
    await here.transport.close();
    vi.useRealTimers();
    await vi.waitFor(() => expect(sockets()).toBe(0), { timeout: guardMs, interval: 5 });
  });
});
