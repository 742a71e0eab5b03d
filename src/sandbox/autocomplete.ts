import type { JsonObject } from '../base/json.ts';

const text = { type: 'str', nullable: false, options: null };
const flag = { type: 'bool', nullable: true, options: null };
const attributesOf = (model: string): JsonObject => ({
  type: 'relation',
  nullable: false,
  options: null,
  relation: `authentik_core.${model}_attributes`,
});
const ofModel = (model: string, fields: JsonObject): JsonObject => ({
  current_model: `authentik_core.${model}`,
  models: { [`authentik_core.${model}`]: fields },
});

/** What later releases add to a list, for the search in their own pages. */
export const autocomplete: Readonly<Record<'Application' | 'Provider' | 'Group' | 'User', JsonObject>> = {
  Application: {},
  Provider: {},
  Group: ofModel('group', { name: text, is_superuser: flag, attributes: attributesOf('group') }),
  User: ofModel('user', {
    username: text,
    name: text,
    email: text,
    path: text,
    is_active: flag,
    type: { ...text, options: ['internal', 'external', 'service_account', 'internal_service_account'] },
    attributes: attributesOf('user'),
  }),
};
