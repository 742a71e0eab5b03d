import { expect, test } from 'vitest';
import { manifestFiles } from '../../src/adopt/files.ts';
import { user } from '../../src/kinds/user.ts';
import { manifestCheck } from '../../src/manifest/manifest-check.ts';

const check = await manifestCheck(['users']);

test.each([
  ['Staff & Co./engineering', 'users/staff-co/engineering.yaml'],
  [`${'a'.repeat(99)} b`, `users/${'a'.repeat(99)}.yaml`],
  ['aux', 'users/aux-.yaml'],
  ['\u65e5\u672c', 'users/other.yaml'],
])('users with the path %j are in the file %s', (path, expected) => {
  const declared = { address: 'user.a', kind: user, fields: { username: 'a', name: 'A', path } } as const;
  expect([...manifestFiles([declared], check, 'path', () => '').texts.keys()]).toEqual([expected]);
});
