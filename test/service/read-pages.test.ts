import { expect, test } from 'vitest';
import { kindOf } from '../../src/kinds/all.ts';
import { listQuery } from '../../src/kinds/kind.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { readPages, type PagesReading } from '../../src/service/read-pages.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { manyUsers, pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const users = manyUsers(9);
const late: Exchange = { kind: 'lost', error: new DOMException('too late', 'TimeoutError') };

/** Reads a list in pages of one record, and returns also the numbers of the requested pages. */
async function reading(
  instead: (number: number) => Exchange | undefined,
): Promise<PagesReading & { readonly asked: readonly number[] }> {
  const asked = new Set<number>();
  const client = new Client(async ({ path }) => {
    const number = Number(new URL(path, 'http://localhost').searchParams.get('page'));
    asked.add(number);
    return instead(number) ?? pageOf(users, number, 1);
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const read = await readPages(listQuery(kindOf('user'), new Set()), {
    client,
    pacing,
    isWorth: () => true,
    onPage: () => {},
  });
  return { ...read, asked: [...asked] };
}

test.each<[string, Exchange, object]>([
  [
    'another page, after which the list is not used',
    pageOf(users, 2, 1),
    { isInconsistent: true, asked: [1, 2, 3, 4] },
  ],
  ['no answer in time', late, { isInconsistent: false, pages: 3, asked: [1, 2, 3, 4] }],
  ['a denial', answered(403, { detail: 'no' }), { isInconsistent: false, pages: 3, asked: [1, 2, 3, 4] }],
  ['a failure of this page alone', answered(500), { isInconsistent: false, pages: 8 }],
])('pages are read until one gets %s', async (_, exchange, read) => {
  expect(await reading((number) => (number === 4 ? exchange : undefined))).toMatchObject(read);
});

test('every page is requested if no three pages in a row fail', async () => {
  const read = await reading((number) => (number % 2 === 0 ? answered(500) : undefined));
  expect(read).toMatchObject({ pages: 5, asked: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
});

test('the list is read until three pages in a row fail', async () => {
  const read = await reading((number) => (number > 3 && number < 7 ? answered(500) : undefined));
  expect(read).toMatchObject({ isInconsistent: false, pages: 3, asked: [1, 2, 3, 4, 5, 6] });
  expect(read.failed).toMatchObject({ status: 500 });
});

test('a page beyond the end of a list that has become shorter is no failure', async () => {
  const absent = answered(404, { detail: 'Invalid page.' });
  const read = await reading((number) => (number > 6 ? absent : undefined));
  expect(read).toMatchObject({ isInconsistent: false, pages: 6 });
  expect(read.failed).toBeUndefined();
});
