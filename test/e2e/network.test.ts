import { createServer } from 'node:https';
import { createServer as createNetServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { rollcall, root, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';
import { endedHere } from '../support/here.ts';
import {
  rawServer,
  testProxy,
  tlsFixture,
  type CertificateName,
  type TestProxy,
} from '../support/raw-server.ts';

const caFile = join(root, 'test/fixtures/tls/ca.pem');
const password = 'canary/pass word';
const closing: (() => unknown)[] = [];
let proxy: TestProxy;
let urls: Readonly<Record<CertificateName, string>>;

beforeAll(async () => {
  proxy = await testProxy();
  closing.push(() => proxy.close());
  urls = {
    good: await tlsSandbox('good'),
    expired: await tlsSandbox('expired'),
    'other-host': await tlsSandbox('other-host'),
  };
});
afterAll(() => Promise.all(closing.map((close) => close())));

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // a TCP server's address is an object
}

/** A sandbox behind TLS, with the part of the API that a plan needs. */
async function tlsSandbox(certificate: CertificateName, options: TlsOptions = {}): Promise<string> {
  const { sandbox } = seedSandbox({});
  const tls = { cert: tlsFixture(`${certificate}.pem`), key: tlsFixture(`${certificate}.key`), ...options };
  const server = createServer(tls, ({ method = '', url = '', headers: { authorization } }, response) => {
    const { status, headers, body } = sandbox.handle({
      method,
      path: url,
      headers: { authorization },
      body: '',
    });
    response.writeHead(status, headers).end(body);
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${await portOf(server)}`;
}

function plan(
  url: string,
  flags: readonly string[],
  env: Record<string, string> = {},
  run: typeof rollcall = endedHere,
): Promise<Ended> {
  return run(['plan', '-', ...flags], {
    input: 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n',
    env: { ROLLCALL_URL: url, ROLLCALL_TOKEN: sandboxToken, NO_PROXY: '', no_proxy: '', ...env },
  });
}

/** The text as one line. */
const folded = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('a service with a certificate of a private authority', () => {
  test('is refused, and the message names --ca-file', async () => {
    const { code, stderr } = await plan(urls.good, []);
    expect(code).toBe(1);
    expect(folded(stderr)).toContain(
      'the service cannot be reached: the certificate is from an untrusted authority',
    );
    expect(stderr).toContain('--ca-file');
  });

  test('is accepted with --ca-file, with NODE_EXTRA_CA_CERTS, or with both', async ({ skip }) => {
    skip(!inFull);
    const other = join(root, 'test/fixtures/tls/other-host.pem');
    const extra = { NODE_EXTRA_CA_CERTS: caFile }; // Node reads it when it starts
    expect(await plan(urls.good, ['--ca-file', caFile])).toMatchObject({ code: 0, stderr: '' });
    expect(await plan(urls.good, [], extra, rollcall)).toMatchObject({ code: 0 });
    expect(await plan(urls.good, ['--ca-file', other], extra, rollcall)).toMatchObject({ code: 0 });
  });

  test.each([
    ['has expired', 'expired', 'the certificate has expired'],
    ['is for another host', 'other-host', 'the certificate is for another host'],
  ] as const)('that %s is refused with an explanation', async (_, certificate, words) => {
    const { code, stderr } = await plan(urls[certificate], ['--ca-file', caFile]);
    expect(code).toBe(1);
    expect(folded(stderr)).toContain(`the service cannot be reached: ${words}`);
  });

  test.runIf(inFull)('is distinguished from a service without TLS', async () => {
    const noTls = createNetServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const alert = createNetServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(Buffer.from([21, 3, 1, 0, 2, 2, 70])));
    });
    closing.push(
      () => noTls.close(),
      () => alert.close(),
    );
    const spoken = await plan(`https://127.0.0.1:${await portOf(noTls)}`, []);
    expect(folded(spoken.stderr)).toContain('the port does not speak TLS');
    const unspoken = await plan(`http://127.0.0.1:${await portOf(alert)}`, []);
    expect(folded(unspoken.stderr)).toContain('the port expects TLS');
  });

  test('causes exit code 3 before any request if the file of authorities is unusable', async () => {
    const silent = await rawServer({});
    closing.push(() => silent.close());
    for (const file of ['no-such-file', 'package.json']) {
      const ended = await plan(`https://127.0.0.1:${silent.port}`, ['--ca-file', file]);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toMatch(/^error: the file of authorities/);
    }
    expect(silent.connections()).toBe(0);
  });
});

describe('a service that requires a client certificate', () => {
  const clientFile = join(root, 'test/fixtures/tls/client.pem');
  const clientKey = join(root, 'test/fixtures/tls/client.key');
  const encryptedKey = join(root, 'test/fixtures/tls/client-encrypted.key');
  let url: string;
  beforeAll(async () => {
    url = await tlsSandbox('good', {
      requestCert: true,
      rejectUnauthorized: true,
      ca: tlsFixture('client.pem'),
    });
  });

  test.each([
    [116, 'a client certificate is required'],
    [40, 'the TLS handshake was refused'],
    [42, 'the client certificate was not accepted'],
    [44, 'the client certificate was not accepted'],
  ])('is distinguished from an unreachable service by the TLS alert %i', async (alert, words) => {
    const refusing = createNetServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert])));
    });
    closing.push(() => refusing.close());
    const { code, stderr } = await plan(`https://127.0.0.1:${await portOf(refusing)}`, []);
    expect(code).toBe(1);
    expect(folded(stderr)).toContain(words);
    expect(stderr).toContain('--client-cert');
  });

  test('refuses every request without the certificate', async ({ skip }) => {
    skip(!inFull);
    expect(await plan(url, ['--ca-file', caFile])).toMatchObject({ code: 1 });
  });

  test('gets the certificate, even with an encrypted key or through a proxy', async () => {
    const flags = ['--ca-file', caFile, '--client-cert', clientFile];
    expect(await plan(url, [...flags, '--client-key', clientKey])).toMatchObject({ code: 0, stderr: '' });
    const between = await testProxy();
    closing.push(() => between.close());
    const encrypted = [...flags, '--client-key', encryptedKey];
    const env = {
      ROLLCALL_CLIENT_KEY_PASSPHRASE: 'open-sesame',
      HTTPS_PROXY: `http://127.0.0.1:${between.port}`,
    };
    expect(await plan(url, encrypted, env)).toMatchObject({ code: 0, stderr: '' });
    // The release is requested at the same time as the look-up.
    expect(between.heads).toHaveLength(2);
  });
});

describe('a header of --header', () => {
  test('is sent with each request, read from the environment, and never shown, even if the service repeats it', async () => {
    const pass = 'pass-for-the-gateway';
    const gateway = await rawServer({
      onBytes: (socket) => {
        const body = JSON.stringify({ detail: `no entry with ${pass}` });
        socket.end(
          `HTTP/1.1 403 No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      },
    });
    closing.push(() => gateway.close());
    const flags = ['--header', 'X-Pass: Bearer ${env:PASS}', '--header', 'X-Team: identity', '-v'];
    const ended = await plan(`http://127.0.0.1:${gateway.port}`, flags, { PASS: pass });
    expect(ended.code).toBe(4);
    expect(gateway.text()).toContain(`x-pass: Bearer ${pass}\r\nx-team: identity\r\n`);
    expect(folded(ended.stderr)).toMatch(/no entry with ?\(sensitive\)/);
    expect(ended.stdout + ended.stderr).not.toContain(pass);
  });
});

describe('a proxy', () => {
  const withPassword = (port: number): string =>
    `http://me:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  const credentials = Buffer.from(`me:${password}`).toString('base64');

  test.runIf(inFull)('is used and gets its password, unless NO_PROXY excludes the service', async () => {
    const env = { HTTPS_PROXY: withPassword(proxy.port) };
    const flags = ['--ca-file', caFile];
    expect(await plan(urls.good, flags, env, rollcall)).toMatchObject({ code: 0, stderr: '' });
    expect(proxy.heads).toHaveLength(2);
    expect(proxy.heads[0]).toContain(`proxy-authorization: Basic ${credentials}`);
    await plan(urls.good, ['--ca-file', caFile], { ...env, NO_PROXY: '127.0.0.0/8' });
    expect(proxy.heads).toHaveLength(2);
  });

  test.each([407, 403])('that answers %i is named in the message, without the password', async (status) => {
    const refusing = await testProxy({
      onConnect: (socket) => socket.end(`HTTP/1.1 ${status} No, ${credentials}\r\nContent-Length: 0\r\n\r\n`),
    });
    closing.push(() => refusing.close());
    const ended = await plan(urls.good, ['-o', 'json'], { HTTPS_PROXY: withPassword(refusing.port) });
    expect(ended.code).toBe(1);
    const printed = folded(ended.stdout + ended.stderr);
    expect(printed).toContain(
      `the proxy http://127.0.0.1:${refusing.port} refuses to connect to the service (${status})`,
    );
    expect(printed).not.toMatch(/hidden/);
    expect(printed).not.toContain(credentials);
    expect(refusing.heads).toHaveLength(2);
  });

  test('is not used for the sandbox', async ({ skip }) => {
    skip(!inFull);
    const command = ['sandbox', '--', process.execPath, 'bin/rollcall.cjs', 'plan', 'examples/manifests'];
    const before = proxy.heads.length;
    const { code } = await rollcall(command, { env: { HTTP_PROXY: withPassword(proxy.port) } });
    expect(code).toBe(0);
    expect(proxy.heads).toHaveLength(before);
  });
});
