import { expect, test } from 'vitest';
import { user } from '../../src/kinds/user.ts';
import { undeclaredRecords } from '../../src/observe/undeclared.ts';

test('internal records of the service do not count as undeclared', () => {
  const records = ['ann', 'ak-outpost', 'bob'].map((username, pk) => {
    const shown = { pk, username, type: username === 'ak-outpost' ? 'internal_service_account' : 'internal' };
    return { received: shown, shown };
  });
  const inventory = { kind: user, records, gaps: [] };
  const { found } = undeclaredRecords(
    [inventory],
    (address) => address === 'user.bob',
    () => [],
  );
  expect(found).toEqual([{ address: 'user.ann', pk: '0' }]);
});
