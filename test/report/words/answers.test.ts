import { afterEach, describe, expect, test } from 'vitest';
import { user } from '../../../src/kinds/user.ts';
import { answerWords } from '../../../src/report/words/answers.ts';
import { readAnswer } from '../../../src/service/answer.ts';
import { abortable } from '../../../src/service/abortable.ts';
import type { Exchange } from '../../../src/service/transport.ts';
import { undiciTransport } from '../../../src/service/undici-transport.ts';
import { rawServer, whenWhole, type RawServerOptions } from '../../support/raw-server.ts';
import { answered } from '../../support/scripted-transport.ts';

function wordsFor(exchange: Exchange): string {
  const { summary, advice } = answerWords(readAnswer(exchange, user, 'a'));
  return `${summary}. ${advice}`;
}

describe('the sender of an answer', () => {
  test.each([
    ['a page', answered(502, '<html>Bad Gateway</html>')],
    ['a text', answered(502, 'authentik starting')],
    ['JSON', answered(502, { error: 'authentik starting' })],
    ['a page, too late', answered(504, '<html>Gateway Timeout</html>')],
    ['a page of a network in front', answered(522, '<html>')],
  ])('is a proxy in front of the service: %s', (_, exchange) => {
    expect(wordsFor(exchange)).toContain('a proxy or gateway answered in place of the service');
    expect(wordsFor(exchange)).toContain('--wait');
    expect(wordsFor(exchange)).not.toContain('log of the service');
  });

  test.each([
    ['a page that says that it failed', answered(500, '<html>Server Error</html>')],
    ['an empty page in place of a refusal', answered(405, '', { 'content-type': 'text/html' })],
  ])('is the service: %s', (_, exchange) => {
    expect(wordsFor(exchange)).toContain('the service failed');
    expect(wordsFor(exchange)).toContain('log of the service');
  });
});

test('an answer that the user did not wait for is not blamed on the connection', async () => {
  const urgent = new AbortController();
  const send = abortable(() => new Promise(() => {}), urgent.signal);
  const underWay = send({ method: 'POST', path: '/' });
  urgent.abort();
  for (const exchange of [await underWay, await send({ method: 'POST', path: '/' })]) {
    expect(wordsFor(exchange)).toContain('it was cancelled by the second interruption');
    expect(wordsFor(exchange)).not.toMatch(/connection|network|service URL/i);
  }
});

test.each(['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'])(
  "a refused TLS handshake is recognized by each of OpenSSL's names: %s",
  (code) => {
    const error = Object.assign(new Error('alert number 40'), { code });
    expect(wordsFor({ kind: 'never_sent', error, transient: false })).toContain(
      'it refuses the TLS handshake. It may require a client certificate: pass one with --client-cert.',
    );
  },
);

describe('http:// to a port that expects TLS', () => {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((one) => one.close()));
  });

  async function answerOf(service: RawServerOptions, timeoutMs = 3000): Promise<Exchange> {
    const server = await rawServer(service);
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const transport = undiciTransport({ baseUrl, authorization: 'Bearer t', timeoutMs });
    closing.push(transport, server);
    return transport.send({ method: 'GET', path: '/' });
  }
  const answering = (text: string): RawServerOptions => ({
    onBytes: whenWhole((socket) => socket.end(text)),
  });
  const https = 'the service URL must begin with https://';

  test.each([
    [
      'a Go program',
      answering('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'),
    ],
    [
      'nginx',
      answering(
        'HTTP/1.1 400 Bad Request\r\nServer: nginx\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>',
      ),
    ],
    ['a program that closes the connection', answering('')],
    ['OpenSSL', { certificate: 'good' }],
  ] as const)('is reported as that, whatever the words of the answer: %s', async (_, service) => {
    expect(wordsFor(await answerOf(service))).toContain(https);
  });

  test.each([
    ['400 with JSON', answering('HTTP/1.1 400 Bad Request\r\nContent-Length: 14\r\n\r\n{"name":["x"]}')],
    ['another refusal', answering('HTTP/1.1 403 Forbidden\r\nContent-Length: 1\r\n\r\nx')],
    ['an answer that is cut short', answering('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{')],
  ])('is not suspected after %s', async (_, service) => {
    expect(wordsFor(await answerOf(service))).not.toContain('https://');
  });

  test('is not suspected of a slow service', async () => {
    expect(wordsFor(await answerOf({}, 50))).not.toContain('https://');
  });
});
