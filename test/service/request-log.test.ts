import { describe, expect, test } from 'vitest';
import { redactorOf } from '../../src/base/redactor.ts';
import { apply } from '../../src/commands/apply.ts';
import { withRequestLog, withRequestNames } from '../../src/service/request-log.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const files = {
  'm.yaml':
    'version: 1\napplications: [{ slug: wiki, name: Wiki, meta_description: "${env:SECRET}" }]\nusers: [{ username: "a\\u202eb", name: A }]\n',
};

/** A service that loses the answer to the first create of the application, and repeats what it was sent. */
function service(): (request: HttpRequest) => Exchange {
  let creates = 0;
  return ({ method, path, body = '{}' }) => {
    if (method === 'GET') return answered(404, { detail: 'Not found.' }, { 'x-authentik-id': 'id-1' });
    if (path.includes('users'))
      return answered(
        400,
        { name: [`no: ${body}`] },
        { 'x-authentik-id': 'Y2FuYXJ5LXNlY3JldA== for "canary"' },
      );
    creates += 1;
    return creates === 1 ? lost : answered(201, { pk: 'p', ...(JSON.parse(body) as object) });
  };
}

async function logOf(options: object, env: Readonly<Record<string, string>>): Promise<string> {
  const answer = service();
  const { context, stderr } = capture({
    contractOnly: true,
    files,
    url: 'http://127.0.0.1:9',
    env: { SECRET: 'canary-secret', ROLLCALL_TOKEN: 'canary-token', ...env },
    clock: virtualClock(),
    transport: async (request) => answer(request),
  });
  await apply(['m.yaml'], { output: 'json', yes: true, concurrency: '1', ...options }, context);
  return stderr();
}

describe('the log of requests', () => {
  test.each([
    [{ verbose: true }, {}],
    [{}, { ROLLCALL_LOG: 'debug' }],
  ])('has each request in a line: %j %j', async (options, env) => {
    const lines = (await logOf(options, env)).split('\n').filter((line) => /^\d{4}-/.test(line));
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'GET /api/v3/core/applications/wiki/ 404 0 ms request id id-1',
      'POST /api/v3/core/applications/ wiki no complete answer: the connection was reset 0 ms',
      'GET /api/v3/core/applications/wiki/ 404 0 ms attempt 2 request id id-1',
      'POST /api/v3/core/applications/ wiki 201 0 ms attempt 2',
      String.raw`POST /api/v3/core/users/ a\u{202e}b 400 0 ms`,
    ]);
  });

  test('has each request in a line of JSON if requested', async () => {
    const log = await logOf({}, { ROLLCALL_LOG: 'json' });
    const lines = log.split('\n').filter((line) => line.startsWith('{'));
    expect(lines).toHaveLength(5);
    expect(JSON.parse(lines[3] ?? '')).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      level: 'debug',
      message: 'request',
      method: 'POST',
      path: '/api/v3/core/applications/',
      name: 'wiki',
      status: 201,
      duration_ms: 0,
      attempt: 2,
    });
  });

  test('contains no token, no secret and no body', async () => {
    for (const env of [{ ROLLCALL_LOG: 'debug' }, { ROLLCALL_LOG: 'json' }]) {
      const log = await logOf({}, env);
      expect(log).toContain('/api/v3/core/users/');
      expect(log).not.toMatch(/canary|Y2Fu|meta_description/);
    }
  });

  test('is not written unless requested', async () => {
    expect(await logOf({}, {})).not.toMatch(/\d ms/);
  });

  test('has only the formats debug and json', async () => {
    await expect(logOf({}, { ROLLCALL_LOG: 'loud' })).rejects.toMatchObject({
      hint: 'Use debug or json.',
    });
  });
});

test('the log counts the attempts of each create by its name, and hides names only in the paths of hidden references', async () => {
  const logged: string[] = [];
  const send = withRequestLog(
    async () => answered(200),
    virtualClock(),
    ({ path, attempt }) => logged.push(`${path} ${attempt}`),
    ['user.groups'],
  );
  const users = '/api/v3/core/users/';
  const groups = '/api/v3/core/groups/';
  for (const username of ['a', 'b', 'a'])
    await send({ method: 'POST', path: users, body: JSON.stringify({ username }) });
  for (const below of ['', 'g1/', '?name=x']) await send({ method: 'GET', path: groups + below });
  expect(logged).toEqual([
    `${users} 1`,
    `${users} 1`,
    `${users} 2`,
    `${groups} 1`,
    `${groups}(hidden)/ 1`,
    `${groups}?(hidden) 1`,
  ]);
});

test('a failed exchange names its request, without secrets and hidden names', async () => {
  const send = withRequestNames(async () => answered(500), redactorOf(['s3cret-name']), ['user.groups']);
  const named = async (request: HttpRequest): Promise<string | undefined> => (await send(request)).request;
  const users = '/api/v3/core/users/';
  expect(await named({ method: 'GET', path: `${users}?username=s3cret-name` })).toBe(
    `GET ${users}?username=(sensitive)`,
  );
  expect(await named({ method: 'POST', path: users, body: '{"username":"alice"}' })).toBe(
    `POST ${users} alice`,
  );
  expect(await named({ method: 'GET', path: '/api/v3/core/groups/?name=x' })).toBe(
    'GET /api/v3/core/groups/?(hidden)',
  );
});

test.each([
  [200, undefined],
  [404, undefined],
  [302, 'GET /'],
  [403, 'GET /'],
  [429, 'GET /'],
])('an exchange with the status %i names its request: %s', async (status, name) => {
  const send = withRequestNames(async () => answered(status), redactorOf([]));
  expect((await send({ method: 'GET', path: '/' })).request).toBe(name);
});
