import { expect, test } from 'vitest';
import { kindOf } from '../../src/kinds/all.ts';
import { withFormerPaths } from '../../src/service/former-paths.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { refused } from '../support/scripted-transport.ts';

const { path, formerPath } = kindOf('property_mapping', 'scopemapping');
const former = formerPath?.path ?? expect.fail();

const page = (status: number): Exchange => ({
  kind: 'answered',
  status,
  headers: { 'content-type': 'text/html' },
  body: '',
});
const json = (status: number): Exchange => ({
  kind: 'answered',
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '{}',
});

/** The paths of the requests that are sent for these answers, and the results. */
async function asked(
  answers: Readonly<Record<string, Exchange>>,
  ...requests: HttpRequest[]
): Promise<{ sent: string[]; statuses: (number | string)[] }> {
  const sent: string[] = [];
  const send = withFormerPaths(async (request) => {
    sent.push(`${request.method} ${request.path}`);
    return answers[request.path] ?? page(404);
  });
  const statuses: (number | string)[] = [];
  for (const request of requests) {
    const exchange = await send(request);
    statuses.push(exchange.kind === 'answered' ? exchange.status : exchange.kind);
  }
  return { sent, statuses };
}

const list: HttpRequest = { method: 'GET', path };

test('a service of an earlier release is requested at the path of that release, and later requests use this path', async () => {
  const answers = { [former]: json(200), [`${former}1/`]: json(404) };
  const { sent, statuses } = await asked(answers, list, { method: 'PATCH', path: `${path}1/`, body: '{}' });
  expect(sent).toEqual([`GET ${path}`, `GET ${former}`, `PATCH ${former}1/`]);
  expect(statuses).toEqual([200, 404]);
});

test("after an answer at the present path, a proxy's 404 sends no create to the path of an earlier release", async () => {
  const sent: string[] = [];
  const send = withFormerPaths(async ({ method, path: to }) => {
    sent.push(`${method} ${to}`);
    return method === 'GET' ? json(200) : page(404);
  });
  await send(list);
  expect(await send({ method: 'POST', path, body: '{}' })).toEqual(page(404));
  expect(sent).toEqual([`GET ${path}`, `POST ${path}`]);
});

test.each([
  ['a page with 502', page(502)],
  ['a page with 421', page(421)],
  ['a page with 200', page(200)],
  ['JSON with 503', json(503)],
  ['JSON with 421', json(421)],
  ['JSON with 429', json(429)],
])(
  'the path of an earlier release is not used again if only a proxy answers there, with %s',
  async (_, answer) => {
    const answers = { [path]: page(404), [former]: answer };
    const { sent } = await asked(answers, list, list);
    expect(sent).toEqual([`GET ${path}`, `GET ${former}`, `GET ${path}`, `GET ${former}`]);
  },
);

test('the path of an earlier release is not requested after an interruption', async () => {
  const interrupt = new AbortController();
  const sent: string[] = [];
  const send = withFormerPaths(async (request) => {
    sent.push(request.path);
    interrupt.abort();
    return page(404);
  });
  expect(await send(list, interrupt.signal)).toEqual(page(404));
  expect(sent).toEqual([path]);
});

test('a create whose answer is lost at the path of an earlier release counts as lost', async () => {
  const answers = { [path]: page(404), [former]: { kind: 'lost', error: new Error('gone') } as const };
  expect((await asked(answers, { method: 'POST', path, body: '{}' })).statuses).toEqual(['lost']);
});

test('a create that could not be sent to the path of an earlier release may have worked at the present path', async () => {
  const answers = { [path]: page(405), [former]: refused };
  expect((await asked(answers, { method: 'POST', path, body: '{}' })).statuses).toEqual([405]);
});

test('a create that is told to wait at the path of an earlier release may have worked at the present path', async () => {
  const slow = { ...page(429), headers: { 'retry-after': '7' } } as const;
  const send = withFormerPaths(async (request) => (request.path === path ? page(405) : slow));
  expect(await send({ method: 'POST', path, body: '{}' })).toMatchObject({
    status: 405,
    headers: { 'retry-after': '7' },
  });
  expect(await send(list)).toMatchObject({ status: 429 });
});

test.each([
  ['GET', 404],
  ['GET', 405],
  ['POST', 404],
] as const)(
  'a request counts as never sent if the path of an earlier release cannot be reached: %s, after status %i',
  async (method, status) => {
    const answers = { [path]: page(status), [former]: refused };
    expect((await asked(answers, { method, path })).statuses).toEqual(['never_sent']);
  },
);

test('a create that gets a 405 at the present path is sent to the path of an earlier release', async () => {
  const answers = { [path]: page(405), [former]: json(201) };
  const { sent, statuses } = await asked(answers, { method: 'POST', path, body: '{}' });
  expect(sent).toEqual([`POST ${path}`, `POST ${former}`]);
  expect(statuses).toEqual([201]);
});

test.each([
  ['an absent record', json(404)],
  ['a refusal', json(400)],
  ['a failure', page(502)],
  ['a lost answer', { kind: 'lost', error: new Error('gone') } as const],
])('after %s, no other path is requested', async (_, answer) => {
  expect((await asked({ [path]: answer, [former]: json(200) }, list)).sent).toEqual([`GET ${path}`]);
});

test('if the service knows neither the present path nor an earlier one, the answer of the present path counts', async () => {
  const { sent, statuses } = await asked({ [path]: page(405) }, list, list);
  expect(sent).toEqual([`GET ${path}`, `GET ${former}`, `GET ${path}`, `GET ${former}`]);
  expect(statuses).toEqual([405, 405]);
});

test('a path that is the same in every release is requested as it is', async () => {
  expect((await asked({}, { method: 'GET', path: '/api/v3/core/users/' })).sent).toEqual([
    'GET /api/v3/core/users/',
  ]);
});

test('if the connection is refused at the path of an earlier release, the result says that the service has answered before', async () => {
  const send = withFormerPaths(async (request) => (request.path === path ? page(404) : refused));
  expect(await send(list)).toEqual({ ...refused, wasAnsweredBefore: true });
});
