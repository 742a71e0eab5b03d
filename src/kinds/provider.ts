import type { ReadKind } from './kind.ts';
import { searchFor } from './search.ts';

const path = '/api/v3/providers/all/';

/** A provider of any type, through which people log in to an application. */
export const provider: ReadKind<'provider'> = {
  creates: false,
  type: 'provider',
  list: 'providers',
  path,
  changes: [],
  byName: {
    path,
    query: { ordering: 'name' },
    narrowedTo: searchFor,
    listedFrom: 2,
    isId: (pk) => Number.isSafeInteger(pk),
  },
};
