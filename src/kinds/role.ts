import type { ReadKind } from './kind.ts';
import { searchFor } from './search.ts';
import { isUuid } from './values.ts';

const path = '/api/v3/rbac/roles/';

/** A role, which has permissions and gives them to the groups and users that have it. */
export const role: ReadKind<'role'> = {
  creates: false,
  type: 'role',
  list: 'roles',
  path,
  permissionsOf: 'authentik_rbac',
  changes: [],
  byName: {
    path,
    query: { ordering: 'name' },
    narrowedTo: searchFor,
    listedFrom: 2,
    isId: isUuid,
  },
};

/** Where to find the id of a role. */
export const roleId =
  "The id ends the URL of the role's page in the admin interface (Directory > Roles), and is its `pk` in GET /api/v3/rbac/roles/?search=NAME.";
