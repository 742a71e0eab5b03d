import { describe, expect, test } from 'vitest';
import { documentedClient } from '../support/documented-client.ts';
import { creationOf } from '../support/creation.ts';
import { createRecord, type NewRecord } from '../../src/apply/create.ts';
import type { RunControl, WriteResult } from '../../src/apply/settle.ts';
import { kindOf } from '../../src/kinds/all.ts';
import type { Answer } from '../../src/service/answer.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { answerRows, identity } from '../support/answers.ts';
import { away, pacingWhileAway } from '../support/away.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered, lost, refused, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const application = creationOf('application', 'wiki', 'Wiki');
const user = creationOf('user', 'alice', 'Alice');

const made = { pk: 'p1', slug: 'wiki', username: 'alice' };
const created = answered(201, { ...made, name: 'Wiki' });
const bare = answered(201, made);
const found = answered(200, { pk: 'p0', slug: 'wiki' });
const absent = answered(404, { detail: 'Not found.' });
const slugTaken = answered(400, { slug: ['taken'] });
const slugAndMore = answered(400, { slug: ['taken'], provider: ['This field must be unique.'] });
const usernameTaken = answered(400, { username: ['taken'] });
const invalid = answered(400, { name: ['no'] });
const denied = answered(403, { detail: 'no' });
const readOnly = answered(400, { detail: 'Request denied.', code: 'denied_license' });
const crash = answered(405);

/** The answer to another resource. It makes all requests wait for an hour. */
const hourLong: Answer = { kind: 'slow_down', retryAfter: '3600' };

/** The control of a run without other resources. */
const alone: RunControl = { stop: () => {}, sending: () => {}, mayBegin: () => true, mayRetry: () => true };

interface Traced extends WriteResult {
  /** The reported stop; undefined if there was none. */
  readonly stop: Parameters<RunControl['stop']>[0] | undefined;
  readonly methods: string;
  readonly sleeps: number[];
}

function settle(creation: NewRecord, ...answers: Exchange[]): Promise<Traced> {
  return settleUnless(new AbortController().signal, creation, ...answers);
}

async function settleUnless(
  signal: AbortSignal,
  creation: NewRecord,
  ...answers: Exchange[]
): Promise<Traced> {
  const transport = scriptedTransport(...answers);
  const clock = virtualClock();
  let stop: Traced['stop'];
  const settled = await createRecord(creation, {
    client: documentedClient(transport.send),
    pacing: createPacing({ concurrency: 1, clock, random: () => 1, signal }),
    control: { ...alone, stop: (scope) => (stop = scope) },
  });
  expect(transport.requests).toHaveLength(answers.length);
  return {
    ...settled,
    stop,
    methods: transport.requests.map(({ method }) => method).join(' '),
    sleeps: [...clock.sleeps],
  };
}

describe('a create of an application', () => {
  const slowDown = (seconds: number): Exchange => answered(429, '', { 'retry-after': String(seconds) });
  const redirect = answered(302, '', { location: 'https://elsewhere.example/' });
  const failing = answered(502);

  test.each<[name: string, answers: readonly Exchange[], expected: object]>([
    [
      'with a 201 ends as created',
      [created],
      { outcome: 'created', held: { pk: 'p1' }, attempts: 1, sleeps: [] },
    ],
    [
      'with a 201 that lacks a sent field is looked up',
      [bare, answered(200, { ...made, name: 'Other' })],
      { outcome: 'created', held: { pk: 'p1', fields: { name: 'Other' } }, methods: 'POST GET' },
    ],
    [
      'with a 201 that lacks even an id is looked up',
      [answered(201, { slug: 'wiki' }), answered(200, { ...made, name: 'Other' })],
      { outcome: 'created', held: { pk: 'p1', fields: { name: 'Other' } }, methods: 'POST GET' },
    ],
    [
      'with a 201 that lacks a sent field ends as created if another record is found',
      [bare, answered(200, { ...made, pk: 'p0', name: 'Other' })],
      { outcome: 'created', held: { pk: 'p1', fields: { slug: 'wiki' } }, inDoubt: false },
    ],
    [
      'with a 201 that lacks a sent field ends as created if nothing is found',
      [bare, absent],
      { outcome: 'created', held: { pk: 'p1', fields: { slug: 'wiki' } }, inDoubt: false },
    ],
    [
      'with a refused field ends as rejected, without a retry',
      [invalid],
      { outcome: 'rejected', attempts: 1 },
    ],
    [
      'with a taken slug ends as exists if the record is found',
      [slugTaken, found],
      { outcome: 'exists', inDoubt: false, answer: { status: 400 }, held: { pk: 'p0' }, methods: 'POST GET' },
    ],
    [
      'with a refused slug and another refused field ends as exists if the record is found',
      [slugAndMore, found],
      { outcome: 'exists', inDoubt: false, answer: { status: 400 }, held: { pk: 'p0' } },
    ],
    [
      'with a refused slug and another refused field ends as rejected if the record is absent',
      [slugAndMore, absent],
      { outcome: 'rejected', answer: { status: 400 }, attempts: 1 },
    ],
    [
      'with a refused slug and another refused field ends as rejected if the record cannot be looked up',
      [slugAndMore, denied],
      { outcome: 'rejected', answer: { status: 400 }, attempts: 1 },
    ],
    ['with a slug taken by a hidden record ends in conflict', [slugTaken, absent], { outcome: 'conflict' }],
    [
      'with a taken slug ends in conflict if the token may not look up the record',
      [slugTaken, denied],
      { outcome: 'conflict', answer: { status: 400 } },
    ],
    [
      "with a taken slug ends as unknown with the look-up's answer if the look-up fails",
      [slugTaken, failing, failing, failing, failing, failing],
      { outcome: 'unknown', answer: { status: 502 } },
    ],
    [
      'with a denial by a proxy ends as exists, in doubt, if the record is found',
      [answered(403, '<html>'), found],
      { outcome: 'exists', inDoubt: true, held: { pk: 'p0' }, methods: 'POST GET', stop: 'type' },
    ],
    [
      'with a 404 of a proxy ends as exists, in doubt, if the record is found',
      [answered(404, '<html>'), found],
      { outcome: 'exists', inDoubt: true, held: { pk: 'p0' }, methods: 'POST GET', stop: 'run' },
    ],
    [
      'with a denial by a proxy ends as denied if the record is absent',
      [answered(401, '<html>'), absent],
      { outcome: 'denied', inDoubt: false, answer: { status: 401 }, attempts: 1, stop: 'type' },
    ],
    [
      'that is denied stops the creation of further applications',
      [denied],
      { outcome: 'denied', stop: 'type' },
    ],
    [
      'that the licence does not allow ends as not attempted, and stops further applications',
      [readOnly],
      { outcome: 'not_attempted', attempts: 1, stop: 'type' },
    ],
    [
      'that crashes the service is looked up before a retry',
      [crash, absent, created],
      { outcome: 'created', attempts: 2, methods: 'POST GET POST', sleeps: [200] },
    ],
    [
      'that crashes the service ends as exists, in doubt, if the record is found',
      [crash, found],
      { outcome: 'exists', inDoubt: true, answer: { status: 405 }, held: { pk: 'p0' }, methods: 'POST GET' },
    ],
    [
      'that finds its slug taken after a lost answer ends as exists, in doubt',
      [lost, absent, slugTaken, found],
      { outcome: 'exists', inDoubt: true, held: { fields: { slug: 'wiki' } } },
    ],
    [
      'that finds its slug taken after a request that was never sent is not in doubt',
      [refused, slugTaken, found],
      { inDoubt: false },
    ],
    ['with a lost answer ends as unknown if the look-up is denied', [lost, denied], { outcome: 'unknown' }],
    ['that is refused after a lost answer ends as unknown', [lost, absent, invalid], { outcome: 'unknown' }],
    ['that is denied after a lost answer ends as unknown', [lost, absent, denied], { outcome: 'unknown' }],
    [
      'that the licence does not allow after a lost answer ends as unknown',
      [lost, absent, readOnly],
      { outcome: 'unknown' },
    ],
    [
      'whose slug is taken and hidden after a lost answer ends as unknown',
      [lost, absent, slugTaken, absent],
      { outcome: 'unknown' },
    ],
    [
      'ends as unknown after three lost answers',
      [lost, absent, lost, absent, lost, absent],
      { outcome: 'unknown', attempts: 3, methods: 'POST GET POST GET POST GET', sleeps: [200, 400] },
    ],
    [
      'is retried without a look-up if it was never sent',
      [refused, created],
      { outcome: 'created', methods: 'POST POST' },
    ],
    [
      'ends as not attempted if it could not be sent',
      [refused, refused, refused],
      { outcome: 'not_attempted', attempts: 3 },
    ],
    [
      'waits exactly as long as the service asks',
      [slowDown(7), created],
      { outcome: 'created', sleeps: [200, 6800] },
    ],
    [
      'waits as long as a 503 asks before its look-up',
      [answered(503, '', { 'retry-after': '7' }), absent, created],
      { methods: 'POST GET POST', sleeps: [7000, 200] },
    ],
    [
      'waits as long as a 502 asks before its look-up',
      [answered(502, '', { 'retry-after': '7' }), absent, created],
      { methods: 'POST GET POST', sleeps: [7000, 200] },
    ],
    [
      'ends as not attempted, with the answer, when the service asks for a pause of an hour',
      [slowDown(3600)],
      {
        outcome: 'not_attempted',
        answer: { status: 429, retryAfter: '3600' },
        attempts: 1,
        stop: 'pause',
      },
    ],
    [
      'stops the run if the base URL is wrong',
      [answered(404, '<!DOCTYPE html>'), answered(404, '<!DOCTYPE html>')],
      { outcome: 'not_attempted', answer: { status: 404 }, stop: 'run', methods: 'POST GET' },
    ],
    [
      'that is redirected stops the run and ends as unknown',
      [redirect, absent],
      { outcome: 'unknown', stop: 'run', methods: 'POST GET' },
    ],
    [
      'that is redirected ends as unknown if its look-up is redirected too',
      [redirect, redirect],
      { outcome: 'unknown', stop: 'run' },
    ],
  ])('%s', async (_, answers, expected) => {
    expect(await settle(application, ...answers)).toMatchObject(expected);
  });

  test('reports only those fields of the answer that were sent', async () => {
    const more = answered(201, {
      pk: 'p1',
      slug: 'wiki',
      name: 'Other',
      launch_url: 'https://x',
      group: 'G',
    });
    expect((await settle(application, more)).held).toEqual({
      pk: 'p1',
      fields: { slug: 'wiki', name: 'Other' },
    });
  });

  test('with a taken slug ends as unknown if the look-up would have to wait for too long a pause', async () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 });
    const client = new Client(async ({ method }) => {
      expect(method).toBe('POST');
      pacing.note(hourLong, 1); // another resource was answered meanwhile
      return slugTaken;
    });
    expect(await createRecord(application, { client, pacing, control: alone })).toMatchObject({
      outcome: 'unknown',
      answer: { status: 400 },
      attempts: 1,
    });
  });
});

describe('a pause that exceeds the limit', () => {
  const tooLong = { 'retry-after': '3600' };

  test('ends a create as unknown, with the answer that asked for the pause, if the create may have had an effect', async () => {
    expect(await settle(user, answered(503, '', tooLong))).toMatchObject({
      outcome: 'unknown',
      answer: { status: 503, retryAfter: '3600' },
      attempts: 1,
      stop: 'pause',
    });
  });

  test('ends a create as not attempted and without an answer if the create was not started', async () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 });
    pacing.note(hourLong, 1);
    const stops: string[] = [];
    const control = { ...alone, stop: (scope: string) => stops.push(scope) };
    const { send, requests } = scriptedTransport();
    expect(await createRecord(application, { client: documentedClient(send), pacing, control })).toEqual({
      outcome: 'not_attempted',
      inDoubt: false,
      attempts: 0,
    });
    expect(requests).toEqual([]);
    expect(stops).toEqual(['pause']);
  });
});

describe('a create during an outage', () => {
  const badGateway = answered(502, 'Bad Gateway');
  /** Like `settle`, but the service has answered before, and is away for a number of checks. */
  async function settleAway(
    failures: number,
    creation: NewRecord,
    ...answers: Exchange[]
  ): Promise<WriteResult> {
    const transport = scriptedTransport(...answers);
    const pacing = pacingWhileAway(failures);
    const settled = await createRecord(creation, {
      client: documentedClient(transport.send),
      pacing,
      control: alone,
    });
    expect(transport.requests).toHaveLength(answers.length);
    expect(pacing.pace().retries).toBe(0);
    return settled;
  }

  test('is sent after the outage if it could not be sent before, and up to three outages do not count as tries', async () => {
    const refusals = Array.from({ length: 5 }, () => refused);
    expect(await settleAway(3, user, ...refusals, created)).toMatchObject({
      outcome: 'created',
      attempts: 6,
    });
    expect(await settleAway(3, user, ...refusals, refused)).toMatchObject({
      outcome: 'not_attempted',
      attempts: 6,
    });
  });

  test('is followed by a look-up after the outage, not before, if the create may have had an effect', async () => {
    expect(await settleAway(3, application, badGateway, found)).toMatchObject({
      outcome: 'exists',
      attempts: 1,
    });
    expect(await settleAway(3, application, lost, refused, badGateway, found)).toMatchObject({
      outcome: 'exists',
      attempts: 1,
    });
  });

  test('is followed by at most five look-ups, and by one more for each of up to three outages', async () => {
    const refusals = Array.from({ length: 7 }, () => refused);
    expect(await settleAway(3, application, lost, ...refusals, found)).toMatchObject({ outcome: 'exists' });
    expect(await settleAway(3, application, lost, ...refusals, refused)).toMatchObject({
      outcome: 'unknown',
    });
  });

  test('reports how long it waited if the service went down during the pause before a retry', async () => {
    const clock = virtualClock();
    const pacing = createPacing({
      concurrency: 1,
      clock: {
        now: () => clock.now(),
        sleep: async (milliseconds) => {
          await clock.sleep(milliseconds);
          if (milliseconds === 5000) pacing.note({ kind: 'failure', status: 502 }, 1);
        },
      },
      random: () => 0,
      outagePolicy: { waitMs: 60_000, fromTheStart: false, ask: async () => away },
    });
    const { send } = scriptedTransport(answered(429, '', { 'retry-after': '5' }));
    expect(
      await createRecord(user, { client: documentedClient(send), pacing, control: alone }),
    ).toMatchObject({
      outcome: 'not_attempted',
      answer: { status: 429, waitedMs: 60_000 },
    });
  });

  test('of a user is sent at most three times if it may have had an effect', async () => {
    expect(await settleAway(3, user, badGateway, usernameTaken)).toMatchObject({ outcome: 'exists' });
    expect(await settleAway(3, user, badGateway, badGateway, badGateway)).toMatchObject({
      outcome: 'unknown',
      attempts: 3,
    });
  });

  test('ends as not attempted with the waiting time if it was never sent and the outage does not end', async () => {
    expect(await settleAway(1000, user, refused)).toMatchObject({
      outcome: 'not_attempted',
      answer: { kind: 'unreachable_for_now', waitedMs: 60_000 },
      attempts: 1,
    });
  });

  test('ends as unknown with the waiting time if it may have had an effect and the outage does not end', async () => {
    expect(await settleAway(1000, user, badGateway)).toMatchObject({
      outcome: 'unknown',
      answer: { status: 502, waitedMs: 60_000 },
      attempts: 1,
    });
    expect(await settleAway(1000, application, lost, refused)).toMatchObject({
      outcome: 'unknown',
      attempts: 1,
    });
  });
});

describe('an interrupted create', () => {
  const interrupted = AbortSignal.abort('SIGINT');

  test('is not repeated if it had no effect', async () => {
    expect(await settleUnless(interrupted, application, refused)).toMatchObject({
      outcome: 'not_attempted',
      sleeps: [],
    });
  });

  test('is followed by a look-up instead of a repetition if it may have had an effect', async () => {
    expect(await settleUnless(interrupted, application, lost, found)).toMatchObject({ outcome: 'exists' });
    expect(await settleUnless(interrupted, application, lost, absent)).toMatchObject({ outcome: 'unknown' });
  });

  test('does not wait for the end of a pause', async () => {
    const unavailable = answered(503, '', { 'retry-after': '300' });
    expect(await settleUnless(interrupted, application, unavailable)).toMatchObject({
      outcome: 'unknown',
      sleeps: [],
    });
  });
});

describe('a create of a user', () => {
  test.each<[name: string, answers: readonly Exchange[], expected: object]>([
    ['with a 201 ends as created', [created], { outcome: 'created', held: { pk: 'p1' } }],
    [
      'with a 201 that lacks a sent field ends as created',
      [bare],
      { outcome: 'created', held: { pk: 'p1' } },
    ],
    [
      'with a taken username ends as exists',
      [usernameTaken],
      { outcome: 'exists', inDoubt: false, methods: 'POST' },
    ],
    [
      'with a username taken after a request that was never sent is not in doubt',
      [refused, usernameTaken],
      { outcome: 'exists', inDoubt: false },
    ],
    [
      'with a username taken after a lost answer ends as exists, in doubt',
      [lost, usernameTaken],
      { outcome: 'exists', inDoubt: true, methods: 'POST POST' },
    ],
    [
      'with a username taken after a 502 ends as exists, in doubt',
      [answered(502), refused, usernameTaken],
      { outcome: 'exists', inDoubt: true },
    ],
    [
      'is retried after a lost answer if users cannot be looked up',
      [lost, created],
      { outcome: 'created', methods: 'POST POST' },
    ],
    ['that is refused after a crash ends as unknown', [crash, invalid], { outcome: 'unknown' }],
    ['that cannot be sent after a crash ends as unknown', [crash, refused, refused], { outcome: 'unknown' }],
    ['with a 409 ends as unknown', [answered(409)], { outcome: 'unknown', attempts: 1 }],
  ])('%s', async (_, answers, expected) => {
    expect(await settle(user, ...answers)).toMatchObject(expected);
  });

  test('with a taken username ends without an id', async () => {
    expect((await settle(user, usernameTaken)).held).toBeUndefined();
  });

  test('does not begin if the run was stopped while the create waited for its turn', async () => {
    const { send, requests } = scriptedTransport();
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
    const control = { ...alone, mayBegin: () => false };
    expect(await createRecord(user, { client: documentedClient(send), pacing, control })).toEqual({
      outcome: 'not_attempted',
      inDoubt: false,
      attempts: 0,
    });
    expect(requests).toEqual([]);
  });

  test('is not retried if creates of users were stopped during the pause before the retry', async () => {
    const clock = virtualClock();
    const { send, requests } = scriptedTransport(answered(500, '', { 'retry-after': '3' }));
    const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
    const control = { ...alone, mayRetry: () => clock.now() < 3000 };
    expect(await createRecord(user, { client: documentedClient(send), pacing, control })).toMatchObject({
      outcome: 'unknown',
      attempts: 1,
    });
    expect(requests).toHaveLength(1);
  });

  test('is not retried if a retry cannot help', async () => {
    const { send, requests } = scriptedTransport(refused);
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
    expect(
      await createRecord(user, {
        client: documentedClient(send),
        pacing,
        control: {
          ...alone,
          mayRetry: () => false,
        },
      }),
    ).toMatchObject({ outcome: 'not_attempted', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  test('is judged by the answers to the create alone, as with contract_only, if the token may not look up users', async () => {
    const unseen = answered(403, { detail: 'no' });
    const self = answered(200, { user: { pk: 1, username: 'me' } });
    const settling = async (...answers: Exchange[]): Promise<WriteResult> => {
      const transport = scriptedTransport(...answers);
      const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 });
      const settled = await createRecord(user, {
        client: new Client(transport.send),
        pacing,
        control: alone,
      });
      expect(transport.requests).toHaveLength(answers.length);
      return settled;
    };
    expect(await settling(usernameTaken, unseen, self)).toMatchObject({ outcome: 'exists', inDoubt: false });
    expect(await settling(lost, unseen, self, usernameTaken)).toMatchObject({
      outcome: 'exists',
      inDoubt: true,
    });
    expect(await settling(answered(409, {}), unseen, self)).toMatchObject({ outcome: 'unknown' });
    expect(await settling(usernameTaken, unseen, unseen, unseen)).toMatchObject({ outcome: 'conflict' });
  });
});

test('a create stops the run if the look-up before the create is redirected', async () => {
  const redirect = answered(302, '', { location: 'https://elsewhere.example/' });
  const { send, requests } = scriptedTransport(redirect, redirect);
  const stops: string[] = [];
  const settled = await createRecord(creationOf('group', 'staff'), {
    client: new Client(send),
    pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 }),
    control: { ...alone, stop: (scope) => stops.push(scope) },
  });
  expect(settled).toMatchObject({ outcome: 'not_attempted', attempts: 0 });
  expect(stops).toEqual(['run']);
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('a create with a lost answer is not repeated if the service could then have two records with the name', async () => {
  const none = pageOf([], 1, 100);
  const { send, requests } = scriptedTransport(none, lost, none);
  const settled = await createRecord(creationOf('group', 'staff'), {
    client: new Client(send),
    pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 }),
    control: alone,
  });
  expect(settled).toMatchObject({ outcome: 'unknown', inDoubt: true, attempts: 1 });
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
});

test.each([
  ['group', kindOf('group'), ['type']],
  // Only superusers see all of these records, so the denial says nothing about the right to create them.
  ['RAC endpoint', kindOf('rac_endpoint', 'endpoint'), []],
] as const)(
  'a create of a %s whose look-up is denied is not sent, and stops %j',
  async (_, kind, expected) => {
    const { send } = scriptedTransport();
    const stops: string[] = [];
    const settled = await createRecord(
      { ...creationOf('group', 'staff'), kind },
      {
        client: documentedClient(send),
        pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 }),
        control: { ...alone, stop: (scope) => stops.push(scope) },
      },
    );
    expect(settled).toMatchObject({ outcome: 'denied', attempts: 0 });
    expect(stops).toEqual(expected);
  },
);

describe('the answer', () => {
  const wikiUser = creationOf('user', identity, 'Wiki');
  const scopes = { run: 'the rest of the run', type: 'the rest of its type', nothing: 'nothing' };

  test.each(
    answerRows.flatMap((row) => [
      { ...row, scope: scopes[row.ends ?? 'nothing'], record: 'an application', creation: application },
      { ...row, scope: scopes[row.ends ?? 'nothing'], record: 'a user', creation: wikiUser },
    ]),
  )('$name to the create of $record stops $scope', async ({ exchange, creation, ends }) => {
    const stops: string[] = [];
    await createRecord(creation, {
      client: documentedClient(async ({ method }) => (method === 'GET' ? absent : exchange)),
      pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
      control: { ...alone, stop: (scope) => stops.push(scope) },
    });
    expect(new Set(stops)).toEqual(new Set(ends === undefined ? [] : [ends]));
  });
});
