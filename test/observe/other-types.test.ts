import { expect, test } from 'vitest';
import { kindOf } from '../../src/kinds/all.ts';
import { withOtherTypeGaps } from '../../src/observe/other-types.ts';
import type { ListedRecord } from '../../src/service/records.ts';

const kind = kindOf('provider', 'oauth2provider');
const pigeon = 'authentik_providers_pigeon.pigeonprovider';

function listed(fields: object): ListedRecord {
  const record = { pk: 1, name: 'a', meta_model_name: pigeon, verbose_name: 'Pigeon', ...fields };
  return { received: record, shown: record };
}

test.each<[what: string, record: ListedRecord, others: object[] | undefined]>([
  ['a record of an unknown type', listed({}), [{ name: 'a', type: 'Pigeon' }]],
  ['a record whose type has no name', listed({ verbose_name: '' }), [{ name: 'a', type: 'another type' }]],
  ['a record that the service maintains', listed({ managed: 'goauthentik.io/a' }), undefined],
  // Such a record is missing from the inventory if it shares its name, or was created meanwhile.
  [
    'a record of the kind that was read',
    listed({ meta_model_name: 'authentik_providers_oauth2.oauth2provider' }),
    undefined,
  ],
  ['a record that was read as this kind', listed({ pk: 2 }), undefined],
  ['a record that is not wanted', listed({ name: 'b' }), undefined],
])('whether %s counts as of another type', async (_, record, others) => {
  const known = { kind, records: [listed({ pk: 2 })], gaps: [] };
  const read = { kind: 'whole', records: [record], isSinglePage: true } as const;
  const [first, second] = await withOtherTypeGaps(
    [known, known],
    async () => read,
    (address) => address !== 'provider.b',
  );
  expect(first?.gaps).toEqual(others ? [{ kind: 'other_types', of: kind.family, others }] : []);
  expect(second?.gaps).toEqual([]);
});
