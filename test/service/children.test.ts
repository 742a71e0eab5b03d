import { expect, test } from 'vitest';
import { application } from '../../src/kinds/application.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { readChildren } from '../../src/service/children.ts';
import { createClient } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Transport } from '../../src/service/transport.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const target = '00000000-0000-4000-8000-000000000000';
const binding = (pk: string): JsonObject => ({
  pk,
  target,
  group: pk,
  user: null,
  enabled: true,
  negate: false,
});

/** Answers with these lists in turn, and repeats the last one. Each page has two records. */
function listing(lists: readonly (readonly string[])[]): {
  readonly send: Transport;
  readonly asked: () => number;
} {
  let reads = -1;
  let requests = 0;
  return {
    asked: () => requests,
    send: async ({ path }) => {
      requests += 1;
      const current = Number(/[?&]page=(\d+)/.exec(path)?.[1]);
      if (current === 1) reads += 1;
      const list = lists[Math.min(reads, lists.length - 1)] ?? [];
      const start = (current - 1) * 2;
      const end = Math.min(list.length, start + 2);
      const pagination = {
        current,
        count: list.length,
        next: end < list.length ? current + 1 : 0,
        start_index: start + 1,
        end_index: end,
      };
      return answered(200, { pagination, results: list.slice(start, end).map((pk) => binding(pk)) });
    },
  };
}

async function read(lists: readonly (readonly string[])[]): Promise<readonly unknown[] | string> {
  const { send } = listing(lists);
  const clock = virtualClock();
  const pacing = createPacing({ concurrency: 1, clock, random: () => 0 });
  if (application.access === undefined) throw new Error('no subject is bound to it');
  const found = await readChildren(application.access.children, [{ pk: target }], {
    client: createClient(send),
    pacing,
  });
  return found.kind === 'read' ? (found.of.get(target) ?? []).map(({ pk }) => pk) : found.kind;
}

test('a list of several pages is accepted once two reads are equal', async () => {
  expect(await read([['a', 'b', 'c']])).toEqual(['a', 'b', 'c']);
  // A record moved from a page that was not read yet to a page that was.
  expect(
    await read([
      ['a', 'b', 'x'],
      ['a', 'b', 'c'],
    ]),
  ).toEqual(['a', 'b', 'c']);
});

test('a binding that only the first of two reads shows is not accepted', async () => {
  expect(
    await read([
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c'],
    ]),
  ).toEqual(['a', 'b', 'c']);
});

test('a list that differs in each read is not accepted as complete', async () => {
  const lists = Array.from({ length: 12 }, (_, index) => ['a', 'b', `c${index}`]);
  expect(await read(lists)).toBe('unread');
});
