import { expect, test } from 'vitest';
import { createParent } from '../../src/apply/parent.ts';
import { withDeclaredBindings } from '../../src/apply/update.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { Client, type ReadContext } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered, scriptedTransport, type ScriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const id = '11111111-1111-4111-8111-111111111111';

async function declared(manifest: string): Promise<Resource> {
  const [resource] = await desired(`version: 1\n${manifest}\n`);
  return resource ?? expect.fail('nothing is declared');
}

function contextOf({ send }: ScriptedTransport): ReadContext {
  return {
    client: new Client(send),
    pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
  };
}

test.each<[string, Exchange, string]>([
  ['a denial stops further resources with bindings', answered(403, { detail: 'No.' }), 'bindings'],
  [
    'the licence forbids all changes of bindings',
    answered(400, { detail: 'Request denied.', code: 'denied_license' }),
    'type',
  ],
])('if a binding of a new application is refused, %s', async (_, answer, expected) => {
  const resource = await declared(
    `applications: [{ slug: a, name: A, policies: [{ group: ${id}, order: 0 }] }]`,
  );
  const none = pageOf([], 1, 100);
  const transport = scriptedTransport(answered(201, { pk: id, slug: 'a', name: 'A' }), none, answer, none);
  const stops: string[] = [];
  const control = {
    sending: () => {},
    stop: (scope: string) => stops.push(scope),
    mayBegin: () => true,
    mayRetry: () => true,
  };
  const result = await createParent(resource, { ...contextOf(transport), control });
  expect(result.outcome).toBe('unfinished');
  expect(stops).toEqual([expected]);
});

test.each([
  ['read again before an update if the plan has read them', { stages: [{ policies: [] }] }, 2],
  ['not read if the plan has not', { stages: [{}] }, 1],
])('the policies of the stages of a flow are %s', async (_, seen, requests) => {
  const resource = await declared(
    `flows: [{ slug: f, name: F, title: F, designation: authentication, stages: [{ stage: ${id}, order: 0 }] }]`,
  );
  const record = { pk: 'f', fields: {} };
  const transport = scriptedTransport(
    pageOf([{ pk: id, target: 'f', stage: id, order: 0, policybindingmodel_ptr_id: 'b' }], 1, 100),
    pageOf([], 1, 100),
  );
  await withDeclaredBindings(resource, record, contextOf(transport), { ...record, fields: seen });
  expect(transport.requests).toHaveLength(requests);
});
