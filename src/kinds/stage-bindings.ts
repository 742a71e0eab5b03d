import type { Children } from './children.ts';
import { familyOf } from './families.ts';
import { policyBindings } from './policy-bindings.ts';

export const stageBindings: Children = {
  type: 'flowstagebinding',
  list: 'bindings of stages',
  permissionsOf: 'authentik_flows',
  path: '/api/v3/flows/bindings/',
  by: 'pk',
  ofParents: { parameter: 'target', atOnce: 1, allFrom: 4 },
  binds: [{ idIn: 'stage', refersTo: familyOf('stages'), recordIn: 'stage_obj', nameIn: 'name' }],
  // The defaults are those of 2023.10.7 and of 2025.12.4.
  fields: {
    order: {},
    evaluate_on_plan: { default: false },
    re_evaluate_policies: { default: true },
    policy_engine_mode: { default: 'any' },
    invalid_response_action: { default: 'retry' },
  },
  // 2023.10.7 and 2025.12.4 took a PATCH of the order alone.
  isSentWhole: false,
  inside: { field: 'policies', children: policyBindings, bindableIn: 'policybindingmodel_ptr_id' },
  // They act on the results of earlier stages. A name is only asked for once its proof is bound.
  last: {
    field: 'component',
    ranks: {
      'ak-stage-identification-form': 1,
      'ak-stage-user-login-form': 2,
      'ak-stage-user-write-form': 2,
    },
  },
};
