import { familyOf } from './families.ts';
import type { ChildField, Children } from './children.ts';

export const policyField: ChildField = {
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

/** Bindings of policies, groups and users. */
export const policyBindings: Children = {
  type: 'policybinding',
  list: 'bindings',
  permissionsOf: 'authentik_policies',
  path: '/api/v3/policies/bindings/',
  by: 'bindable',
  // This many ids fit into a URL, and their bindings, three each, onto a page.
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
  // Without the child, 2023.10.7 rejects a PATCH; without the target, 2025.12.4 crashes.
  isSentWhole: true,
};
