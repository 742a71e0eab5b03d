import { expect, test } from 'vitest';
import { kinds, lists } from '../../src/kinds/all.ts';
import { familyOf } from '../../src/kinds/families.ts';
import type { Family } from '../../src/kinds/kind.ts';
import { referenceFields } from '../../src/kinds/named.ts';

/** References to lists that come later in a manifest. Their entries decide which record is created first. */
const backwards = ['applications access.users → users'];

test('kinds are ordered after the lists that they refer to, so that plans show dependencies first', () => {
  const order = [...new Set(kinds.map(({ family }): Family => family))];
  const found = kinds.flatMap((kind) =>
    referenceFields(kind).flatMap(([field, family]) =>
      order.indexOf(family) > order.indexOf(kind.family) ? [`${kind.list} ${field} → ${family.list}`] : [],
    ),
  );
  expect([...new Set(found)]).toEqual(backwards);
});

test.each([...lists])('records of %s are named by a string field that a list request can search', (list) => {
  const { keys, searchQuery, identity } = familyOf(list);
  expect(Object.values(keys ?? { name: 'name' })).toContain(identity);
  expect(Object.keys(searchQuery('some-name')).length).toBeLessThanOrEqual(1);
});
