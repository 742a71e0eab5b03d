import { expect, test } from 'vitest';
import { deleteRecord } from '../../src/apply/delete.ts';
import { application } from '../../src/kinds/application.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
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
