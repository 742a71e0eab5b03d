import type { JsonObject } from '../base/json.ts';
import { userUid } from './ids.ts';
import type { Rules } from './release.ts';
import { only, type Row } from './rows.ts';

/** A group in a user's record. */
export function groupOfUser({ pk, fields }: Row, { isLate }: Rules): JsonObject {
  const empty = {
    num_pk: 0,
    name: '',
    is_superuser: false,
    attributes: {},
    ...(!isLate && { parent: null }),
  };
  return { pk, ...empty, ...only(fields, Object.keys(empty)) };
}

export function memberOf({ pk, fields }: Row): JsonObject {
  const names = ['username', 'name', 'is_active', 'last_login', 'email', 'attributes'];
  return { pk, ...only(fields, names), uid: userUid(pk) };
}

export function roleRecord({ pk, fields }: Row): JsonObject {
  return { pk, ...only(fields, ['name']) };
}
