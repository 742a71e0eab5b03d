import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/all.ts';
import { oauth2 } from '../../src/kinds/oauth2.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { readKindChecks, readOfKind } from '../../src/service/own-type.ts';
import { answered } from '../support/scripted-transport.ts';
import { pageOf } from '../support/listing-service.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('the type of a record is read after a pause that another answer has asked for', async () => {
  const clock = virtualClock();
  const pacing = createPacing({ concurrency: 2, clock, random: () => 0 });
  const sentAt: number[] = [];
  const client = new Client(async ({ path }) => {
    sentAt.push(clock.now());
    if (path.includes('/providers/all/'))
      return answered(200, {
        pk: 1,
        name: 'a',
        meta_model_name: 'authentik_providers_oauth2.oauth2provider',
      });
    pacing.note({ kind: 'slow_down', status: 429, retryAfter: '5' }, 1);
    return pageOf([{ pk: 1, name: 'a' }], 1, 3);
  });
  const began = clock.now();
  expect(await readOfKind({ kind: oauth2, name: 'a' }, { client, pacing })).toMatchObject({
    proof: 'exists',
  });
  expect(sentAt.map((at) => at - began)).toEqual([0, 5000]);
});

test('a record is not changed if its name was found twice but its type is unknown', async () => {
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const client = new Client(async ({ path }) =>
    path.includes('/providers/all/')
      ? answered(404, { detail: 'Not found.' })
      : pageOf([{ pk: 1, name: 'a' }], 1, 3),
  );
  expect(await readOfKind({ kind: oauth2, name: 'a' }, { client, pacing })).toMatchObject({
    proof: 'nothing',
  });
});

test('the types of records are not asked one by one if the list of all types is denied', async () => {
  let asked = 0;
  const client = new Client(async () => {
    asked += 1;
    return answered(403, { detail: 'no' });
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const checks = await readKindChecks(oauth2, ['1', '2', '3'], { client, pacing });
  expect(Array.from(checks.values(), (check) => check)).toMatchObject(
    Array.from({ length: 3 }, () => ({ proof: 'denied' })),
  );
  expect(asked).toBe(1);
});

test.each([
  [true, [], { proof: 'absent' }],
  [false, [], { proof: 'denied', answer: { kind: 'not_listed' } }],
  // A list from a cache ignores the filter.
  [false, [{ pk: '2', name: 'b', provider: 1 }], { proof: 'denied', answer: { kind: 'not_listed' } }],
  [false, [{ pk: '1', name: 'a', provider: 1 }], { proof: 'exists' }],
])(
  'a list that is complete only for superusers shows absence to superusers only: %s, %j',
  async (isSuperuser, listed, result) => {
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
    const client = new Client(async ({ path }) =>
      path.includes('/users/me/')
        ? answered(200, { user: { pk: 1, username: 'u', is_superuser: isSuperuser } })
        : pageOf(listed, 1, 100),
    );
    const kind = kinds.find(({ type }) => type === 'rac_endpoint') ?? expect.fail('no such kind');
    const sought = { kind, name: 'a', within: 1 };
    expect(await readOfKind(sought, { client, pacing })).toMatchObject(result);
  },
);
