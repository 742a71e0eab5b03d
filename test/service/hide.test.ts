import { expect, test } from 'vitest';
import { kindOf } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import { Client } from '../../src/service/client.ts';
import { fieldErrorsOf } from '../../src/service/complaints.ts';
import { hideFields } from '../../src/service/hide.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { answered } from '../support/scripted-transport.ts';

const hide = ['user.name', 'user.email', 'user.attributes', 'application.meta_publisher'];

/** The messages that are shown for an answer to the create of a user. */
async function told(exchange: Exchange): Promise<Exchange> {
  const send = hideFields(async () => exchange, hide);
  return send({ method: 'POST', path: user.path, body: '{"username":"al","name":"canary"}' });
}

test('messages about hidden fields are hidden, and messages about other fields are kept', async () => {
  const body = {
    email: ['canary is no address.'],
    attributes: { canary: ['No.'] },
    attributes_canary: ['No.'],
    groups: { 0: ['Invalid pk.'] },
  };
  const complaints = fieldErrorsOf(classifyRecordAnswer(await told(answered(400, body)), user, 'al'));
  expect(complaints.map(({ field = '', texts }) => `${field}: ${texts.join(' ')}`)).toEqual([
    'email: (hidden)',
    'attributes: (hidden)',
    'groups: Invalid pk.',
  ]);
});

test.each([
  [kindOf('source', 'ldapsource'), 'user_property_mappings'],
  [kindOf('provider', 'oauth2provider'), 'property_mappings'],
])('a former name in an error stands for the field only in a kind that has renamed it', (kind, field) => {
  const answer = { kind: 'refused', status: 400, body: { property_mappings: ['No.'] } } as const;
  expect(fieldErrorsOf(answer as never, kind)).toEqual([{ field, texts: ['No.'] }]); // the rest of the answer is not read
});

test('a refusal is classified by its original text even if fields in it are hidden', async () => {
  const taken = await told(answered(400, { name: ['canary'], username: ['No.'] }));
  expect(classifyRecordAnswer(taken, user, 'al').kind).toBe('identity_and_more_refused');
  const refused = await told(answered(400, { code: 'denied_license', detail: 'No.' }));
  expect(classifyRecordAnswer(refused, user, 'al').kind).toBe('read_only');
});

test('hiding changes neither a record nor a body that is not JSON', async () => {
  const record = answered(201, { pk: 1, username: 'al', name: 'canary' });
  expect(await told(record)).toBe(record);
  const page = answered(502, '<p>Bad gateway</p>');
  expect(await told(page)).toBe(page);
});

test('messages in an answer to a read contain no hidden field', async () => {
  const send = hideFields(async () => answered(400, { meta_publisher: ['canary'], slug: ['No.'] }), hide);
  const { answer } = await new Client(send).read({ kind: application, name: 'wiki' });
  expect(answer.body).toEqual({ meta_publisher: '(hidden)', slug: ['No.'] });
});

test('hiding does not change the answer to a request that is not for a record', async () => {
  const exchange = answered(403, { detail: 'No.', name: 'x' });
  expect(await hideFields(async () => exchange, hide)({ method: 'GET', path: '/api/v3/root/config/' })).toBe(
    exchange,
  );
});
