import { expect, test } from 'vitest';
import { observeChildren } from '../../src/observe/read-children.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const group = '11111111-1111-4111-8111-111111111111';
const app = '22222222-2222-4222-8222-222222222222';
const page = answered(404, '<html>', { 'content-type': 'text/html' });
const denied = answered(403, { detail: 'no' });
const bound = pageOf(
  [{ pk: 'b', target: app, group, user: null, policy: null, order: 0, enabled: true }],
  1,
  100,
);

const everyone = 'access: everyone';
const staff = `access: { groups: ['${group}'] }`;

test.each<[string, string, boolean, readonly Exchange[], requests: number, object]>([
  ['bindings that the service shows', everyone, false, [bound], 1, { groups: [group] }],
  ['none, if the service answers twice that it has no bindings', everyone, false, [page, page], 2, {}],
  [
    'bindings, if only the first answer is a web page',
    everyone,
    false,
    [page, bound],
    2,
    { groups: [group] },
  ],
  ['a failure, if the second answer is a denial', everyone, false, [page, denied], 2, { proof: 'denied' }],
  [
    'a failure, if the service has shown other undocumented data',
    everyone,
    true,
    [page],
    1,
    { proof: 'fault' },
  ],
  ['a failure, if the manifest names groups', staff, false, [page], 1, { proof: 'fault' }],
])('the observed bindings of an application are %s', async (_, access, isShown, answers, asked, expected) => {
  const [resource] = await desired(`version: 1\napplications: [{ slug: a, name: A, ${access} }]\n`);
  if (resource === undefined) throw new Error('no application is declared');
  let requests = 0;
  const client = new Client(async () => answers[(requests += 1) - 1] ?? expect.fail('a further request'));
  client.readable.hasUndocumentedData = isShown;
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const record = { pk: app, fields: { slug: 'a', name: 'A' } };
  const observed = new Map([[resource.address, { presence: 'present', held: record } as const]]);
  const { held, failures, notRead } = await observeChildren([resource], observed, { client, pacing });
  const groups = held.get(resource)?.fields['access.groups'];
  const [failure] = failures;
  expect({ ...(groups && { groups }), ...(failure && { proof: failure.proof }) }).toEqual(expected);
  expect([requests, notRead]).toEqual([asked, 0]);
});
