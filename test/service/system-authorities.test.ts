import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Exchange } from '../../src/service/transport.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { tlsFixture } from '../support/raw-server.ts';

/** The authorities that this machine trusts, in an older and in a newer version of Node.js. */
const trusted = vi.hoisted(() => ({
  roots: [] as string[],
  newer: undefined as (() => string[]) | undefined,
}));
vi.mock('node:tls', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  get rootCertificates() {
    return trusted.roots;
  },
  get getCACertificates() {
    return trusted.newer;
  },
}));

const ours = tlsFixture('ca.pem');
const other = tlsFixture('other-host.pem');
const server = createServer({ cert: tlsFixture('good.pem'), key: tlsFixture('good.key') }, (_, response) => {
  response.end('{}');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

async function get(certificates: readonly string[]): Promise<Exchange> {
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is an object
  const transport = undiciTransport({ baseUrl, timeoutMs: 30_000, authorization: 'Bearer t', certificates });
  const exchange = await transport.send({ method: 'GET', path: '/' });
  await transport.close();
  return exchange;
}

test("the system's certificate authorities are trusted in addition to a file of authorities", async () => {
  Object.assign(trusted, { roots: [ours], newer: undefined });
  expect(await get([other])).toMatchObject({ kind: 'answered', status: 200 });
});

test("the system's certificate authorities are available in newer versions of Node.js", async () => {
  Object.assign(trusted, { roots: [], newer: () => [ours] });
  expect(await get([other])).toMatchObject({ kind: 'answered', status: 200 });
});

test("if the system has no certificate authorities, only the file's are trusted", async () => {
  Object.assign(trusted, { roots: [], newer: undefined });
  expect(await get([ours])).toMatchObject({ kind: 'answered', status: 200 });
  expect(await get([other])).toMatchObject({ kind: 'never_sent' });
});
