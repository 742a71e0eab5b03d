import { familyOf } from './families.ts';
import type { ChildField, Children } from './children.ts';

export const policyField: ChildField = {
  idField: 'policy',
  refersTo: familyOf('policies'),
  recordField: 'policy_obj',
  nameField: 'name',
  lets: { plain: 'whoever passes', negated: 'whoever fails' },
};

export const groupField: ChildField = {
  idField: 'group',
  refersTo: familyOf('groups'),
  recordField: 'group_obj',
  nameField: 'name',
  lets: { negated: 'whoever is not in' },
};

export const userField: ChildField = {
  idField: 'user',
  refersTo: familyOf('users'),
  recordField: 'user_obj',
  nameField: 'username',
  lets: { negated: 'whoever is not' },
};

/** Bindings of policies, groups and users. */
export const policyBindings: Children = {
  type: 'policybinding',
  list: 'bindings',
  permissionApp: 'authentik_policies',
  path: '/api/v3/policies/bindings/',
  targetIdField: 'bindable',
  // As many ids as fit into a URL; their bindings, on average three each, fit on a page.
  parentFilter: { parameter: 'target_in', idsPerRequest: 32 },
  binds: [policyField, groupField, userField],
  // The defaults are those of 2023.10.7 and of 2025.12.4.
  fields: {
    order: {},
    negate: { default: false },
    enabled: { default: true },
    timeout: { default: 30 },
    failure_result: { default: false },
  },
  // From 2026.8 on. The schema of 2026.8.3 has them read-only.
  expiry: { isExpiring: 'expiring', at: 'expires' },
  // Without the child, 2023.10.7 rejects a PATCH; without the target, 2025.12.4 crashes.
  isSentWhole: true,
};
