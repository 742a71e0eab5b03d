import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { familyOf } from '../../src/kinds/families.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { readWholeList, type ListReading } from '../../src/service/read-whole.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { withChangedPage, pageOf } from '../support/listing-service.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const records = Array.from({ length: 6 }, (_, index) => ({ pk: index + 1, name: `p${index}` }));

/** Reads a list in pages of three records. `first` replaces the first answers. */
async function reading(...first: readonly Exchange[]): Promise<ListReading> {
  let answers = 0;
  const client = new Client(async ({ path }) => {
    const number = Number(new URL(path, 'http://localhost').searchParams.get('page'));
    answers += 1;
    return first[answers - 1] ?? pageOf(records, number, 3);
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  return readWholeList(familyOf('providers'), { client, pacing });
}

function ids(read: ListReading): unknown[] {
  return read.kind === 'whole' ? read.records.map(({ received }) => received['pk']) : [read.kind];
}

test('a list is read again if its pages disagree on the number of records', async () => {
  const before = [{ pk: 7, name: 'p7' }, ...records];
  expect(ids(await reading(pageOf(before, 1, 3)))).toEqual([1, 2, 3, 4, 5, 6]);
  // The first record is deleted after the first page was read. The number of records then matches the count on the second page,
  // although record 3 was never seen.
  const after = records.slice(1);
  const read = await reading(pageOf(records, 1, 3), pageOf(after, 2, 3));
  expect(ids(read)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a list is marked as a single page if one answer contains the whole list', async () => {
  expect(await reading(pageOf(records, 1, 6))).toMatchObject({ kind: 'whole', isSinglePage: true });
  expect(await reading()).toMatchObject({ kind: 'whole', isSinglePage: false });
});

test.each<[string, JsonValue]>([
  ['that is null', null],
  ['without an id', { name: 'p1' }],
  ['with an id of another kind', { pk: 'p1', name: 'p1' }],
  ['without a name', { pk: 2 }],
  ['that is listed twice', { pk: 1, name: 'p1' }],
])('a list with a record %s counts as incomplete', async (_, row) => {
  const odd = pageOf([records[0] ?? null, row], 1, 3);
  expect(await reading(odd, odd, odd)).toMatchObject({
    kind: 'unread',
    reading: { proof: 'nothing', answer: { kind: 'unusable_success' } },
  });
});

test('a list that repeats the same page forever ends', async () => {
  const again = Array.from({ length: 30 }, (_, index) =>
    withChangedPage(pageOf(records, 1, 3), ({ pagination }) => ({
      pagination: { ...pagination, current: index + 1, next: index + 2 },
    })),
  );
  expect(await reading(...again)).toMatchObject({ kind: 'unread' });
});
