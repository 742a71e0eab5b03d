import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { withRecordIds } from '../../src/service/record-ids.ts';
import { answered } from '../support/scripted-transport.ts';

const record = {
  brand_uuid: 'b',
  domain: 'a.example',
  nested: { brand_uuid: 'c' },
  list: [{ brand_uuid: 'd' }],
};
const withPk = { pk: 'b', ...record };
const brands = '/api/v3/core/brands/';

test.each<[string, string, string, JsonValue, JsonValue]>([
  [
    'in a list',
    'GET',
    `${brands}?page=1`,
    { pagination: {}, results: [record] },
    { pagination: {}, results: [withPk] },
  ],
  ['of its own', 'GET', `${brands}b/`, record, withPk],
  ['in the answer to a create', 'POST', brands, record, withPk],
  ['of another kind', 'GET', '/api/v3/core/groups/b/', record, record],
])('a record %s gets its id as `pk`, but nested records do not', async (_, method, path, sent, expected) => {
  const text = JSON.stringify(sent);
  const send = withRecordIds(async () => ({ ...answered(200, text), asReceived: text }));
  const exchange = await send({ method: method === 'POST' ? 'POST' : 'GET', path });
  if (exchange.kind !== 'answered') expect.fail('there is no answer');
  const { body, asReceived = '' } = exchange;
  expect([JSON.parse(body), JSON.parse(asReceived)]).toEqual([expected, expected]);
});

test('numbers keep all their digits, and a refusal gets no id', async () => {
  const send = withRecordIds(async ({ method }) =>
    method === 'GET'
      ? answered(200, '{"brand_uuid":"b","attributes":{"n":12345678901234567890}}')
      : answered(400, { brand_uuid: 'no' }),
  );
  expect(await send({ method: 'GET', path: `${brands}b/` })).toMatchObject({
    body: '{"pk":"b","brand_uuid":"b","attributes":{"n":12345678901234567890}}',
  });
  expect(await send({ method: 'POST', path: brands })).toMatchObject({ body: '{"brand_uuid":"no"}' });
});
