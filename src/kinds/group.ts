import { type FieldRows, kindFrom, type RowKind } from './row.ts';

const fields = {
  is_superuser: {
    default: false,
    changeWarning: (isSuperuser) => {
      if (typeof isSuperuser !== 'boolean') return "its members gain a superuser's rights, or lose them";
      return isSuperuser ? undefined : "its members lose a superuser's rights";
    },
  },
  parents: {
    earlier: { field: 'parent', isSingle: true },
    // Members of a group are also members of its parents, and get the rights that the parents grant.
    fact: { field: 'is_superuser', grants: "a superuser's rights" },
    addedRights: 'access to what is open to',
    default: [],
  },
  attributes: { default: {} },
  roles: { addedRights: 'the rights of the role', default: [] },
} satisfies FieldRows;

const membership =
  'Membership is declared on the user: add the group to the `groups` of each user, as `{ name: … }`.';

const notDeclarable = {
  users: membership,
  members: membership,
  children: 'A group lists its parents, not its children.',
  permissions:
    'rollcall sets no permissions. In the service, grant them to a role, and give the role to the group.',
};

export const group: RowKind = kindFrom({
  list: 'groups',
  login: { kind: 'superuser group', grants: 'is_superuser', parents: 'parents' },
  rights: { to: 'its members', takenBy: { is_superuser: 'false', parents: 'removal', roles: 'removal' } },
  deletion: { last: { field: 'is_superuser', words: 'the last group of superusers' } },
  fields,
  notDeclarable,
});
