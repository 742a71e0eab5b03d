import { describe, expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/service/retry-after.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { rawServer, whenComplete } from '../support/raw-server.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('the value of a Retry-After header', () => {
  test.each([
    // A number of seconds.
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5000],
    ['\t5', 5000],
    ['007', 7000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['999999999', 999_999_999_000],
    ['99999999999', 99_999_999_999_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    // Dates in the forms of RFC 9110, RFC 850 and asctime().
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Tuesday, 06-Nov-75 08:49:37 GMT', Date.parse('2075-11-06T08:49:37Z') - now],
    ['Wednesday, 01-Jan-76 00:00:30 GMT', Date.parse('2076-01-01T00:00:30Z') - now],
    ['Friday, 01-Jan-77 00:00:30 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Thu Jan  1 00:00:30 2026', 30_000],
    ['Sun Jan 11 00:00:00 2026', 864_000_000],
    // Several header lines that are joined. The longest valid value counts.
    ['5, 120', 120_000],
    ['120, 5', 120_000],
    ['5, soon', 5000],
    [',, 5', 5000],
    ['5, Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT, 5', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT, Thu, 01 Jan 2026 00:00:40 GMT', 40_000],
    // Invalid values.
    ['-1', undefined],
    ['+5', undefined],
    ['5s', undefined],
    ['1e3', undefined],
    ['.5', undefined],
    ['0x10', undefined],
    ['', undefined],
    [', ', undefined],
    ['2026-01-01T00:00:30Z', undefined],
    ['in 5', undefined],
    ['until Thu, 01 Jan 2026 00:00:30 GMT', undefined],
    ['Thu, 01 Jan 2026 00:00:30 GMT+0100', undefined],
    ['Thu, 99 Jan 2026 00:00:30 GMT', undefined],
    ['Thu, 31 Jun 2026 00:00:30 GMT', undefined],
    ['Thu, 01 Foo 2026 00:00:30 GMT', undefined],
    ['Thu, 01 Jan 2026 24:00:30 GMT', undefined],
  ])('%j is read as %s', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  test.each([
    ['in one line', 'Retry-After: 7', 7000],
    ['in two lines', 'Retry-After: 7\r\nretry-after: 120', 120_000],
    ['in two lines with a date', 'Retry-After: Thu, 01 Jan 2026 00:00:30 GMT\r\nRetry-After: 7', 30_000],
    ['with blanks around the value', 'Retry-After: \t 7 \t', 7000],
  ])('is read when it arrives through a real socket, %s', async (_, lines, expected) => {
    const server = await rawServer({
      onBytes: whenComplete((socket) =>
        socket.end(`HTTP/1.1 503 Service Unavailable\r\n${lines}\r\nContent-Length: 0\r\n\r\n`),
      ),
    });
    const transport = undiciTransport({
      baseUrl: `http://127.0.0.1:${server.port}`,
      authorization: 'Bearer t',
      timeoutMs: 60_000,
    });
    const exchange = await transport.send({ method: 'GET', path: '/x/' });
    await transport.close();
    await server.close();
    const header = exchange.kind === 'answered' ? exchange.headers['retry-after'] : undefined;
    expect(parseRetryAfter(header ?? '', now)).toBe(expected);
  });
});
