import { expect, test } from 'vitest';
import { kindOf } from '../../src/kinds/all.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { isOptionalRead, retrieve } from '../../src/service/retrieve.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const group = kindOf('group');
const denied = answered(403, { detail: 'no' });
const none = pageOf([], 1, 100);
const two = pageOf(
  ['1', '2'].map((pk) => ({ pk, name: 'staff' })),
  1,
  100,
);

test.each<[string, readonly Exchange[], boolean]>([
  ['a denial', [denied], true],
  ['a denial after a look-up that succeeded', [none, denied], false],
  ['several records with the name', [two], false],
])('groups count as unreadable after %s: %j', async (_, answers, isUnreadable) => {
  const left = [...answers];
  const client = new Client(async ({ path }) => {
    if (path.includes('/me/')) return answered(200, { user: { pk: 1, username: 'me', is_superuser: false } });
    if (path.includes('/applications/')) return answered(404, { detail: 'Not found.' });
    return left.shift() ?? expect.fail('a further look-up');
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  while (left.length > 0) await retrieve({ kind: group, name: 'staff' }, { client, pacing });
  expect(client.readable.unreadable.has(group)).toBe(isUnreadable);
});

test('a run does not continue without a read for whose answer it has waited in vain', async () => {
  const client = new Client(async () => answered(404, { detail: 'Not found.' }));
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const failure = { kind: 'failure', status: 502 } as const;
  expect(await isOptionalRead(failure, { client, pacing })).toBe(true);
  expect(await isOptionalRead({ ...failure, waitedMs: 60_000 }, { client, pacing })).toBe(false);
});
