import { kindFrom, type RowKind } from '../row.ts';
import { requireField } from './require-field.ts';

/** A second brand for a domain was accepted by 2023.10.7, and refused by 2025.12.4. */
export const brand: RowKind = kindFrom({
  path: '/core/brands/',
  formerPath: { before: '2024.2', path: '/core/tenants/', id: 'tenant_uuid' },
  list: 'brands',
  deletion: {},
  login: { is: 'login brand', isDefault: 'default', flow: 'flow_authentication' },
});

/** A second one of an identifier was refused by 2023.10.7 and by 2025.12.4. Outposts have tokens that the service makes for them. */
export const token: RowKind = kindFrom({
  path: '/core/tokens/',
  list: 'tokens',
  unique: true,
  isInternal: ({ managed = null }) => managed !== null,
  rights: {
    to: 'a token',
    owner: 'user',
    takenBy: { user: 'change', intent: 'change', expiring: 'change', expires: 'change' },
  },
  deletion: {},
  // Both releases leave it empty.
  fields: { managed: { default: null } },
});

/** Refused by 2025.12.4: a second one of a name in one application. It takes one of that name in another. */
export const entitlement: RowKind = kindFrom({
  path: '/core/application_entitlements/',
  list: 'entitlements',
  scope: 'app',
  deletion: {},
});

/** Permissions that a role gets for objects of its users. A duplicate name was refused by 2025.12.4. */
export const initialPermissions: RowKind = kindFrom({
  path: '/rbac/initial_permissions/',
  list: 'initial_permissions',
  unique: true,
  deletion: {},
  // Earlier releases require a `mode`, which was removed.
  since: '2025.12',
});

/** A duplicate name was refused by 2023.10.7 and by 2025.12.4, and so was a change without its path or content. */
export const blueprint: RowKind = kindFrom({
  path: '/managed/blueprints/',
  list: 'blueprints',
  unique: true,
  update: { requiredInUpdates: ['path', 'content'] },
  deletion: {},
  fields: {
    content: { ifMissing: requireField('a new blueprint needs a `content` or a `path`', ['path']) },
  },
});

export const lifecycleRule: RowKind = kindFrom({
  path: '/lifecycle/rules/',
  list: 'lifecycle_rules',
  deletion: {},
});

export const requestRule: RowKind = kindFrom({
  path: '/requests/rules/',
  list: 'request_rules',
  deletion: {},
});
