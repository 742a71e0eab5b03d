import { expect, test } from 'vitest';
import { parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { orderWrites } from '../../src/apply/order-writes.ts';
import { coverAllBindings } from '../../src/kinds/access.ts';
import { bindingsIn, declaredBindings } from '../../src/kinds/bindings.ts';
import type { Child } from '../../src/kinds/children.ts';
import { stageBindings } from '../../src/kinds/stage-bindings.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const components: Readonly<Record<string, string>> = {
  who: 'ak-stage-identification-form',
  enter: 'ak-stage-user-login-form',
};
const root = '/api/v3/flows/bindings/';
const [flow] = await desired(
  'version: 1\nflows: [{ slug: f, name: F, title: F, designation: authentication }]',
);

/** Positions by stage, such as `{ who: 0, pw: 10 }`. */
type Order = Readonly<Record<string, number | undefined>>;

type Answer = (method: string, regular: () => Exchange) => Exchange;

/** The writes that change the stages of a flow, each with the stage and its position; the plan was made with the positions of `seen`. */
async function writesBetween(
  before: Order,
  after: Order,
  seen: Order = before,
  answer: Answer = (_, regular) => regular(),
): Promise<string[]> {
  const writes: string[] = [];
  const bound = new Map<string, JsonObject>(
    Object.entries(before).map(([stage, order = 0]) => [
      `of-${stage}`,
      { pk: `of-${stage}`, target: 'f', stage, order, policybindingmodel_ptr_id: stage },
    ]),
  );
  const regularAnswer = ({ method, path, body = '{}' }: HttpRequest): Exchange => {
    const [, pk = ''] = path.split(root);
    const sent = parseJson(body) as JsonObject; // the client sends objects
    if (path.startsWith('/api/v3/stages/all/')) {
      const [stage = ''] = path.split('/').slice(-2);
      return answered(200, { pk: stage, name: stage, component: components[stage] ?? 'ak-stage-dummy-form' });
    }
    const id = pk.replace(/[/?].*/, '');
    if (method === 'GET') return pageOf([...bound.values()], 1, 100);
    const stage = textOf(sent['stage'] ?? id.replace('of-', ''));
    if (method === 'DELETE') {
      bound.delete(id);
      writes.push(`- ${stage}`);
      return answered(204);
    }
    const record = { ...bound.get(id), ...sent, target: 'f', pk: id || `of-${stage}` };
    bound.set(record.pk, record);
    writes.push(`${method === 'POST' ? '+' : '~'} ${stage} ${textOf(sent['order'])}`);
    return answered(method === 'POST' ? 201 : 200, record);
  };
  const send: Transport = async (request) => answer(request.method, () => regularAnswer(request));
  if (flow === undefined) throw new Error('no flow is declared');
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const declared = Object.entries(after).map(([stage, order]) => ({
    stage,
    ...(order !== undefined && { order }),
  }));
  const target = {
    client: new Client(send, { capabilities: ['update', 'delete'] }),
    pacing,
    control: { sending: () => {}, stop: () => {}, mayBegin: () => true, mayRetry: () => true },
    resource: flow,
    parent: { pk: 'f' },
    children: stageBindings,
    fields: ['stages'],
    wanted: declaredBindings(stageBindings, 'stages', declared),
    ...coverAllBindings('stages', false),
    removal: 'delete' as const,
  };
  const held = bindingsIn(
    stageBindings,
    Object.entries(seen).map(([stage, order = 0]) => ({ stage, order })),
  ).map((one): Child => ({
    ...one,
    pk: `of-${textOf(one.id)}`,
    rank: stageBindings.last?.ranks[components[textOf(one.id)] ?? ''] ?? 0,
    isExpired: false,
  }));
  for (const step of await orderWrites([target], () => held)) {
    const { outcome } = await step({ outcome: 'unchanged', inDoubt: false, attempts: 0 });
    if (outcome !== 'created' && outcome !== 'updated') writes.push(outcome);
  }
  return writes;
}

test.each<[string, Order, Order, readonly string[]]>([
  ['all stages, the login last', {}, { enter: 30, who: 0, pw: 10 }, ['+ pw 10', '+ who 0', '+ enter 30']],
  ['no stages, the login first', { pw: 10, who: 0, enter: 30 }, {}, ['- enter', '- who', '- pw']],
  [
    'another login, before the former one goes',
    { pw: 10, enter: 30 },
    { pw: 10, who: 40 },
    ['+ who 40', '- enter'],
  ],
  ['no login, before another stage moves', { pw: 10, enter: 30 }, { pw: 20 }, ['- enter', '~ pw 20']],
  ['a login, after another stage has moved', { pw: 10 }, { pw: 5, enter: 30 }, ['~ pw 5', '+ enter 30']],
  [
    'later positions, the last stage first',
    { who: 0, pw: 10, enter: 20 },
    { who: 1, pw: 11, enter: 21 },
    ['~ enter 21', '~ pw 11', '~ who 1'],
  ],
  [
    'earlier positions, the login last',
    { who: 2, pw: 12, enter: 22 },
    { who: 1, pw: 11, enter: 21 },
    ['~ who 1', '~ pw 11', '~ enter 21'],
  ],
  [
    'a name behind the login, before any other stage moves to a later position',
    { pw: 10, enter: 20, who: 30 },
    { pw: 35, enter: 20, who: 40 },
    ['~ who 40', '~ pw 35'],
  ],
  [
    'an earlier name behind the login, after the other stages',
    { enter: 20, who: 40, pw: 50 },
    { enter: 20, who: 30, pw: 45 },
    ['~ pw 45', '~ who 30'],
  ],
  [
    'an earlier name at the position of the login, before the other stages',
    { enter: 20, who: 20, pw: 50 },
    { enter: 20, who: 10, pw: 45 },
    ['~ who 10', '~ pw 45'],
  ],
  [
    'a later name, before the other stages, if the login keeps a position that is not declared',
    { enter: 20, who: 10, pw: 50 },
    { enter: undefined, who: 30, pw: 55 },
    ['~ who 30', '~ pw 55'],
  ],
])('a flow gets %s', async (_, before, after, writes) => {
  expect(await writesBetween(before, after)).toEqual(writes);
});

test('a binding that somebody else has moved since the plan is not moved again', async () => {
  expect(await writesBetween({ pw: 15 }, { pw: 20 }, { pw: 10 })).toEqual(['conflict']);
  expect(await writesBetween({ pw: 20 }, { pw: 20 }, { pw: 10 })).toEqual(['unchanged']);
});

test('no binding is deleted while another one differs from its declaration', async () => {
  const before = { pw: 15, enter: 30, old: 5 };
  expect(await writesBetween(before, { pw: 20, enter: 30 }, { ...before, pw: 20 })).toEqual(['conflict']);
  expect(await writesBetween(before, { pw: 15, enter: 30 })).toEqual(['- old']);
});

test.each<[string, Order, string, Answer, readonly string[]]>([
  ['is there', { pw: 10 }, 'counts as created', (_, regular) => (regular(), lost), ['+ pw 10']],
  ['is not there', { pw: 10 }, 'is unknown', () => lost, ['unknown']],
])('a new binding that %s after a lost answer %s', async (_, after, _outcome, instead, writes) => {
  const answer: Answer = (method, regular) => (method === 'POST' ? instead(method, regular) : regular());
  expect(await writesBetween({}, after, {}, answer)).toEqual(writes);
});

test('a binding that vanishes before its change is a conflict', async () => {
  const answer: Answer = (method, regular) =>
    method === 'PATCH' ? answered(404, { detail: 'Not found.' }) : regular();
  expect(await writesBetween({ pw: 10 }, { pw: 20 }, { pw: 10 }, answer)).toEqual(['conflict']);
  expect(await writesBetween({}, { pw: 20 }, { pw: 10 })).toEqual(['conflict']);
});

test('a binding that somebody else has deleted is not deleted again', async () => {
  expect(await writesBetween({ pw: 10 }, { pw: 10 }, { pw: 10, old: 5 })).toEqual(['unchanged']);
});

test('no binding is deleted while a declared one is missing', async () => {
  expect(await writesBetween({ old: 5 }, { pw: 10 }, { pw: 10, old: 5 })).toEqual(['conflict']);
});
