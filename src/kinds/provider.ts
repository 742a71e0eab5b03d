import type { ReadKind } from './kind.ts';

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

const longestSearch = 100;

/**
 * A search for the longest plain word of a name. The service searches for each word of a text, in any case, and some releases
 * take quotes and commas for more than they are. A name without such a word narrows nothing.
 */
function searchFor(name: string): Readonly<Record<string, string>> {
  const words = name.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const search = Array.from(longest).slice(0, longestSearch).join('');
  return search === '' ? {} : { search };
}
