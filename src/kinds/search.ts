const longestSearch = 100;

/**
 * Query parameters for a list of few records that include those with the name: a search for the longest plain word of the name. The
 * service searches for each word, ignoring case, and some releases treat quotes and commas specially. Without a plain word, the
 * query is empty.
 */
export function searchFor(name: string): Readonly<Record<string, string>> {
  const words = name.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const search = Array.from(longest).slice(0, longestSearch).join('');
  return search === '' ? {} : { search };
}
