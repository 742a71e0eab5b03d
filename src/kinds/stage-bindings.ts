import type { Children } from './children.ts';
import { familyOf } from './families.ts';
import type { Kind } from './kind.ts';
import { policyBindings } from './policy-bindings.ts';

const stageField = { idField: 'stage', refersTo: familyOf('stages') };

export const stageBindings: Children = {
  model: { name: 'flowstagebinding', plural: 'bindings of stages' },
  permissionApp: 'authentik_flows',
  path: '/api/v3/flows/bindings/',
  targetIdField: 'pk',
  parentFilter: { parameter: 'target', idsPerRequest: 1, minParentsForFullList: 4 },
  binds: [stageField],
  // These are the defaults of authentik 2023.10.7 and of 2025.12.4.
  fields: {
    order: {},
    evaluate_on_plan: { default: false },
    re_evaluate_policies: { default: true },
    policy_engine_mode: { default: 'any' },
    invalid_response_action: { default: 'retry' },
  },
  // authentik 2023.10.7 and 2025.12.4 accepted a PATCH with only the order.
  isSentWhole: false,
  isEssential: true,
  inside: { field: 'policies', children: policyBindings, bindableIn: 'policybindingmodel_ptr_id' },
  // Login stages come last, because they use the results of earlier stages. Stages that ask for a user name come after stages that require a proof of identity.
  last: {
    field: 'component',
    ranks: {
      'ak-stage-identification-form': 1,
      'ak-stage-user-login-form': 2,
      'ak-stage-user-write-form': 2,
    },
  },
};

/** Whether nobody reaches a new record of this kind until a flow has it. */
export function isStageKind({ family }: Pick<Kind, 'family'>): boolean {
  return family === stageField.refersTo;
}
