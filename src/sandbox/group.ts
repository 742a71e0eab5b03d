import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { uuidFrom } from './ids.ts';
import { rejected, type World } from './kind.ts';
import type { Query } from './query.ts';
import { memberRecord } from './people.ts';
import { type Rows, valuesOf, type Row } from './rows.ts';
import type { TableRow } from './table.ts';

export function groupRow(world: World): TableRow {
  return {
    fields: {
      // Since 2024.6.
      ...(!world.rules.isFrom2025 && { name: { checkFirst: () => undefined } }),
      parent: {
        checkFirst: (pk, existing) =>
          pk === existing?.pk ? 'Cannot set group as parent of itself.' : undefined,
      },
    },
    newPk: (made, { name }) => uuidFrom(`group ${made} ${textOf(name)}`),
    refuse: (values, { existing, asker }) => {
      const becomesSuperuser = values['is_superuser'] === true && existing?.fields['is_superuser'] !== true;
      // Since 2025.2.
      const isRefused = asker?.rights.extentOf('enable_superuser', 'groups') === 'none';
      return world.rules.isFrom2025 && becomesSuperuser && isRefused
        ? rejected('User does not have permission to set superuser status to True.', 'is_superuser')
        : undefined;
    },
    stored: (values, { existing, count: made }) => {
      const { users: _, ...others } = values;
      return { ...(!existing && { num_pk: made }), ...others };
    },
    afterSave: (group, { users }) => {
      if (users !== undefined) setMembers(world.at('/core/users/'), group, users);
    },
    shown: (group, _, query) => shownOf(group, world, query),
  };
}

function shownOf({ pk, fields }: Row, { rules, at }: World, query: Query | undefined): JsonObject {
  const groups = at('/core/groups/');
  const members = at('/core/users/')
    .with('groups', pk)
    .toSorted((a, b) => Number(a.pk) - Number(b.pk));
  const withUsers = !rules.isFrom2025 || query?.isTrue('include_users', true) !== false;
  return {
    children: groups.with('parents', pk).map((child) => child.pk),
    parent_name: groups.those([fields['parent'] ?? null])[0]?.fields['name'] ?? null,
    users: members.map((user) => user.pk),
    users_obj: withUsers ? members.map(memberRecord) : null,
  };
}

function setMembers(users: Rows, { pk }: Row, members: JsonValue): void {
  const wanted = new Set(users.those(members));
  for (const user of new Set([...users.with('groups', pk), ...wanted])) {
    const others = valuesOf(user, 'groups').filter((id) => id !== pk);
    users.change(user, { groups: wanted.has(user) ? [...others, pk] : others });
  }
}
