import { describe, expect, test } from 'vitest';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import { readAnswer, type Answer } from '../../src/service/answer.ts';
import { createClient, type Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { whatAnswersProve } from '../../src/service/what-answers-prove.ts';
import { answerRows, identity } from '../support/answers.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function clientAnsweredWith(exchange: Exchange): Client {
  return createClient(scriptedTransport(exchange).send);
}

function toGet(exchange: Exchange): ReturnType<Client['read']> {
  return clientAnsweredWith(exchange).read(application, identity);
}

function toPostApplication(exchange: Exchange): ReturnType<Client['create']> {
  return clientAnsweredWith(exchange).create(application, identity, { slug: identity, name: 'Wiki' });
}

function toPostUser(exchange: Exchange): ReturnType<Client['create']> {
  return clientAnsweredWith(exchange).create(user, identity, { username: identity, name: 'Wiki' });
}

describe('what an answer proves', () => {
  describe.each(answerRows)('$name', ({ exchange, get, postApplication, postUser }) => {
    test(`to GET application: ${get}`, async () => {
      expect((await toGet(exchange)).proof).toBe(get);
    });

    test(`to POST application: ${postApplication}`, async () => {
      expect((await toPostApplication(exchange)).proof).toBe(postApplication);
    });

    test(`to POST user: ${postUser}`, async () => {
      expect((await toPostUser(exchange)).proof).toBe(postUser);
    });
  });

  test('is told above of every kind of answer', async () => {
    const met = await Promise.all(
      answerRows.flatMap(({ exchange }) => [
        toGet(exchange),
        toPostApplication(exchange),
        toPostUser(exchange),
      ]),
    );
    expect(new Set(met.map(({ answer }) => answer.kind))).toEqual(new Set(Object.keys(whatAnswersProve)));
  });

  test('does not change with the wording of the service', async () => {
    const english = answered(400, { slug: ['Application with this slug already exists.'] });
    const french = answered(400, { slug: ['Un objet avec ce slug existe déjà.'] });
    expect((await toPostApplication(french)).proof).toBe((await toPostApplication(english)).proof);
  });
});

describe('who waits after an answer', () => {
  async function pauseAfter(exchange: Exchange): Promise<number> {
    const clock = virtualClock();
    const pacing = createPacing({ concurrency: 1, clock, random: () => 1 });
    const { answer } = await toGet(exchange);
    pacing.note(answer, 1);
    const before = clock.now();
    expect(await pacing.turn()).toBe(true);
    return clock.now() - before;
  }

  describe.each(answerRows)('$name', ({ exchange, waits }) => {
    test(`${waits === 'always' ? 'everybody, a while' : 'nobody'}, when it does not tell how long`, async () => {
      expect(await pauseAfter(exchange)).toBe(waits === 'always' ? 200 : 0);
    });

    if (exchange.kind !== 'answered') return;
    const patient = { ...exchange, headers: { ...exchange.headers, 'retry-after': '7' } };
    test(`${waits ? 'everybody, as long as told' : 'nobody'}, when it tells how long`, async () => {
      expect(await pauseAfter(patient)).toBe(waits ? 7000 : 0);
    });
  });
});

describe('what is kept of an answer', () => {
  const headers = {
    'x-authentik-id': 'abc',
    'retry-after': '5',
    location: 'https://elsewhere.example/x?token=1',
  };
  const read = (exchange: Exchange): Answer => readAnswer(exchange, application, identity);

  test('are the request id, the Retry-After and the origin of a redirect', () => {
    expect(read(answered(302, '', headers))).toStrictEqual({
      kind: 'redirect',
      status: 302,
      requestId: 'abc',
      retryAfter: '5',
      redirectOrigin: 'https://elsewhere.example',
    });
  });

  test('is no origin of an answer that is no redirect, though it names a location', () => {
    expect(read(answered(500, '', headers))).toStrictEqual({
      kind: 'failure',
      status: 500,
      requestId: 'abc',
      retryAfter: '5',
    });
  });

  test.each(['/login/', '', 'https://'])('is no origin of a redirect to %j', (location) => {
    expect(read(answered(302, '', { location }))).toStrictEqual({ kind: 'redirect', status: 302 });
  });

  test('is a body that is an object', () => {
    expect(read(answered(403, { detail: 'no' }))).toStrictEqual({
      kind: 'denied',
      status: 403,
      body: { detail: 'no' },
    });
    expect(read(answered(403, ['no']))).toStrictEqual({ kind: 'denied', status: 403 });
    expect(read(answered(403, '<html>'))).toStrictEqual({ kind: 'denied', status: 403 });
  });

  test('is the error when none came', () => {
    const error = new Error('no route to host');
    expect(read({ kind: 'never_sent', error, transient: true })).toStrictEqual({
      kind: 'unreachable_for_now',
      error,
    });
    expect(read({ kind: 'never_sent', error, transient: false })).toStrictEqual({
      kind: 'unreachable',
      error,
    });
    expect(read({ kind: 'lost', error })).toStrictEqual({ kind: 'lost', error });
  });
});
