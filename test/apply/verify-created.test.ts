import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { WriteResult } from '../../src/apply/settle.ts';
import { CreatedVisibility, verifyCreated } from '../../src/apply/verify-created.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const [resource] = await desired('version: 1\napplications: [{ slug: a, name: A, access: everyone }]');
const denied = answered(403, { detail: 'no' });
const record = (pk: string, name = 'A'): Exchange => answered(200, { pk, slug: 'a', name });
const noBindings = pageOf([], 1, 100);

const absent = answered(404, { detail: 'Not found.' });

test.each<[string, Exchange, Exchange, boolean, object, JsonObject?]>([
  ['unchanged', record('p'), noBindings, true, { outcome: 'unchanged' }],
  [
    'changed',
    record('p', 'B'),
    noBindings,
    true,
    { outcome: 'conflict', clash: { kind: 'changed', fields: ['name'] } },
  ],
  [
    'replaced by another',
    record('q'),
    noBindings,
    true,
    { outcome: 'conflict', clash: { kind: 'replaced' } },
  ],
  [
    'as the answer to the create showed it',
    record('p', 'B'),
    noBindings,
    true,
    { outcome: 'unchanged' },
    { name: 'B' },
  ],
  ['hidden', denied, noBindings, true, { outcome: 'unchanged' }],
  [
    'hidden, though bindings close it',
    denied,
    noBindings,
    false,
    { outcome: 'denied', clash: { kind: 'unseen' } },
  ],
  ['absent, as if hidden', absent, noBindings, true, { outcome: 'unchanged' }],
  [
    'absent, though bindings close it',
    absent,
    noBindings,
    false,
    { outcome: 'conflict', clash: { kind: 'vanished' } },
  ],
  ['there, with hidden bindings', record('p'), denied, true, { outcome: 'unchanged' }],
  [
    'there, with hidden bindings that close it',
    record('p'),
    denied,
    false,
    { outcome: 'denied', clash: { kind: 'unseen' } },
  ],
])('a new record is found %s', async (_, application, bindings, isOpen, ending, known) => {
  if (resource === undefined) throw new Error('no application is declared');
  const client = new Client(async ({ path }) => {
    if (path.includes('/applications/')) return application;
    if (path.includes('/bindings/')) return bindings;
    return answered(200, { user: { pk: 1, username: 'me', is_superuser: false } });
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const control = { sending: () => {}, stop: () => {}, mayBegin: () => true, mayRetry: () => true };
  const found = await verifyCreated({ resource, parent: { pk: 'p' }, client, pacing, control }, isOpen, {
    outcome: 'created',
    inDoubt: false,
    attempts: 1,
    ...(known && { held: { pk: 'p', fields: known } }),
  });
  expect(found).toMatchObject(ending);
  if (!('clash' in ending)) expect(found.clash).toBeUndefined();
});

test('a new record may be hidden only if its kind has names that may repeat, which is checked once for each kind', async () => {
  const created: WriteResult = { outcome: 'created', inDoubt: false, attempts: 1 };
  const visibility = new CreatedVisibility();
  const paths: string[] = [];
  const client = new Client(async ({ path }) => {
    paths.push(path);
    return path.includes('/me/') ? answered(200, { user: { pk: 1, is_superuser: false } }) : noBindings;
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const resources = await desired('version: 1\nroles: [{ name: r }]\ngroups: [{ name: g }, { name: h }]\n');
  const hidden: string[] = [];
  for (const one of resources) {
    const { isHidden } = await visibility.verify(one, created, { client, pacing });
    if (isHidden) hidden.push(one.address);
  }
  expect(hidden).toEqual(['group.g', 'group.h']);
  expect(paths.filter((path) => !path.includes('/me/'))).toHaveLength(1);
});
