import { stageBindings } from '../stage-bindings.ts';
import { kindFrom, type RowKind } from '../row.ts';

/** A second one of a slug was refused by 2023.10.7 and by 2025.12.4. */
export const flow: RowKind = kindFrom({
  path: '/flows/instances/',
  list: 'flows',
  title: 'name',
  unique: true,
  deletion: {},
  otherPaths: ['cache_info'],
  bindableIn: 'policybindingmodel_ptr_id',
  login: {
    is: 'flow',
    purpose: { field: 'designation', value: 'authentication' },
    beginners: {
      field: 'authentication',
      values: ['none', 'require_unauthenticated'],
      default: 'none',
    },
  },
  fields: {
    stages: { children: stageBindings },
    authentication: { changeWarning: () => 'it changes who may use it' },
    denied_action: { changeWarning: () => 'people who are denied go on in another way' },
    designation: { changeWarning: () => 'it serves another purpose' },
  },
});

export const prompt: RowKind = kindFrom({
  path: '/stages/prompt/prompts/',
  list: 'prompts',
  // A second one of a name was refused by 2023.10.7 and by 2025.12.4.
  unique: true,
  deletion: {},
});

/** A second one of a name was accepted by 2023.10.7 and by 2025.12.4. */
export const invitation: RowKind = kindFrom({
  path: '/stages/invitation/invitations/',
  list: 'invitations',
  deletion: {},
});
