import { kindFrom, type RowKind } from './row.ts';

export const role: RowKind = kindFrom({
  path: '/rbac/roles/',
  list: 'roles',
  // A duplicate name was refused by 2023.10.7 and by 2025.12.4.
  unique: true,
  rights: { to: 'its holders' },
  deletion: {},
});
