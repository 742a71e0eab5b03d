import { expect, test } from 'vitest';
import { user } from '../../src/kinds/user.ts';
import { undeclaredRecords } from '../../src/observe/undeclared.ts';

test('undeclared records are listed by address, without internal records of the service', () => {
  const records = ['zed', 'ann', 'ak-outpost', 'bob'].map((username, pk) => {
    const shown = { pk, username, type: username === 'ak-outpost' ? 'internal_service_account' : 'internal' };
    return { received: shown, shown };
  });
  const inventory = { kind: user, records, gaps: [] };
  const { found } = undeclaredRecords(
    [inventory],
    (address) => address === 'user.bob',
    () => [],
  );
  expect(found).toEqual([
    { address: 'user.ann', pk: '1' },
    { address: 'user.zed', pk: '0' },
  ]);
});
