import type { JsonValue } from '../base/json.ts';

/** A kind of record that is made in the service itself: manifests refer to one by its id, or by its name. */
export interface Related {
  /** In a sentence: `provider`. */
  readonly type: string;
  /** The word for several. */
  readonly list: string;
  /** Where a GET lists them, below the base URL. */
  readonly path: string;
  /** What is asked for beside a page: an order that is the same from page to page, and what makes it cheap. */
  readonly query: Readonly<Record<string, string>>;
  /** What narrows the list to a few with the one of a name among them. No more than that: each has to be compared. */
  readonly narrowedTo: (name: string) => Readonly<Record<string, string>>;
  /** Of how many names on it may take fewer requests to read the whole list. */
  readonly listedFrom: number;
  /** Whether a `pk` is an id of this kind. */
  readonly isId: (pk: JsonValue) => boolean;
}

export const providers: Related = {
  type: 'provider',
  list: 'providers',
  path: '/api/v3/providers/all/',
  query: { ordering: 'name' },
  narrowedTo: searchFor,
  listedFrom: 2,
  isId: (pk) => Number.isSafeInteger(pk),
};

export const groups: Related = {
  type: 'group',
  list: 'groups',
  path: '/api/v3/core/groups/',
  // Releases before 2024.4 list the members of each group all the same.
  query: { include_users: 'false', ordering: 'name' },
  narrowedTo: (name) => ({ name }),
  listedFrom: 10,
  isId: (pk) => typeof pk === 'string' && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(pk),
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
