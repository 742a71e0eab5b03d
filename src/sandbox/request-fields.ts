import type { JsonObject } from '../base/json.ts';

/** What the service says of each field that a request may hold, to one who may create. It says more of what only it sets. */
export const requestFields: Readonly<Record<'application' | 'user', JsonObject>> = {
  application: {
    name: required('string', 'Name', { help_text: "Application's display Name." }),
    slug: required('slug', 'Slug', { help_text: 'Internal application name, used in URLs.', max_length: 50 }),
    provider: optional('field', 'Provider'),
    backchannel_providers: optional('field', 'Backchannel providers'),
    open_in_new_tab: optional('boolean', 'Open in new tab', {
      help_text: 'Open launch URL in a new browser tab or window.',
    }),
    meta_launch_url: optional('string', 'Meta launch url'),
    meta_description: optional('string', 'Meta description'),
    meta_publisher: optional('string', 'Meta publisher'),
    policy_engine_mode: optional('choice', 'Policy engine mode', {
      choices: [
        { value: 'all', display_name: 'all, all policies must pass' },
        { value: 'any', display_name: 'any, any policy must pass' },
      ],
    }),
    group: optional('string', 'Group'),
  },
  user: {
    username: required('string', 'Username', { max_length: 150 }),
    name: required('string', 'Name', { help_text: "User's display name." }),
    is_active: optional('boolean', 'Active', {
      help_text:
        'Designates whether this user should be treated as active. Unselect this instead of deleting accounts.',
    }),
    last_login: optional('datetime', 'Last login'),
    groups: optional('field', 'Groups'),
    email: optional('email', 'Email address', { max_length: 254 }),
    attributes: optional('field', 'Attributes'),
    path: optional('string', 'Path'),
    type: optional('choice', 'Type', {
      choices: [
        { value: 'internal', display_name: 'Internal' },
        { value: 'external', display_name: 'External' },
        { value: 'service_account', display_name: 'Service Account' },
        { value: 'internal_service_account', display_name: 'Internal Service Account' },
      ],
    }),
  },
};

function required(type: string, label: string, more: JsonObject = {}): JsonObject {
  return { type, required: true, read_only: false, label, ...more };
}

function optional(type: string, label: string, more: JsonObject = {}): JsonObject {
  return { ...required(type, label, more), required: false };
}
