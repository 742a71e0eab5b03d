import type { JsonObject } from '../base/json.ts';
import { answers } from './recorded.ts';
import type { Field } from './fields.ts';
import type { World, SandboxKind } from './kind.ts';
import { allGroupsOf, roleRecord } from './people.ts';
import type { ReleaseRules } from './release.ts';
import { pickValues, type Row } from './rows.ts';

/** The release of the service: `GET /admin/version/`. */
export function versionAnswer({ version, isFrom2025 }: ReleaseRules): JsonObject {
  return {
    version_current: version,
    version_latest: version,
    build_hash: '',
    outdated: false,
    ...(isFrom2025 && { version_latest_valid: true, outpost_outdated: false }),
  };
}

/** The answer to OPTIONS of a list. The answer describes POST only if the user may create records. */
export function optionsAnswer({ title, fields }: SandboxKind, mayCreate: boolean): JsonObject {
  const options = Object.entries(fields).map(([field, row]) => [field, fieldOptions(field, row)] as const);
  return {
    name: `${title.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')} List`,
    description: `${title} Viewset`,
    renders: ['application/json'],
    parses: ['application/json'],
    ...(mayCreate && { actions: { POST: Object.fromEntries(options) } }),
  };
}

function fieldOptions(
  name: string,
  { type, label, attributes: more, default: byDefault }: Field,
): JsonObject {
  const words = name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
  return { type, required: byDefault === undefined, read_only: false, label: label ?? words, ...more };
}

export function currentUserAnswer(asker: Row, world: World): JsonObject {
  const { isFrom2025 } = world.rules;
  const user = world.kind('/core/users/').record(asker);
  const groups = allGroupsOf(world, asker);
  const roles = [asker, ...groups].flatMap((row) => world.at('/rbac/roles/').those(row.fields['roles']));
  const permissions = answers().permissions[isFrom2025 ? '2025.12' : '2023.10'];
  return {
    user: {
      ...pickValues(user, selfFields),
      groups: groups.map(({ pk, fields }) => ({ ...pickValues(fields, ['name']), pk })),
      settings: {},
      system_permissions: user['is_superuser'] === true ? permissions : [],
      ...(isFrom2025 && { roles: [...new Set(roles)].map(roleRecord) }),
    },
  };
}

const selfFields = 'pk username name is_active is_superuser email avatar uid type'.split(' ');
