import { expect, test } from 'vitest';
import { application } from '../../src/kinds/application.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { readChildren } from '../../src/service/children.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange, Transport } from '../../src/service/transport.ts';
import { stageBindings } from '../../src/kinds/stage-bindings.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { pageOf } from '../support/listing-service.ts';
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
    client: new Client(send),
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

/** Reads the bindings of so many records, each with one binding of its own. `answer` can replace an answer. */
async function readMany(
  count: number,
  answer: (targets: readonly string[]) => Exchange | undefined = () => undefined,
): Promise<{ readonly kind: string; readonly found: readonly string[]; readonly asked: number[] }> {
  const asked: number[] = [];
  const client = new Client(async ({ path }) => {
    const targets = new URLSearchParams(path.split('?')[1]).getAll('target_in');
    asked.push(targets.length);
    const records = targets.map((id) => ({ ...binding(`of ${id}`), target: id, group: 'g' }));
    return answer(targets) ?? pageOf(records, 1, records.length);
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const parents = Array.from({ length: count }, (_, index) => ({ pk: `p${index}` }));
  const result = await readChildren(policyBindings, parents, { client, pacing });
  const found =
    result.kind === 'read' ? [...result.of].flatMap(([pk, all]) => (all.length === 1 ? pk : [])) : [];
  return { kind: result.kind, found, asked };
}

test('the bindings of many records are read in parts, each record once', async () => {
  const { kind, found, asked } = await readMany(65);
  expect([kind, new Set(found).size, asked]).toEqual(['read', 65, [32, 32, 1]]);
});

test('bindings of other records are left out, although the service may ignore the filter', async () => {
  const other = { ...binding('b'), target: '11111111-1111-4111-8111-111111111111' };
  const result = await readChildren(policyBindings, [{ pk: target }], {
    client: new Client(async () => pageOf([binding('a'), other], 1, 2)),
    pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
  });
  expect(result.kind === 'read' && [...result.of.keys()]).toEqual([target]);
});

test('no bindings count as read if a part cannot be read, and no further part is read', async () => {
  const denied = answered(403, { detail: 'no' });
  const second = await readMany(96, (targets) => (targets.includes('p32') ? denied : undefined));
  expect(second).toMatchObject({ kind: 'unread', asked: [32, 32] });
});

test('if the service rejects the id of a deleted record, the bindings of the others are read', async () => {
  const rejected = answered(400, { target_in: ['Select a valid choice.'] });
  const { kind, asked } = await readMany(4, (targets) => (targets.includes('p3') ? rejected : undefined));
  expect([kind, asked]).toEqual(['unread', [4, 2, 2, 1, 1]]);
});

test.each([
  [true, '2020-01-01T00:00:00Z', true],
  [true, '2026-01-01T00:00:00Z', true],
  [true, '2999-01-01T00:00:00Z', false],
  [false, '2020-01-01T00:00:00Z', false],
])('whether a binding that expires (%j) at %s has expired is %j', async (expiring, expires, isExpired) => {
  const expiry = policyBindings.expiry ?? expect.fail('no binding expires');
  const record = { ...binding('a'), [expiry.isExpiring]: expiring, [expiry.at]: expires };
  const clock = { ...virtualClock(), now: () => Date.parse('2026-01-01T00:00:00Z') };
  const result = await readChildren(policyBindings, [{ pk: target }], {
    client: new Client(async () => pageOf([record], 1, 1)),
    pacing: createPacing({ concurrency: 1, clock, random: () => 0 }),
  });
  expect(result.kind === 'read' && result.of.get(target)?.map((one) => one.isExpired)).toEqual([isExpired]);
});

test.each([
  [3, 3],
  [4, 1],
])('the stages of %i flows are read in %i requests', async (count, requests) => {
  const { send, asked } = listing([[]]);
  const empty: Transport = async (request, signal) => {
    await send(request, signal);
    return pageOf([], 1, 100);
  };
  const pacing = createPacing({ clock: virtualClock(), random: () => 0, concurrency: 1 });
  const parents = Array.from({ length: count }, (_, index) => ({ pk: `${index}` }));
  await readChildren(stageBindings, parents, { client: new Client(empty), pacing });
  expect(asked()).toBe(requests);
});

test.each([
  [0, []],
  [1, [1]],
  [32, [32]],
  [64, [32, 32]],
])('the bindings of %i records are read in requests for %j records', async (count, requests) => {
  const { kind, found, asked } = await readMany(count);
  expect([kind, found.length, asked]).toEqual(['read', count, requests]);
});

test('a denial is not asked again for each half of the records', async () => {
  const { kind, asked } = await readMany(4, () => answered(403, { detail: 'no' }));
  expect([kind, asked]).toEqual(['unread', [4]]);
});

test.each([
  [
    { group: 'g', group_obj: { name: 'Staff' } },
    { id: 'g', name: 'Staff' },
  ],
  [
    { group: 'g', group_obj: null },
    { id: 'g', name: undefined },
  ],
  [
    { group: null, user: 7, user_obj: { username: 'u', name: 'U' } },
    { id: 7, name: 'u' },
  ],
  [
    { group: null, user: null },
    { id: undefined, name: undefined },
  ],
])('a binding with %j binds %j', async (fields, bound) => {
  const result = await readChildren(policyBindings, [{ pk: target }], {
    client: new Client(async () => pageOf([{ ...binding('a'), ...fields }], 1, 1)),
    pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
  });
  const [one] = (result.kind === 'read' && result.of.get(target)) || [];
  expect({ id: one?.id, name: one?.name }).toEqual(bound);
});
