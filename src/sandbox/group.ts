import type { JsonObject } from '../base/json.ts';
import { userUid } from './ids.ts';
import { byPk, everyMethod, type SandboxKind, type World } from './kind.ts';
import { autocompletion } from './lists.ts';
import type { Rules } from './release.ts';
import { only, Rows, type Row } from './rows.ts';

export function groupKind({ rules, seed, rows }: World): SandboxKind {
  const membersOf = (group: Row): readonly Row[] =>
    rows('user')
      .with('groups', group.pk)
      .toSorted((a, b) => Number(a.pk) - Number(b.pk));
  return {
    title: 'Group',
    list: 'groups',
    path: '/api/v3/core/groups/',
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: ['name'],
    searched: ({ fields }) => [fields['name']],
    autocomplete: autocompletion('group', ['name'], 'is_superuser'),
    rows: new Rows(
      (seed.groups ?? []).map(({ pk, num_pk = 0, name, is_superuser = false }) => ({
        pk: pk.toLowerCase(),
        fields: { num_pk, name, is_superuser, attributes: {} },
      })),
    ),
    record: (group, _, query) => {
      const users = membersOf(group);
      const withUsers = !rules.isLate || query?.isTrue('include_users', true) !== false;
      return {
        pk: group.pk,
        ...group.fields,
        ...(rules.isLate
          ? { parents: [], parents_obj: null, children: [], children_obj: null, inherited_roles_obj: null }
          : { parent: null, parent_name: null }),
        users: users.map((user) => user.pk),
        users_obj: withUsers ? users.map(memberOf) : null,
        roles: [],
        roles_obj: [],
      };
    },
  };
}

/** A group as a user's record has it. */
export function groupOfUser({ pk, fields }: Row, { isLate }: Rules): JsonObject {
  return { pk, ...fields, ...(!isLate && { parent: null }) };
}

function memberOf({ pk, fields }: Row): JsonObject {
  const names = ['username', 'name', 'is_active', 'last_login', 'email', 'attributes'];
  return { pk, ...only(fields, names), uid: userUid(pk) };
}
