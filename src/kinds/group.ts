import type { Problem } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { releaseProblemFor, type Release, type ReleaseChange } from './release.ts';
import { type FieldRows, kindFrom, type RowKind } from './row.ts';

const leftOutMembers: ReleaseChange = {
  since: '2024.4',
  parameter: 'include_users',
  what: 'A list of groups leaves their members out where `include_users=false` asks for that.',
  means: 'Those before list them all the same: names of groups take longer to look up.',
  source: 'authentik/core/api/groups.py @ 2024.4.0',
  seen: true,
};

const uniqueNames: ReleaseChange = {
  since: '2024.6',
  what: 'The name of a group is that of no other (400).',
  means:
    'Those before create a second one: rollcall looks before each create, and refuses to choose between two of one name.',
  source: 'authentik/core/api/groups.py @ 2024.6.0',
  seen: true,
};

const longNames: ReleaseChange = {
  since: '2024.8',
  what: 'The name of a group may be longer than 80 characters.',
  means: 'Those before refuse it (400).',
  source: 'schema.yml @ 2024.8.6',
  seen: true,
};

const rightToSuperusers: ReleaseChange = {
  since: '2025.2',
  what: 'To make a group of superusers takes the permission `enable_group_superuser` (400 without).',
  means: 'Before, the right to create or to change groups is enough.',
  source: 'authentik/core/api/groups.py @ 2025.2.0',
  seen: true,
};

const parents: ReleaseChange = {
  since: '2025.12',
  what: 'A group has `parents`, as many as are given, and no `parent`.',
  means:
    'Those before have `parent`, which is one: of them, `parents` has one at most. rollcall sends both, and each ignores the other.',
  source: 'authentik/core/api/groups.py @ 2025.12.0; schema.yml @ 2025.12.4',
  seen: true,
};

const fields = {
  is_superuser: {
    default: false,
    changeWarning: (is) => {
      if (typeof is !== 'boolean') return "its members gain a superuser's rights, or lose them";
      return `its members ${is ? 'gain' : 'lose'} a superuser's rights`;
    },
  },
  parents: {
    formerly: 'parent',
    wasSingle: true,
    // Who is in a group is in its parents as well, and has what those give.
    factIn: 'is_superuser',
    grants: "gives its members a superuser's rights",
    default: [],
    checks: [oneParent],
  },
  attributes: {
    default: {},
  },
  roles: { default: [] },
} satisfies FieldRows;

const membership =
  'Membership stands with the user: write the group into the `groups` of each user, as `{ name: … }`.';

const notDeclarable = {
  users: membership,
  members: membership,
  children: 'A group names its parents, and no children.',
  permissions: 'rollcall sets no permissions. Give them to a role in the service, and the role to the group.',
};

/** A group, of which users are members. No documented operation reads or creates one. */
export const group: RowKind = kindFrom({
  path: '/core/groups/',
  list: 'groups',
  leftOut: { include_users: 'false' },
  deletion: { last: { field: 'is_superuser', words: 'the last group of superusers' } },
  fields,
  notDeclarable,
  changes: [leftOutMembers, uniqueNames, longNames, rightToSuperusers, parents],
});

function oneParent(ids: readonly JsonValue[], release: Release | undefined): Problem | undefined {
  if (ids.length <= 1) return undefined;
  return releaseProblemFor({ before: parents.since }, release, 'let a group have one parent', 'Write one.');
}
