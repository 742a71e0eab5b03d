import type { Kind, Referable } from './kind.ts';
import { kindFrom } from './row.ts';

/** A role, which has permissions and gives them to the groups and users that have it. */
export const role: Kind<'role'> & Referable = kindFrom({
  path: '/rbac/roles/',
  list: 'roles',
  type: 'role',
  lookUp: 'search',
  // A second one of a name was refused by 2023.10.7 and by 2025.12.4.
  unique: true,
  byName: {},
  deletion: {},
});

/** Where to find the id of a role. */
export const roleId =
  "The id ends the URL of the role's page in the admin interface (Directory > Roles), and is its `pk` in GET /api/v3/rbac/roles/?search=NAME.";
