import type { LookupFunction, Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { someOf } from '../support/effort.ts';
import type { Exchange } from '../../src/service/transport.ts';
import type { Connection } from '../../src/service/transport.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import {
  isComplete,
  rawServer,
  reset,
  testProxy,
  tlsFixture,
  whenComplete,
  type CertificateName,
  type RawServer,
  type RawServerOptions,
  type TestProxy,
  type TestProxyOptions,
} from '../support/raw-server.ts';

// It takes longer to read all authorities of Node for each transport than to run the other tests.
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

/** How a request reaches the service: with or without TLS, and with or without a proxy. */
const ways = {
  direct: { secure: false, proxied: false },
  'direct, with TLS': { secure: true, proxied: false },
  'through a proxy': { secure: false, proxied: true },
  'through a proxy, with TLS': { secure: true, proxied: true },
} as const;
type Way = keyof typeof ways;
const wayNames = Object.keys(ways) as Way[]; // Object.keys widens the keys to string
const methods = ['GET', 'POST'] as const;

/** Ends a test that hangs. Nothing should take this long. */
const guardMs = 60_000;
/** The time limit of a request that gets no answer. The time passes at once when the silence begins, however fast the machine is. */
const limitMs = 3000;
const silenceBegins = (): void => void vi.advanceTimersByTime(limitMs);

interface Setup {
  readonly certificate?: CertificateName;
  readonly certificates?: readonly string[];
  readonly host?: string;
  readonly scheme?: 'http' | 'https';
  /** The service falls silent during the request, and the time limit is reached at once. */
  readonly silent?: true;
  readonly proxy?: TestProxyOptions;
}

interface World {
  readonly service: RawServer;
  readonly proxy?: TestProxy;
  readonly transport: Connection;
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

/** The outcome of a request, as the client and the service see it. */
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
const answering = (text: string): RawServerOptions => ({
  onBytes: whenComplete((socket) => socket.end(text)),
});
const stalling = (text: string): RawServerOptions => ({
  onBytes: whenComplete((socket) => void socket.write(text, silenceBegins)),
});

interface Fault {
  readonly service: RawServerOptions;
  readonly setup?: Setup;
  readonly body?: string;
  readonly ways?: readonly Way[];
  /** The possible outcomes. There are several if they depend on the network. */
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
    becomes: /^never sent, transient$/, // a proxy answers 502
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
  // The client sends the request before the answer shows the mistake.
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
    service: { onBytes: whenComplete(reset) },
    becomes: /^lost$/,
  },
  'a service that never answers': { service: stalling(''), setup: silent, becomes: /^lost$/ },
  'a part of the body, then silence': {
    service: stalling('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{"p'),
    setup: silent,
    becomes: /^lost$/,
  },
  'a body that is shorter than its Content-Length': {
    service: answering('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{}'),
    becomes: /^lost$/,
  },
  'garbage in place of HTTP': { service: answering('SSH-2.0-x\r\n\r\n'), becomes: /^lost$/ },
  'a body without end': {
    service: {
      onBytes: whenComplete((socket) => {
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
    becomes: /^lost$/,
  },
};

const cells = Object.entries(faults).flatMap(([name, fault]) =>
  (fault.ways ?? wayNames).flatMap((way) => methods.map((method) => ({ name, way, method, ...fault }))),
);

describe('a request has the expected outcome with', () => {
  test.each(someOf(cells, 8))(
    '$name ($way, $method)',
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
    'a port without a listener ($way, $method)',
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
  'an unresolved host name of %s counts as an outage if the host answered before, and otherwise as a misspelling',
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
  'cannot reach the service': { proxy: refusing(502), becomes: /^never sent, transient$/, status: 502 },
  hangs: { proxy: { onConnect: silenceBegins }, becomes: /^never sent, transient$/, silent: true },
  'closes in place of an answer': {
    proxy: { onConnect: (socket) => socket.end() },
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
  'resets its tunnel': {
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

describe('a request through a proxy', () => {
  test.each(someOf(proxyCells, 10))(
    'has the expected outcome if the proxy $name ($way, $method)',
    async ({ proxy, way, method, becomes, status, silent: isSilent }) => {
      const here = await world(way, answering(ok), { proxy, ...(isSilent && silent) });
      const exchange = await send(here, method);
      expect(seen(exchange)).toMatch(becomes);
      expectNoContradiction(exchange, here.service.received());
      expect(here.proxy?.heads).toHaveLength(1); // undici itself does not reconnect
      if (exchange.kind === 'never_sent' && !isSilent && here.service.connections() === 0) {
        expect(exchange.error).toMatchObject({ name: 'ProxyError', ...(status !== undefined && { status }) });
        expect(exchange.error.message).toContain(`the proxy http://127.0.0.1:${here.proxy?.port}`);
      }
    },
  );

  test.each(methods)('counts as never sent if the proxy is down: %s', async (method) => {
    for (const way of ['through a proxy', 'through a proxy, with TLS'] as const) {
      const here = await world(way, answering(ok));
      await here.proxy?.close();
      const exchange = await send(here, method);
      expect(seen(exchange)).toBe('never sent, transient');
      expect(exchange).toMatchObject({ error: { name: 'ProxyError' } });
      expect(here.service.connections()).toBe(0);
    }
  });

  test('sends only the credentials of the proxy and the address of the service to the proxy', async () => {
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
  ])(
    "is sent over TLS to the proxy only if the authority of the proxy's certificate %s",
    async (_name, certificates, expected) => {
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
    },
  );
});

/** On a busy machine, one long pause is one turn of the event loop. Data that passes between sockets needs several turns. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A connection can be reused some turns of the event loop after its answer. */
const untilIdle = (): Promise<void> => turns(5);

describe.each(someOf(wayNames, 1))('on a reused connection, %s', (way) => {
  const keeping = (after: (socket: Socket, requests: number) => void): RawServerOptions => {
    const answered = new WeakMap<Socket, number>();
    return {
      onBytes: (socket, text) => {
        const requests = text.split(' /x/ HTTP/1.1\r\n').length - 1;
        if (requests === (answered.get(socket) ?? 0) || !isComplete(text.slice(text.lastIndexOf(' /x/ '))))
          return;
        answered.set(socket, requests);
        after(socket, requests);
      },
    };
  };

  test.each(methods)('a %s counts as lost if the service resets the connection', async (method) => {
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
    'a %s counts as never sent if the service closes the connection before the first byte, and as lost otherwise',
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

describe('a request that is aborted before it has a connection', () => {
  test.each(wayNames.filter((way) => ways[way].secure || ways[way].proxied))(
    'is not written later: %s',
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
});
