import { describe, expect, test } from 'vitest';
import { compareWithPlan, updateRecord } from '../../src/apply/update.ts';
import type { RunControl, WriteResult } from '../../src/apply/settle.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Answer } from '../../src/service/answer.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing, type Pacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { pacingWhileAway } from '../support/away.ts';
import { desired } from '../support/desired.ts';
import { answered, lost, refused, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const manifest = 'version: 1\napplications: [{ slug: wiki, name: Wiki, group: Tools }]\n';
const held = (fields: JsonObject): JsonObject => ({ pk: 'p0', slug: 'wiki', name: 'Wiki', ...fields });

const asPlanned = answered(200, held({ group: 'Old' }));
const asDeclared = answered(200, held({ group: 'Tools' }));
const asOthersWant = answered(200, held({ group: 'Theirs' }));
const replaced = answered(200, { ...held({ group: 'Old' }), pk: 'p1' });
const absent = answered(404, { detail: 'Not found.' });
const page = answered(404, '<html>', { 'content-type': 'text/html' });
const invalid = answered(400, { group: ['no'] });
const denied = answered(403, { detail: 'no' });
const readOnly = answered(400, { detail: 'Request denied.', code: 'denied_license' });
const slow = answered(429);
const tooLong = answered(429, '', { 'retry-after': '3600' });
const badGateway = answered(502, 'Bad Gateway');

/** The answer to another resource. It makes all requests wait for an hour. */
const hourLong: Answer = { kind: 'slow_down', retryAfter: '3600' };

interface Traced extends WriteResult {
  readonly stops: readonly string[];
  readonly methods: string;
}

const free = { mayBegin: () => true, mayRetry: () => true };

async function settle(
  answers: readonly Exchange[],
  {
    control = free,
    pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 }),
  }: { control?: Pick<RunControl, 'mayBegin' | 'mayRetry'>; pacing?: Pacing } = {},
): Promise<Traced> {
  const [resource] = await desired(manifest);
  if (!resource) throw new Error('nothing is declared');
  const { send, requests } = scriptedTransport(...answers);
  const base = { pk: 'p0', fields: held({ group: 'Old' }) };
  const stops: string[] = [];
  const settled = await updateRecord(
    { resource, base, permission: { self: undefined, mayDelete: false }, isLost: () => false },
    {
      client: new Client(send, { capabilities: ['update'] }),
      pacing,
      control: { ...control, sending: () => {}, stop: (scope) => stops.push(scope) },
    },
  );
  expect(requests).toHaveLength(answers.length);
  for (const { method, body } of requests) if (method === 'PATCH') expect(body).toBe('{"group":"Tools"}');
  return { ...settled, stops, methods: requests.map(({ method }) => method).join(' ') };
}

describe('an update', () => {
  test('ends as updated after one look-up if its answer shows the sent value', async () => {
    expect(await settle([asPlanned, asDeclared])).toMatchObject({
      outcome: 'updated',
      held: { pk: 'p0', fields: { group: 'Tools' } },
      answer: { status: 200 },
      inDoubt: false,
      attempts: 1,
      methods: 'GET PATCH',
      stops: [],
    });
  });

  test('is read again if its answer lacks a sent field, and sent again if it had no effect', async () => {
    const bare = answered(200, held({}));
    expect(await settle([asPlanned, bare, asDeclared])).toMatchObject({ outcome: 'updated', inDoubt: true });
    expect(await settle([asPlanned, bare, asPlanned, asDeclared])).toMatchObject({ outcome: 'updated' });
    expect(await settle([asPlanned, bare, bare])).toMatchObject({ outcome: 'unknown', attempts: 1 });
    const ignored = [asPlanned, bare, asPlanned, bare, asPlanned, bare, asPlanned];
    expect(await settle(ignored)).toMatchObject({ outcome: 'unknown', attempts: 3 });
  });

  test.each([[[slow]], [[page]], [[badGateway]], [[slow, asPlanned, refused]]])(
    'ends as updated if it took effect, whatever its answers say: %o',
    async (answers) => {
      expect(await settle([asPlanned, ...answers, asDeclared])).toMatchObject({
        outcome: 'updated',
        inDoubt: true,
      });
    },
  );

  test('is not sent if the record no longer shows the field', async () => {
    expect(await settle([answered(200, held({}))])).toMatchObject({
      outcome: 'not_attempted',
      clash: { kind: 'refused', why: 'the service no longer shows its `group`' },
      attempts: 0,
    });
  });

  test('ends as unknown if its answer shows neither the old nor the sent value', async () => {
    expect(await settle([asPlanned, asOthersWant])).toMatchObject({
      outcome: 'unknown',
      clash: { kind: 'changed', fields: ['group'] },
      attempts: 1,
    });
  });

  test.each<
    [
      what: string,
      answer: Exchange,
      outcome: WriteResult['outcome'],
      stops: readonly string[],
      clash?: object,
    ]
  >([
    ['ends as rejected if the service refuses a field', invalid, 'rejected', []],
    ['ends as denied after a 403, and stops no others', denied, 'denied', []],
    [
      'ends as not attempted if the licence forbids changes, and stops its kind',
      readOnly,
      'not_attempted',
      ['type'],
    ],
    ['ends in conflict if the record no longer exists', absent, 'conflict', [], { kind: 'vanished' }],
  ])('%s', async (_, answer, outcome, stops, clash) => {
    const settled = await settle([asPlanned, answer]);
    expect(settled).toMatchObject({ outcome, attempts: 1, inDoubt: false, stops, ...(clash && { clash }) });
    // After a lost answer, no other answer proves that nothing was changed.
    expect(await settle([asPlanned, lost, asPlanned, answer])).toMatchObject({
      outcome: 'unknown',
      attempts: 2,
      inDoubt: true,
      stops,
    });
  });

  test('is sent at most three times if the answer is a web page with status 404, and stops no other change', async () => {
    expect(await settle([asPlanned, page, asPlanned, asDeclared])).toMatchObject({
      outcome: 'updated',
      attempts: 2,
      inDoubt: false,
    });
    expect(await settle([asPlanned, page, asPlanned, page, asPlanned, page])).toMatchObject({
      outcome: 'not_attempted',
      answer: { kind: 'no_such_route', status: 404 },
      attempts: 3,
      stops: [],
    });
    expect(await settle([asPlanned, page, page])).toMatchObject({ outcome: 'not_attempted', stops: ['run'] });
  });

  test('is sent at most three times if the service asks clients to wait', async () => {
    expect(await settle([asPlanned, slow, asPlanned, slow, asPlanned, asDeclared])).toMatchObject({
      outcome: 'updated',
      attempts: 3,
      inDoubt: false,
    });
    const settled = await settle([asPlanned, slow, asPlanned, slow, asPlanned, slow]);
    expect(settled).toMatchObject({
      outcome: 'not_attempted',
      answer: { kind: 'slow_down', status: 429 },
      attempts: 3,
    });
    expect(settled.clash).toBeUndefined();
  });

  test('ends as not attempted if the service asks for too long a pause', async () => {
    expect(await settle([asPlanned, tooLong])).toMatchObject({
      outcome: 'not_attempted',
      answer: { retryAfter: '3600' },
      attempts: 1,
    });
  });
});

describe('the look-up before an update', () => {
  test.each<[name: string, answers: readonly Exchange[], expected: object]>([
    ['finds the declared value', [asDeclared], { outcome: 'unchanged', answer: { status: 200 } }],
    [
      'finds a value changed by somebody else',
      [asOthersWant],
      { outcome: 'conflict', clash: { kind: 'changed', fields: ['group'] } },
    ],
    ['finds another record with the name', [replaced], { outcome: 'conflict', clash: { kind: 'replaced' } }],
    [
      'finds no record',
      [absent],
      { outcome: 'conflict', clash: { kind: 'vanished' }, answer: { status: 404 } },
    ],
    ['is denied', [denied], { outcome: 'denied', answer: { status: 403 }, stops: [] }],
    [
      'fails five times',
      [badGateway, badGateway, badGateway, badGateway, badGateway],
      { outcome: 'not_attempted', answer: { status: 502 }, stops: [] },
    ],
    ['gets a web page', [page], { outcome: 'not_attempted', answer: { status: 404 }, stops: ['run'] }],
    ['gets a request for too long a pause', [tooLong], { outcome: 'not_attempted', answer: { status: 429 } }],
  ])('%s, and no update is sent', async (_, answers, expected) => {
    const settled = await settle(answers);
    expect(settled).toMatchObject({ attempts: 0, inDoubt: false, ...expected });
    expect(settled.methods).not.toContain('PATCH');
  });

  test('ends the update if an earlier answer to another request asked for too long a pause', async () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 });
    pacing.note(hourLong, 1);
    const settled = await settle([], { pacing });
    expect(settled).toMatchObject({ outcome: 'not_attempted', attempts: 0, stops: ['pause'] });
    expect(settled.answer).toBeUndefined();
  });

  test('ends the update if an answer to another request meanwhile asks for too long a pause', async () => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 });
    const told = { ...pacing, note: () => pacing.note(hourLong, 1) };
    expect(await settle([asPlanned], { pacing: told })).toMatchObject({
      outcome: 'not_attempted',
      attempts: 0,
      stops: ['pause'],
    });
  });

  test('is skipped if the run has stopped, and the update is skipped if the run stops during the look-up', async () => {
    const stopped = { mayBegin: () => false, mayRetry: () => true };
    expect(await settle([], { control: stopped })).toMatchObject({ outcome: 'not_attempted', attempts: 0 });
    let times = 0;
    const stoppedMeanwhile = { mayBegin: () => (times += 1) === 1, mayRetry: () => true };
    expect(await settle([asPlanned], { control: stoppedMeanwhile })).toMatchObject({
      outcome: 'not_attempted',
      attempts: 0,
    });
  });
});

test.each<[string, before: readonly number[], expected: object]>([
  ['had the declared items among others', [2, 1], { kind: 'proceed', missing: ['name'] }],
  ['lacked a declared item', [2], { kind: 'ended', end: { outcome: 'not_attempted' } }],
])('a comparison with a record that no longer shows a field that %s', async (_, before, expected) => {
  const [resource] = await desired(
    'version: 1\napplications: [{ slug: wiki, name: Wiki, backchannel_providers: [1], at_least: [backchannel_providers] }]\n',
  );
  if (!resource) throw new Error('nothing is declared');
  const now = { pk: 'p0', fields: { slug: 'wiki', name: 'Old' } };
  const base = { ...now, fields: { ...now.fields, backchannel_providers: before } };
  const permission = { self: undefined, mayDelete: false };
  const planned = { resource, base, permission, isLost: () => false };
  expect(compareWithPlan(planned, now)).toMatchObject(expected);
});

test.each<[string, before: number | null, now: number | null, isLost: boolean, expected: object]>([
  ['is as planned', 1, 1, false, { kind: 'proceed', missing: ['provider'] }],
  ['was taken by the plan itself', 1, null, true, { kind: 'proceed', missing: ['provider'] }],
  ['was taken by somebody else', 1, null, false, { kind: 'ended', end: { clash: { fields: ['provider'] } } }],
  ['is the declared one', 1, 2, false, { kind: 'ended', end: { outcome: 'unchanged' } }],
])('a comparison with a record whose value %s', async (_, before, provider, isLost, expected) => {
  const [resource] = await desired('version: 1\napplications: [{ slug: wiki, name: Wiki, provider: 2 }]\n');
  if (!resource) throw new Error('nothing is declared');
  const record = (value: number | null): { pk: string; fields: JsonObject } => ({
    pk: 'p0',
    fields: { slug: 'wiki', name: 'Wiki', provider: value },
  });
  const permission = { self: undefined, mayDelete: false };
  const planned = { resource, base: record(before), permission, isLost: () => isLost };
  expect(compareWithPlan(planned, record(provider))).toMatchObject(expected);
});

test.each<[string, Exchange, object, string]>([
  ['renames the record if no other record has the new name', absent, { outcome: 'updated' }, 'GET GET PATCH'],
  [
    'is refused if another record has the new name',
    answered(200, { pk: 'p1', slug: 'docs', name: 'Wiki' }),
    { outcome: 'conflict', clash: { kind: 'replaced' } },
    'GET GET',
  ],
])('an update of a slug %s', async (_, other, expected, methods) => {
  const [resource] = await desired(
    'version: 1\napplications: [{ slug: docs, formerly: wiki, name: Wiki }]\n',
  );
  if (!resource) throw new Error('nothing is declared');
  const renamed = answered(200, { pk: 'p0', slug: 'docs', name: 'Wiki' });
  const transport = scriptedTransport(answered(200, held({})), other, renamed);
  const settled = await updateRecord(
    {
      resource,
      base: { pk: 'p0', fields: held({}) },
      permission: { self: undefined, mayDelete: false },
      isLost: () => false,
    },
    {
      client: new Client(transport.send, { capabilities: ['update'] }),
      pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 1 }),
      control: { ...free, sending: () => {}, stop: () => {} },
    },
  );
  expect(settled).toMatchObject(expected);
  expect(transport.requests.map(({ method }) => method).join(' ')).toBe(methods);
});

test('a comparison ignores only those missing items of a list that the plan itself has taken', async () => {
  const text = 'version: 1\napplications: [{ slug: wiki, name: Wiki, backchannel_providers: [9] }]\n';
  const [resource] = await desired(text);
  if (!resource) throw new Error('nothing is declared');
  const record = (ids: readonly number[]): { pk: string; fields: JsonObject } => ({
    pk: 'p0',
    fields: { slug: 'wiki', name: 'Wiki', backchannel_providers: ids },
  });
  const permission = { self: undefined, mayDelete: false };
  const planned = { resource, base: record([1, 2, 3]), permission };
  const found = (ids: readonly number[], ...taken: readonly number[]): string =>
    compareWithPlan({ ...planned, isLost: (_, id) => taken.some((one) => one === id) }, record(ids)).kind;
  expect(found([2, 3], 1)).toBe('proceed');
  // The other resource that takes the item may not have been written yet.
  expect(found([1, 2, 3], 1)).toBe('proceed');
  expect(found([3], 1)).toBe('ended');
});

describe('an update with a lost answer', () => {
  test.each<[name: string, after: readonly Exchange[], expected: object]>([
    [
      'ends as updated if a read shows the sent value',
      [asDeclared],
      { outcome: 'updated', attempts: 1, inDoubt: true },
    ],
    [
      'is sent again if a read shows the old value',
      [asPlanned, asDeclared],
      { outcome: 'updated', attempts: 2 },
    ],
    [
      'ends as unknown if a read shows a third value',
      [asOthersWant],
      { outcome: 'unknown', clash: { kind: 'changed' }, attempts: 1 },
    ],
    [
      'ends as unknown if the record is gone',
      [absent],
      { outcome: 'unknown', clash: { kind: 'vanished' }, attempts: 1 },
    ],
    ['ends as unknown if the read is denied', [denied], { outcome: 'unknown', attempts: 1 }],
  ])('%s', async (_, after, expected) => {
    expect(await settle([asPlanned, lost, ...after])).toMatchObject(expected);
  });

  test('is followed by a read after the third lost answer, and ends as unknown if the read shows the old value', async () => {
    const thrice = [asPlanned, lost, asPlanned, lost, asPlanned, lost];
    expect(await settle([...thrice, asDeclared])).toMatchObject({ outcome: 'updated', attempts: 3 });
    const settled = await settle([...thrice, asPlanned]);
    expect(settled).toMatchObject({ outcome: 'unknown', answer: { kind: 'lost' }, attempts: 3 });
    expect(settled.clash).toBeUndefined();
  });

  test('is followed by a read instead of a retry, and stops the run, if a redirect came in place of the answer', async () => {
    const redirect = answered(302, '', { location: 'https://elsewhere.example.com/' });
    expect(await settle([asPlanned, redirect, asDeclared])).toMatchObject({
      outcome: 'updated',
      stops: ['run'],
    });
    expect(await settle([asPlanned, redirect, asPlanned])).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });

  test('is followed by a read instead of a retry if a retry cannot help', async () => {
    const control = { mayBegin: () => true, mayRetry: () => false };
    expect(await settle([asPlanned, lost, asDeclared], { control })).toMatchObject({
      outcome: 'updated',
      attempts: 1,
    });
    expect(await settle([asPlanned, lost, asPlanned], { control })).toMatchObject({
      outcome: 'unknown',
      attempts: 1,
    });
    let times = 0;
    const meanwhile = { mayBegin: () => true, mayRetry: () => (times += 1) === 1 };
    expect(await settle([asPlanned, lost, asPlanned], { control: meanwhile })).toMatchObject({
      outcome: 'unknown',
      attempts: 1,
    });
  });
});

describe('an update that the service accepts and ignores', () => {
  test('is sent at most three times, and the ignored fields are reported', async () => {
    const once = [asPlanned, asPlanned];
    expect(await settle([...once, ...once, ...once, asPlanned])).toMatchObject({
      outcome: 'unknown',
      clash: { kind: 'ignored', fields: ['group'] },
      attempts: 3,
    });
  });

  test('is not reported as ignored if its last answer was lost', async () => {
    const settled = await settle([asPlanned, asPlanned, asPlanned, lost, asPlanned, lost, asPlanned]);
    expect(settled).toMatchObject({ outcome: 'unknown', attempts: 3 });
    expect(settled.clash).toBeUndefined();
  });
});

describe('an update during an outage', () => {
  test('is sent after the outage if it could not be sent before, and up to three outages do not count as tries', async () => {
    const refusals = Array.from({ length: 5 }, () => [asPlanned, refused]).flat();
    expect(await settle([...refusals, asPlanned, asDeclared], { pacing: pacingWhileAway(3) })).toMatchObject({
      outcome: 'updated',
      attempts: 6,
    });
    expect(await settle([...refusals, asPlanned, refused], { pacing: pacingWhileAway(3) })).toMatchObject({
      outcome: 'not_attempted',
      attempts: 6,
    });
  });

  test('uses up a try if the update may have had an effect', async () => {
    const doubts = Array.from({ length: 3 }, () => [asPlanned, badGateway]).flat();
    expect(await settle([...doubts, asPlanned], { pacing: pacingWhileAway(3) })).toMatchObject({
      outcome: 'unknown',
      attempts: 3,
    });
  });

  test('reports how long it waited if the outage does not end', async () => {
    expect(await settle([asPlanned, refused], { pacing: pacingWhileAway(1000) })).toMatchObject({
      outcome: 'not_attempted',
      answer: { kind: 'unreachable_for_now', waitedMs: 60_000 },
      attempts: 1,
    });
    expect(await settle([asPlanned, badGateway], { pacing: pacingWhileAway(1000) })).toMatchObject({
      outcome: 'unknown',
      answer: { status: 502, waitedMs: 60_000 },
      attempts: 1,
    });
  });
});
