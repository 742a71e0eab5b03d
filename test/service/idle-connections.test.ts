import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { undiciTransport } from '../../src/service/undici-transport.ts';

afterEach(() => vi.useRealTimers());

/** The number of connections that two requests need if this many milliseconds pass between them. */
async function connectionsOf(pauseMs: number, headers: Record<string, string> = {}): Promise<number> {
  // The sockets are real. Only the waiting time is virtual.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let connections = 0;
  const server = createServer((request, response) => {
    // With an explicit Connection header, Node does not announce its idle time.
    request.resume().on('end', () => response.writeHead(200, { connection: 'keep-alive', ...headers }).end());
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is an object
  const transport = undiciTransport({ baseUrl, timeoutMs: 3_600_000, authorization: 'Bearer t' });
  const request = { method: 'GET', path: '/x/' } as const;
  expect(await transport.send(request)).toMatchObject({ kind: 'answered' });
  await vi.advanceTimersByTimeAsync(pauseMs);
  expect(await transport.send(request)).toMatchObject({ kind: 'answered' });
  await transport.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return connections;
}

test('a connection is reused at once', async () => {
  expect(await connectionsOf(0)).toBe(1);
});

test('an idle connection is not reused after 2 s, when services may close it', async () => {
  expect(await connectionsOf(2000)).toBe(2);
});
