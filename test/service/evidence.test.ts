import { expect, test } from 'vitest';
import { kindsOf } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { releaseIn } from '../../src/service/release.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const denied = answered(403, { detail: 'Token invalid/expired' });
const absent = answered(404, { detail: 'Not found.' });
const foundRecord = answered(200, { pk: 'p', slug: 'wiki', name: 'Wiki' });
const foundGroup = answered(200, {
  pagination: { next: 0, previous: 0, count: 1, current: 1, total_pages: 1, start_index: 1, end_index: 1 },
  results: [{ pk: '6f0c2c1e-31d6-4a0e-9d1b-6a3f3c1a0001', name: 'wiki' }],
});
const down = answered(503, {});
const notFound: Exchange = { kind: 'answered', status: 404, headers: {}, body: '<html>Not found</html>' };
const page: Exchange = { kind: 'answered', status: 400, headers: {}, body: '<html>Bad request</html>' };

test.each([
  { after: 'a denial', self: denied, asked: [denied], isRefused: true },
  { after: 'an absent record', self: denied, asked: [absent], isRefused: false },
  // A proxy's web page proves nothing, so the request is sent again.
  { after: 'a web page and a denial', self: denied, asked: [page, denied], isRefused: true },
  { after: 'a web page and an absent record', self: denied, asked: [page, absent], isRefused: false },
  { after: 'web pages alone', self: denied, asked: [page], isRefused: true },
  // A proxy may have refused the request because of its size.
  { after: 'a 413', self: denied, asked: [answered(413, { detail: 'Too large.' })], isRefused: true },
  // An outage that lasts longer than all tries also proves nothing.
  { after: 'an outage', self: denied, asked: [down], isRefused: true },
  // A 404 without `detail` disproves the denial only if the service itself answers in this form for absent records.
  { after: 'one 404 without detail', self: denied, asked: [notFound, denied], isRefused: true },
  { after: 'each 404 without detail', self: denied, asked: [notFound, denied, notFound], isRefused: false },
  { after: 'an outage of users/me', self: down, asked: [page], isRefused: false },
  { after: 'a denial and an outage of users/me', self: down, asked: [denied], isRefused: true },
])('the token counts as refused after $after: $isRefused', async ({ self, asked, isRefused }) => {
  const answers = [...asked];
  const client = new Client(async ({ path }) =>
    path.includes('/users/me/') ? self : ((answers.length > 1 ? answers.shift() : answers[0]) ?? down),
  );
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  expect(await client.evidence.isTokenRefused({ pacing }, false)).toBe(isRefused);
});

test('a web page no longer counts as "absent" once the service itself has reported absence', async () => {
  let sent: Exchange = notFound;
  const client = new Client(async ({ isAnonymous }) => (isAnonymous ? denied : sent));
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  const proofOf = (exchange: Exchange): string =>
    client.evidence.proofOf(classifyRecordAnswer(exchange, application, 'wiki'));
  await client.evidence.learnAbsentForm({ pacing });
  expect(proofOf(notFound)).toBe('absent');
  sent = absent;
  await client.read({ kind: application, name: 'wiki' });
  expect([proofOf(notFound), proofOf(absent)]).toEqual(['nothing', 'absent']);
  expect([client.evidence.takeRefutedAbsence(), client.evidence.takeRefutedAbsence()]).toEqual([true, false]);
});

test.each([
  [
    'a web page',
    { kind: 'answered', status: 401, headers: {}, body: '<html>Log in</html>' } as const,
    'fault',
  ],
  ['JSON without `detail`', answered(401, { error: 'log in' }), 'fault'],
  ['JSON with `detail`', denied, 'absent'],
])('a 404 without `detail` can mean "absent" only if a denial is not %s', async (_, anonymous, proof) => {
  const client = new Client(async ({ isAnonymous }) => (isAnonymous ? anonymous : notFound));
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  await client.evidence.learnAbsentForm({ pacing });
  expect(client.evidence.proofOf(classifyRecordAnswer(notFound, application, 'wiki'))).toBe(proof);
});

test.each([
  ['of an application that is found again', application, foundRecord, 'absent'],
  ['of an application that is denied now', application, denied, 'fault'],
  ['of an application that now gets the same 404', application, notFound, 'nothing'],
  ['of a group', kindsOf('group')[0] ?? application, notFound, 'absent'],
])('a 404 without `detail` is judged after the look-up %s', async (_, kind, then, proof) => {
  let answer = foundRecord;
  const client = new Client(async ({ path, isAnonymous }) => {
    if (path.includes('/groups/')) return foundGroup;
    return isAnonymous ? denied : path.includes('/wiki/') ? answer : notFound;
  });
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  expect(await client.read({ kind, name: 'wiki' })).toMatchObject({ proof: 'exists' });
  answer = then;
  await client.evidence.learnAbsentForm({ pacing });
  expect(client.evidence.proofOf(classifyRecordAnswer(notFound, application, 'mail'))).toBe(proof);
});

test('a web page does not count as "absent" if the service itself meanwhile reports absence', async () => {
  let probes = 0;
  const client = new Client(async ({ path, isAnonymous }) => {
    if (isAnonymous) return denied;
    if (path.includes('/mail/')) return absent;
    probes += 1;
    if (probes === 2) await client.read({ kind: application, name: 'mail' });
    return notFound;
  });
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  await client.evidence.learnAbsentForm({ pacing });
  expect(client.evidence.proofOf(classifyRecordAnswer(notFound, application, 'wiki'))).toBe('nothing');
});

test('an absence that the service itself reports changes no earlier conclusion if no web page counted as "absent"', async () => {
  const client = new Client(async () => absent);
  await client.read({ kind: application, name: 'wiki' });
  await client.read({ kind: application, name: 'mail' });
  expect(client.evidence.takeRefutedAbsence()).toBe(false);
});

test.each([
  ['a record', 'may not', false, foundRecord],
  ['a record', 'may', true, foundRecord],
  ['an absent record', 'may not', false, absent],
  ['an absent record', 'may', true, absent],
  ['a web page', 'may not', true, page],
])(
  'after a look-up that got %s, a denied token that %s have expired counts as refused: %s',
  async (_, may, isRefused, look) => {
    let sent: Exchange = look;
    const client = new Client(async () => sent);
    const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
    await client.read({ kind: application, name: 'wiki' });
    sent = denied;
    expect(await client.evidence.isTokenRefused({ pacing }, may === 'may')).toBe(isRefused);
  },
);

test.each([
  ['a record', foundRecord, true],
  ['an absent record', absent, true],
  ['a denial', denied, true],
  ['a refusal', answered(400, { slug: ['No.'] }), true],
  ['a refusal by a proxy', page, false],
  ['a web page', notFound, false],
])('a look-up that got %s shows that the service has the API: %j', async (_, look, isThere) => {
  let sent: Exchange = look;
  const client = new Client(async () => sent);
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  await client.read({ kind: application, name: 'wiki' });
  sent = page;
  expect(await client.evidence.isApiThere({ pacing })).toBe(isThere);
});

test.each([
  [true, true],
  [false, false],
])(
  'a form of 404 is certainly "absent" only if a record was found in between: %j',
  async (isFound, isCertain) => {
    const client = new Client(async ({ path, isAnonymous }) =>
      isAnonymous ? denied : path.includes('/wiki/') && isFound ? foundRecord : notFound,
    );
    const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
    if (isFound) await client.read({ kind: application, name: 'wiki' });
    await client.evidence.learnAbsentForm({ pacing });
    const lookUp = classifyRecordAnswer(notFound, application, 'mail');
    expect(client.evidence.proofOf(lookUp)).toBe('absent');
    expect(client.evidence.isCertainlyAbsent(lookUp)).toBe(isCertain);
    expect(client.evidence.isCertainlyAbsent(classifyRecordAnswer(absent, application, 'mail'))).toBe(true);
  },
);

test('a token that may have expired does not count as refused if a look-up is answered', async () => {
  const client = new Client(async () => absent);
  const pacing = createPacing({ clock: virtualClock(), concurrency: 2, random: () => 0.5 });
  await client.read({ kind: application, name: 'wiki' });
  expect(await client.evidence.isTokenRefused({ pacing }, true)).toBe(false);
});

test.each([
  [answered(200, { version_current: '2026.2.1' }), { year: 2026, month: 2, patch: 1 }],
  [answered(200, { version_current: 7 }), undefined],
  [answered(201, { version_current: '2026.2.1' }), undefined],
  [answered(403, { version_current: '2026.2.1' }), undefined],
])('the release in an answer is read only from a status of 200', (exchange, release) => {
  expect(releaseIn(exchange)).toEqual(release);
});
