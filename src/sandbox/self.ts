import { isJsonList, isJsonObject, type JsonObject } from '../base/json.ts';
import type { Field } from './fields.ts';
import type { WrittenKind } from './kind.ts';
import type { Rules } from './release.ts';
import { only } from './rows.ts';

// What the service says about itself and about the user who asks.

/** The release that it is: `GET /admin/version/`. */
export function versionOf({ version, isLate }: Rules): JsonObject {
  return {
    version_current: version,
    version_latest: version,
    build_hash: '',
    outdated: false,
    ...(isLate && { version_latest_valid: true, outpost_outdated: false }),
  };
}

/** How the service is set up: `GET /root/config/`, for everybody but those with a wrong token. */
export function configurationOf({ isLate }: Rules): JsonObject {
  return {
    error_reporting: {
      enabled: false,
      sentry_dsn: '',
      environment: 'customer',
      send_pii: false,
      traces_sample_rate: 0.1,
    },
    capabilities: ['can_impersonate', 'is_enterprise'],
    cache_timeout: 300,
    cache_timeout_flows: 300,
    cache_timeout_policies: 300,
    ...(!isLate && { cache_timeout_reputation: 300 }),
  };
}

/** The answer to OPTIONS of a list. It describes POST only to those who may create. */
export function listOptions({ title, writing }: WrittenKind, mayCreate: boolean): JsonObject {
  const shown = Object.entries(writing.fields).map(
    ([field, row]) => [field, fieldOptions(field, row)] as const,
  );
  return {
    name: `${title.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')} List`,
    description: `${title} Viewset`,
    renders: ['application/json'],
    parses: ['application/json'],
    ...(mayCreate && { actions: { POST: Object.fromEntries(shown) } }),
  };
}

function fieldOptions(name: string, { type, label, more, default: byDefault }: Field): JsonObject {
  const words = name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
  return { type, required: byDefault === undefined, read_only: false, label: label ?? words, ...more };
}

/** Who asks, by a user's record: `GET /core/users/me/`. */
export function meOf(user: JsonObject, { isLate }: Rules): JsonObject {
  const groups = user['groups_obj'] ?? [];
  const permissions = [...always, ...(isLate ? later : earlier)].toSorted();
  return {
    user: {
      ...only(user, shownToOneself),
      groups: isJsonList(groups)
        ? groups.filter(isJsonObject).map((group) => only(group, ['name', 'pk']))
        : [],
      settings: {},
      system_permissions: user['is_superuser'] === true ? permissions : [],
      ...(isLate && { roles: user['roles_obj'] ?? [] }),
    },
  };
}

const shownToOneself = 'pk username name is_active is_superuser email avatar uid type'.split(' ');
function everyRightTo(model: string): string[] {
  return ['add', 'change', 'delete', 'view'].map((right) => `${right}_${model}`);
}

const always = [
  ...everyRightTo('role'),
  'access_admin_interface',
  'assign_role_permissions',
  'unassign_role_permissions',
  'view_system_info',
];
const earlier = ['run_system_tasks', 'view_system_tasks'];
const later = [
  ...everyRightTo('initialpermissions'),
  'edit_system_settings',
  'manage_media_files',
  'view_media_files',
  'view_system_settings',
];
