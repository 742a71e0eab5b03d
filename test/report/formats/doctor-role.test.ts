import { expect, test } from 'vitest';
import type { AllowedOperations } from '../../../src/kinds/capability.ts';
import { kindsOf } from '../../../src/kinds/all.ts';
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

const flowsAndUsers = [...kindsOf('flow'), ...kindsOf('user')];

test.each([
  [{ contractOnly: true, capabilities: [] }, 'applications, and to create applications and users.'],
  [
    { contractOnly: false, capabilities: [] },
    'bindings of stages, and bindings, and to create flows and users, and to create the bindings of flows.',
  ],
  [
    { contractOnly: false, capabilities: ['update'] },
    'bindings, to create flows and users, and to change flows and users, and to create the bindings of flows.',
  ],
] as const)('the role for flows and users with %j says what it allows: %s', (reach, words) => {
  const [first = ''] = requiredRoleBlueprint(reach, undefined, flowsAndUsers).split('\n');
  expect(first).toMatch(/^# The least that rollcall needs: to look up applications/);
  expect(first.endsWith(words)).toBe(true);
});

test('the role for applications says that it allows to set who may open them', () => {
  const blueprint = requiredRoleBlueprint(
    { contractOnly: false, capabilities: [] },
    undefined,
    kindsOf('application'),
  );
  expect(blueprint.split('\n', 1)[0]).toMatch(/create applications, and to set who may open applications\.$/);
});

test.each([
  [['delete'], ['authentik_flows.delete_flow', 'authentik_core.delete_user']],
  [['update'], ['authentik_flows.delete_flowstagebinding', 'authentik_policies.delete_policybinding']],
  [[], []],
] as const)(
  'with the capabilities %j, the role has these permissions to delete: %j',
  (capabilities, permissions) => {
    const blueprint = requiredRoleBlueprint({ contractOnly: false, capabilities }, undefined, flowsAndUsers);
    expect(blueprint.match(/\S+\.delete_\w+/g) ?? []).toEqual(permissions);
  },
);
