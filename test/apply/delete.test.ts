import { expect, test } from 'vitest';
import { deleteRecord } from '../../src/apply/delete.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const absent = answered(404, { detail: 'Not found.' });
const record = (pk: string): Exchange => answered(200, { pk, slug: 'a', name: 'A' });
const gone = answered(204);

test.each<[string, looks: readonly Exchange[], deletes: readonly Exchange[], ending: object]>([
  ['and a look-up shows no record', [record('p'), absent], [gone], { outcome: 'deleted' }],
  ['and a look-up shows another record', [record('p'), record('q')], [gone], { outcome: 'deleted' }],
  ['but a look-up still shows the record', [record('p'), record('p')], [gone], { outcome: 'unknown' }],
  ['because it was gone before', [absent], [], { outcome: 'unchanged', answer: { status: 404 } }],
  ['because it was replaced before', [record('q')], [], { outcome: 'conflict', clash: { kind: 'replaced' } }],
  ['after a lost answer', [record('p'), absent], [lost], { outcome: 'deleted', answer: { status: 404 } }],
])('a record is deleted, or not, %s', async (_, looks, deletes, ending) => {
  const [looksLeft, deletesLeft] = [[...looks], [...deletes]];
  const client = new Client(
    async ({ method, path }) => {
      if (method === 'DELETE') return deletesLeft.shift() ?? expect.fail('a second delete');
      if (path.includes('/me/'))
        return answered(200, { user: { pk: 1, username: 'me', is_superuser: true } });
      if (path.includes('/used_by/')) return answered(200, []);
      return looksLeft.shift() ?? expect.fail(`a further read of ${path}`);
    },
    { capabilities: ['delete'] },
  );
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const control = { sending: () => {}, stop: () => {}, mayBegin: () => true, mayRetry: () => true };
  const candidate = {
    resource: { kind: application, name: 'a', address: 'application.a' as const },
    held: { pk: 'p', fields: {} },
  };
  const found = await deleteRecord(candidate, [candidate], false, { client, pacing, control });
  expect(found).toMatchObject(ending);
  expect([...looksLeft, ...deletesLeft]).toEqual([]);
});

const id = '11111111-1111-4111-8111-111111111111';
const settings = (flag: boolean): Exchange =>
  answered(200, { pk: 'service', name: 'service', flags: { core_default_app_access: flag } });

test.each([
  ['off, and stays off', true, false, 'deleted'],
  ['on by now', true, true, 'conflict'],
  ['off, but the plan turns it on', false, false, 'conflict'],
])(
  'a group that alone may open an application is deleted only if the flag that opens applications is %s',
  async (_, isFlagOff, flag, outcome) => {
    const binding = { pk: 'b', target: id, group: 'g', user: null, policy: null, order: 0, enabled: true };
    const groups: JsonObject[] = [{ pk: 'g', name: 'staff', is_superuser: false }];
    const lists: Readonly<Record<string, readonly JsonObject[]>> = {
      groups,
      bindings: [binding],
      applications: [{ pk: id, slug: 'a', name: 'A' }],
    };
    const client = new Client(
      async ({ method, path }) => {
        if (method === 'DELETE') groups.length = 0;
        if (method === 'DELETE') return gone;
        if (path.includes('/me/')) return answered(200, { user: { pk: 1, is_superuser: true } });
        if (path.includes('/used_by/')) return answered(200, []);
        if (path.includes('/settings/')) return settings(flag);
        return pageOf(lists[path.split('?')[0]?.split('/').at(-2) ?? ''] ?? [], 1, 100);
      },
      { capabilities: ['delete'] },
    );
    const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
    const control = { sending: () => {}, stop: () => {}, mayBegin: () => true, mayRetry: () => true };
    const candidate = {
      resource: { kind: kindOf('group'), name: 'staff', address: 'group.staff' as const },
      held: { pk: 'g', fields: { name: 'staff', is_superuser: false } },
    };
    const found = await deleteRecord(candidate, [candidate], isFlagOff, { client, pacing, control });
    expect(found.outcome).toBe(outcome);
  },
);
