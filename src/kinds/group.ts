import type { ReadKind } from './kind.ts';

const path = '/api/v3/core/groups/';

/** A group, of which users are members. */
export const group: ReadKind<'group'> = {
  creates: false,
  type: 'group',
  list: 'groups',
  path,
  changes: [
    {
      since: '2024.4',
      parameter: 'include_users',
      what: 'A list of groups leaves their members out where `include_users=false` asks for that.',
      means: 'Those before list them all the same: names of groups take longer to look up.',
      source: 'authentik/core/api/groups.py @ 2024.4.0',
      seen: true,
    },
  ],
  byName: {
    path,
    query: { include_users: 'false', ordering: 'name' },
    narrowedTo: (name) => ({ name }),
    listedFrom: 10,
    isId: (pk) => typeof pk === 'string' && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(pk),
  },
};
