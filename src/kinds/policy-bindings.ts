import { familyOf } from './families.ts';
import type { ChildField, Children } from './children.ts';

const policyField: ChildField = {
  idIn: 'policy',
  refersTo: familyOf('policies'),
  recordIn: 'policy_obj',
  nameIn: 'name',
  lets: { plain: 'whoever passes', negated: 'whoever fails' },
};

export const groupField: ChildField = {
  idIn: 'group',
  refersTo: familyOf('groups'),
  recordIn: 'group_obj',
  nameIn: 'name',
  lets: { negated: 'whoever is not in' },
};

export const userField: ChildField = {
  idIn: 'user',
  refersTo: familyOf('users'),
  recordIn: 'user_obj',
  nameIn: 'username',
  lets: { negated: 'whoever is not' },
};

/** The policies, groups and users that are bound to a record. */
export const policyBindings: Children = {
  type: 'policybinding',
  list: 'bindings',
  permissionsOf: 'authentik_policies',
  path: '/api/v3/policies/bindings/',
  by: 'bindable',
  // So many ids fit into one URL, and the bindings of so many, three each, onto one page.
  ofParents: { parameter: 'target_in', atOnce: 32 },
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
  // Without the child, 2023.10.7 refuses a PATCH; without the target, 2025.12.4 crashes over it.
  isSentWhole: true,
};
