import { afterEach, describe, expect, test } from 'vitest';
import { user } from '../../../src/kinds/user.ts';
import { answerWords, serviceWords } from '../../../src/report/words/answers.ts';
import { causeWords } from '../../../src/report/words/causes.ts';
import { outcomeDiagnostics } from '../../../src/report/words/outcome-diagnostics.ts';
import { classifyRecordAnswer } from '../../../src/service/answer.ts';
import { abortableTransport, GivenUpError } from '../../../src/service/abortable.ts';
import type { Exchange } from '../../../src/service/transport.ts';
import { ProxyError } from '../../../src/service/proxy-error.ts';
import { undiciTransport } from '../../../src/service/undici-transport.ts';
import { planOf } from '../../support/plan-of.ts';
import { rawServer, whenComplete, type RawServerOptions } from '../../support/raw-server.ts';
import { answered } from '../../support/scripted-transport.ts';

function wordsFor(exchange: Exchange): string {
  const { summary, advice } = answerWords(classifyRecordAnswer(exchange, user, 'a'));
  return `${summary}. ${advice}`;
}

describe('an error answer', () => {
  test.each([
    ['a web page', answered(502, '<html>Bad Gateway</html>')],
    ['a plain text', answered(502, 'authentik starting')],
    ['JSON of another form', answered(502, { error: 'authentik starting' })],
    ['a web page for a time-out', answered(504, '<html>Gateway Timeout</html>')],
    ['a web page of a firewall', answered(520, '<html>')],
  ])('is attributed to a proxy in front of the service: %s', (_, exchange) => {
    expect(wordsFor(exchange)).toContain('a proxy or gateway answered in place of the service');
    expect(wordsFor(exchange)).toContain('--wait');
    expect(wordsFor(exchange)).not.toContain('log of the service');
  });

  test.each([
    ['a web page for a failure of the service', answered(500, '<html>Server Error</html>')],
    ['an empty page in place of a refusal', answered(405, '', { 'content-type': 'text/html' })],
  ])('is attributed to the service: %s', (_, exchange) => {
    expect(wordsFor(exchange)).toContain('the service failed');
    expect(wordsFor(exchange)).toContain('log of the service');
    // A 405 may also come from a wrong URL.
    expect(wordsFor(exchange).includes('check the service URL')).toBe(
      exchange.kind === 'answered' && exchange.status === 405,
    );
  });
});

test.each([{ detail: 'Not Found' }, {}])('a 404 is described by its form: %o', (body) => {
  expect(wordsFor(answered(404, body)).includes('this answer has none')).toBe(!('detail' in body));
});

test('a 503 is a demand to wait only if it says how long', () => {
  expect(wordsFor(answered(503, ''))).toContain('the service is unavailable (503)');
  expect(wordsFor(answered(503, '', { 'retry-after': '5' }))).toContain(
    'the service asks clients to wait (503)',
  );
});

test('the words of the service are cut after 1,000 characters', () => {
  const answer = classifyRecordAnswer(answered(400, { name: ['x'.repeat(5000), 'y'] }), user, 'a');
  expect(serviceWords(answer)).toBe(`name: ${'x'.repeat(1000)}…`);
});

test('the words of the service about an item of a list give its number, counted from one', () => {
  const body = { groups: { 1: ['No group.'] } };
  const answer = classifyRecordAnswer(answered(400, body), user, 'a');
  expect(serviceWords(answer)).toBe('groups, item 2: No group.');
});

test.each([
  [401, 'Invalid token', true],
  [403, 'Token invalid/expired', true],
  [403, 'Authentication credentials were not provided.', true],
  [403, 'Unsupported authentication type', true],
  [403, 'Malformed header', true],
  [403, 'You do not have permission to perform this action.', false],
  [401, undefined, false],
])('a %s with the detail %j is about the token itself: %s', (status, detail, isAboutToken) => {
  const words = wordsFor(answered(status, detail === undefined ? '<html>Log in' : { detail }));
  expect(words.includes('does not accept the token')).toBe(isAboutToken);
  expect(words.includes('its permissions')).toBe(!isAboutToken);
});

test('a 304 is not reported as a redirect', () => {
  expect(wordsFor(answered(304))).toContain('the answer is not from the API (304)');
});

test('advice on a refused token names no variable, as the token may come from several', () => {
  const words = wordsFor(answered(403, { detail: 'Token invalid/expired' }));
  expect(words).toContain('The token is unknown or has expired.');
  expect(words).not.toContain('ROLLCALL_TOKEN');
});

test('a request abandoned by the user is not attributed to the connection', async () => {
  const urgent = new AbortController();
  const send = abortableTransport(() => new Promise(() => {}), urgent.signal);
  const underWay = send({ method: 'POST', path: '/' });
  urgent.abort();
  for (const exchange of [await underWay, await send({ method: 'POST', path: '/' })]) {
    expect(wordsFor(exchange)).toContain('the request was cancelled by the second interruption');
    expect(wordsFor(exchange)).not.toMatch(/connection|network|service URL/i);
  }
});

test.each(['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'])(
  "a refused TLS handshake is recognized by each of OpenSSL's names: %s",
  (code) => {
    const error = Object.assign(new Error('alert number 40'), { code });
    expect(wordsFor({ kind: 'never_sent', error, transient: false })).toContain(
      'the TLS handshake was refused. A client certificate may be required: pass one with --client-cert.',
    );
  },
);

test.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])('%s is reported as a closed connection', (code) => {
  const error = Object.assign(new Error('other side closed'), { code });
  expect(wordsFor({ kind: 'lost', error })).toContain(
    'no complete answer came back: the connection was closed.',
  );
});

describe('an http:// request to a port that expects TLS', () => {
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
    onBytes: whenComplete((socket) => socket.end(text)),
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
  ] as const)('is reported as such, whatever the text of the answer: %s', async (_, service) => {
    expect(wordsFor(await answerOf(service))).toContain(https);
  });

  test.each([
    ['a 400 with JSON', answering('HTTP/1.1 400 Bad Request\r\nContent-Length: 14\r\n\r\n{"name":["x"]}')],
    ['another refusal', answering('HTTP/1.1 403 Forbidden\r\nContent-Length: 1\r\n\r\nx')],
    ['a truncated answer', answering('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{')],
  ])('is not suspected after %s', async (_, service) => {
    expect(wordsFor(await answerOf(service))).not.toContain('https://');
  });

  test('is not suspected after an answer that is too large', async () => {
    const large = `HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n${' '.repeat(9_000_000)}`;
    const words = wordsFor(await answerOf(answering(large)));
    expect(words).toContain('the answer is larger than 8 MiB');
    expect(words).not.toContain('ended too early');
    expect(words).not.toContain('https://');
  });

  test('is not suspected if the service is slow', async () => {
    expect(wordsFor(await answerOf({}, 50))).not.toContain('https://');
  });
});

test('a change that was not begun has no diagnostic if the second interruption cancelled its look-up', async () => {
  const [change] = (await planOf('version: 1\ngroups: [{ name: g }]\n', {})).changes;
  const ended = (stoppedBy: 'interrupted' | undefined): readonly unknown[] =>
    outcomeDiagnostics({
      change: change ?? expect.fail('the plan has no change'),
      outcome: stoppedBy ? 'not_attempted' : 'unknown',
      ...(stoppedBy && { stoppedBy }),
      answer: { kind: 'lost', error: new GivenUpError() },
      attempts: 1,
      durationMs: 0,
    });
  expect(ended('interrupted')).toEqual([]);
  expect(ended(undefined)).toHaveLength(1);
});

function refusedBy(cause: Error): ProxyError {
  return new ProxyError('http://p', { cause });
}

test.each<[string, Error, cause: string, advice: string | undefined]>([
  [
    'a proxy that demands a password',
    new ProxyError('http://p', { status: 407 }),
    'refuses to connect to the service (407)',
    'requires a user name and password',
  ],
  [
    'a proxy that refuses',
    new ProxyError('http://p', { status: 403 }),
    'refuses to connect to the service (403)',
    'name its host in NO_PROXY',
  ],
  [
    'no connection to a proxy',
    refusedBy(new Error('odd')),
    'the proxy http://p did not open a tunnel: odd',
    'name its host in NO_PROXY',
  ],
  [
    'a proxy with an untrusted certificate',
    refusedBy(Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
    'did not open a tunnel: the certificate is from an untrusted authority',
    '--ca-file',
  ],
  ['a code without a message', Object.assign(new Error(''), { code: 'EODD' }), 'EODD', undefined],
  ['a name alone', new RangeError(''), 'RangeError', undefined],
])('the cause of a failed connection is described: %s', (_, error, cause, advice) => {
  const words = causeWords(error);
  expect(words.cause).toContain(cause);
  if (advice === undefined) expect(words.advice).toBeUndefined();
  else expect(words.advice).toContain(advice);
});
