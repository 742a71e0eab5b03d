import { kindFrom, type RowKind } from '../row.ts';
import { requireField } from './require-field.ts';

/** 2023.10.7 accepted a second brand for the same domain; 2025.12.4 refused it. */
export const brand: RowKind = kindFrom({
  path: '/core/brands/',
  formerPath: { before: '2024.2', path: '/core/tenants/', id: 'tenant_uuid' },
  list: 'brands',
  deletion: {},
  login: { is: 'login brand', isDefault: 'default', flow: 'flow_authentication' },
});

/** A duplicate identifier was refused by 2023.10.7 and by 2025.12.4. The service itself creates tokens for outposts. */
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
  // 2023.10.7 and 2025.12.4 leave the field empty.
  fields: { managed: { default: null } },
});

/** 2025.12.4 refused a duplicate name within an application, and accepted the same name in another application. */
export const entitlement: RowKind = kindFrom({
  path: '/core/application_entitlements/',
  list: 'entitlements',
  scope: 'app',
  deletion: {},
});

/** Permissions that a role gets for objects that its users create. A duplicate name was refused by 2025.12.4. */
export const initialPermissions: RowKind = kindFrom({
  path: '/rbac/initial_permissions/',
  list: 'initial_permissions',
  unique: true,
  deletion: {},
  // Earlier releases require the field `mode`, which later releases do not have.
  since: '2025.12',
});

/** 2023.10.7 and 2025.12.4 refused a duplicate name, and an update without path and content. */
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
