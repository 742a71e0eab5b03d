import type { ReadKind } from './kind.ts';

const path = '/api/v3/core/groups/';

/** A group, of which users are members. */
export const group: ReadKind<'group'> = {
  creates: false,
  type: 'group',
  list: 'groups',
  path,
  byName: {
    path,
    // Releases before 2024.4 list the members of each group all the same.
    query: { include_users: 'false', ordering: 'name' },
    narrowedTo: (name) => ({ name }),
    listedFrom: 10,
    isId: (pk) => typeof pk === 'string' && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(pk),
  },
};
