import { expect, test } from 'vitest';
import type { Capability } from '../../src/kinds/capability.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { stageBindings } from '../../src/kinds/stage-bindings.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import { parseBody } from '../../src/service/body.ts';
import { withBindings } from '../../src/service/children.ts';
import { Client, type DeleteResult } from '../../src/service/client.ts';
import { isOpenFlagOff } from '../../src/service/open-flag.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const one = { next: 0, previous: 0, count: 1, current: 1, total_pages: 1, start_index: 1, end_index: 1 };

test.each([
  ['the name new', { pk: 'p', name: 'new' }, 'updated'],
  ['the name old', { pk: 'p', name: 'old' }, 'ambiguous'],
  ['another record of the name new', { pk: 'q', name: 'new' }, 'ambiguous'],
])('a rename that is answered with %s: %j', async (_, record, proof) => {
  const { send } = scriptedTransport(answered(200, record));
  const client = new Client(send, { capabilities: ['update'] });
  expect((await client.update(kindOf('group'), 'old', 'p', { name: 'new' })).proof).toBe(proof);
});

test('a declared binding is deleted only with the capability to delete', async () => {
  const { send, requests } = scriptedTransport(answered(204));
  const removing = (...capabilities: Capability[]): Promise<DeleteResult> =>
    new Client(send, { capabilities }).unbind(policyBindings, 'b', 'delete');
  await expect(removing('update')).rejects.toThrow('capability delete');
  expect(requests).toEqual([]);
  expect(await removing('update', 'delete')).toMatchObject({ proof: 'deleted' });
});

test('a kind can be read once a look-up has shown that a record is absent', async () => {
  const client = new Client(async () => pageOf([], 1, 100));
  const group = kindOf('group');
  expect(await client.read({ kind: group, name: 'staff' })).toMatchObject({ proof: 'absent' });
  expect(client.readable.shown.has(group)).toBe(true);
});

test('two pages for an unknown path have one form, whatever the spelling of their type', () => {
  const formOf = (type: string): string | undefined =>
    classifyRecordAnswer(answered(404, '<p>', { 'content-type': type }), kindOf('application'), 'a').form;
  expect(formOf('Text/HTML ; charset=utf-8')).toBe(formOf('text/html'));
  expect(formOf('text/plain')).not.toBe(formOf('text/html'));
});

test.each([
  [1, { name: 'db', provider: 1 }],
  [2, null],
])('a name that is unique only within a parent is looked up in the parent %i', (id, found) => {
  const body = JSON.stringify({ pagination: one, results: [{ name: 'db', provider: 1 }] });
  const within = { field: 'provider', id };
  expect(parseBody(body, 200, { shape: 'search', identity: 'name', name: 'db', within })).toEqual(found);
});

test('a record keeps its bindings of one kind when those of another kind are added', () => {
  const flow = kindOf('flow');
  const record = { pk: 'f', fields: { slug: 'f' }, shown: { slug: '*' } };
  const whole = withBindings(flow, withBindings(flow, record, stageBindings, []), policyBindings, []);
  expect([...(whole.bound?.keys() ?? [])]).toEqual([stageBindings, policyBindings]);
  expect(whole.fields).toEqual({ slug: 'f', stages: [], policies: [] });
  expect(whole.shown).toEqual({ slug: '*', stages: [], policies: [] });
});

test.each([
  [{ core_default_app_access: false }, true],
  [{ core_default_app_access: true }, false],
  [{}, false],
  [null, false],
])('the flag that opens applications is off only if it is false: %j', async (flags, isOff) => {
  const client = new Client(async () => answered(200, { pk: 'service', name: 'service', flags }));
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  expect(await isOpenFlagOff({ client, pacing })).toBe(isOff);
});

test('a documented look-up is no sign that the service answers undocumented ones', async () => {
  const client = new Client(async () => answered(200, { pk: '1', slug: 'a', username: 'a', name: 'A' }));
  await client.read({ kind: kindOf('application'), name: 'a' });
  expect(client.readable.hasUndocumentedData).toBe(false);
});

test.each<[request: string, send: (client: Client) => Promise<unknown>, needs: readonly Capability[]]>([
  ['update', (client) => client.update(kindOf('group'), 'g', 'p', {}), ['update']],
  ['rebind', (client) => client.rebind(policyBindings, 'b', {}), ['update']],
  ['unbind', (client) => client.unbind(policyBindings, 'b', 'update'), ['update']],
  ['unbind for a delete', (client) => client.unbind(policyBindings, 'b', 'delete'), ['update', 'delete']],
  ['remove', (client) => client.remove(kindOf('group'), 'g', 'p'), ['delete']],
  ['finish', (client) => client.finish(kindOf('group'), 'g', 'p', {}), []],
  ['bind', (client) => client.bind(policyBindings, { pk: 'p' }, {}), []],
])('the request to %s is sent only with its capabilities', async (_, request, needs) => {
  const sets: readonly (readonly Capability[])[] = [[], ['update'], ['delete'], ['update', 'delete']];
  for (const capabilities of sets) {
    const { send, requests } = scriptedTransport(answered(204));
    const sending = request(new Client(send, { capabilities }));
    if (needs.every((need) => capabilities.includes(need))) await sending;
    else await expect(sending).rejects.toThrow('needs the capability');
    expect(requests).toHaveLength(needs.every((need) => capabilities.includes(need)) ? 1 : 0);
  }
});

test.each([
  [204, '', 'deleted'],
  [200, { pk: 'p' }, 'ambiguous'],
  [404, { detail: 'Not found.' }, 'ambiguous'],
  [403, { detail: 'no' }, 'denied'],
  [502, '<p>', 'ambiguous'],
] as const)('a delete that is answered with %i and %j is %s', async (status, body, proof) => {
  const { send } = scriptedTransport(answered(status, body));
  const client = new Client(send, { capabilities: ['delete'] });
  expect((await client.remove(kindOf('group'), 'g', 'p')).proof).toBe(proof);
});
