import { expect, test } from 'vitest';
import { kindOf } from '../../src/kinds/all.ts';
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

test('a record that could not be read is mentioned unless it is declared', () => {
  const answer = { kind: 'not_found', status: 404 } as const;
  const gaps = ['ann', 'bob'].map((name) => ({ kind: 'not_shown', name, answer }) as const);
  const { gaps: told } = undeclaredRecords(
    [{ kind: user, records: [], gaps }],
    (address) => address === 'user.bob',
    ({ gaps: of }) => of.map((gap) => ({ summary: 'name' in gap ? gap.name : '', detail: '' })),
  );
  expect(told.map(({ summary }) => summary)).toEqual(['ann']);
});

test('a gap that two kinds of a type have in common is mentioned once', () => {
  const gaps = [{ kind: 'moved' } as const];
  const kinds = ['oauth2provider', 'samlprovider'].map((model) => kindOf('provider', model));
  const { gaps: told } = undeclaredRecords(
    kinds.map((kind) => ({ kind, records: [], gaps })),
    () => false,
    () => [{ summary: 'the list of providers changed', detail: '' }],
  );
  expect(told).toEqual([{ type: 'provider', summary: 'the list of providers changed', detail: '' }]);
});

test('a record is declared under the name of its parent, or under its id', () => {
  const kind = kindOf('entitlement', 'applicationentitlement');
  const record = { pk: 'e', name: 'reader', app: 'id' };
  const records = [{ received: record, shown: record, within: 'wiki' }];
  const others = ['entitlement.wiki/reader', 'entitlement.id/reader', 'entitlement.mail/reader'].map(
    (declared) =>
      undeclaredRecords(
        [{ kind, records, gaps: [] }],
        (address) => address === declared,
        () => [],
      ).found.length,
  );
  expect(others).toEqual([0, 0, 1]);
});
