import { familyOf } from './families.ts';
import type { ChildField, Children } from './children.ts';
import type { Kind } from './kind.ts';

export const policyField: ChildField = {
  idField: 'policy',
  refersTo: familyOf('policies'),
  lets: { plain: 'whoever passes', negated: 'whoever fails' },
};

export const groupField: ChildField = {
  idField: 'group',
  refersTo: familyOf('groups'),
  lets: { negated: 'whoever is not in' },
};

export const userField: ChildField = {
  idField: 'user',
  refersTo: familyOf('users'),
  lets: { negated: 'whoever is not' },
};

export const policyBindings: Children = {
  model: { name: 'policybinding', plural: 'bindings' },
  permissionApp: 'authentik_policies',
  path: '/api/v3/policies/bindings/',
  targetIdField: 'bindable',
  // The maximum number of ids that fit into a URL. Up to three bindings per id fit on one page.
  parentFilter: { parameter: 'target_in', idsPerRequest: 32 },
  binds: [policyField, groupField, userField],
  // The defaults are those of authentik 2023.10.7 and of 2025.12.4.
  fields: {
    order: {},
    negate: { default: false },
    enabled: { default: true },
    timeout: { default: 30 },
    failure_result: { default: false },
  },
  assumed: { negate: false, enabled: true },
  // Since 2026.8. The schema of 2026.8.3 marks these fields as read-only.
  expiry: { isExpiring: 'expiring', at: 'expires' },
  // authentik 2023.10.7 rejects a PATCH without the child; 2025.12.4 crashes on a PATCH without the target.
  isSentWhole: true,
};

/** Whether records of a kind can be bound to others. */
export function canBeBound({ family }: Pick<Kind, 'family'>): boolean {
  return policyBindings.binds.some(({ refersTo }) => refersTo === family);
}

/** Whether records of this kind decide who passes the bindings of other records. */
export function isPolicyKind({ family }: Pick<Kind, 'family'>): boolean {
  return family === policyField.refersTo;
}

/** The fields of policies that cannot change a result. */
const withoutEffect = new Set(['name', 'execution_logging']);

/** Whether a record is a policy and the differences may change who passes it. */
export function mayDecideOtherwise(
  kind: Pick<Kind, 'family'>,
  differences: readonly { readonly field: string }[],
): boolean {
  return isPolicyKind(kind) && differences.some(({ field }) => !withoutEffect.has(field));
}
