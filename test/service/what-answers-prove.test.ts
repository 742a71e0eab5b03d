import { describe, expect, test } from 'vitest';
import { documentedClient } from '../support/documented-client.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { application } from '../../src/kinds/application.ts';
import { group } from '../../src/kinds/group.ts';
import { user } from '../../src/kinds/user.ts';
import { classifyAnswer, classifyRecordAnswer, type Answer } from '../../src/service/answer.ts';
import { documentedOnly } from '../../src/service/documented-only.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { whatAnswersProve } from '../../src/service/what-answers-prove.ts';
import { answerRows, identity } from '../support/answers.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function clientAnsweredWith(exchange: Exchange): Client {
  return documentedClient(scriptedTransport(exchange).send);
}

function toGet(exchange: Exchange): ReturnType<Client['read']> {
  return clientAnsweredWith(exchange).read({ kind: application, name: identity });
}

function toPostApplication(exchange: Exchange): ReturnType<Client['create']> {
  return clientAnsweredWith(exchange).create(application, identity, { slug: identity, name: 'Wiki' });
}

function toPostUser(exchange: Exchange): ReturnType<Client['create']> {
  return clientAnsweredWith(exchange).create(user, identity, { username: identity, name: 'Wiki' });
}

describe('the table of answers', () => {
  describe.each(answerRows)('for $name', ({ exchange, get, postApplication, postUser }) => {
    test(`proves for GET application: ${get}`, async () => {
      expect((await toGet(exchange)).proof).toBe(get);
    });

    test(`proves for POST application: ${postApplication}`, async () => {
      expect((await toPostApplication(exchange)).proof).toBe(postApplication);
    });

    test(`proves for POST user: ${postUser}`, async () => {
      expect((await toPostUser(exchange)).proof).toBe(postUser);
    });
  });

  describe('for GET user with a list', () => {
    const alice = { pk: 7, username: identity, name: 'Alice' };
    const page = (results: readonly (object | null)[], count = results.length, other = {}): object => ({
      pagination: {
        next: 0,
        previous: 0,
        count,
        current: 1,
        total_pages: 1,
        start_index: Math.min(1, count),
        end_index: count,
        ...other,
      },
      results,
    });
    const rows: [string, Exchange, string][] = [
      ['404 with JSON', answered(404, { detail: 'Not found.' }), 'fault'],
      ['405 with JSON', answered(405, { detail: 'no' }), 'fault'],
      ['501', answered(501), 'fault'],
      ['one of that name', answered(200, page([alice])), 'exists'],
      ['none', answered(200, page([])), 'absent'],
      [
        'somebody else: the filter was ignored',
        answered(200, page([{ ...alice, username: 'bob' }])),
        'nothing',
      ],
      ['another case', answered(200, page([{ ...alice, username: identity.toUpperCase() }])), 'nothing'],
      ['two of that name', answered(200, page([alice, { ...alice, pk: 8 }])), 'nothing'],
      ['one of that name, twice', answered(200, page([alice, alice])), 'nothing'],
      [
        'several, that one among them',
        answered(200, page([alice, { ...alice, username: 'bob' }])),
        'nothing',
      ],
      ['none of three', answered(200, page([], 3)), 'nothing'],
      ['one of three', answered(200, page([alice], 3)), 'nothing'],
      [
        'one of three, on the first page',
        answered(200, page([alice], 3, { next: 2, end_index: 1, total_pages: 3 })),
        'nothing',
      ],
      ['one without a pk', answered(200, page([{ username: identity }])), 'nothing'],
      ['something that is no user', answered(200, { ...page([]), results: [null] }), 'nothing'],
      ['one that is null', answered(200, page([null])), 'nothing'],
      ['none, and a page after it', answered(200, page([], 0, { next: 2 })), 'nothing'],
      ['none on a page that was not asked for', answered(200, page([], 0, { current: 2 })), 'nothing'],
      ['none, and its end elsewhere', answered(200, page([], 0, { end_index: 1 })), 'nothing'],
      ['one, and a page after it', answered(200, page([alice], 1, { next: 2 })), 'nothing'],
      ['no pagination', answered(200, { results: [] }), 'nothing'],
      ['no results', answered(200, { pagination: { count: 0 } }), 'nothing'],
      ['a user, and no list', answered(200, alice), 'nothing'],
      ['a list without a page', answered(200, []), 'nothing'],
      ['a list that was created', answered(201, page([])), 'nothing'],
      ['404 in JSON, which no list gives', answered(404, { detail: 'Invalid page.' }), 'fault'],
      ['410 in JSON', answered(410, { detail: 'Gone.' }), 'fault'],
      ['403', answered(403, { detail: 'no' }), 'denied'],
      ['500', answered(500, 'Server Error'), 'nothing'],
      ['429', answered(429, { detail: 'slow down' }), 'nothing'],
    ];
    test.each(rows)('reads this answer: %s', async (_, exchange, proof) => {
      const client = new Client(scriptedTransport(exchange).send);
      expect((await client.read({ kind: user, name: identity })).proof).toBe(proof);
    });

    test('sends no request with contract_only', async () => {
      const { send, requests } = scriptedTransport(answered(200, page([alice])));
      const { proof, answer } = await new Client(documentedOnly(send)).read({ kind: user, name: identity });
      expect({ proof, answer }).toEqual({ proof: 'fault', answer: { kind: 'not_offered' } });
      expect(requests).toEqual([]);
    });

    test('reads a taken name as proof of the record with contract_only, and otherwise requires a look-up', async () => {
      const taken = answered(400, { username: ['taken'] });
      const client = new Client(scriptedTransport(taken).send);
      expect((await client.create(user, identity, { username: identity })).proof).toBe('taken');
      expect((await toPostUser(taken)).proof).toBe('exists');
    });
  });

  test('covers every kind of answer', async () => {
    const met = await Promise.all(
      answerRows.flatMap(({ exchange }) => [
        toGet(exchange),
        toPostApplication(exchange),
        toPostUser(exchange),
      ]),
    );
    const pagination = { count: 0, current: 1, next: 0, start_index: 0, end_index: 0 };
    const empty = answered(200, { pagination, results: [] });
    const two = answered(200, {
      pagination: { ...pagination, count: 2, start_index: 1, end_index: 2 },
      results: [7, 8].map((pk) => ({ pk, name: identity })),
    });
    for (const exchange of [empty, answered(405, { detail: 'no' })])
      met.push(await new Client(scriptedTransport(exchange).send).read({ kind: user, name: identity }));
    met.push(await new Client(scriptedTransport(two).send).read({ kind: group, name: identity }));
    const gone = scriptedTransport({ kind: 'answered', status: 204, headers: {}, body: '' });
    const deleting = new Client(gone.send, { capabilities: ['update'] });
    const deleted = application.access && (await deleting.unbind(application.access.children, '7', 'update'));
    expect(new Set([...met, deleted].map((reading) => reading?.answer.kind))).toEqual(
      new Set(Object.keys(whatAnswersProve)),
    );
  });

  test('does not depend on the wording of the service', async () => {
    const english = answered(400, { slug: ['Application with this slug already exists.'] });
    const french = answered(400, { slug: ['Un objet avec ce slug existe déjà.'] });
    expect((await toPostApplication(french)).proof).toBe((await toPostApplication(english)).proof);
  });
});

describe('the pause after an answer', () => {
  async function pauseAfter(exchange: Exchange): Promise<number> {
    const clock = virtualClock();
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1 });
    const { answer } = await toGet(exchange);
    pacing.note(answer, 1);
    const before = clock.now();
    expect(await pacing.waitForTurn()).toBe(true);
    return clock.now() - before;
  }

  describe.each(answerRows)('of $name', ({ exchange, waits }) => {
    test(`without a duration applies to ${waits === 'always' ? 'all requests, for a while' : 'none'}`, async () => {
      expect(await pauseAfter(exchange)).toBe(waits === 'always' ? 200 : 0);
    });

    if (exchange.kind !== 'answered') return;
    const patient = { ...exchange, headers: { ...exchange.headers, 'retry-after': '7' } };
    test(`with a duration applies to ${waits ? 'all requests, for that time' : 'none'}`, async () => {
      expect(await pauseAfter(patient)).toBe(waits ? 7000 : 0);
    });
  });
});

describe('the kept parts of an answer', () => {
  const headers = {
    'x-authentik-id': 'abc',
    'retry-after': '5',
    location: 'https://elsewhere.example/x?token=1',
  };
  const read = (exchange: Exchange): Answer => classifyRecordAnswer(exchange, application, identity);

  test('are the request id, the Retry-After and the origin of a redirect', () => {
    expect(read(answered(302, '', headers))).toEqual({
      kind: 'redirect',
      status: 302,
      requestId: 'abc',
      retryAfter: '5',
      redirectOrigin: 'https://elsewhere.example',
    });
  });

  test('do not take a 304, which nothing asks for, for a redirect', () => {
    expect(read(answered(304)).kind).toBe('unlisted');
  });

  test('include no origin if an answer with a location is not a redirect', () => {
    expect(read(answered(500, '', headers))).toEqual({
      kind: 'failure',
      status: 500,
      requestId: 'abc',
      retryAfter: '5',
    });
  });

  test.each(['/login/', '', 'https://'])('include no origin if the redirect leads to %j', (location) => {
    expect(read(answered(302, '', { location }))).toEqual({ kind: 'redirect', status: 302 });
  });

  test('include the ids of several records without the secrets that were redacted', () => {
    const page = (pk: string): JsonObject => ({
      pagination: {
        next: 0,
        previous: 0,
        count: 2,
        current: 1,
        total_pages: 1,
        start_index: 1,
        end_index: 2,
      },
      results: [
        { pk, name: 'staff' },
        { pk: 'b', name: 'staff' },
      ],
    });
    const exchange = answered(200, page('(redacted)'));
    const received = { ...exchange, asReceived: JSON.stringify(page('canary')) } as Exchange; // answered() returns an answer
    const expected = { shape: 'list', identity: 'name', name: 'staff', isUnique: false } as const;
    const { kind, ids } = classifyAnswer(received, expected);
    expect([kind, ids]).toEqual(['several', ['(redacted)', 'b']]);
    expect(classifyAnswer(answered(200, page('b')), expected).kind).toBe('unusable_success');
  });

  test('include a body that is an object', () => {
    expect(read(answered(403, { detail: 'no' }))).toEqual({
      kind: 'denied',
      status: 403,
      body: { detail: 'no' },
    });
    expect(read(answered(403, ['no']))).toEqual({ kind: 'denied', status: 403 });
    expect(read(answered(403, '<html>'))).toEqual({ kind: 'denied', status: 403 });
  });

  test('include the error if no answer arrived', () => {
    const error = new Error('no route to host');
    expect(read({ kind: 'never_sent', error, transient: true })).toEqual({
      kind: 'unreachable_for_now',
      error,
    });
    expect(read({ kind: 'never_sent', error, transient: false })).toEqual({
      kind: 'unreachable',
      error,
    });
    expect(read({ kind: 'lost', error })).toEqual({ kind: 'lost', error });
  });
});
