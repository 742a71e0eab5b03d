import { kindFrom, type RowKind } from './row.ts';

/** A role, which has permissions and gives them to the groups and users that have it. */
export const role: RowKind = kindFrom({
  path: '/rbac/roles/',
  list: 'roles',
  // A second one of a name was refused by 2023.10.7 and by 2025.12.4.
  unique: true,
  deletion: {},
});
