import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { fieldsFrom, untaken, type FieldRows } from './field-facts.ts';
import { userUid, uuid } from './ids.ts';
import { byPk, everyMethod, type World, type WrittenKind } from './kind.ts';
import { autocompletion } from './lists.ts';
import type { Query } from './query.ts';
import type { Rules } from './release.ts';
import { roleRecord } from './named-kinds.ts';
import { only, Rows, valuesOf, type Row } from './rows.ts';

export function groupKind(world: World): WrittenKind {
  const { rules, seed } = world;
  const { groups: seeded = [] } = seed;
  const known = seeded.filter(({ pk }) => pk !== undefined);
  const rows = new Rows(
    known.map(({ pk = '', num_pk = 0, name, is_superuser = false }) => ({
      pk: pk.toLowerCase(),
      fields: {
        num_pk,
        name,
        is_superuser,
        ...(rules.isLate ? { parents: [] } : { parent: null }),
        attributes: {},
        roles: [],
      },
    })),
  );
  let made = 0;
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
    rows,
    record: (group, _, query) => recordOf(group, { world, rows }, query),
    writing: {
      fields: fieldsFrom(world, '/core/groups/', groupFields(world, rows)),
      seed: seeded.flatMap(({ pk, ...body }) => (pk === undefined ? [body] : [])),
      write: (values, own, asker) => {
        const becomesSuperuser = values['is_superuser'] === true && own?.fields['is_superuser'] !== true;
        // Since 2025.2.
        if (rules.isLate && becomesSuperuser && asker?.rights.reach('enable_superuser', 'groups') === 'none')
          return {
            errors: { is_superuser: ['User does not have permission to set superuser status to True.'] },
          };
        const { users, ...fields } = values;
        if (own !== undefined) {
          if (users !== undefined) setMembers(world.rows('user'), own, users);
          return rows.change(own, fields);
        }
        made += 1;
        const group = {
          pk: uuid(`group ${made} ${textOf(values['name'])}`),
          fields: { num_pk: made, ...fields },
        };
        setMembers(world.rows('user'), group, users ?? []);
        return rows.add(group);
      },
    },
  };
}

/** A group as the service answers it. */
function recordOf(
  { pk, fields: { roles: held = [], ...fields } }: Row,
  { world, rows }: { readonly world: World; readonly rows: Rows },
  query: Query | undefined,
): JsonObject {
  const { isLate } = world.rules;
  const members = world
    .rows('user')
    .with('groups', pk)
    .toSorted((a, b) => Number(a.pk) - Number(b.pk));
  const withUsers = !isLate || query?.isTrue('include_users', true) !== false;
  return {
    pk,
    ...fields,
    ...(isLate
      ? {
          parents_obj: null,
          children: rows.with('parents', pk).map((child) => child.pk),
          children_obj: null,
          inherited_roles_obj: null,
        }
      : { parent_name: rows.those([fields['parent'] ?? null])[0]?.fields['name'] ?? null }),
    users: members.map((user) => user.pk),
    users_obj: withUsers ? members.map(memberOf) : null,
    roles: held,
    roles_obj: world.rows('role').those(held).map(roleRecord),
  };
}

/** Makes these users its members, and no others. */
function setMembers(users: Rows, { pk }: Row, members: JsonValue): void {
  const wanted = new Set(users.those(members));
  for (const user of new Set([...users.with('groups', pk), ...wanted])) {
    const others = valuesOf(user, 'groups').filter((id) => id !== pk);
    users.change(user, { groups: wanted.has(user) ? [...others, pk] : others });
  }
}

function isItself(pk: Row['pk'], own?: Row): string | undefined {
  return pk === own?.pk ? 'Cannot set group as parent of itself.' : undefined;
}

/** What no schema says of the fields of a group. */
function groupFields({ rules }: World, groups: Rows): FieldRows {
  const taken = untaken(() => groups, 'name', 'Group');
  return {
    // Since 2024.6.
    name: rules.isLate ? { first: taken } : {},
    is_superuser: { more: { help_text: 'Users added to this group will be superusers.' } },
    parent: { first: isItself },
  };
}

/** A group as a user's record has it. */
export function groupOfUser({ pk, fields }: Row, { isLate }: Rules): JsonObject {
  const names = ['num_pk', 'name', 'is_superuser', 'attributes', ...(isLate ? [] : ['parent'])];
  return { pk, ...only(fields, names) };
}

/** A user as the record of a group has it. */
export function memberOf({ pk, fields }: Row): JsonObject {
  const names = ['username', 'name', 'is_active', 'last_login', 'email', 'attributes'];
  return { pk, ...only(fields, names), uid: userUid(pk) };
}
