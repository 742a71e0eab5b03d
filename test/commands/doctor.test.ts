import { describe, expect, test } from 'vitest';
import { unusedSlug } from '../../src/service/probe.ts';
import { doctor, type DoctorOptions } from '../../src/commands/doctor.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { parseJson } from '../../src/base/json.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost, refused, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { done } from '../support/manifest-run.ts';

const requestId = { 'x-authentik-id': 'request-1' };
const notFound = answered(404, { detail: 'Not found.' }, requestId);
const page = answered(200, '<!DOCTYPE html>');

interface Ran {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
  readonly statuses: Record<string, string>;
  readonly requests: number;
  readonly sleeps: readonly number[];
}

async function examined(
  answers: readonly Exchange[],
  options: Partial<DoctorOptions> = {},
  url = 'https://id.example.com',
): Promise<Ran> {
  const transport = scriptedTransport(...answers);
  const clock = virtualClock();
  const { context, stdout, stderr } = capture({ url, transport: transport.send, clock, columns: 80 });
  const ending = await doctor([], { output: 'json', contractOnly: true, ...options }, context);
  const document = parseJson(stdout()) as { checks: { name: string; status: string }[] } | undefined; // the schema is checked below
  if (document) expect(schemaErrors('doctor', document)).toEqual([]);
  return {
    ending,
    stdout: stdout(),
    stderr: stderr(),
    statuses: Object.fromEntries((document?.checks ?? []).map(({ name, status }) => [name, status])),
    requests: transport.requests.length,
    sleeps: clock.sleeps,
  };
}

describe('doctor', () => {
  test('passes if the service itself answers that an application is not found', async () => {
    const { statuses } = await done(examined([notFound]));
    expect(statuses).toEqual({
      connection: 'pass',
      'base-url': 'pass',
      token: 'pass',
      applications: 'pass',
      users: 'unknown',
      release: 'unknown',
      clock: 'unknown',
    });
  });

  test("warns if a 404 looks like the service's but has no request id", async () => {
    const { statuses } = await done(examined([answered(404, { detail: 'Not found.' })]));
    expect(statuses).toMatchObject({ 'base-url': 'warn', token: 'pass' });
  });

  test.each([
    ['nobody listens', refused, 'connection', 'failed'],
    ['the answer is lost', lost, 'connection', 'failed'],
    ['a page says that there is no such route', answered(404, '<!DOCTYPE html>'), 'base-url', 'failed'],
    ['a page is there instead', page, 'base-url', 'failed'],
    [
      'it is redirected',
      answered(302, '', { location: 'https://sso.example.com/x?y' }),
      'base-url',
      'failed',
    ],
    ['the service fails', answered(500, '<!DOCTYPE html>'), 'base-url', 'failed'],
    ['the token is denied', answered(403, { detail: 'no' }, requestId), 'token', 'denied'],
    ['the token is missing on the way', answered(401, { detail: 'no' }, requestId), 'token', 'denied'],
  ] as const)('gives advice on the first problem if %s', async (_, answer, name, expected) => {
    const { ending, statuses } = await examined([answer, answer, answer]);
    expect(ending).toBe(expected);
    const names = Object.keys(statuses);
    for (const before of names.slice(0, names.indexOf(name))) expect(statuses[before]).toBe('pass');
    expect(statuses[name]).toBe('fail');
    expect(Object.values(statuses).filter((status) => status === 'fail')).toHaveLength(1);
    const { stdout } = await examined([answer, answer, answer], { output: 'text' });
    expect(stdout).toMatch(new RegExp(`^ {2}FAIL {2}${name} `, 'm'));
    expect(stdout).toMatch(/The service cannot be used with these settings\.\n$/);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test('reports only the origin of the URL to which the service redirects', async () => {
    const { stdout } = await examined([answered(302, '', { location: 'https://sso.example.com/x?secret' })]);
    expect(stdout).toContain('https://sso.example.com');
    expect(stdout).not.toContain('secret');
  });

  test.each([
    [0, 'pass', ''],
    [59, 'pass', ''],
    [-3600, 'warn', 'this clock is 3600 s ahead of the clock of the service'],
    [3600, 'warn', 'this clock is 3600 s behind the clock of the service'],
  ])('compares its clock with the clock of the service: %i seconds apart', async (seconds, status, said) => {
    const date = new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toUTCString();
    const { ending, statuses, stdout } = await examined([
      answered(404, { detail: 'Not found.' }, { ...requestId, date }),
    ]);
    expect(statuses['clock']).toBe(status);
    expect(stdout).toContain(said);
    expect(ending).toBe('done');
  });

  test('names the proxy that answered', async () => {
    const { context, stdout } = capture({
      url: 'https://id.example.com',
      env: { HTTPS_PROXY: 'http://me:canary-pass@proxy.example.com:3128' },
      transport: scriptedTransport(notFound).send,
      clock: virtualClock(),
    });
    await doctor([], { output: 'json', contractOnly: true }, context);
    expect(stdout()).toContain(
      'https://id.example.com answers through http://proxy.example.com:3128 in 0 ms, its certificate is trusted',
    );
  });

  test('passes if the application that it looks up happens to exist', async () => {
    const slug = unusedSlug;
    const { statuses } = await done(examined([answered(200, { pk: '1', slug }, requestId)]));
    expect(statuses).toMatchObject({ 'base-url': 'pass', applications: 'pass' });
  });

  test('with --contract-only sends only the look-up of an application', async () => {
    const transport = scriptedTransport(notFound);
    const { context, stdout } = capture({ url: 'https://id.example.com', transport: transport.send });
    await doctor([], { output: 'text', contractOnly: true }, context);
    expect(stdout()).toContain(
      'it is unknown whether the token may view or create users: only documented requests were sent\n',
    );
    expect(stdout()).toContain(
      'the service was not asked for its release: only documented requests were sent\n',
    );
    expect(stdout()).not.toContain('beyond');
    expect(stdout()).toMatch(
      /All possible checks passed\. Not checked: users, release, clock\.\nNext: rollcall plan MANIFESTS --contract-only\n$/,
    );
    const named = capture({ url: 'https://id.example.com', transport: scriptedTransport(notFound).send });
    await doctor(['m.yaml'], { output: 'text', contractOnly: true }, named.context);
    expect(named.stdout()).toContain('\nNext: rollcall plan m.yaml --contract-only\n');
    expect(transport.requests).toHaveLength(1);
    expect(transport.requests[0]).toMatchObject({ method: 'GET' });
    const slug = transport.requests[0]?.path.split('/').at(-2) ?? '';
    expect(slug).toMatch(/^[-a-zA-Z0-9_]{1,50}$/);
  });
});

describe('doctor --wait', () => {
  const starting = answered(503, { detail: 'starting' }, { 'retry-after': '5' });

  test('waits for a service that is starting, as plan does', async () => {
    const { ending, requests, stdout, stderr } = await examined(
      [refused, refused, answered(502, 'Bad Gateway'), starting, notFound, notFound],
      { wait: '60', output: 'text' },
    );
    expect({ ending, requests }).toEqual({ ending: 'done', requests: 6 });
    expect(stdout).toContain('  ok    connection');
    expect(stderr).toMatch(/^The service does not answer .*; waiting up to 60 s for it\.\n/);
    expect(stderr).toMatch(/The service answers now, after 5 s\.\n$/);
  });

  test('completes each pause that the service asks for, and reports the whole wait at the end', async () => {
    const { ending, sleeps, stdout } = await examined([starting, starting, starting], { wait: '7' });
    expect(ending).toBe('failed');
    expect(sleeps.reduce((sum, milliseconds) => sum + milliseconds, 0)).toBe(10_000);
    expect(stdout).toContain('rollcall waited 10 s for the service (--wait).');
  });

  test.each([
    ['a denial', answered(403, { detail: 'no' }, requestId)],
    ['a page', page],
    ['a failure', answered(500)],
    ['a lost answer', lost],
    ['an unknown host', { kind: 'never_sent', error: new Error('getaddrinfo ENOTFOUND'), transient: false }],
  ] as const)('does not wait after %s', async (_, answer) => {
    const { requests } = await examined([answer], { wait: '60' });
    expect(requests).toBe(1);
  });

  test('is required for doctor to wait', async () => {
    expect(await examined([refused])).toMatchObject({ ending: 'failed', requests: 1 });
  });

  test.each([
    ['nobody listens', refused, true],
    ['the service says that it is starting', starting, true],
    ['the service asks clients to wait', answered(429, '', { 'retry-after': '5' }), false],
    ['the answer is lost', lost, false],
  ] as const)(
    'is advised only if it can help, and the advice contains only flags of doctor: %s',
    async (_, answer, named) => {
      const { stdout } = await examined([answer]);
      expect(stdout.includes('rollcall doctor --wait 60')).toBe(named);
      expect(stdout).not.toContain('--concurrency');
    },
  );
});

describe('an interrupted doctor', () => {
  test.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
  ])('prints a note instead of a diagnosis after %s', async (reason, expected) => {
    const interrupting = new AbortController();
    const { context, stdout, stderr } = capture({
      url: 'https://id.example.com',
      transport: async () => {
        interrupting.abort(reason);
        return lost;
      },
      signal: interrupting.signal,
    });
    expect(await doctor([], { output: 'text', wait: '60' }, context)).toBe(expected);
    expect(stdout()).toBe('');
    expect(stderr()).toBe('The check of https://id.example.com was interrupted.\n');
  });
});
