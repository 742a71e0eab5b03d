import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { redactorOf } from '../../src/base/redactor.ts';
import { application } from '../../src/kinds/application.ts';
import { Client } from '../../src/service/client.ts';
import { withRedaction, withoutSecrets } from '../../src/service/redact.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { answered } from '../support/scripted-transport.ts';

const secret = 'tok-"SECRET"+/123';
const request = { method: 'GET', path: '/' } as const;

function redacted(exchange: Exchange, ...secrets: string[]): Promise<Exchange> {
  return withRedaction(async () => exchange, [secret, ...secrets])(request);
}

function withBody(status: number, body: string): Exchange {
  return { kind: 'answered', status, headers: {}, body };
}

describe('a token that an answer repeats', () => {
  test('is masked in any part of the answer', async () => {
    const echo = answered(
      403,
      { detail: `bad header: Bearer ${secret}` },
      { location: `https://x/?t=${secret}` },
    );
    expect(await redacted(echo)).toEqual(
      answered(403, { detail: 'bad header: Bearer (sensitive)' }, { location: 'https://x/?t=(sensitive)' }),
    );
  });

  test.each([
    ['as JSON escapes it', JSON.stringify(secret)],
    ['with more escapes than JSON needs', '"tok-\\u0022SECRET\\u0022\\u002b\\/123"'],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ token: secret }))],
    ['in a URL', JSON.stringify(`/?token=${encodeURIComponent(secret)}`)],
    ['in base64', JSON.stringify(`Basic ${btoa(secret)}`)],
  ])('is masked in a text of a refusal %s', async (_form, text) => {
    const cleaned = await redacted(withBody(400, `{"name":[${text}]}`));
    expect(cleaned).toMatchObject({ body: expect.stringContaining('(sensitive)') as string });
    expect(JSON.stringify(cleaned)).not.toMatch(/SECRET|NFQ1JFV/);
  });

  test('is masked as the name of a field, and in the value of the field', async () => {
    const body = `{"name":{"tok-\\u0022SECRET\\u0022\\u002b\\/123":["x"]},"tok-\\"SECRET\\"\\u002b/123":["y"]}`;
    expect(await redacted(withBody(400, body))).toMatchObject({
      body: '{"name":{"(sensitive)":["x"]},"(sensitive)":["y"]}',
    });
  });

  test('is masked in a text that is not JSON', async () => {
    expect(await redacted(withBody(502, `<p>${secret}</p>`))).toMatchObject({ body: '<p>(sensitive)</p>' });
  });

  test('is masked without changing other escaped strings', async () => {
    const body = '{ "detail": "caf\\u00e9 \\/" }';
    expect(await redacted(withBody(404, body))).toMatchObject({ body });
  });
});

describe('a field name of the API', () => {
  test('is kept even if a header has the same value', async () => {
    const body = { provider: ['provider'] };
    expect(await redacted(answered(400, body), 'provider')).toMatchObject({
      body: '{"provider":["(sensitive)"]}',
    });
  });
});

describe('a record that contains the value of a header', () => {
  const record = { pk: 'team-identity-1', slug: 'wiki-identity', name: 'Wiki by team-identity', group: '' };

  test('is compared unmasked', async () => {
    const send = withRedaction(async () => answered(200, record), ['identity', 'team-identity']);
    const reading = await new Client(send).read({ kind: application, name: 'wiki-identity' });
    expect(reading).toMatchObject({
      proof: 'exists',
      held: { fields: { name: 'Wiki by team-identity' } },
    });
  });

  test('has the value masked in the id and in the answer', async () => {
    const send = withRedaction(async () => answered(200, record), ['identity', 'team-identity']);
    const reading = await new Client(send).read({ kind: application, name: 'wiki-identity' });
    expect(reading).toMatchObject({ held: { pk: '(sensitive)-1' } });
    expect(JSON.stringify(reading.answer)).not.toContain('identity');
  });
});

describe('a token in an error', () => {
  test('is masked', async () => {
    const error = new Error(`header ${secret}`);
    expect(await redacted({ kind: 'lost', error })).toMatchObject({
      error: { message: 'header (sensitive)' },
    });
  });

  test("is masked if the error's message is read-only, as after a time-out", async () => {
    const error = new DOMException(`no answer to ${secret}`, 'TimeoutError');
    expect(await redacted({ kind: 'lost', error })).toMatchObject({
      error: { name: 'TimeoutError', message: 'no answer to (sensitive)' },
    });
  });

  test('is masked in everything that an inspection of the error shows', async () => {
    const cause = new AggregateError([new Error(secret)], secret, { cause: new Error(secret) });
    const error = Object.assign(new Error('outside', { cause }), { data: `HTTP/1.1 200 ${secret}` });
    const { error: cleaned } = (await redacted({ kind: 'lost', error })) as { error: Error };
    expect(inspect(cleaned, { depth: 9 })).not.toContain('SECRET');
    expect(cleaned).toMatchObject({
      cause: { message: '(sensitive)', errors: [{ message: '(sensitive)' }] },
    });
  });
});

describe('the secrets of a manifest', () => {
  const text = 'canary-manifest';
  const masked = '(sensitive)';
  test.each<[string, Exchange, object]>([
    ['masked in a refusal', answered(400, { name: [text] }), { body: `{"name":["${masked}"]}` }],
    ['kept in a record', answered(200, { slug: text }), { body: `{"slug":"${text}"}` }],
    ['masked in a header', answered(200, {}, { link: text }), { headers: { link: masked } }],
    ['masked in an error', { kind: 'lost', error: new Error(text) }, { error: { message: masked } }],
  ])('are %s', async (_, exchange, cleaned) => {
    const send = withRedaction(async () => exchange, [], redactorOf([text]));
    expect(await send(request)).toMatchObject(cleaned);
  });

  test('are masked in messages, but not in names of fields', () => {
    const body = { name: ['hunter2 is no name', 'nor "hunter2!"'], detail: 'fine' };
    expect(
      withoutSecrets({ kind: 'fields_refused', status: 400, body }, ['hunter2', 'hunter2!', 'name']).body,
    ).toEqual({ name: ['(sensitive) is no (sensitive)', 'nor "(sensitive)"'], detail: 'fine' });
  });

  test('are masked in names within a field, and in names of fields that the API does not have', () => {
    const body = { attributes: { 'hunter2!': [{ hunter2: 'x' }] }, 'for hunter2': ['y'] };
    expect(
      withoutSecrets({ kind: 'fields_refused', status: 400, body }, ['hunter2', 'hunter2!']).body,
    ).toEqual({ attributes: { '(sensitive)': [{ '(sensitive)': 'x' }] }, 'for (sensitive)': ['y'] });
  });

  test('are masked in URL encoding', () => {
    const body = { detail: 'see ?p=hunter%202%2F%C3%BC' };
    expect(withoutSecrets({ kind: 'denied', status: 403, body }, ['hunter 2/ü']).body).toEqual({
      detail: 'see ?p=(sensitive)',
    });
  });

  test('cause a whole string to be masked if they are too short to search for', () => {
    const body = { name: ['no more than 150 characters', 'fine'] };
    expect(withoutSecrets({ kind: 'fields_refused', status: 400, body }, ['1']).body).toEqual({
      name: ['(sensitive)', 'fine'],
    });
  });

  test('are masked in the id of a request and the target of a redirect', () => {
    const answer = {
      kind: 'redirect',
      status: 302,
      requestId: 'hunter22',
      redirectOrigin: 'https://hunter22',
    };
    expect(withoutSecrets({ ...answer, kind: 'redirect' }, ['hunter22'])).toMatchObject({
      requestId: '(sensitive)',
      redirectOrigin: 'https://(sensitive)',
    });
  });
});
