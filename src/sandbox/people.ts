import type { JsonObject } from '../base/json.ts';
import { userUid } from './ids.ts';
import type { World } from './kind.ts';
import type { ReleaseRules } from './release.ts';
import { pickValues, type Row, valuesOf } from './rows.ts';

/** The groups of a user and their parent groups: members of a group are also members of its parents. */
export function allGroupsOf({ at }: World, user: Row): readonly Row[] {
  const groups = at('/core/groups/');
  const all = new Set(groups.those(user.fields['groups']));
  for (const group of all)
    for (const above of groups.those([...valuesOf(group, 'parents'), ...valuesOf(group, 'parent')]))
      all.add(above);
  return [...all];
}

export function groupRecord({ pk, fields }: Row, { isFrom2025 }: ReleaseRules): JsonObject {
  const empty = {
    num_pk: 0,
    name: '',
    is_superuser: false,
    attributes: {},
    ...(!isFrom2025 && { parent: null }),
  };
  return { pk, ...empty, ...pickValues(fields, Object.keys(empty)) };
}

export function memberRecord({ pk, fields }: Row): JsonObject {
  const names = ['username', 'name', 'is_active', 'last_login', 'email', 'attributes'];
  return { pk, ...pickValues(fields, names), uid: userUid(pk) };
}

export function roleRecord({ pk, fields }: Row): JsonObject {
  return { pk, ...pickValues(fields, ['name']) };
}
