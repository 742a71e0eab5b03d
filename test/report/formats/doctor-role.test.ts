import { expect, test } from 'vitest';
import type { Capability } from '../../../src/kinds/capability.ts';
import { leastRole } from '../../../src/report/formats/doctor.ts';

const always = ['view_application', 'add_application', 'add_user'];

test.each<[Capability[], string[]]>([
  [[], []],
  [['lists', 'release'], []],
  [['lookup-users'], ['view_user']],
  [['lookup-names'], ['view_group', 'view_provider']],
  [
    ['update', 'lookup-users'],
    ['change_application', 'change_user', 'view_user'],
  ],
])('the least role for %j has the permissions of its kinds', (capabilities, further) => {
  const permissions = leastRole(capabilities, undefined).matchAll(/- authentik_core\.(\w+)/g);
  expect(Array.from(permissions, ([, name]) => name)).toEqual([...always, ...further]);
});
