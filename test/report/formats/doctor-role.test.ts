import { expect, test } from 'vitest';
import type { AllowedOperations } from '../../../src/kinds/capability.ts';
import { requiredRoleBlueprint } from '../../../src/report/formats/doctor.ts';

const least = ['view_application', 'add_application', 'add_user'];
const reading = [
  'view_application',
  'view_group',
  'view_user',
  'view_source',
  'view_provider',
  'view_propertymapping',
  'add_group',
  'add_application',
  'add_user',
];
// An application gets its provider after all of its bindings.
const finishing = 'change_application';

test.each<[AllowedOperations, string[]]>([
  [{ contractOnly: true, capabilities: [] }, least],
  [{ contractOnly: false, capabilities: [] }, [...reading, finishing]],
  [
    { contractOnly: false, capabilities: ['update'] },
    [...reading, 'change_group', 'change_application', 'change_user'],
  ],
])(
  'the smallest role for a run with %j has exactly the permissions that the run needs',
  (reach, expected) => {
    const permissions = requiredRoleBlueprint(reach, undefined).matchAll(/- authentik_core\.(\w+)/g);
    expect(Array.from(permissions, ([, name]) => name)).toEqual(expected);
  },
);
