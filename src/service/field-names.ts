import type { Application, User } from '../kinds/resource.ts';

const requestFields = {
  slug: true,
  name: true,
  provider: true,
  backchannel_providers: true,
  open_in_new_tab: true,
  meta_launch_url: true,
  meta_description: true,
  meta_publisher: true,
  policy_engine_mode: true,
  group: true,
  username: true,
  is_active: true,
  last_login: true,
  groups: true,
  email: true,
  attributes: true,
  path: true,
  type: true,
} satisfies Record<keyof Application | keyof User, true>;

/** The names at the top of an answer that mean something: the fields of a request, and those around them. */
export const meaningfulNames: ReadonlySet<string> = new Set([
  ...Object.keys(requestFields),
  'pk',
  'detail',
  'non_field_errors',
  'code',
]);
