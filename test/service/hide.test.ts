import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import { readAnswer } from '../../src/service/answer.ts';
import { createClient } from '../../src/service/client.ts';
import { complaintsOf } from '../../src/service/complaints.ts';
import { hiding } from '../../src/service/hide.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { answered } from '../support/scripted-transport.ts';

const hide = ['user.name', 'user.email', 'user.attributes', 'application.meta_publisher'];

/** What is told of an answer to the create of a user. */
async function told(sent: JsonObject, exchange: Exchange): Promise<Exchange> {
  const send = hiding(async () => exchange, hide);
  return send({ method: 'POST', path: user.path, body: JSON.stringify({ username: 'al', ...sent }) });
}

async function said(sent: JsonObject, body: JsonObject): Promise<string[]> {
  const answer = readAnswer(await told(sent, answered(400, body)), user, 'al');
  return complaintsOf(answer).map(({ field = '', texts }) => `${field}: ${texts.join(' ')}`);
}

describe('what the service says of a create', () => {
  test.each([
    [
      'a short value',
      { name: 'Al' },
      'Al is invalid, and so is "Al".',
      '(hidden) is invalid, and so is "(hidden)".',
    ],
    ['a number', { attributes: { floor: 7 } }, 'on floor 7, not 17', 'on (hidden) (hidden), not 17'],
    ['a name in it', { attributes: { canary: true } }, 'canary: true', '(hidden): true'],
    ['an item of a list', { attributes: { x: [['B2']] } }, '(B2)', '((hidden))'],
    ['another case', { email: 'Zoe@EXAMPLE.org' }, 'ZOE@example.org is taken', '(hidden) is taken'],
    ['a word of a name', { name: 'Zoe van Canary' }, 'Canary, zoe', '(hidden), (hidden)'],
    [
      'a piece of a long text',
      { name: 'the canary sings '.repeat(3) },
      'at "canary sings the"',
      'at "(hidden)"',
    ],
    ['its escapes', { name: 'Zoë Canary' }, String.raw`Zo\u00eb Canary`, '(hidden)'],
    ['base64', { email: 'canary@example.org' }, btoa('canary@example.org'), '(hidden)'],
    ['no value', { name: '' }, 'This field may not be blank.', 'This field may not be blank.'],
    ['a mark', { name: '-' }, 'a-b', 'a-b'],
  ])('holds nothing hidden where it repeats %s', async (_, sent, words, safe) => {
    expect(await said(sent, { username: [words], non_field_errors: words })).toEqual([
      `username: ${safe}`,
      `: ${safe}`,
    ]);
  });

  test('of a hidden field is dropped, and of another is kept', async () => {
    const body = {
      email: ['Enter a valid address.'],
      attributes: { x: ['No.'] },
      groups: { 0: ['Invalid pk.'] },
    };
    expect(await said({ email: 'x' }, body)).toEqual([
      'email: (hidden)',
      'attributes: (hidden)',
      'groups: Invalid pk.',
    ]);
  });

  test('is understood as it was said', async () => {
    const refused = await told(
      { name: 'denied' },
      answered(400, { code: 'denied_license', detail: 'denied' }),
    );
    expect(readAnswer(refused, user, 'al').kind).toBe('read_only');
    const taken = await told({ name: 'username' }, answered(400, { username: ['No.'] }));
    expect(readAnswer(taken, user, 'al').kind).toBe('identity_refused');
    const waits = await told(
      { attributes: { x: 7 } },
      answered(429, { detail: '7 s' }, { 'retry-after': '7' }),
    );
    expect(readAnswer(waits, user, 'al')).toMatchObject({ retryAfter: '7', body: { detail: '(hidden) s' } });
  });

  test('has a request id without it, and one that the service made up as it is', async () => {
    const id = '0123456789abcdef0123456789abcdef';
    const requestId = async (given: string): Promise<string | undefined> => {
      const exchange = await told({ name: 'a' }, answered(400, {}, { 'x-authentik-id': given }));
      return readAnswer(exchange, user, 'al').requestId;
    };
    expect(await requestId(id)).toBe(id);
    expect(await requestId('for a')).toBe('for (hidden)');
  });

  test('leads nowhere that it names', async () => {
    const moved = await told({ name: 'canary' }, answered(302, '', { location: 'https://canary.example/' }));
    expect(JSON.stringify(moved)).not.toContain('canary');
  });

  test('is not in the error where nothing whole was said', async () => {
    const error = new Error('got canary');
    expect(await told({ name: 'canary' }, { kind: 'lost', error })).toMatchObject({
      error: { message: 'got (hidden)' },
    });
  });

  test.each([
    [{ name: 'Al' }, 'got al'],
    [{ name: 'Zoe van Canary' }, 'got ZOE'],
    [{ attributes: { x: 7 } }, 'got 7'],
  ])('is not in the error either as a word alone: %j', async (sent, message) => {
    const lost = await told(sent, { kind: 'lost', error: new Error(message) });
    expect(lost).toMatchObject({ error: { message: 'got (hidden)' } });
  });

  test('is not in a number of the answer', async () => {
    expect(await said({ attributes: { x: 7 } }, { username: [7, 17] })).toEqual(['username: (hidden) 17']);
  });

  test('is left alone where it is a record, or no JSON, or nothing is hidden', async () => {
    const record = answered(201, { pk: 1, username: 'al', name: 'canary' });
    expect(await told({ name: 'canary' }, record)).toBe(record);
    const page = answered(502, '<p>canary</p>');
    expect(await told({ name: 'canary' }, page)).toEqual(page);
  });
});

test('what is said of a read names no hidden field either', async () => {
  const send = hiding(async () => answered(400, { meta_publisher: ['canary'], slug: ['No.'] }), hide);
  const { answer } = await createClient(send).read(application, 'wiki');
  expect(answer.body).toEqual({ meta_publisher: '(hidden)', slug: ['No.'] });
});

test('a request that is about no record stays as it is', async () => {
  const exchange = answered(403, { detail: 'canary', name: 'canary' });
  expect(await hiding(async () => exchange, hide)({ method: 'GET', path: '/api/v3/root/config/' })).toBe(
    exchange,
  );
});

describe('what the service holds in a hidden field, as it was read before,', () => {
  const held = { pk: 5, username: 'al', name: 'Al Canary', email: 'canary-held@example.org', path: 'p' };
  const refused = answered(400, { detail: 'canary-held@example.org of AL CANARY, in p' });

  async function afterReading(read: Exchange, request: Partial<HttpRequest>): Promise<string> {
    const answers = [read, refused];
    const send = hiding(async () => answers.shift() ?? refused, hide);
    await send({ method: 'GET', path: `${user.path}?page=1` });
    const exchange = await send({ method: 'GET', path: user.path, ...request });
    return exchange.kind === 'answered' ? exchange.body : '';
  }

  test.each<[string, Partial<HttpRequest>]>([
    ['a change', { method: 'PATCH', path: `${user.path}5/`, body: '{"name":"New"}' }],
    ['another look-up', { path: `${user.path}?username=al` }],
    ['a create', { method: 'POST', body: '{"username":"al"}' }],
  ])('is in no answer to %s', async (_, request) => {
    const safe = '{"detail":"(hidden) of (hidden), in p"}';
    expect(await afterReading(answered(200, { results: [held] }), request)).toBe(safe);
    expect(await afterReading(answered(200, held), request)).toBe(safe);
  });

  test('is kept apart from what other records hold', async () => {
    const others = { ...held, pk: 6, username: 'other' };
    const about = { method: 'PATCH', path: `${user.path}5/`, body: '{}' } as const;
    expect(await afterReading(answered(200, others), about)).toContain('canary');
  });
});

test('what the service holds of an application is in no answer to its change', async () => {
  const held = { pk: 'x', slug: 'wiki', name: 'Wiki', meta_publisher: 'canary' };
  const answers = [answered(200, held), answered(403, { detail: 'not with canary' })];
  const send = hiding(async () => answers.shift() ?? answered(500), hide);
  await send({ method: 'GET', path: `${application.path}wiki/` });
  expect(await send({ method: 'PATCH', path: `${application.path}wiki/`, body: '{}' })).toMatchObject({
    body: '{"detail":"not with (hidden)"}',
  });
});
